"""World: making one, stepping it, reading it, resetting and closing it; several at a time."""

import math
import subprocess
import sys
from typing import Any

import esper
import numpy as np
import pytest

from ecs_physics import (
    Color,
    Damping,
    Force,
    GravityScale,
    Mass,
    Material,
    Shape,
    Stage,
    Transform,
    Velocity,
    World,
)
from ecs_physics.systems.gravity import Gravity
from ecs_physics.tables import CONTACTS

DT = 1.0 / 60.0
BOX = Shape.box(1, 1)


def floor() -> int:
    return esper.create_entity(Transform(0, -0.5), Shape.box(40, 1))


def ball(x: float = 0.0, y: float = 5.0, *more: Any) -> int:
    return esper.create_entity(Transform(x, y), Velocity(), Shape.circle(0.5), Mass(), *more)


def velocity_of(entity: int) -> Velocity:
    return esper.component_for_entity(entity, Velocity)


def pile(world: World, steps: int = 60) -> str:
    """A few bodies that fall on each other; the hash at the end."""
    with world:
        floor()
        for k in range(8):
            ball(0.3 * k, 1.0 + k, Material(restitution=0.1 * k))
        for _ in range(steps):
            world.step(DT)
    return world.hash()


# Making one


def test_it_takes_the_current_esper_world(esper_world: str) -> None:
    early = ball()
    world = World()
    assert world.name == esper_world == esper.current_world
    assert world.entities() == [early], "what is there already is adopted"


def test_a_name_makes_an_esper_world_and_makes_it_current(esper_world: str) -> None:
    world = World(name="an own world")
    assert world.name == esper.current_world == "an own world"
    ball()
    esper.switch_world(esper_world)
    assert list(esper.get_entities()) == []


def test_a_second_world_in_one_esper_world_is_refused(esper_world: str) -> None:
    first = World()
    with pytest.raises(ValueError, match=rf"'{esper_world}' has a World already: close\(\)"):
        World()
    other = World(name="second of two")
    with pytest.raises(ValueError, match="has a World already"):
        World(name=esper_world)
    assert esper.current_world == "second of two", "a refusal switches nothing"
    entity = ball()
    other.step(DT)
    first.step(DT)
    assert velocity_of(entity).y < 0.0
    assert len(esper._processors) == 7, "one for each stage, but for those inside a substep"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gravity": 9.81}, r"World\.gravity = 9\.81: give two numbers"),
        ({"gravity": (0, math.nan)}, r"World\.gravity\[1\] = nan"),
        ({"gravity": (0, 1, 2)}, r"World\.gravity = \(0, 1, 2\)"),
        ({"substeps": 0}, r"World\.substeps = 0: give a whole number from 1 to 1000"),
        ({"substeps": 1001}, r"World\.substeps = 1001"),
        ({"substeps": 2.0}, r"World\.substeps = 2\.0"),
        ({"substeps": True}, r"World\.substeps = True"),
        ({"threads": 0}, r"World\.threads = 0: give a whole number from 1 to 2"),
        ({"threads": 3}, r"World\.threads = 3"),
        ({"name": ""}, r"World name = ''"),
        ({"name": 3}, r"World name = 3"),
    ],
)
def test_bad_settings_are_refused_and_nothing_is_left_behind(
    arguments: dict, message: str, esper_world: str
) -> None:
    with pytest.raises(ValueError, match=message):
        World(**arguments)
    assert esper.current_world == esper_world
    world = World()
    for setting, value in arguments.items():
        if setting != "name":
            before = getattr(world, setting)
            with pytest.raises(ValueError, match=message):
                setattr(world, setting, value)
            assert getattr(world, setting) == before


