"""How kernels are compiled: a cache that is never stale, and that disturbs nobody."""

import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numba
import numpy as np
import platformdirs
import pytest

import ecs_physics.kernels.compile as compiling
from ecs_physics import tables
from ecs_physics.kernels.compile import (
    JIT_OFF,
    KEPT_VERSIONS,
    cache_folder,
    inlined,
    inner,
    integer,
    integers32,
    kernel,
    real,
    reals,
    source_digest,
    table,
    warm_up,
)

ROOT = Path(__file__).parents[2]
KERNELS = sorted((ROOT / "ecs_physics" / "kernels").glob("*.py"))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty user's cache folder."""
    home = tmp_path / "cache"
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda name: str(home / name))
    cache_folder.cache_clear()
    yield home / "ecs_physics" / "kernels"
    cache_folder.cache_clear()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A made-up package in place of this one: a imports b, b imports constants, c nothing."""
    root = tmp_path / "package"
    (root / "kernels").mkdir(parents=True)
    (root / "constants.py").write_text("SLOP = 0.005\n")
    (root / "kernels" / "c.py").write_text("import math\n")
    (root / "kernels" / "b.py").write_text("from ecs_physics.constants import SLOP\n")
    (root / "kernels" / "a.py").write_text(
        "import math\n\nfrom ecs_physics.kernels.b import (\n    f,\n    g,\n)\n"
    )
    monkeypatch.setattr(compiling, "_ROOT", root)
    return root


def digests() -> dict[str, str]:
    return {name: source_digest(f"ecs_physics.kernels.{name}") for name in "abc"}


# Never stale


def test_a_digest_is_the_same_until_something_changes(package: Path) -> None:
    before = digests()
    assert digests() == before
    assert len(set(before.values())) == 3
    os.utime(package / "constants.py", (0, 0))
    assert digests() == before, "the content counts, not the date"


@pytest.mark.parametrize(
    ("changed", "stale"),
    [("kernels/a.py", "a"), ("kernels/b.py", "ab"), ("constants.py", "ab"), ("kernels/c.py", "c")],
)
def test_a_change_makes_whatever_imports_it_compile_anew(
    package: Path, changed: str, stale: str
) -> None:
    before = digests()
    path = package / changed
    path.write_text(path.read_text() + "SLOP = 0.5\n")
    after = digests()
    assert {name for name in "abc" if after[name] != before[name]} == set(stale)


def test_a_ring_of_imports_is_no_trap(package: Path) -> None:
    (package / "constants.py").write_text("from ecs_physics.kernels.a import f\n")
    before = digests()
    assert before["a"] == before["b"] != before["c"]


def test_a_kernel_beside_a_game_may_import_our_packages(package: Path) -> None:
    (package / "view").mkdir()
    (package / "view" / "__init__.py").write_text("from ecs_physics.constants import SLOP\n")
    (package / "kernels" / "c.py").write_text("from ecs_physics.view import open_window\n")
    before = digests()["c"]
    (package / "constants.py").write_text("SLOP = 0.5\n")
    assert digests()["c"] != before


def test_versions_and_flags_count_too(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digests()
    with monkeypatch.context() as patch:
        patch.setattr(numba, "__version__", "0.0")
        assert set(digests().values()).isdisjoint(before.values())
    with monkeypatch.context() as patch:
        patch.setitem(compiling.FLAGS, "boundscheck", not compiling.BOUNDSCHECK)
        assert set(digests().values()).isdisjoint(before.values())
    assert digests() == before


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.name)
def test_kernel_files_import_as_the_digest_can_read(path: Path) -> None:
    """`from ecs_physics.x import y` at the beginning of a line, x being a file; nothing else."""
    text = path.read_text("utf-8")
    imported: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: relative imports are not seen"
            if (node.module or "").split(".")[0] == "ecs_physics":
                assert node.col_offset == 0, f"{path.name}:{node.lineno}: must stand at the top"
                imported.add(node.module or "")
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            assert not any(name.split(".")[0] == "ecs_physics" for name in names), (
                f"{path.name}:{node.lineno}: write from ecs_physics.x import y"
            )
    assert imported == set(compiling._IMPORTED.findall(text))
    for module in imported:
        file = ROOT.joinpath(*module.split(".")).with_suffix(".py")
        assert file.is_file(), f"{path.name} imports {module}, which is no file"


def test_fast_maths_is_off() -> None:
    assert compiling.FLAGS["fastmath"] is False
    assert compiling.FLAGS["error_model"] == "numpy"


# The folders


def test_a_kernel_file_gets_a_folder_of_its_digest(cache: Path, package: Path) -> None:
    folder = cache_folder("ecs_physics.kernels.a")
    assert folder == cache / f"a-{digests()['a']}"
    assert folder.is_dir()


def test_the_newest_versions_are_kept_and_the_others_go(cache: Path, package: Path) -> None:
    made = []
    for version in range(KEPT_VERSIONS + 3):
        (package / "constants.py").write_text(f"SLOP = {version}\n")
        cache_folder.cache_clear()
        folder = cache_folder("ecs_physics.kernels.a")
        cache_folder("ecs_physics.kernels.c")
        os.utime(folder, (version, version))
        (folder / "machine code").touch()
        os.utime(folder, (version, version))
        made.append(folder)
    kept = {each.name for each in cache.iterdir()}
    assert kept == {each.name for each in made[-KEPT_VERSIONS:]} | {f"c-{digests()['c']}"}

    # Going back to an old one makes it the newest again.
    (package / "constants.py").write_text("SLOP = 3\n")
    cache_folder.cache_clear()
    assert cache_folder("ecs_physics.kernels.a") == made[3]
    assert (made[3] / "machine code").exists()


def test_where_the_home_is_read_only_a_temporary_folder_serves(
    tmp_path: Path, package: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wall = tmp_path / "wall"
    wall.write_text("a file, under which no folder can be made")
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda name: str(wall / name))
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    folder = cache_folder("ecs_physics.kernels.a")
    assert folder.parent.parent == tmp_path / "temporary"
    assert folder.is_dir()


# Decorators


@pytest.mark.skipif(JIT_OFF, reason="nothing is compiled")
def test_a_kernel_is_compiled_for_one_signature_and_cached(cache: Path) -> None:
    @inner
    def twice(x):
        return x + x

    @kernel(real(integer, reals))
    def total(count, values):
        summed = 0.0
        for k in range(count):
            summed += twice(values[k])
        return summed

    warm_up()
    assert len(total.signatures) == 1
    assert total(3, np.array([1.0, 2.0, 4.0])) == 14.0
    assert total(np.int32(2), np.array([1.0, 2.0])) == 6.0, "converted, not compiled again"
    assert len(total.signatures) == 1
    with pytest.raises(TypeError):
        total(2, np.array([1.0, 2.0], np.float32))
    (folder,) = cache.iterdir()
    names = {each.name for each in folder.rglob("*")}
    assert "test_compile.total.ready" in names
    assert any(name.endswith(".nbi") for name in names)


@pytest.mark.skipif(JIT_OFF, reason="nothing is compiled")
def test_numbers_in_the_code_of_a_caller_make_no_new_version_of_a_function(cache: Path) -> None:
    @inlined
    def scaled(x, factor, is_negative):
        return -x * factor if is_negative else x * factor

    @inner
    def chosen(x, least, is_negative):
        return min(-x, least) if is_negative else max(x, least)

    @kernel(integer(integer, integer))
    def plus(a, b):
        return a + b

    @inner
    def less(a, b, step=1):
        return a - b - step

    @kernel(integer(integers32))
    def total(numbers):
        summed = plus(b=0, a=numbers[0])  # 5
        summed += less(b=numbers[0], a=6) + less(1, 2, step=-1)  # 0 + 0
        summed += scaled(numbers[1], 2, False) + scaled(numbers[1], 3, True)  # 14 - 21
        summed += scaled(numbers[1], len(numbers), summed < 0)  # -14
        return summed + chosen(numbers[0], 1, False) + chosen(numbers[0], 2, True)  # 5 - 5

    warm_up()
    assert total(np.array([5, 7], np.int32)) == -16
    assert plus.nopython_signatures == [integer(integer, integer)]
    assert len(scaled._dispatcher.nopython_signatures) == 1
    assert len(chosen._dispatcher.nopython_signatures) == 2, "one for each way"


@pytest.mark.skipif(JIT_OFF, reason="nothing is compiled")
def test_the_kernels_of_a_feature_wait_until_it_is_used() -> None:
    program = """
