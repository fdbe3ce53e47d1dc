"""What is written is what is read: levels equal, floats to the last bit."""

import math
import struct
from pathlib import Path
from typing import Any

import esper
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics import (
    Bullet,
    Disabled,
    Filter,
    OneWay,
    Sensor,
    SleepThreshold,
    World,
    components,
)
from ecs_physics.levels import Level, LevelError, bundled_levels, read, save
from ecs_physics.levels.body import (
    ComponentTable,
    DampingTable,
    FilterTable,
    ForceTable,
    LockedAxesTable,
    MassTable,
    MaterialTable,
    OneWayTable,
    SleepThresholdTable,
    VelocityTable,
)
from ecs_physics.levels.shape_tables import shape_table
from ecs_physics.shapes import Shape
from ecs_physics.traits import ALL_BITS

TRAITS = (Filter, Sensor, OneWay, Bullet, SleepThreshold, Disabled)
LENGTHS = st.floats(0.01, 100.0)
PLACES = st.floats(-1e6, 1e6)
PAIRS = st.tuples(PLACES, PLACES)
NOT_NEGATIVE = st.floats(0.0, 100.0)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def optional(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Tables with some of the fields."""
    return st.fixed_dictionaries({}, optional=fields)


CIRCLES = st.fixed_dictionaries(
    {"kind": st.just("circle"), "radius": LENGTHS}, optional={"center": PAIRS}
)
BOXES = st.fixed_dictionaries(
    {"kind": st.just("box"), "width": LENGTHS, "height": LENGTHS}, optional={"radius": LENGTHS}
)
CAPSULES = st.fixed_dictionaries(
    {
        "kind": st.just("capsule"),
        "p": st.tuples(LENGTHS, PLACES),
        "q": st.tuples(LENGTHS.map(lambda x: -x), PLACES),
        "radius": LENGTHS,
    }
)
POLYGONS = st.integers(3, 9).flatmap(
    lambda count: st.builds(
        lambda size: {
            "kind": "polygon",
            "vertices": [
                (size * math.cos(i * math.tau / count), size * math.sin(i * math.tau / count))
                for i in range(count)
            ],
        },
        LENGTHS,
    )
)
SIMPLE = st.one_of(CIRCLES, BOXES, CAPSULES, POLYGONS)
COMPOUNDS = st.fixed_dictionaries(
    {
        "kind": st.just("compound"),
        "parts": st.lists(
            st.fixed_dictionaries({"shape": SIMPLE}, optional={"x": PLACES, "angle": PLACES}),
            min_size=1,
            max_size=3,
        ),
    }
)
MASSES = st.one_of(
    optional(density=LENGTHS, center=PAIRS),
    st.fixed_dictionaries({"mass": LENGTHS}, optional={"inertia": LENGTHS, "center": PAIRS}),
)
BODIES = st.fixed_dictionaries(
    {"shape": st.one_of(SIMPLE, COMPOUNDS)},
    optional={
        "color": st.sampled_from(["#E69F00", "#000000", "#abcdef"]),
        "x": PLACES,
        "y": PLACES,
        "angle": PLACES,
        "velocity": optional(x=PLACES, y=PLACES, omega=PLACES),
        "mass": MASSES,
        "material": optional(
            friction=NOT_NEGATIVE,
            restitution=st.floats(0.0, 1.0),
            rolling_resistance=NOT_NEGATIVE,
            surface_speed=PLACES,
        ),
        "force": optional(x=PLACES, y=PLACES, torque=PLACES),
        "gravity_scale": PLACES,
        "damping": optional(linear=NOT_NEGATIVE, angular=NOT_NEGATIVE),
        "locked_axes": optional(x=st.booleans(), y=st.booleans(), angle=st.booleans()),
        "filter": optional(
            category=st.integers(0, 2**63 - 1),
            mask=st.integers(-1, 2**63 - 1),
            group=st.integers(-9, 9),
        ),
        "one_way": optional(y=st.floats(0.1, 2.0)),
        "sleep_threshold": optional(speed=NOT_NEGATIVE, time=LENGTHS),
        "sensor": st.booleans(),
        "bullet": st.booleans(),
        "disabled": st.booleans(),
    },
)
GROUPS = st.one_of(
    st.fixed_dictionaries(
        {"kind": st.just("stack"), "count": st.integers(1, 9), "spacing": PAIRS, "body": BODIES}
    ),
    st.fixed_dictionaries(
        {"kind": st.just("pyramid"), "rows": st.integers(1, 5), "spacing": PAIRS, "body": BODIES},
        optional={"turn": PLACES},
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("grid"),
            "rows": st.integers(1, 4),
            "columns": st.integers(1, 4),
            "spacing": PAIRS,
            "body": BODIES,
        }
    ),
)
LEVELS = optional(
    title=TEXTS,
    description=TEXTS,
    world=optional(
        gravity=PAIRS,
        substeps=st.integers(1, 16),
        dt=st.floats(1e-4, 1.0),
        sleep=st.booleans(),
    ),
    view=st.fixed_dictionaries({"width": LENGTHS}, optional={"center": PAIRS}),
    bodies=st.lists(BODIES, max_size=4),
    groups=st.lists(GROUPS, max_size=2),
)


def bits(value: Any) -> Any:
    """The value with its floats as bytes, so that -0.0 and 0.0 differ."""
    if isinstance(value, float):
        return struct.pack("<d", value)
    if isinstance(value, dict):
        return {key: bits(each) for key, each in value.items()}
    return [bits(each) for each in value] if isinstance(value, list | tuple) else value


@settings(deadline=None, max_examples=60)
@given(LEVELS)
def test_a_level_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, data: dict[str, Any]
) -> None:
    level = Level.model_validate(data)
    path = tmp_path_factory.mktemp("levels") / "level.toml"
    save(level, path)
    again = read(path)
    assert again == level
    assert hash(again) == hash(level)
    assert bits(again.model_dump()) == bits(level.model_dump())


@pytest.mark.parametrize("name", bundled_levels())
def test_bundled_levels_round_trip(tmp_path: Path, name: str) -> None:
    save(read(name), tmp_path / "level.toml")
    assert read(tmp_path / "level.toml") == read(name)


@pytest.mark.parametrize(
    "shape",
    [
        Shape.circle(1.5),
        Shape.circle(1.5, (1.0, -0.0)),
        Shape.capsule((0.0, 0.0), (1.0, 2.0), 0.25),
        Shape.box(1.0, 2.0),
        Shape.box(1.0, 2.0, 0.125),
        Shape.polygon([(0, 0), (2, 0), (2, 2), (1, 0.5)]),
        Shape.polygon([(0, 0), (2, 0), (1, 1)], 0.1),
        Shape.segment((0, 0), (1, 0)),
        Shape.segment((0, 0), (1, 0), 0.5),
        Shape.chain([(0, 0), (1, 0), (2, 1)]),
        Shape.chain([(0, 0), (1, 0), (2, 1)], closed=True),
        Shape.compound([(Shape.circle(1), 1.0, -0.0, 0.0), (Shape.box(1, 1), 0.0, 0.0, 0.1)]),
        Shape.compound([(Shape.compound([(Shape.circle(1), 1.0, 2.0, 3.0)]), 0.1, 0.2, 0.3)]),
    ],
    ids=lambda shape: shape.kind,
)
def test_a_shape_comes_back_from_its_table(shape: Shape) -> None:
    level = Level.model_validate({"bodies": [{"shape": shape_table(shape)}]})
    (body,) = level.bodies
    assert body.shape is not None
    assert body.shape.shape == shape
    assert bits(body.shape.shape.parameters[:1]) == bits(shape.parameters[:1])


@pytest.mark.parametrize(
    "table",
    [
        VelocityTable,
        MassTable,
        MaterialTable,
        ForceTable,
        DampingTable,
        LockedAxesTable,
        FilterTable,
        OneWayTable,
        SleepThresholdTable,
    ],
)
def test_defaults_of_the_file_are_those_of_the_component(table: type[ComponentTable]) -> None:
    plain = table.COMPONENT()
    for key, field in table.model_fields.items():
        if table is not MassTable:
            assert getattr(plain, key) == field.default
    assert isinstance(table().component(), table.COMPONENT)


def test_a_body_of_density_1_is_written_as_dynamic(tmp_path: Path) -> None:
    path = tmp_path / "level.toml"
    level = Level.model_validate(
        {"bodies": [{"shape": {"kind": "circle", "radius": 1}, "mass": {}}]}
    )
    save(level, path)
    assert "dynamic = true" in path.read_text()
    assert "mass" not in path.read_text()
    assert read(path) == level


def test_components_of_a_body() -> None:
    level = Level.model_validate(
        {
            "bodies": [
                {
                    "name": "crate",
                    "color": "#E69F00",
                    "shape": {"kind": "box", "width": 1, "height": 2},
                    "x": 1,
                    "y": 2,
                    "angle": 3,
                    "velocity": {"x": 4},
                    "mass": {"density": 5},
                    "material": {"friction": 0.25},
                    "force": {"torque": 6},
                    "gravity_scale": -1,
                    "damping": {"linear": 7},
                    "locked_axes": {"x": True},
                },
                {"mass": {"mass": 2}},
                {"shape": {"kind": "circle", "radius": 1}, "velocity": {}},
                {"shape": {"kind": "circle", "radius": 1}},
            ]
        }
    )
    full, point, kinematic, static = ([repr(c) for c in body.components()] for body in level.bodies)
    assert full == [
        "Transform(x=1.0, y=2.0, angle=3.0)",
        "Velocity(x=4.0, y=0.0, omega=0.0)",
        repr(Shape.box(1, 2)),
        "Mass(density=5.0)",
        repr(components.Material(friction=0.25)),
        "Force(x=0.0, y=0.0, torque=6.0)",
        "Damping(linear=7.0, angular=0.0)",
        "LockedAxes(x=True, y=False, angle=False)",
        "GravityScale(factor=-1.0)",
        "Name(value='crate')",
        "Color(value='#E69F00')",
    ]
    assert [each.partition("(")[0] for each in point] == ["Transform", "Velocity", "Mass"]
    assert [each.partition("(")[0] for each in kinematic] == [
        "Transform",
        "Velocity",
        "Shape.circle",
    ]
    assert [each.partition("(")[0] for each in static] == ["Transform", "Shape.circle"]


def test_places_of_groups() -> None:
    body = {"name": "crate", "x": 10, "y": 1, "shape": {"kind": "circle", "radius": 1}}
    stack = {"kind": "stack", "count": 3, "spacing": [0, 2], "body": body, "turn": 0.5}
    pyramid = {"kind": "pyramid", "rows": 2, "spacing": [2, 3], "body": {**body, "name": "p"}}
    grid = {
        "kind": "grid",
        "rows": 2,
        "columns": 2,
        "spacing": [2, 3],
        "body": {**body, "name": "g"},
    }
    level = Level.model_validate({"groups": [stack, pyramid, grid]})
    assert [(b.name, b.x, b.y, b.angle) for b in level.single_bodies()] == [
        ("crate[0]", 10.0, 1.0, 0.0),
        ("crate[1]", 10.0, 3.0, 0.5),
        ("crate[2]", 10.0, 5.0, 1.0),
        ("p[0]", 9.0, 1.0, 0.0),
        ("p[1]", 11.0, 1.0, 0.0),
        ("p[2]", 10.0, 4.0, 0.0),
        ("g[0]", 9.0, 1.0, 0.0),
        ("g[1]", 11.0, 1.0, 0.0),
        ("g[2]", 9.0, 4.0, 0.0),
        ("g[3]", 11.0, 4.0, 0.0),
    ]
    assert len({id(b.shape) for b in level.single_bodies()}) == 3, "members share their shape"


def test_windows_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "level.toml"
    path.write_bytes(b"\xef\xbb\xbftitle = 'x'\r\n[world]\r\nsubsteps = 2\r\n")
    assert read(path) == Level.model_validate({"title": "x", "world": {"substeps": 2}})
    assert read(str(path)) == read(path)


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(LevelError, match="cannot be written: "):
        save(Level(), tmp_path / "no such folder" / "level.toml")


def test_traits_of_a_world_come_back(tmp_path: Path) -> None:
    given = [
        Filter(2**63, ALL_BITS ^ 4, -3),
        Sensor(),
        OneWay(1.0, 0.0),
        Bullet(),
        SleepThreshold(0.0, 2.0),
        Disabled(),
    ]
    world = World(name="traits written")
    with world:
        esper.create_entity(components.Transform(1.0, 2.0), Shape.circle(1.0), *given)
        esper.create_entity(components.Transform(), Shape.circle(1.0))
        save(world, tmp_path / "level.toml")
    plain, other = read(tmp_path / "level.toml").bodies[::-1]
    assert [each for each in other.components() if isinstance(each, TRAITS)] == [
        given[0],
        given[2],
        given[4],
        given[1],
        given[3],
        given[5],
    ]
    assert not [each for each in plain.components() if isinstance(each, TRAITS)]
