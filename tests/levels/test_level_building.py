"""A level in a world: all of its bodies or none, and the same again from what is saved."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import esper
import numpy as np
import pytest

from ecs_physics import levels
from ecs_physics.components import (
    Color,
    Damping,
    Force,
    GravityScale,
    LockedAxes,
    Mass,
    Material,
    Name,
    Transform,
    Velocity,
)
from ecs_physics.levels import Level, LevelError, build, bundled_levels, level_of, load, read, save
from ecs_physics.shapes import Shape
from ecs_physics.world import World

EVERYTHING = """
title = "Everything"

[world]
gravity = [0.5, -3]
substeps = 2

[[bodies]]
name = "floor"
shape = { kind = "chain", vertices = [[-9, 0], [9, 0]] }

[[bodies]]
name = "crate"
color = "#56B4E9"
shape = { kind = "box", width = 1, height = 2 }
x = 0.1
y = 5
angle = 0.3
velocity = { x = 1, y = 2, omega = 3 }
mass = { density = 2 }
material = { friction = 0.3, restitution = 0.5, rolling_resistance = 0.01, surface_speed = 1 }
force = { x = 10 }
gravity_scale = 0.5
damping = { linear = 0.1, angular = 0.2 }
locked_axes = { angle = true }

[[bodies]]
name = "given"
shape = { kind = "circle", radius = 1 }
x = 4
y = 5
mass = { mass = 3, inertia = 2, center = [0.1, 0] }

[[bodies]]
name = "lift"
shape = { kind = "box", width = 1, height = 1 }
x = -5
y = 3
velocity = { y = 1 }

[[bodies]]
name = "point"
x = 20
mass = { mass = 2 }

