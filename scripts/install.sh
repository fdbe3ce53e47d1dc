#!/bin/sh
# Usage: scripts/install.sh run|dev
#
# Makes .venv with what requirements.lock (run) or requirements-dev.lock (dev) pins, and the
# package itself in editable form. PYTHON=... picks the interpreter. On Debian as root it also
# installs the system packages that are missing; elsewhere it says which they are and goes on.
# Done once for the same lock files: calling it again takes a moment.
set -eu
cd "$(dirname "$0")/.."

want=${1:?run or dev}
venv_python=.venv/bin/python
window_packages="libgl1 libfontconfig1 libfreetype6 xvfb xauth"

say() { printf '%s\n' "$*" >&2; }
fail() { say "error: $*"; exit 1; }

suits() {
    "$1" -c 'import sys; sys.exit(not ((3, 11) <= sys.version_info[:2] < (3, 14)))' 2>/dev/null
}

version_of() { "$1" -c 'import sys; print(sys.version, sys.base_prefix)' 2>/dev/null || true; }

can_make_venv() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }

# Prints the interpreter to use, or nothing.
find_python() {
    for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python}; do
        if suits "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
}

is_installed() {
    case $(dpkg-query -W -f='${Status} ' "$1" 2>/dev/null || true) in
        *"ok installed"*) return 0 ;;
        *) return 1 ;;
    esac
}

# Prints the Debian packages that are missing, python3-venv only if no .venv stands yet.
missing_packages() {
    for package in $window_packages; do
        is_installed "$package" || printf '%s ' "$package"
    done
    if ! "$venv_python" -m pip --version >/dev/null 2>&1; then
        found=$(find_python)
        if [ -n "$found" ]; then
            can_make_venv "$found" ||
                "$found" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'
        elif [ -z "${PYTHON:-}" ]; then
            printf 'python3-venv'
        fi
    fi
}

install_packages() {
    log=$(mktemp)
    say "installing Debian packages: $*"
    if ! { apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } \
        >"$log" 2>&1 </dev/null; then
        tail -n 5 "$log" >&2
        say "apt-get failed; going on without. To try again:"
        say "    apt-get update && apt-get install -y --no-install-recommends $*"
    fi
    rm -f "$log"
}

system_packages() {
    if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
        # shellcheck disable=SC2046,SC2086  # names without spaces, to be split
        set -- $(missing_packages)
        if [ $# -eq 0 ]; then
            return
        elif [ "$(id -u)" -eq 0 ]; then
            install_packages "$@"
        else
            say "some system packages are missing. To install them:"
            say "    sudo apt-get update && sudo apt-get install -y --no-install-recommends $*"
        fi
    elif [ "$(uname -s)" = Linux ] && ! command -v Xvfb >/dev/null; then
        say "windows need your system's packages for: OpenGL (libGL), fontconfig, freetype;"
        say "without a screen also Xvfb and xauth"
    fi
}

choose_python() {
    python=$(find_python)
    if [ -z "$python" ]; then
        [ -z "${PYTHON:-}" ] ||
            fail "PYTHON=$PYTHON is no Python >= 3.11, < 3.14 ($("$PYTHON" -V 2>&1 || true))"
        fail "found no Python >= 3.11, < 3.14. Install one, then: make ... PYTHON=/path/to/it"
    fi
    case $("$python" -c 'import platform; print(platform.system(), platform.machine())') in
        "Darwin x86_64") fail "$python is built for Intel Macs, for which Numba ships nothing;" \
            "on Apple silicon use a native Python: make ... PYTHON=/path/to/it" ;;
        *) ;;
    esac
}

# What an installation was made of: where, with which Python, from which versions.
fingerprint() {
    pwd
    version_of "$venv_python"
    cksum pyproject.toml requirements.lock
    [ "$1" = run ] || cksum requirements-dev.lock
}

is_done() {
    [ -f ".venv/installed-$1" ] && [ "$(fingerprint "$1")" = "$(cat ".venv/installed-$1")" ]
}

# True if .venv works, was made for this folder, and by the Python asked for, if one was.
venv_stands() {
    "$venv_python" -m pip --version >/dev/null 2>&1 &&
        suits "$venv_python" &&
        [ "$(cat .venv/made-in 2>/dev/null)" = "$(pwd)" ] &&
        { [ -z "${PYTHON:-}" ] || [ "$(version_of "$venv_python")" = "$(version_of "$PYTHON")" ]; }
}

make_venv() {
    choose_python
    say "making .venv with $("$python" -V)"
    "$python" -m venv --clear .venv >&2 ||
        fail "$python could not make .venv (on Debian the package python3-venv is needed)"
    pwd >.venv/made-in
}

install() {
    say "installing what $1 pins"
    "$venv_python" -m pip install --disable-pip-version-check --no-input \
        --no-deps --require-hashes --only-binary :all: -r "$1" >&2
    "$venv_python" -m pip install --disable-pip-version-check --no-input --quiet \
        --no-deps --no-build-isolation -e . >&2
}

system_packages
venv_stands || make_venv
case $want in
    run)
        is_done run || is_done dev || {
            install requirements.lock
            fingerprint run >.venv/installed-run
        }
        ;;
    dev)
        is_done dev || {
            install requirements-dev.lock
            fingerprint dev >.venv/installed-dev
        }
        ;;
    *) fail "'$want' is neither run nor dev" ;;
esac
