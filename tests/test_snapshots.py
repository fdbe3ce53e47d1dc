"""Snapshots: the run after a restore is the run there was, to the last bit."""

import copy
import hashlib
import json
import struct
import subprocess
import sys
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import esper
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics import (
    Color,
    Disabled,
    Filter,
    Mass,
    Material,
    Name,
    Shape,
    Snapshot,
    Spring,
    Stage,
    Transform,
    Velocity,
    World,
    snapshot_files,
)
from ecs_physics.state import State
from ecs_physics.systems import Springs
from tests.consistency import check
from tests.scenes.scenery import DT, body, floor, motion, new_world, place

ROOT = Path(__file__).parents[1]
BOX = Shape.box(1, 1)


def pyramid_being_hit(rows: int = 40, name: str | None = None) -> World:
    """Boxes in a pyramid, 820 of them in 40 rows, and a heavy ball on its way."""
    world = World(name=name)
    floor(400)
    for row in range(rows):
        for k in range(rows - row):
            body(BOX, k - (rows - row - 1) / 2, row + 0.5)
    body(Shape.circle(1.5), -50, 4, Velocity(20, 10), Mass(density=50))
    return world


def heap(seed: int = 0) -> World:
    """A handful of shapes of every kind, which fall on each other."""
    world = new_world()
    floor(30)
    esper.create_entity(Transform(0, -3), Shape.chain([(-9, 5), (-6, 3), (0, 3.2), (9, 5)]))
    kinds = (
        BOX,
        Shape.circle(0.5, (0.1, 0)),
        Shape.capsule((-0.4, 0), (0.4, 0), 0.3),
        Shape.polygon([(0, 0), (1, 0), (1, 1), (0.5, 0.4), (0, 1)]),
        Shape.compound([(BOX, 0, 0), (Shape.circle(0.4), 0.7, 0.2, 0.1)]),
    )
    for k in range(25):
        material = Material(restitution=0.1 * (k % 4), friction=0.5)
        body(kinds[(k + seed) % len(kinds)], 0.7 * (k % 5), 1 + 1.2 * (k // 5), material)
    return world


def run(world: World, steps: int) -> str:
    for _ in range(steps):
        world.step(DT)
    return world.hash()


def everything(world: World) -> dict[str, dict[str, Any]]:
    """Copies of all the state that there is."""
    return {
        name: {field: copy.deepcopy(value) for field, value in keeper.state().items()}
        for name, keeper in world._keepers().items()
    }


def assert_same(found: dict[str, dict[str, Any]], expected: dict[str, dict[str, Any]]) -> None:
    assert found.keys() == expected.keys()
    for name, state in expected.items():
        assert found[name].keys() == state.keys()
        for each, value in state.items():
            for column in getattr(getattr(value, "dtype", None), "names", None) or [...]:
                is_number = not isinstance(value, np.ndarray)
                mine, wanted = (x if is_number else x[column] for x in (found[name][each], value))
                np.testing.assert_array_equal(mine, wanted, err_msg=f"{name}.{each} {column}")


# The run after a restore


def test_the_pyramid_being_hit_falls_the_same_way_twice(tmp_path: Path) -> None:
    world = pyramid_being_hit()
    run(world, 300)
    moment = world.snapshot()
    moment.save(tmp_path / "hit.snapshot")
    here = world.hash()
    first = run(world, 300)
    world.restore(moment)
    assert (world.hash(), world.steps, world.time) == (here, 300, pytest.approx(5.0))
    assert run(world, 300) == first != here
    other = World(name="from a file")
    other.restore(Snapshot.load(tmp_path / "hit.snapshot"))
    assert other.hash() == here
    assert run(other, 300) == first


def test_another_process_goes_on_with_a_file(tmp_path: Path) -> None:
    world = heap()
    run(world, 60)
    world.snapshot().save(tmp_path / "heap.snapshot")
    expected = run(world, 60)
    code = (
        "import sys, ecs_physics as p\n"
        "world = p.World()\n"
        "world.restore(p.Snapshot.load(sys.argv[1]))\n"
        "for _ in range(60): world.step(1 / 60)\n"
        "print(world.hash())"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "heap.snapshot")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [expected]


def test_taking_a_snapshot_changes_nothing() -> None:
    world, other = heap(), heap()
    for _ in range(40):
        world.step(DT)
        other.step(DT)
        world.snapshot()
    assert world.hash() == other.hash()


def test_a_snapshot_can_be_restored_again_and_again() -> None:
    world = heap()
    run(world, 30)
    moment = world.snapshot()
    ends = set()
    for _ in range(3):
        ends.add(run(world, 20))
        world.restore(moment)
    assert len(ends) == 1


def test_all_state_is_as_it_was() -> None:
    world = heap()
    run(world, 45)
    moment, before = world.snapshot(), everything(world)
    run(world, 30)
    world.restore(moment)
    assert_same(everything(world), before)
    contacts = world.contacts
    assert len(contacts) > 10
    assert contacts["normal_impulse"].sum() > 0.0


def test_who_sleeps_sleeps_again_and_who_is_about_to_wake_does() -> None:
    world = new_world(sleep=True)
    floor(20)
    shelf = esper.create_entity(Transform(0, 4.5), Shape.box(3, 1))
    box, other = body(BOX, 0, 5.5), body(BOX, 5, 0.5)
    while not (world.is_asleep(box) and world.is_asleep(other)):
        world.step(DT)
    asleep = world.snapshot()
    esper.delete_entity(shelf, immediate=True)
    waking = world.snapshot()
    expected = run(world, 30)
    assert place(box).y < 5.4
    world.restore(waking)
    assert run(world, 30) == expected
    world.restore(asleep)
    run(world, 30)
    assert place(box).y == pytest.approx(5.5, abs=0.01)
    assert world.is_asleep(box)
    assert world.is_asleep(other)


def test_gravity_and_substeps_are_restored() -> None:
    world = World(gravity=(0, -1), substeps=2)
    body(BOX, 0, 0)
    moment = world.snapshot()
    world.gravity, world.substeps = (3, 4), 8
    world.restore(moment)
    assert (world.gravity, world.substeps) == ((0.0, -1.0), 2)


def test_poses_for_drawing_are_restored() -> None:
    world = heap()
    run(world, 20)
    moment, halfway = world.snapshot(), world.render.interpolate(0.5)
    run(world, 5)
    world.restore(moment)
    np.testing.assert_array_equal(world.render.interpolate(0.5), halfway)


def test_events_go_on_as_they_did() -> None:
    def told(world: World, steps: int) -> list[Any]:
        listed = []
        for _ in range(steps):
            world.step(DT)
            listed += [world.events.contact_begin.tolist(), world.events.contact_end.tolist()]
        return listed

    world = heap()
    run(world, 50)
    world.events.note("wake", np.array([3, 4]))
    world.events.note("sleep", np.array([5]))
    world.events.note("wake", np.array([6]))
    moment = world.snapshot()
    before = everything(world)
    first = told(world, 40)
    assert any(first)
    world.restore(moment)
    assert_same(everything(world), before)
    assert told(world, 1) == first[:2]
    assert world.events.wake["entity"].tolist() == [3, 4, 6]
    assert told(world, 39) == first[2:]


# Entities and components


def test_what_came_is_gone_and_what_went_is_back() -> None:
    world = heap()
    run(world, 30)
    entities = world.entities()
    lost = entities[5:9]
    held = {entity: esper.components_for_entity(entity) for entity in lost}
    moment, before = world.snapshot(), everything(world)
    expected = run(world, 30)
    world.restore(moment)
    for entity in lost:
        esper.delete_entity(entity)
    run(world, 3)
    new = [body(BOX, 0, 9) for _ in range(100)]
    run(world, 3)
    world.restore(moment)
    assert world.entities() == entities == [e for e, _ in esper.get_component(Transform)]
    assert not any(esper.entity_exists(each) for each in new)
    for entity in lost:
        assert all(
            a is b for a, b in zip(esper.components_for_entity(entity), held[entity], strict=True)
        )
    assert_same(everything(world), before)
    assert run(world, 30) == expected
    assert body(BOX, 0, 9) == new[0]


def test_components_look_into_their_rows_again() -> None:
    world = new_world()
    ball, box = body(Shape.circle(1), 0, 5), body(BOX, 3, 5)
    transform, velocity = place(ball), motion(ball)
    moment = world.snapshot()
    esper.remove_component(ball, Velocity)
    esper.add_component(box, Transform(8, 8))
    run(world, 2)
    world.restore(moment)
    assert motion(ball) is velocity
    assert place(box).x == 3.0
    velocity.x = 6.0
    world.step(DT)
    assert transform.x == pytest.approx(6.0 * DT)
    assert world.columns(Transform)["x"].tolist() == [transform.x, 3.0]


def test_changes_that_no_step_has_seen_are_undone() -> None:
    world = heap()
    run(world, 10)
    moment, before = world.snapshot(), everything(world)
    first, second, third, *_ = world.entities()[2:]
    esper.delete_entity(first, immediate=True)
    esper.add_component(second, Shape.circle(2))
    esper.component_for_entity(third, Mass).density = 9.0
    place(second).x = 100.0
    esper.delete_entity(third)
    world.restore(moment)
    assert_same(everything(world), before)
    assert esper.component_for_entity(third, Mass).density == 1.0
    assert esper.entity_exists(third)


def test_what_is_to_be_deleted_at_the_next_step_still_is() -> None:
    world = heap()
    entity = world.entities()[3]
    esper.delete_entity(entity)
    moment = world.snapshot()
    world.step(DT)
    world.restore(moment)
    assert entity in world.entities()
    world.step(DT)
    assert entity not in world.entities()


def test_given_masses_are_restored() -> None:
    world = new_world()
    entity = body(BOX, 0, 0, Mass(mass=2))
    mass = esper.component_for_entity(entity, Mass)
    moment = world.snapshot()
    mass.inertia = 7.0
    mass.center = (0.2, 0.0)
    world.step(DT)
    given = world.snapshot()
    world.restore(moment)
    assert not mass.is_inertia_given
    assert not mass.is_center_given
    assert mass.inertia == pytest.approx(2 / 6)
    world.restore(given)
    assert mass.is_inertia_given
    assert mass.is_center_given
    assert mass.inertia == 7.0


def test_components_of_what_is_no_body_are_restored(tmp_path: Path) -> None:
    world = new_world()
    marker = esper.create_entity(Transform(1, 2, 3), Mass(mass=4))
    sleeper = body(BOX, 5, 6, Velocity(7, 8), Disabled())
    world.snapshot().save(tmp_path / "s")
    moment = world.snapshot()
    place(marker).x = 9.0
    motion(sleeper).x = 9.0
    esper.component_for_entity(marker, Mass).mass = 9.0
    world.restore(moment)
    assert (place(marker).x, motion(sleeper).x) == (1.0, 7.0)
    assert esper.component_for_entity(marker, Mass).mass == 4.0
    new_world().restore(Snapshot.load(tmp_path / "s"))
    assert (place(marker).angle, motion(sleeper).y) == (3.0, 8.0)
    esper.remove_component(sleeper, Disabled)


@pytest.mark.parametrize("is_body", [True, False])
def test_what_a_value_alone_made_a_body_or_none_is_as_it_was(is_body: bool) -> None:
    """Without a shape, a Mass that is given by its density makes no body."""
    world = new_world(sleep=False)
    floor(10)
    mass = Mass(mass=2.0, inertia=1.0) if is_body else Mass(density=3.0)
    point = esper.create_entity(Transform(0, 5), Velocity(1, 0), mass)
    for _ in range(5):
        world.step(DT)
    moment = world.snapshot()
    was = (mass.density, esper.component_for_entity(point, Transform).x)
    for _ in range(2):
        if is_body:
            mass.density = 4.0
        else:
            mass.mass = 4.0
        world.step(DT)
        assert (point in world.store.entities()) is not is_body
        world.restore(moment)
        check(world)
        assert (point in world.store.entities()) is is_body
        assert (mass.density, esper.component_for_entity(point, Transform).x) == was
    world.step(DT)
    moved = esper.component_for_entity(point, Transform).x - was[1]
    assert moved == pytest.approx(DT if is_body else 0.0)


def test_queries_list_entities_in_the_same_order_again() -> None:
    world = new_world()
    entities = [body(BOX, 2 * k, 0) for k in range(200)]
    for entity in entities[::3]:
        esper.delete_entity(entity)
    world.step(DT)
    moment = world.snapshot()
    before = [entity for entity, _ in esper.get_component(Velocity)]
    for entity in before[::2]:
        esper.remove_component(entity, Velocity)
    for k in range(500):
        body(BOX, 2 * k, 9)
    world.step(DT)
    world.restore(moment)
    assert [entity for entity, _ in esper.get_component(Velocity)] == before
    assert list(esper.get_entities()) == sorted(esper.get_entities())


def test_a_snapshot_outlives_a_reset_and_fits_another_world() -> None:
    world = heap()
    run(world, 20)
    moment = world.snapshot()
    expected = run(world, 20)
    world.reset()
    body(BOX, 0, 0)
    world.restore(moment)
    assert run(world, 20) == expected
    other = heap(seed=1)
    other.restore(moment)
    check(other)
    assert run(other, 20) == expected
    world.restore(moment)
    assert run(world, 20) == expected


def test_a_small_world_comes_back_into_one_that_has_grown() -> None:
    """And grows again: its tables are as long as they were, those that only serve a step longer."""
    world = new_world()
    floor(40)
    body(Shape.box(1, 1), 0, 0.5)
    run_of = [(k % 20 - 10.0, 2.0 + k // 20) for k in range(300)]
    world.step(DT)
    moment = world.snapshot()
    for _ in range(2):
        for x, y in run_of:
            body(Shape.circle(0.5), x, y)
        for _ in range(3):
            world.step(DT)
            check(world)
        grown = world.hash()
        world.restore(moment)
        check(world)
    for x, y in run_of:
        body(Shape.circle(0.5), x, y)
    for _ in range(3):
        world.step(DT)
    assert world.hash() == grown


def test_springs_are_restored(tmp_path: Path) -> None:
    world = new_world((0, 0))
    world.add_system(Springs(world), Stage.FORCES)
    ball = esper.create_entity(Transform(6, 0), Velocity(), Mass(mass=0.5))
    spring = Spring(ball, stiffness=5, rest_length=4)
    holder = esper.create_entity(spring)
    run(world, 10)
    moment = world.snapshot()
    moment.save(tmp_path / "s")
    expected = run(world, 20)
    world.restore(moment)
    spring.stiffness = 50.0
    run(world, 3)
    esper.delete_entity(ball)
    run(world, 3)
    assert not esper.entity_exists(holder)
    world.restore(moment)
    assert esper.component_for_entity(holder, Spring) is spring
    assert run(world, 20) == expected
    other = new_world((0, 0))
    other.add_system(Springs(other), Stage.FORCES)
    other.restore(Snapshot.load(tmp_path / "s"))
    assert run(other, 20) == expected


def test_values_come_back_from_a_file_as_they_were(tmp_path: Path) -> None:
    world = heap()
    entity = world.entities()[4]
    values = (Name("ball"), Color("#E69F00"), Filter(category=2**63, mask=-1, group=-3))
    for value in values:
        esper.add_component(entity, value)
    run(world, 5)
    before = everything(world)
    held = {e: {type(c): c for c in esper.components_for_entity(e)} for e in world.entities()}
    world.snapshot().save(tmp_path / "s")
    other = new_world()
    other.restore(Snapshot.load(tmp_path / "s"))
    assert_same(everything(other), before)
    for entity, components in held.items():
        found = {type(c): c for c in esper.components_for_entity(entity)}
        assert found.keys() == components.keys()
        for kind in (Shape, Material, Name, Color, Filter):
            assert found.get(kind) == components.get(kind)


# Components of the user's own


@dataclass
class Health:
    points: int
    wounds: list[str] = field(default_factory=list)


class Ghost:
    __slots__ = ("__seen", "place")

    def __init__(self, *where: float) -> None:
        self.place = np.array(where)
        self.__seen = {1: (2, 3)}

    @property
    def seen(self) -> dict[int, tuple[int, int]]:
        return self.__seen


class Counter:
    def __init__(self) -> None:
        self.count = 0
        self.handle = sys.stdout


def test_registered_components_are_kept_by_value(tmp_path: Path) -> None:
    world = new_world()
    world.register(Health)
    world.register(Ghost)
    health, ghost = Health(5), Ghost(1.0, 2.0)
    entity = body(BOX, 0, 0, health, ghost)
    moment = world.snapshot()
    moment.save(tmp_path / "s")
    health.points -= 1
    health.wounds.append("knee")
    health.late = True
    ghost.place += 1.0
    ghost.seen.clear()
    world.restore(moment)
    assert health == Health(5)
    assert not hasattr(health, "late")
    assert esper.component_for_entity(entity, Health) is health
    assert (ghost.place.tolist(), ghost.seen) == ([1.0, 2.0], {1: (2, 3)})
    health.wounds.append("elbow")
    world.restore(moment)
    assert health.wounds == []
    other = new_world()
    with pytest.raises(ValueError, match="Health"):
        other.restore(Snapshot.load(tmp_path / "s"))
    assert list(esper.get_entities()) == []
    other.register(Health)
    other.register(Ghost)
    other.restore(Snapshot.load(tmp_path / "s"))
    assert esper.component_for_entity(entity, Health) == Health(5)
    found = esper.component_for_entity(entity, Ghost)
    assert (found.place.tolist(), found.seen) == ([1.0, 2.0], {1: (2, 3)})


def test_two_functions_choose_what_is_kept(tmp_path: Path) -> None:
    def from_state(counter: Counter, count: int) -> None:
        counter.count = count

    world = new_world()
    world.register(Counter, lambda counter: counter.count, from_state)
    counter = Counter()
    counter.count = 3
    entity = esper.create_entity(counter)
    moment = world.snapshot()
    counter.count = 4
    world.restore(moment)
    assert counter.count == 3
    moment.save(tmp_path / "s")
    other = new_world()
    other.register(Counter, lambda counter: counter.count, from_state)
    other.restore(Snapshot.load(tmp_path / "s"))
    assert vars(esper.component_for_entity(entity, Counter)) == {"count": 3}


def test_what_no_file_can_hold_is_refused(tmp_path: Path) -> None:
    world = new_world()
    world.register(Health)
    esper.create_entity(Health(3, [object()]))
    with pytest.raises(ValueError, match="plain data"):
        world.snapshot().save(tmp_path / "s")
    assert list(tmp_path.iterdir()) == []


def test_unregistered_components_of_the_living_are_left_alone() -> None:
    world = new_world()
    lives, dies = body(BOX, 0, 0, Health(5)), body(BOX, 3, 0, Health(6))
    lost = esper.component_for_entity(dies, Health)
    moment = world.snapshot()
    esper.component_for_entity(lives, Health).points = 1
    esper.add_component(lives, Ghost())
    esper.delete_entity(dies)
    world.step(DT)
    world.restore(moment)
    assert esper.component_for_entity(lives, Health).points == 1
    assert esper.has_component(lives, Ghost)
    assert esper.component_for_entity(dies, Health) is lost
    esper.remove_component(lives, Health)
    world.restore(moment)
    assert not esper.has_component(lives, Health)


@pytest.mark.parametrize("wrong", [(3,), (Transform,), (Health, copy.copy)])
def test_what_cannot_be_registered_is_refused(wrong: tuple) -> None:
    with pytest.raises(ValueError, match="register"):
        new_world().register(*wrong)


# Systems


class Clock(esper.Processor):
    """A system with state."""

    def __init__(self) -> None:
        self.ticks = 0

    def process(self, dt: float) -> None:
        self.ticks += 1

    def state(self) -> State:
        return {"ticks": self.ticks}

    def take_state(self, state: State) -> None:
        self.ticks = int(state["ticks"])


def test_systems_that_have_state_are_part_of_it() -> None:
    world = new_world()
    clock = Clock()
    world.add_system(clock, Stage.AFTER_STEP)
    run(world, 3)
    moment = world.snapshot()
    run(world, 3)
    world.restore(moment)
    assert clock.ticks == 3
    run(world, 1)
    world.remove_system(clock)
    before = everything(world)
    with pytest.raises(ValueError, match=r"AFTER_STEP\.Clock"):
        world.restore(moment)
    assert_same(everything(world), before)


def test_neither_is_for_systems_to_call() -> None:
    world = new_world()
    moment = world.snapshot()

    class Rewinds(esper.Processor):
        def process(self, dt: float) -> None:
            with pytest.raises(ValueError, match="inside a step"):
                world.snapshot()
            with pytest.raises(ValueError, match="inside a step"):
                world.restore(moment)

    world.add_system(Rewinds(), Stage.BEFORE_STEP)
    world.step(DT)
    with pytest.raises(ValueError, match="Snapshot"):
        world.restore(None)


# Files


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    before = esper.current_world
    world = heap()
    run(world, 5)
    path = tmp_path_factory.mktemp("snapshots") / "s"
    world.snapshot().save(path)
    esper.switch_world(before)
    return path.read_bytes()


@settings(max_examples=200)
@given(data=st.data())
def test_a_damaged_file_is_refused(
    data: st.DataObject, saved: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    broken = bytearray(saved)
    if data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(broken) - 1))
        broken[at] ^= 1 << data.draw(st.integers(0, 7))
    else:
        del broken[data.draw(st.integers(0, len(broken) - 1)) :]
    path = tmp_path_factory.getbasetemp() / "broken"
    path.write_bytes(broken)
    with pytest.raises(ValueError, match="snapshot"):
        Snapshot.load(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no snapshot"),
        (b"PK\x03\x04 an archive", "no snapshot"),
        (json.dumps({"time": 0}).encode(), "no snapshot"),
        (b"ecs_physics snapshot\n", "cut short"),
    ],
)
def test_a_foreign_file_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        Snapshot.load(tmp_path / "s")


def test_a_file_of_another_version_is_refused(saved: bytes, tmp_path: Path) -> None:
    magic = len(b"ecs_physics snapshot\n")
    (tmp_path / "s").write_bytes(saved[:magic] + b"\x63\0\0\0" + saved[magic + 4 :])
    with pytest.raises(ValueError, match="version 99"):
        Snapshot.load(tmp_path / "s")


@pytest.mark.parametrize(
    "text",
    [
        *("", "{}", "[]", "[" * 100_000),
        *('{"arrays": [], "content": 3}', '{"arrays": [], "content": ["dict"]}'),
        '{"arrays": [], "content": ["what"]}',
        *('{"arrays": [["|O", [1]]], "content": ["dict"]}', '{"arrays": [["<f8", [9]]]}'),
    ],
)
def test_a_whole_file_with_something_else_in_it_is_refused(text: str, tmp_path: Path) -> None:
    body = zlib.compress(text.encode())
    digest = hashlib.sha256(body).digest()
    header = snapshot_files.MAGIC + struct.pack("<IQQ", 1, len(body), len(text)) + digest
    (tmp_path / "s").write_bytes(header + body)
    with pytest.raises(ValueError, match="can read"):
        Snapshot.load(tmp_path / "s")


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    world = heap()
    world.snapshot().save(tmp_path / "s")
    old = (tmp_path / "s").read_bytes()
    world.register(Health)
    esper.create_entity(Health(1, [object()]))
    with pytest.raises(ValueError, match="plain data"):
        world.snapshot().save(tmp_path / "s")
    assert (tmp_path / "s").read_bytes() == old
    assert [each.name for each in tmp_path.iterdir()] == ["s"]


def test_tables_of_another_form_are_refused() -> None:
    world = heap()
    moment = world.snapshot()
    states = {name: dict(state) for name, state in moment._states.items()}
    states["contact_table"]["rows"] = np.zeros(0, [("part_a", "i4")])
    moment._states = states
    with pytest.raises(ValueError, match="another version"):
        world.restore(moment)
