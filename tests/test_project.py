"""The project's promises about itself: what is packed, pinned, documented and imported."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "ecs_physics"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCKS = [ROOT / "requirements.lock", ROOT / "requirements-dev.lock"]
MADE = {".git", ".venv", "out", "dist", "build", "__pycache__"}
PUBLIC_PACKAGES = {
    "ecs_physics": PACKAGE / "__init__.py",
    "ecs_physics.events": PACKAGE / "events.py",
    "ecs_physics.levels": PACKAGE / "levels/__init__.py",
    "ecs_physics.measures": PACKAGE / "measures.py",
    "ecs_physics.polygons": PACKAGE / "polygons.py",
    "ecs_physics.systems": PACKAGE / "systems/__init__.py",
    "ecs_physics.view": PACKAGE / "view/__init__.py",
}
REGISTRY_HOSTS = [
    ".".join(parts)
    for parts in (("pypi", "org"), ("pythonhosted", "org"), ("debian", "org"), ("npmjs", "org"))
]


def project_files() -> Iterator[Path]:
    """All files that belong to the project; make's own and caches do not."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in MADE and not f.endswith("_cache")]
        yield from (Path(folder) / name for name in names)


def read(path: str | Path) -> str:
    """The text of a project file."""
    return (ROOT / path).read_text("utf-8")


def blocks(document: str, language: str) -> list[str]:
    """The fenced code blocks of a document whose opening line says exactly `language`."""
    text = read(document)
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def run_python(*arguments: str, cwd: Path = ROOT) -> str:
    """Run this Python in a process of its own and return what it printed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# What is packed


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names in a wheel built from a copy, which leaves nothing behind in the project."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "project"
    ignored = shutil.ignore_patterns(*MADE, "*_cache")
    shutil.copytree(ROOT, copy, ignore=ignored)
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    run_python("-m", "pip", "wheel", "--quiet", *options, "-w", str(folder), ".", cwd=copy)
    (wheel,) = folder.glob("*.whl")
    return zipfile.ZipFile(wheel).namelist()


def test_wheel_holds_the_package_alone(wheel_names: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel_names}
    assert {top.split("-")[0] for top in tops} == {"ecs_physics"}
    assert len(tops) == 2  # the package and its dist-info


def test_wheel_holds_the_whole_package(wheel_names: list[str]) -> None:
    sources = {p.relative_to(ROOT).as_posix() for p in PACKAGE.rglob("*.py")}
    assert sources | {"ecs_physics/py.typed"} <= set(wheel_names)


def test_version_stands_in_one_place(wheel_names: list[str]) -> None:
    (version,) = re.findall(
        r'^__version__ = "(.+)"$', read("ecs_physics/__init__.py"), re.MULTILINE
    )
    assert f"ecs_physics-{version}.dist-info/METADATA" in wheel_names
    assert PROJECT["project"]["dynamic"] == ["version"]


def test_changelog_collects_what_is_unreleased() -> None:
    assert "## [Unreleased]" in read("CHANGELOG.md")


# What is pinned


def entries(lock: Path) -> list[str]:
    """The entries of a lock file, each with its hashes on one line."""
    text = re.sub(r"^\s*#.*\n", "", read(lock), flags=re.MULTILINE)
    return text.replace("\\\n", " ").strip().splitlines()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_lock_has_versions_and_hashes_and_no_addresses(lock: Path) -> None:
    for entry in entries(lock):
        assert re.match(r"^[a-z0-9-]+==\S+ ", entry), entry
        assert "--hash=sha256:" in entry, entry
    assert "://" not in read(lock)


def test_locks_agree_and_pin_what_is_asked_for() -> None:
    run, dev = (set(entries(lock)) for lock in LOCKS)
    assert run <= dev, "run `make lock`"
    pinned = {entry.split("==")[0] for entry in dev}
    groups = PROJECT["dependency-groups"]
    asked = PROJECT["project"]["dependencies"] + groups["build"] + groups["dev"]
    names = {re.split(r"[<>=~ ]", line)[0] for line in asked if isinstance(line, str)}
    assert {name.replace("_", "-") for name in names} <= pinned, "run `make lock`"


def test_no_file_names_a_registry() -> None:
    named = [
        f"{path.relative_to(ROOT)}: {host}"
        for path in project_files()
        for host in REGISTRY_HOSTS
        if host.encode() in path.read_bytes()
    ]
    assert named == []


def test_installer_takes_the_pythons_that_the_package_takes() -> None:
    assert PROJECT["project"]["requires-python"] == ">=3.11,<3.14"
    installer = read("scripts/install.sh")
    assert "(3, 11) <= sys.version_info[:2] < (3, 14)" in installer


# What is imported


def imports(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Each import in a file: the module, and the names taken from it."""
    for node in ast.walk(ast.parse(read(path))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), [alias.name for alias in node.names]


def test_importing_the_package_loads_no_window() -> None:
    code = "import sys, ecs_physics; print({'arcade', 'pyglet'} & set(sys.modules))"
    assert run_python("-c", code) == "set()\n"


