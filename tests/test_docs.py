"""The documents tell the truth: their examples run, their levels load, their pictures can be drawn.

README.md and ARCHITECTURE.md are also looked at in test_project.py.
"""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ecs_physics import World, load
from ecs_physics.joints import JOINTS
from ecs_physics.kernels.blocks import COLORS, LANES
from ecs_physics.levels import LevelError, read
from ecs_physics.levels import level as level_models
from ecs_physics.levels.body import Body
from ecs_physics.levels.groups import Grid, Pyramid, Stack
from ecs_physics.levels.joint_tables import JointTable, kind_name
from ecs_physics.levels.shape_tables import CompoundPart, ShapeTable
from ecs_physics.levels.table import Table
from scripts import draw_solver_pictures as pictures

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PACKAGE = ROOT / "ecs_physics"


def blocks(document: Path, language: str) -> list[str]:
    """The fenced blocks of a document whose opening line says exactly `language`."""
    text = document.read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def examples(language: str) -> list[Any]:
    """The blocks of a language in all documents, as pytest parameters."""
    return [
        pytest.param(block, id=f"{document.name}-{number}")
        for document in (ROOT / "README.md", *sorted(DOCS.glob("*.md")))
        for number, block in enumerate(blocks(document, language))
    ]


# Levels


def read_text(text: str, folder: Path) -> Any:
    """Read a level file that says `text`."""
    path = folder / "my_level.toml"
    path.write_text(text, "utf-8")
    return read(path)


@pytest.mark.parametrize("text", examples("toml"))
def test_every_level_in_the_documents_can_be_built_and_stepped(text: str, tmp_path: Path) -> None:
    path = tmp_path / "my_level.toml"
    path.write_text(text, "utf-8")
    world = World()
    level = load(path, world)
    assert level.created
    for _ in range(3):
        world.step(level.world.dt or 1 / 60)


def test_a_wrong_level_is_refused_with_the_words_of_the_document(tmp_path: Path) -> None:
    (wrong,) = blocks(DOCS / "levels.md", "toml wrong")
    (said,) = blocks(DOCS / "levels.md", "text")
    with pytest.raises(LevelError) as caught:
        read_text(wrong, tmp_path)
    assert str(caught.value).replace(f"{tmp_path}{os.sep}", "") == said.rstrip("\n")


def tables_of(value: Any) -> Iterator[Table]:
    """Every table in a level, the level itself first."""
    if isinstance(value, Table):
        yield value
        for key in type(value).model_fields:
            yield from tables_of(getattr(value, key))
    elif isinstance(value, tuple):
        for each in value:
            yield from tables_of(each)


def kinds_of_tables() -> set[type[Table]]:
    """Every table that a level file may have."""
    fixed = {level_models.Level, level_models.Settings, level_models.View, Body, CompoundPart}
    components = {
        model
        for field in Body.model_fields.values()
        for model in getattr(field.annotation, "__args__", ())
        if isinstance(model, type) and issubclass(model, Table)
    }
    return fixed | components | set(ShapeTable.__subclasses__()) | {Stack, Pyramid, Grid}


def test_levels_page_shows_every_key_of_every_table(tmp_path: Path) -> None:
    shown: dict[type[Table], set[str]] = defaultdict(set)
    for text in blocks(DOCS / "levels.md", "toml"):
        for table in tables_of(read_text(text, tmp_path)):
            shown[type(table)] |= table.model_fields_set
    missing = {
        model.__name__: sorted(set(model.model_fields) - shown[model])
        for model in kinds_of_tables()
        if set(model.model_fields) - shown[model]
    }
    assert missing == {}
    names = {model.__name__ for model in shown if not issubclass(model, JointTable)}
    assert names == {m.__name__ for m in kinds_of_tables()}


