"""What a level file says when something in it is wrong: where, which value, what would be right."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from ecs_physics.levels import Level, LevelError, bundled_levels, read
from ecs_physics.levels.errors import problems

BODY = "[[bodies]]\n"
DISC = 'shape = { kind = "circle", radius = 1 }\n'
STACK = '[[groups]]\nkind = "stack"\n'


def complaint(folder: Path, text: str | bytes) -> LevelError:
    """The error that a file with this text gives."""
    path = folder / "bad.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(LevelError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert caught.value.file == str(path)
    return caught.value


CASES = [
    # a number that is out of range, not finite, or no number at all
    (
        BODY + 'shape = { kind = "circle", radius = -1 }',
        "bodies[0].shape.radius = -1: must be more than 0 (radius in m)",
    ),
    (
        BODY + DISC + 'x = "3"',
        'bodies[0].x = "3": must be a number (m, of the shape\'s origin)',
    ),
    (BODY + DISC + "y = true", "bodies[0].y = true: must be a number (m, up)"),
    (
        BODY + DISC + "angle = nan",
        "bodies[0].angle = nan: must be finite (rad, counter-clockwise)",
    ),
    (
        BODY + DISC + "velocity = { omega = -inf }",
        "bodies[0].velocity.omega = -inf: must be finite (rad/s, counter-clockwise)",
    ),
    (
        BODY + DISC + "material = { friction = -0.1 }",
        "bodies[0].material.friction = -0.1: must be at least 0 (Coulomb coefficient)",
    ),
    (
        BODY + DISC + "material = { restitution = 1.5 }",
        "bodies[0].material.restitution = 1.5: must be at most 1 "
        "(0 does not bounce, 1 keeps its speed)",
    ),
    (
        BODY + DISC + "damping = { linear = -1 }",
        "bodies[0].damping.linear = -1: must be at least 0 (1/s)",
    ),
    (
        BODY + DISC + "locked_axes = { angle = 1 }",
        "bodies[0].locked_axes.angle = 1: must be true or false (true or false)",
    ),
    (
        "[world]\nsubsteps = 1.5",
        "world.substeps = 1.5: must be a whole number (substeps of a step)",
    ),
    (
        "[world]\nsubsteps = true",
        "world.substeps = true: must be a whole number (substeps of a step)",
    ),
    ("[world]\nsubsteps = 0", "world.substeps = 0: must be at least 1 (substeps of a step)"),
    (
        "[world]\ndt = 0",
        "world.dt = 0: must be more than 0 (s, the step that the level is meant to be run with)",
    ),
    (
        "[world]\ngravity = [0, nan]",
        "world.gravity[1] = nan: must be finite ([x, y] in m/s^2)",
    ),
    # lists, tables and texts
    (
        "[world]\ngravity = -9.81",
        "world.gravity = -9.81: must be a list ([x, y] in m/s^2)",
    ),
    (
        "[world]\ngravity = [0, 1, 2]",
        "world.gravity = [0, 1, 2]: must have 2 or fewer items, not 3 ([x, y] in m/s^2)",
    ),
    (
        "[view]\nwidth = 3\ncenter = [1]",
        "view.center[1]: is missing ([x, y] in m, the middle of the window)",
    ),
    (
        BODY + 'shape = { kind = "polygon", vertices = [[0, 0], [1, 0]] }',
        "bodies[0].shape.vertices = [[0, 0], [1, 0]]: must have 3 or more items, not 2 "
        "([[x, y], ...] in m, at least three corners in order around the outline)",
    ),
    (
        BODY + "shape = 3",
        "bodies[0].shape = 3: must be a table "
        '(a table with a kind, such as { kind = "box", width = 1, height = 1 })',
    ),
    ("title = 3", "title = 3: must be a text in quotes (a text)"),
    (
        BODY + DISC + 'name = ""',
        'bodies[0].name = "": must not be empty (a text that no other body has)',
    ),
    (
        BODY + DISC + 'color = "red"',
        'bodies[0].color = "red": is not of the right form ("#RRGGBB", such as "#E69F00")',
    ),
    ("bodies = 3", "bodies = 3: must be a list (a list of tables, each under [[bodies]])"),
    ("bodies = [3]", "bodies[0] = 3: must be a table (a list of tables, each under [[bodies]])"),
    # keys that are missing or unknown
    ("[view]", "view.width: is missing (m across the window)"),
    ("[world]\ngravty = 1", 'world.gravty: unknown key; did you mean "gravity"? Known: gravity, '),
    (BODY + DISC + "dynamc = true", 'bodies[0].dynamc: unknown key; did you mean "dynamic"?'),
    ("zzz = 1", "zzz: unknown key; known: title, description, world, view, bodies, groups"),
    (
        BODY + 'shape = { kind = "box", width = 1, height = 1, rounding = 1 }',
        "bodies[0].shape.rounding: unknown key; known: kind, width, height, radius",
    ),
    (
        BODY + 'shape = { kind = "circle", radius = 1, circle = 1 }',
        "bodies[0].shape.circle: unknown key; known: kind, radius, center",
    ),
    (
        BODY + "shape = { radius = 1 }",
        "bodies[0].shape.kind: is missing; known: circle, capsule, box, polygon, segment, chain",
    ),
    (
        BODY + 'shape = { kind = "crcle" }',
        'bodies[0].shape.kind = "crcle": unknown; did you mean "circle"? Known: circle, capsule',
    ),
    (BODY + "shape = { kind = 3 }", "bodies[0].shape.kind = 3: unknown; known: circle, capsule"),
    # what the shapes, components and bodies themselves refuse
    (
        BODY + 'shape = { kind = "polygon", vertices = [[0, 0], [1, 1], [1, 0], [0, 1]] }',
        "bodies[0].shape: Shape.polygon.vertices: the edge from [0] (0.0, 0.0) to [1] (1.0, 1.0) "
        "crosses or touches",
    ),
    (
        BODY + 'shape = { kind = "segment", p = [1, 1], q = [1, 1] }',
        "bodies[0].shape: Shape.segment.q = (1.0, 1.0) is the same point",
    ),
    (
        BODY + DISC + "mass = { mass = 1, density = 1 }",
        "bodies[0].mass: Mass(density=1.0, mass=1.0): give one of them",
    ),
    (
        BODY + 'dynamic = true\nshape = { kind = "segment", p = [0, 0], q = [1, 1] }',
        "bodies[0]: the mass cannot follow from the shape: ",
    ),
    (BODY + DISC + "dynamic = 1", "bodies[0]: dynamic = 1: write dynamic = true, or leave it out"),
    (BODY + DISC + "dynamic = true\nmass = {}", "bodies[0]: both dynamic and mass: leave dynamic"),
    (BODY, "bodies[0]: no shape: give one, or mass = { mass = ... } for a point"),
    (BODY + "mass = { density = 2 }", "bodies[0]: no shape: give one, or mass = { mass = ... }"),
    # deep inside
    (
        BODY + 'shape = { kind = "compound", parts = [{ shape = { kind = "box", width = 1 } }] }',
        "bodies[0].shape.parts[0].shape.height: is missing (full height in m)",
    ),
    (
        BODY + 'shape = { kind = "compound", parts = [] }',
        "bodies[0].shape.parts = []: must have 1 or more items, not 0",
    ),
    # groups
    (
        STACK + "count = 0\nspacing = [1, 1]\n[groups.body]\n" + DISC,
        "groups[0].count = 0: must be at least 1 (how many bodies)",
    ),
    (
        STACK + "count = 2\nspacing = [1e308, 1]\n[groups.body]\nx = 1e308\n" + DISC,
        "groups[0]: spacing = [1e+308, 1.0], turn = 0.0: the last bodies would be at infinity",
    ),
    (
        STACK + 'count = 2\nspacing = [1, 1]\n[groups.body]\nshape = { kind = "circle" }',
        "groups[0].body.shape.radius: is missing (radius in m)",
    ),
    (
        '[[groups]]\nkind = "grid"\ncolumns = 1000\nrows = 1000\nspacing = [1, 1]\n[groups.body]\n'
        + DISC,
        "groups[0]: a group of 1000000 bodies: give at most 100000",
    ),
    (
        '[[groups]]\nkind = "pyramide"',
        'groups[0].kind = "pyramide": unknown; did you mean "pyramid"? Known: stack, pyramid, grid',
    ),
    # names
    (
        (BODY + DISC + 'name = "a"\n') * 2,
        'bodies[1].name = "a": bodies[0] has this name; give each body a name of its own, or none',
    ),
    (
        f'{BODY}{DISC}name = "a[1]"\n{STACK}count = 2\nspacing = [1, 1]\n[groups.body]\n{DISC}'
        'name = "a"',
        'groups[0].body.name = "a[1]": bodies[0] has this name',
    ),
    # no TOML at all
    (
        "[[bodies]\n",
        "is not valid TOML: Expected ']]' at the end of an array declaration (at line 1",
    ),
    ("x = 1\nx = 2\n", "is not valid TOML: Cannot overwrite a value (at line 2, column 6)"),
    ("x = " + "1" * 5000, "is not valid TOML: "),
    ("x = " + "[" * 100_000, "lists in lists deeper than can be read"),
    (b"title = '\xff'", "byte 9 is not UTF-8: save it as UTF-8"),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_error_names_place_value_and_what_would_be_right(
    tmp_path: Path, text: str | bytes, expected: str
) -> None:
    error = complaint(tmp_path, text)
    assert len(error.problems) == 1
    assert error.problems[0].startswith(expected)
    assert str(error) == f"{error.file}: {error.problems[0]}"


def test_every_problem_of_a_file_is_listed(tmp_path: Path) -> None:
    bad = BODY + 'shape = { kind = "circle", radius = 0 }\n'
    lines = str(complaint(tmp_path, bad * 3)).splitlines()
    assert lines[0].endswith(": 3 problems")
    assert [line.split(" = ")[0] for line in lines[1:]] == [
        "  bodies[0].shape.radius",
        "  bodies[1].shape.radius",
        "  bodies[2].shape.radius",
    ]


def test_a_long_list_of_problems_is_cut(tmp_path: Path) -> None:
    error = complaint(tmp_path, (BODY + "shape = 0\n") * 25)
    assert len(error.problems) == 25
    lines = str(error).splitlines()
    assert len(lines) == 12
    assert lines[-1] == "  ... and 15 more"


def test_a_long_value_is_cut(tmp_path: Path) -> None:
    text = complaint(tmp_path, f'{BODY}{DISC}color = "{"x" * 500}"').problems[0]
    assert "xxx...: is not of the right form" in text
    assert len(text) < 150


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(LevelError, match='did you mean "pyramid"') as caught:
        read("pyramd")
    assert ", ".join(bundled_levels()) in str(caught.value)


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(LevelError, match=r"no\.toml: no such file; give the path of a level file"):
        read(tmp_path / "no.toml")
    with pytest.raises(LevelError, match="a folder, not a file"):
        read(tmp_path)


def test_an_installed_package_says_that_levels_need_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ecs_physics.levels.reading.BUNDLED", tmp_path / "assets")
    with pytest.raises(LevelError, match="from a checkout of the project"):
        read("pyramid")
    assert bundled_levels() == []


KEYS = st.sampled_from(
    [*Level.model_fields, "kind", "shape", "body", "parts", "vertices", "radius", "mass", "x", "?"]
)
VALUES = st.recursive(
    st.one_of(
        st.booleans(),
        st.integers(-3, 3),
        st.floats(),
        st.sampled_from(["circle", "box", "polygon", "compound", "stack", "grid", "", "#E69F00"]),
        st.dates(),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, min_size=1, max_size=5)
    ),
    max_leaves=25,
)


@settings(deadline=None, max_examples=300)
@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_whatever_a_file_holds_is_read_or_complained_about(data: dict[str, Any]) -> None:
    try:
        Level.model_validate(data)
    except ValidationError as error:
        lines = problems(error, data)
        assert lines
        assert all(line and "\n" not in line for line in lines)