def test_importing_the_package_loads_no_window() -> None:
    code = (
        "import sys, ecs_physics, ecs_physics.levels; "
        "print([m for m in sys.modules if m.split('.')[0] in ('arcade', 'pyglet')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


# Stepping


def test_esper_process_is_a_step_too() -> None:
    hashes = []
    for name, by_esper in (("by step", False), ("by process", True)):
        world = World(name=name)
        ball()
        for _ in range(10):
            esper.process(DT) if by_esper else world.step(DT)
        assert (world.steps, world.time) == (10, pytest.approx(10 * DT))
        hashes.append(world.hash())
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("dt", [0, -0.1, math.nan, math.inf, "1", None])
def test_a_step_of_no_time_is_refused(dt: Any) -> None:
    world = World()
    entity = ball()
    for advance in (world.step, esper.process):
        with pytest.raises(ValueError, match="dt = "):
            advance(dt)
    assert world.time == 0.0
    world.step(DT)
    assert velocity_of(entity).y == pytest.approx(-9.81 * DT)


def test_a_step_inside_a_step_is_refused_and_a_step_of_another_world_is_not() -> None:
    other = World(name="other world")
    falling = ball()
    world = World(name="this world")
    errors = []

    class Nested(esper.Processor):
        def process(self, dt: float) -> None:
            other.step(dt)
            assert esper.current_world == "this world"
            try:
                world.step(dt)
            except ValueError as error:
                errors.append(str(error))

    world.add_system(Nested(), Stage.AFTER_STEP)
    world.step(DT)
    assert errors == ["step() inside a step: a system is already part of one"]
    assert (world.steps, other.steps) == (1, 1)
    with other:
        assert velocity_of(falling).y < 0.0


def test_substeps_refine_the_fall() -> None:
    """Symplectic Euler falls g h t / 2 too far, h being the substep."""
    for substeps in (1, 4, 32):
        world = World(substeps=substeps, name=f"{substeps} substeps")
        entity = ball(0.0, 0.0)
        for _ in range(60):
            world.step(DT)
        y = esper.component_for_entity(entity, Transform).y
        assert y + 9.81 / 2 == pytest.approx(-9.81 * DT / substeps / 2, rel=1e-6)


# Several


def test_two_worlds_live_side_by_side(esper_world: str) -> None:
    alone = pile(World(name="alone"))
    one, two = World(name="one"), World(name="two", gravity=(0.0, 5.0))
    with two:
        rising = ball()
    with one:
        floor()
        for k in range(8):
            ball(0.3 * k, 1.0 + k, Material(restitution=0.1 * k))
    esper.switch_world(esper_world)
    for _ in range(60):
        two.step(DT)
        one.step(DT)
    assert esper.current_world == esper_world
    assert one.hash() == alone
    assert one.entities() == list(range(1, 10))
    assert two.entities() == [1]
    with two:
        assert velocity_of(rising).y == pytest.approx(5.0)
    assert list(esper.get_entities()) == []


def test_with_switches_and_back_also_when_nested_or_failing(esper_world: str) -> None:
    one, two = World(name="with one"), World(name="with two")
    esper.switch_world(esper_world)
    with one:
        assert esper.current_world == "with one"
        with two, two:
            assert esper.current_world == "with two"
        assert esper.current_world == "with one"
        with pytest.raises(RuntimeError), two:
            raise RuntimeError
        assert esper.current_world == "with one"
    assert esper.current_world == esper_world


# Reset and close


def test_a_reset_world_gives_the_same_bits_as_a_new_one() -> None:
    world = World(gravity=(0.5, -9.0))
    first = pile(world)
    seen = []

    class Watch(esper.Processor):
        def process(self, dt: float) -> None:
            seen.append(dt)

    world.add_system(Watch(), Stage.AFTER_STEP)
    esper.create_entity(Transform(3, 3), Velocity(), Shape.box(3, 2), Mass())
    world.step(DT)
    world.reset()
    assert (world.time, world.steps, world.entities(), len(world.contacts)) == (0.0, 0, [], 0)
    assert list(esper.get_entities()) == []
    assert world.gravity == (0.5, -9.0)
    seen.clear()
    assert pile(world) == first
    assert len(seen) == 60, "systems stay"


def test_reset_leaves_components_alone_with_their_last_values() -> None:
    world = World()
    entity = ball()
    world.step(DT)
    velocity = velocity_of(entity)
    world.reset()
    assert velocity.y == pytest.approx(-9.81 * DT)
    other = esper.create_entity(Transform(), velocity, BOX, Mass())
    world.step(DT)
    assert velocity_of(other).y == pytest.approx(-9.81 * 2 * DT)


def test_reset_inside_a_step_is_refused() -> None:
    world = World()
    ball()

    class Resetting(esper.Processor):
        def process(self, dt: float) -> None:
            world.reset()

    world.add_system(Resetting(), Stage.AFTER_STEP)
    with pytest.raises(ValueError, match=r"reset\(\) inside a step"):
        world.step(DT)
    world.remove_system(Resetting)
    world.step(DT)
    world.reset()


def test_close_leaves_foreign_things_alone_and_makes_room_for_another() -> None:
    class Foreign(esper.Processor):
        calls = 0

        def process(self, dt: float) -> None:
            Foreign.calls += 1

    def on_event() -> None:
        heard.append(1)

    heard: list[int] = []
    esper.set_handler("event", on_event)
    foreign = Foreign()
    esper.add_processor(foreign, priority=650)
    stranger = esper.create_entity("not physical")
    world = World()
    entity = ball()
    world.step(DT)
    velocity = velocity_of(entity)
    assert Foreign.calls == 1

    world.close()
    world.close()  # twice is once
    assert esper._processors == [foreign]
    assert esper.get_processor(Foreign) is foreign
    assert set(esper.get_entities()) == {stranger, entity}
    assert velocity_of(entity) is velocity
    assert velocity.y == pytest.approx(-9.81 * DT)
    esper.process(DT)
    assert velocity.y == pytest.approx(-9.81 * DT), "nothing moves any more"
    esper.dispatch_event("event")
    assert heard == [1]

    again = World()
    assert again.entities() == [entity]
    again.step(DT)
    assert velocity.y == pytest.approx(-9.81 * 2 * DT)
    assert Foreign.calls == 3


def test_a_closed_world_says_so() -> None:
    world = World()
    world.close()
    for use in (
        world.step,
        world.reset,
        world.hash,
        world.entities,
        lambda: world.contacts,
        lambda: world.columns(Transform),
        lambda: world.bodies_at(0, 0),
        lambda: world.add_system(Gravity(world), Stage.FORCES),
        lambda: world.remove_system(Gravity),
        world.__enter__,
    ):
        with pytest.raises(ValueError, match="is closed: make a new one"):
            use()


def test_close_from_another_world_switches_nothing(esper_world: str) -> None:
    world = World(name="to be closed")
    ball()
    esper.switch_world(esper_world)
    world.close()
    assert esper.current_world == esper_world
    esper.switch_world("to be closed")
    World()


# Bad numbers in columns

FIELDS = [
    (Transform, "x"),
    (Transform, "angle"),
    (Velocity, "y"),
    (Velocity, "omega"),
    (Mass, "mass"),
    (Mass, "inertia"),
    (Force, "x"),
    (Force, "torque"),
    (GravityScale, "factor"),
    (Damping, "linear"),
    (Damping, "angular"),
]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(("kind", "field"), FIELDS, ids=[f"{k.__name__}.{f}" for k, f in FIELDS])
def test_what_is_not_finite_in_a_column_is_refused_by_name_and_can_be_mended(
    kind: type, field: str, value: float
) -> None:
    world = World()
    floor()
    optional = (Force(), GravityScale(), Damping())
    entity, other = ball(0.0, 5.0, *optional), ball(3.0)
    world.step(DT)
    row = world.store.row_of(entity)
    good = float(world.columns(kind)[field][row])
    world.columns(kind)[field][row] = value
    for _ in range(1 if kind is Force else 2):  # forces go with the step that they were for
        with pytest.raises(ValueError, match=rf"{kind.__name__}\.{field} of entity {entity} is"):
            world.step(DT)
    time = world.time
    world.columns(kind)[field][row] = good
    for _ in range(10):
        world.step(DT)
    assert world.time == pytest.approx(time + 10 * DT)
    for each in (entity, other):
        assert velocity_of(each).y == pytest.approx(-9.81 * 11 * DT), "as if nothing had been"


def test_a_body_made_beside_a_bad_number_still_lands_after_the_fix() -> None:
    world = World()
    floor()
    world.step(DT)
    new, spoilt = ball(0.0, 0.5), ball(5.0, 0.5)
    world.columns(Velocity)["x"][world.store.row_of(spoilt)] = math.nan
    with pytest.raises(ValueError, match=rf"Velocity\.x of entity {spoilt}"):
        world.step(DT)
    world.columns(Velocity)["x"][world.store.row_of(spoilt)] = 0.0
    for _ in range(60):
        world.step(DT)
        for each in (new, spoilt):
            assert esper.component_for_entity(each, Transform).y > 0.49


def test_bad_numbers_written_by_a_system_are_refused_in_the_same_step() -> None:
    world = World()
    entity = ball()

    class Poison(esper.Processor):
        def process(self, dt: float) -> None:
            world.columns(Force)["x"][:] = math.nan

    for stage in (Stage.BEFORE_STEP, Stage.FORCES):
        poison = Poison()
        world.add_system(poison, stage)
        with pytest.raises(ValueError, match=rf"Force\.x of entity {entity} is nan"):
            world.step(DT)
        world.remove_system(poison)
        world.columns(Force)["x"][:] = 0.0
    world.step(DT)
    assert math.isfinite(velocity_of(entity).x)


# Reading


def test_contacts_are_a_copy_with_all_that_touches() -> None:
    world = World()
    ground = floor()
    crate = esper.create_entity(Transform(1, 0.5), Velocity(), BOX, Mass(mass=2.0))
    assert world.contacts.dtype == CONTACTS
    assert len(world.contacts) == 0
    for _ in range(120):
        world.step(DT)
    (contact,) = world.contacts
    pair = (contact["entity_a"], contact["entity_b"])
    assert set(pair) == {ground, crate}
    assert contact["normal_y"] == pytest.approx(1.0 if pair[1] == crate else -1.0)
    assert contact["count"] == 2
    assert sorted(contact["x"]) == pytest.approx([0.5, 1.5], abs=0.01)
    assert contact["y"] == pytest.approx([0.0, 0.0], abs=0.01)
    assert contact["normal_impulse"].sum() == pytest.approx(2.0 * 9.81 * DT, rel=1e-3)
    assert contact["tangent_impulse"].sum() == pytest.approx(0.0, abs=1e-4)
    world.contacts["separation"] = 99.0
    assert world.contacts["separation"].max() < 1.0


def test_bodies_at_a_point_newest_first() -> None:
    world = World()
    below = esper.create_entity(Transform(0, 0), Shape.box(4, 4))
    above = esper.create_entity(Transform(0, 0, 0.5), Shape.box(2, 1))
    world.step(DT)
    assert world.bodies_at(0, 0) == [above, below]
    assert world.bodies_at(1.5, 1.5) == [below]
    assert world.bodies_at(2.05, 0.0) == []
    thin = esper.create_entity(Transform(5, 0), Shape.segment((0, 0), (1, 0)))
    world.step(DT)
    assert world.bodies_at(5.5, 0.05) == []
    assert world.bodies_at(5.5, 0.05, tolerance=0.1) == [thin]
    for wrong in ((math.nan, 0.0), (0.0, "x")):
        with pytest.raises(ValueError, match="give one finite number"):
            world.bodies_at(*wrong)


def test_bodies_are_found_where_they_are_now_and_not_where_they_were() -> None:
    world = World()
    new = esper.create_entity(Transform(50, 50), BOX)
    assert world.bodies_at(0, 0) == []
    assert world.bodies_at(50, 50) == [new]
    old = esper.create_entity(Transform(20, 0), BOX)
    world.step(DT)
    esper.delete_entity(old, immediate=True)
    newer = esper.create_entity(Transform(-20, 0), BOX)
    esper.component_for_entity(new, Transform).x = 90.0
    assert [world.bodies_at(*at) for at in ((20, 0), (50, 50))] == [[], []]
    assert [world.bodies_at(*at) for at in ((-20, 0), (90, 50))] == [[newer], [new]]


def test_the_hash_is_over_poses_and_velocities_to_the_last_bit() -> None:
    world = World()
    entity = ball()
    first = world.hash()
    assert world.hash() == first
    transform = esper.component_for_entity(entity, Transform)
    transform.x = np.nextafter(0.0, 1.0)
    assert world.hash() != first
    transform.x = 0.0
    assert world.hash() == first
    velocity_of(entity).omega = 1e-300
    assert world.hash() != first
    velocity_of(entity).omega = 0.0
    esper.add_component(entity, Color("#ffffff"))
    assert world.hash() == first


def test_the_hash_knows_nothing_of_rows() -> None:
    """The same bodies, though they lie in other rows after others have gone."""
    plain, used = World(name="plain rows"), World(name="used rows")
    with used:
        gone = [ball(50.0 + 3 * k) for k in range(5)]
        used.entities()
        for each in reversed(gone):
            esper.delete_entity(each, immediate=True)
    hashes = []
    for world in (plain, used):
        with world:
            for k in range(5):
                ball(3.0 * k, 2.0 + k)
            for _ in range(30):
                world.step(DT)
            hashes.append(world.hash())
    assert hashes[0] == hashes[1]