def test_levels_page_lists_every_kind_of_joint_with_its_keys() -> None:
    page = (DOCS / "levels.md").read_text("utf-8")
    common = ("anchor_a", "anchor_b", "break_force", "break_torque", "collide_connected")
    assert all(f"`{key}`" in page for key in common)
    for kind in JOINTS:
        (row,) = re.findall(rf"^\| `{kind_name(kind)}` \| .*$", page, re.MULTILINE)
        missing = [key for key in kind.ARGUMENTS if key not in common and f"`{key}" not in row]
        assert missing == []


def test_levels_page_explains_every_key_in_a_table() -> None:
    rows = [r for r in (DOCS / "levels.md").read_text("utf-8").splitlines() if r.startswith("|")]
    explained = set(re.findall(r"`([a-z_]+)(?: = [^`]*)?`", "\n".join(rows)))
    keys = {key for model in kinds_of_tables() for key in model.known_keys()}
    assert keys - explained == set()


# Python


@pytest.mark.parametrize("text", [p for p in examples("python") if not p.id.startswith("README")])
def test_python_examples_run(text: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", text],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


# The solver's page


def test_solver_page_names_files_that_exist() -> None:
    text = (DOCS / "solver.md").read_text("utf-8")
    named = set(re.findall(r"`([\w/]+\.py)`", text))
    assert {"kernels/soft_contact.py", "kernels/barrier.py"} <= named
    assert [name for name in named if not (PACKAGE / name).exists()] == []


def test_solver_page_names_functions_and_constants_that_exist() -> None:
    text = (DOCS / "solver.md").read_text("utf-8")
    named = set(re.findall(r"`(\w*_\w+)(?:\([^`]*\))?`", text))  # those with an underscore
    named -= {"NUMBA_DISABLE_JIT"}
    assert {"solve_normal", "CONTACT_CYCLES_PER_SUBSTEP"} <= named
    source = "\n".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    assert [name for name in named if not re.search(rf"\b{name}\b", source)] == []


# Pictures


@pytest.fixture(scope="module")
def pile() -> Iterator[World]:
    world = pictures.pile()
    yield world
    world.close()


def test_no_body_of_the_picture_has_two_contacts_of_one_colour(pile: World) -> None:
    colored = pictures.color(pile)
    moving = pictures.moving_names(pile)
    contacts = pile.contacts
    assert len(moving) == 24
    assert len(contacts) == len(colored.colors) > 24
    for number in range(COLORS - 1):
        chosen = contacts[colored.colors == number]
        touched = [e for side in ("entity_a", "entity_b") for e in chosen[side] if e in moving]
        assert len(touched) == len(set(touched))


def test_each_contact_of_the_picture_is_in_one_lane_of_its_colour(pile: World) -> None:
    colored = pictures.color(pile)
    blocks_and_lanes = np.argwhere(colored.lanes >= 0)
    assert len(blocks_and_lanes) == len(colored.colors)
    assert colored.lanes.shape == (colored.starts[COLORS], LANES)
    for block, lane in blocks_and_lanes:
        number = colored.colors[colored.lanes[block, lane]]
        assert colored.starts[number] <= block < colored.starts[number + 1]


def test_pictures_can_be_drawn(pile: World) -> None:
    for drawing in (pictures.draw_blocks(pile), pictures.draw_hit()):
        assert ET.fromstring(drawing).tag == "{http://www.w3.org/2000/svg}svg"


def test_hits_of_the_picture_lie_on_the_exact_curve() -> None:
    played = pictures.stepped_path(inside=True)
    exact = pictures.exact_path(pictures.STEP * np.arange(len(played)))
    usual = pictures.stepped_path(inside=False)
    np.testing.assert_allclose(played, exact, atol=1e-9)
    assert abs(usual - exact).max() > 0.05


def test_pictures_of_the_documents_are_well_formed() -> None:
    drawn = sorted((DOCS / "pictures").glob("*.svg"))
    assert [path.name for path in drawn] == ["blocks.svg", "hit.svg"]
    for path in drawn:
        ET.parse(path)