import esper
from ecs_physics import Sensor, Shape, Transform, World
from ecs_physics.kernels import compile

def waiting(feature):
    return [k for k in compile._waiting if k.feature == feature and not k.parallel]

world = World()
print(bool(waiting("queries")), bool(waiting("sensors")), bool(waiting("")))
esper.create_entity(Transform(), Shape.box(1, 1), Sensor())
world.step()
world.ray((-3, 0), (3, 0), sensors=True)
print(bool(waiting("queries")), bool(waiting("sensors")))
"""
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert shown.stdout.split() == ["True", "True", "False", "False", "False"]


def test_the_user_s_own_cache_stays_where_it_was(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = str(tmp_path / "mine")
    monkeypatch.setattr(numba.config, "CACHE_DIR", mine)

    @kernel(integer(integer))
    def plus_one(x):
        return x + 1

    assert mine == numba.config.CACHE_DIR
    warm_up()
    assert mine == numba.config.CACHE_DIR

    @numba.njit(cache=True)
    def plus_two(x):
        return x + 2

    assert (plus_one(1), plus_two(1)) == (2, 3)
    assert any((tmp_path / "mine").rglob("*plus_two*.nbi"))
    assert not any((tmp_path / "mine").rglob("*plus_one*"))
    assert any(cache.rglob("*plus_one*.nbi"))


@pytest.mark.skipif(JIT_OFF, reason="nothing is compiled")
def test_a_failing_decoration_gives_the_user_s_folder_back(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**flags: object) -> None:
        raise RuntimeError

    mine = str(tmp_path)
    monkeypatch.setattr(numba.config, "CACHE_DIR", mine)
    monkeypatch.setattr(numba, "njit", broken)
    with pytest.raises(RuntimeError):
        kernel(integer(integer))(lambda x: x)
    assert mine == numba.config.CACHE_DIR


@kernel(real(integer, table(tables.VELOCITY)))
def sum_of_x(rows, velocities):
    total = 0.0
    for row in range(rows):
        velocities[row].y = 1.0
        total += velocities[row].x
    return total


def test_tables_are_read_and_written_by_field_with_and_without_the_compiler() -> None:
    warm_up()
    velocities = np.zeros(4, tables.VELOCITY)
    velocities["x"] = [1, 2, 3, 4]
    assert sum_of_x(3, velocities) == 6.0
    assert velocities["y"].tolist() == [1.0, 1.0, 1.0, 0.0]


def test_kernel_tests_also_pass_without_the_compiler() -> None:
    """The plain functions that people read are the ones that are compiled."""
    here = Path(__file__).parent
    files = ["bodies", "integration", "solver_bodies", "impacts", "blocks", "poses", "fill_blocks"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=0"]
        + [str(here / f"test_{name}.py") for name in (*files, "soft_contact", "twins")],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_a_first_run_compiles_everything_with_the_help_of_a_second_process(tmp_path: Path) -> None:
    """Both write into one cache; nothing is left to be compiled by the run after it."""
    program = "from ecs_physics import World; World(name='first')"
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    words = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout == ""
        words.append(done.stderr)
    assert "compiling" in words[0]
    assert words[1] == ""