[[groups]]
kind = "stack"
count = 3
spacing = [0, 1.5]
body = { name = "tower", x = -3, y = 1, shape = { kind = "circle", radius = 0.5 }, dynamic = true }
"""

_numbers = count()


def new_world() -> World:
    """A world in an esper world that nothing else is in."""
    return World(name=f"levels {next(_numbers)}")


@pytest.fixture
def world() -> Iterator[World]:
    """A world of its own for each test."""
    made = new_world()
    yield made
    made.close()


@pytest.fixture
def everything(tmp_path: Path) -> Path:
    """A file with every component."""
    path = tmp_path / "everything.toml"
    path.write_text(EVERYTHING)
    return path


def test_a_file_becomes_bodies(world: World, everything: Path) -> None:
    level = load(everything, world)
    assert level == read(everything)
    assert tuple(world.gravity) == (0.5, -3.0)
    assert world.substeps == 2
    assert level.created == world.entities()
    assert list(level.entities) == [
        "floor",
        "crate",
        "given",
        "lift",
        "point",
        "tower[0]",
        "tower[1]",
        "tower[2]",
    ]
    with world:
        crate = {type(c): c for c in esper.components_for_entity(level.entities["crate"])}
        assert set(crate) == {
            *(Transform, Velocity, Shape, Mass, Material, Force, GravityScale, Damping),
            *(LockedAxes, Name, Color),
        }
        assert crate[Mass].mass == 4.0
        assert crate[Color] == Color("#56B4E9")
        assert crate[LockedAxes].angle
        assert not esper.has_component(level.entities["floor"], Velocity)
        assert not esper.has_component(level.entities["lift"], Mass)
        assert not esper.has_component(level.entities["point"], Shape)
        given = esper.component_for_entity(level.entities["given"], Mass)
        assert (given.mass, given.inertia, given.center) == (3.0, 2.0, (0.1, 0.0))
        top = esper.component_for_entity(level.entities["tower[2]"], Transform)
        assert (top.x, top.y) == (-3.0, 4.0)


def test_what_a_file_leaves_out_stays_as_the_world_has_it(world: World, tmp_path: Path) -> None:
    path = tmp_path / "empty.toml"
    path.write_text("")
    world.gravity = (1.0, 2.0)
    world.substeps = 7
    level = load(path, world)
    assert (tuple(world.gravity), world.substeps) == ((1.0, 2.0), 7)
    assert (level.created, level.entities) == ([], {})


def test_two_levels_in_one_world(world: World, everything: Path) -> None:
    first, second = load(everything, world), load(everything, world)
    assert first == second
    assert world.entities() == first.created + second.created


def test_a_saved_level_is_the_same_world(world: World, everything: Path, tmp_path: Path) -> None:
    level = load(everything, world)
    save(level_of(world, title="Everything"), tmp_path / "saved.toml")
    saved = read(tmp_path / "saved.toml")
    assert saved == Level(title=level.title, world=level.world, bodies=tuple(level.single_bodies()))


def test_a_running_world_is_saved_to_the_last_bit(
    world: World, everything: Path, tmp_path: Path
) -> None:
    load(everything, world)
    for _ in range(50):
        world.step(1 / 60)
    save(world, tmp_path / "saved.toml")
    with new_world() as again:
        load(tmp_path / "saved.toml", again)
        assert level_of(again) == level_of(world) == read(tmp_path / "saved.toml")
        assert again.hash() == world.hash()
        again.close()


def test_names_that_bodies_share_in_a_world_are_written_once(world: World, tmp_path: Path) -> None:
    with world:
        for _ in range(2):
            esper.create_entity(Transform(), Shape.circle(1), Name("twin"))
    save(world, tmp_path / "twins.toml")
    assert [body.name for body in read(tmp_path / "twins.toml").bodies] == ["twin", None]


def test_a_bad_file_leaves_nothing_behind(world: World, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(EVERYTHING + '[[bodies]]\nshape = { kind = "circle", radius = 0 }\n')
    before = tuple(world.gravity), world.substeps
    with pytest.raises(LevelError, match=r"bodies\[5\]\.shape\.radius = 0: must be more than 0"):
        load(path, world)
    assert world.entities() == []
    assert (tuple(world.gravity), world.substeps) == before
    world.step(1 / 60)


def test_a_creation_that_fails_leaves_nothing_behind(
    world: World, everything: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(everything, world)
    entities, before = world.entities(), (tuple(world.gravity), world.substeps)
    create, left = esper.create_entity, iter(range(3))

    def create_three(*components: object) -> int:
        if next(left, None) is None:
            raise ValueError("no more room")
        return create(*components)

    monkeypatch.setattr(esper, "create_entity", create_three)
    with pytest.raises(LevelError, match=r"everything\.toml: no more room"):
        load(everything, world)
    monkeypatch.undo()
    assert world.entities() == entities
    assert (tuple(world.gravity), world.substeps) == before
    world.step(1 / 60)


def test_the_current_esper_world_is_restored(world: World, everything: Path) -> None:
    esper.switch_world("levels elsewhere")
    load(everything, world)
    level_of(world)
    assert esper.current_world == "levels elsewhere"
    with world:
        pass
    esper.switch_world("default")
    esper.delete_world("levels elsewhere")


@pytest.mark.parametrize("name", bundled_levels())
def test_bundled_levels_run(world: World, name: str) -> None:
    level = load(name, world)
    assert level.title
    assert level.description
    assert level.view is not None
    assert world.entities() == level.created
    for _ in range(120):
        world.step(1 / 60)
    for component in (Transform, Velocity):
        column = world.columns(component)
        for field in column.dtype.names[1:]:
            assert np.isfinite(column[field]).all()
    if name != "pyramid":
        assert world.hash() != _hash_at_start(level), "something moves"


def _hash_at_start(level: Level) -> str:
    with new_world() as start:
        build(level, start)
        start_hash = start.hash()
        start.close()
    return start_hash


def test_the_pyramid_has_820_boxes() -> None:
    level = read("pyramid")
    assert sum(1 for _ in level.single_bodies()) == 820 + 2
    assert [group.size for group in level.groups] == [820]


def test_the_levels_that_are_bundled() -> None:
    wanted = {"pyramid", "dominoes", "mixed_pile", "slopes", "seesaw", "bounces", "tiles"}
    assert wanted <= set(bundled_levels())


def test_the_mixed_pile_has_every_kind_of_shape() -> None:
    kinds = {body.shape.shape.kind for body in read("mixed_pile").single_bodies() if body.shape}
    assert kinds == {"circle", "capsule", "box", "polygon", "chain", "compound"}


def test_public_names() -> None:
    for name in levels.__all__:
        assert getattr(levels, name).__doc__