def test_only_view_imports_arcade_or_pyglet() -> None:
    others = [p for p in PACKAGE.rglob("*.py") if not p.is_relative_to(PACKAGE / "view")]
    found = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in others
        for module, _ in imports(path)
        if module.split(".")[0] in {"arcade", "pyglet"}
    ]
    assert found == []


def public_names(init: Path) -> set[str]:
    """What a package lists in __all__, read without importing it."""
    for node in ast.parse(read(init)).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    pytest.fail(f"{init} has no __all__")


def private_uses(path: Path) -> Iterator[str]:
    """What a game uses of ecs_physics that is not public."""
    for module, names in imports(path):
        if module.split(".")[0] == "ecs_physics":
            if module not in PUBLIC_PACKAGES:
                yield f"import of {module}"
            else:
                packages = {p.rpartition(".")[2] for p in PUBLIC_PACKAGES if "." in p}
                known = public_names(PUBLIC_PACKAGES[module]) | packages
                yield from (f"{module}.{name}" for name in names if name not in known)
    for node in ast.walk(ast.parse(read(path))):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            of_itself = isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
            if not of_itself and not node.attr.startswith("__"):
                yield ast.unparse(node)


def test_games_use_public_names_only() -> None:
    games = sorted((ROOT / "games").rglob("*.py"))
    assert games
    found = [f"{p.relative_to(ROOT)}: {use}" for p in games for use in private_uses(p)]
    assert found == []


def test_a_private_use_is_found(tmp_path: Path) -> None:
    game = tmp_path / "game.py"
    game.write_text(
        "from ecs_physics.store import Store\nfrom ecs_physics import Nothing\nworld._rows = 1\n"
    )
    uses = ["import of ecs_physics.store", "ecs_physics.Nothing", "world._rows"]
    assert list(private_uses(game)) == uses


# What is documented


def test_every_module_says_what_it_is() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in PACKAGE.rglob("*.py")
        if not ast.get_docstring(ast.parse(read(path)))
    ]
    assert silent == []


@pytest.mark.parametrize("number", range(len(blocks("README.md", "python"))))
def test_readme_example_runs(number: int, tmp_path: Path) -> None:
    example = tmp_path / "example.py"
    example.write_text(blocks("README.md", "python")[number], "utf-8")
    run_python("-W", "error", str(example), cwd=tmp_path)


def test_readme_window_game_takes_ten_lines() -> None:
    games = blocks("README.md", "python window")
    assert games
    for game in games:
        compile(game, "README.md", "exec")
        assert len([line for line in game.splitlines() if line.strip()]) <= 10


PLAY_FOR_A_MOMENT = """
import sys
import arcade
from ecs_physics.view.screen import NoScreenError, has_display, start_virtual_screen

try:
    has_display() or start_virtual_screen()
except NoScreenError as error:
    sys.exit(f"no screen: {error}")
real_run = arcade.run
arcade.run = lambda: (arcade.schedule_once(lambda _: arcade.exit(), 0.5), real_run())
exec(compile(open(sys.argv[1]).read(), "README.md", "exec"))
print(arcade.get_window().current_view.world.time > 0.0)
"""


def test_readme_window_game_runs(tmp_path: Path) -> None:
    (game,) = blocks("README.md", "python window")
    example = tmp_path / "game.py"
    example.write_text(game, "utf-8")
    try:
        assert run_python("-c", PLAY_FOR_A_MOMENT, str(example)) == "True\n"
    except AssertionError as error:
        if "no screen:" not in str(error) or os.environ.get("REQUIRE_WINDOW") == "1":
            raise
        pytest.skip(str(error))


def test_readme_names_existing_make_targets() -> None:
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))
    for document in ("README.md", "docs/development.md"):
        text = read(document)
        named = set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE))
        assert named <= targets, document


def rooms(document: str) -> Iterator[str]:
    """The paths in a document's tree of rooms: an indented block whose lines begin with one."""
    parents: list[tuple[int, str]] = []
    for line in read(document).splitlines():
        match = re.match(r"^( *)([\w./-]+/|[\w-]+\.\w+)(?:\s{2,}\S.*)?$", line)
        if match is None:
            parents = parents if line.startswith(" ") else []  # a long description goes on
            continue
        indent, name = len(match[1]), match[2]
        while parents and parents[-1][0] >= indent:
            parents.pop()
        path = "".join(parent for _, parent in parents) + name
        if name.endswith("/"):
            parents.append((indent, name))
        yield path


def test_architecture_names_only_what_exists() -> None:
    named = list(rooms("ARCHITECTURE.md"))
    assert "ecs_physics/world.py" in named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_architecture_quotes_only_what_exists() -> None:
    text = read("ARCHITECTURE.md")
    quoted = re.findall(r"`([\w.-]+(?:/[\w./-]*|\.(?:py|toml|md)))`", text)
    homes = (ROOT, PACKAGE)
    assert [q for q in quoted if not any((home / q).exists() for home in homes)] == []


def test_links_between_documents_lead_somewhere() -> None:
    broken = [
        f"{document.relative_to(ROOT)}: {target}"
        for document in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", read(document))
        if not (document.parent / target).exists()
    ]
    assert broken == []
