# What a person types here; `make` alone lists it. scripts/install.sh makes .venv.
.DEFAULT_GOAL := help
.PHONY: help play test bench lint format lock clean venv venv-dev

# PYTHON=/path/to/python picks the interpreter for .venv; TESTS=tests/levels runs a part.
TESTS ?=

RUN := .venv/bin/python
UV := uv==0.13.9
COMPILE := $(RUN) -m uv pip compile --quiet --universal --python-version 3.11 \
	--fork-strategy fewest --only-binary :all: --generate-hashes --no-header \
	--annotation-style line $(if $(UPGRADE),--upgrade)

help:  ## list these
	@sed -n 's/^\([a-z-]*\):.*## /\1 = /p' Makefile | awk -F ' = ' '{ printf "make %-8s %s\n", $$1, $$2 }'

play: venv  ## install what is missing and open the menu of demo levels
	@$(RUN) -m games

test: venv-dev  ## install what is missing and check everything: style, types, imports, tests
	@$(MAKE) --no-print-directory lint
	$(RUN) -m pytest $(TESTS)

bench: venv-dev  ## measure speed
	@$(RUN) -m benchmarks

lint: venv-dev  ## style, types and imports alone
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	$(RUN) -m mypy
	.venv/bin/lint-imports --no-logo

format: venv-dev  ## lay out the code, and mend what ruff can
	$(RUN) -m ruff check --fix
	$(RUN) -m ruff format

lock: venv-dev  ## write the lock files anew from pyproject.toml (UPGRADE=1: newest versions)
	$(RUN) -m pip install --disable-pip-version-check --quiet $(UV)
	$(COMPILE) --group build pyproject.toml -o requirements.lock
	$(COMPILE) --group dev --constraint requirements.lock pyproject.toml -o requirements-dev.lock

clean:  ## remove all that make made
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis out dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

venv:
	@scripts/install.sh run

venv-dev:
	@scripts/install.sh dev
