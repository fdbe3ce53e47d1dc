"""Contacts begin and end as they do in the world: once each, whatever happens to the bodies."""

import math
from collections.abc import Callable
from typing import Any, ClassVar

import esper
import numpy as np
import pytest

from ecs_physics import (
    Disabled,
    Filter,
    LockedAxes,
    Mass,
    Material,
    OneWay,
    Shape,
    Stage,
    Transform,
    Velocity,
    World,
)
from ecs_physics.events import CONTACT_BEGIN, CONTACT_END, ContactBegin, ContactEnd
from tests.scenes.scenery import DT, G, body, floor, motion, new_world, place, run, steps

WOODEN = Material(friction=0.6, restitution=0.0)
RUBBER = Material(friction=0.0, restitution=0.8)
Pair = tuple[int, int]


class Watch:
    """Hears begins and ends, and refuses a begin of what touches or an end of what does not."""

    kept: ClassVar[list["Watch"]] = []  # a handler must outlive its world: see tests/test_events

    def __init__(self) -> None:
        self.touching: set[Pair] = set()
        self.begins: list[ContactBegin] = []
        self.ends: list[ContactEnd] = []
        Watch.kept.append(self)
        esper.set_handler(CONTACT_BEGIN, self.begin)
        esper.set_handler(CONTACT_END, self.end)

    def begin(self, event: ContactBegin) -> None:
        pair = event.entity_a, event.entity_b
        assert pair[0] < pair[1]
        assert pair not in self.touching, f"{pair} began twice"
        self.touching.add(pair)
        self.begins.append(event)

    def end(self, event: ContactEnd) -> None:
        pair = event.entity_a, event.entity_b
        assert pair in self.touching, f"{pair} ended without a begin"
        self.touching.remove(pair)
        self.ends.append(event)


def stack(count: int) -> list[int]:
    return [body(Shape.box(1, 1), 0, 0.5 + k, WOODEN) for k in range(count)]


# Where contacts begin


def test_a_landing_ball_begins_once_at_its_lowest_point() -> None:
    world = new_world()
    watch = Watch()
    ground = floor()
    ball = body(Shape.circle(0.5), 3.0, 2.0, WOODEN)
    fall = math.sqrt(2 * 1.5 / G)
    run(world, fall - 2 * DT)
    assert watch.begins == []
    run(world, 4 * DT)
    (event,) = watch.begins
    assert (event.entity_a, event.entity_b) == (ground, ball)
    assert (event.normal_x, event.normal_y) == (0.0, 1.0)
    assert event.x == pytest.approx(3.0, abs=1e-6)
    assert event.y == pytest.approx(0.0, abs=1e-3)
    run(world, 5.0)
    assert len(watch.begins) == 1
    assert watch.ends == []


@pytest.mark.parametrize("ball_first", [True, False])
def test_the_normal_points_from_the_older_to_the_younger(ball_first: bool) -> None:
    world = new_world((0.0, 0.0))
    watch = Watch()
    made = [(Shape.circle(0.5), -2.0, Velocity(8.0, 0.0)), (Shape.box(1, 1), 0.0, Velocity())]
    order = made if ball_first else made[::-1]
    one, other = (body(shape, x, 0.0, speed) for shape, x, speed in order)
    run(world, 0.5)
    (event,) = watch.begins
    assert (event.entity_a, event.entity_b) == (one, other)
    assert event.normal_x == pytest.approx(1.0 if ball_first else -1.0)
    assert event.normal_y == pytest.approx(0.0, abs=1e-6)


def test_the_arrays_say_what_the_handlers_are_told() -> None:
    world = new_world()
    watch = Watch()
    floor()
    body(Shape.box(1, 1), 0.0, 1.0, RUBBER)
    told: list[Any] = []
    for _ in steps(world, 2.0):
        told += world.events.contact_begin.tolist() + world.events.contact_end.tolist()
    assert len(watch.ends) > 1
    assert sorted(told) == sorted(map(tuple, [*watch.begins, *watch.ends]))


def test_what_is_only_near_does_not_touch() -> None:
    world = new_world()
    watch = Watch()
    ground = floor()
    left, right = (body(Shape.box(1, 1), x, 0.5) for x in (0.0, 1.002))
    run(world, 1.0)
    assert watch.touching == {(ground, left), (ground, right)}


# What rests


@pytest.mark.parametrize("count", [1, 6])
def test_a_resting_stack_begins_once_and_never_ends_in_a_minute(count: int) -> None:
    world = new_world()
    watch = Watch()
    ground = floor()
    boxes = stack(count)
    run(world, 60.0)
    pairs = [(event.entity_a, event.entity_b) for event in watch.begins]
    assert sorted(pairs) == sorted(zip([ground, *boxes], boxes, strict=False))
    assert watch.ends == []


def test_a_settled_pyramid_is_silent() -> None:
    world = new_world()
    watch = Watch()
    floor()
    for row in range(10):
        for k in range(10 - row):
            body(Shape.box(1, 1), 1.05 * (k + 0.5 * row), 0.5 + row, WOODEN)
    run(world, 3.0)
    before = len(watch.begins)
    run(world, 10.0)
    assert (len(watch.begins), len(watch.ends)) == (before, before - len(watch.touching))


def test_a_rolling_ball_stays_in_touch_across_the_edges_of_a_chain() -> None:
    world = new_world()
    watch = Watch()
    points = [(x, 0.2 * math.cos(0.3 * x)) for x in range(-20, 21)]
    ground = esper.create_entity(Transform(), Shape.chain(points))
    ball = body(Shape.circle(0.5), -12.0, points[8][1] + 0.51, Velocity(4.0, 0.0))
    run(world, 4.0)
    assert place(ball).x > -4.0
    assert watch.touching == {(ground, ball)}
    assert (len(watch.begins), len(watch.ends)) == (1, 0)


def test_bodies_of_several_parts_touch_as_long_as_any_part_does() -> None:
    world = new_world()
    watch = Watch()
    ground = floor()
    dumbbell = body(Shape.compound([(Shape.circle(0.5), x, 0) for x in (-1, 1)]), 0, 1)
    esper.component_for_entity(dumbbell, Transform).angle = 0.5
    run(world, 4.0)
    assert place(dumbbell).angle == pytest.approx(0.0, abs=1e-2)
    assert watch.touching == {(ground, dumbbell)}
    assert (len(watch.begins), len(watch.ends)) == (1, 0)


def test_what_rises_through_a_one_way_platform_touches_it_when_it_lands() -> None:
    world = new_world()
    watch = Watch()
    platform = esper.create_entity(Transform(0, 3.0), Shape.box(6, 0.2), OneWay())
    ball = body(Shape.circle(0.3), 0.0, 1.0, Velocity(0.0, 9.0))
    for _ in steps(world, 3.0):
        assert not watch.begins or motion(ball).y < 1.0
    assert watch.touching == {(platform, ball)}
    assert len(watch.begins) == 1
    assert watch.begins[0].normal_y == 1.0
    assert watch.begins[0].y == pytest.approx(3.1, abs=0.01)


# What bounces


@pytest.mark.parametrize("speed", [3.0, 12.0, 60.0])
def test_each_bounce_between_two_walls_is_one_begin_and_one_end(speed: float) -> None:
    world = new_world((0.0, 0.0))
    watch = Watch()
    rubber = Material(friction=0.0, restitution=1.0)
    for x in (-4.0, 4.0):
        esper.create_entity(Transform(x, 0), Shape.box(1, 4), rubber)
    ball = body(Shape.circle(0.25), 0.1, 0.0, Velocity(speed, 0.0), rubber)
    turns = 0
    for _ in range(240):
        before = motion(ball).x
        world.step(DT)
        turns += before * motion(ball).x < 0.0
    assert turns == pytest.approx(240 * DT * speed / (8.0 - 1.0 - 0.5), abs=1.0)
    assert len(watch.begins) == turns
    assert turns - len(watch.ends) == len(watch.touching)


def test_a_ball_that_bounces_on_the_floor_begins_with_each_bounce() -> None:
    world = new_world()
    watch = Watch()
    floor()
    body(Shape.circle(0.5), 0.0, 3.0, RUBBER)
    run(world, 2.5)
    falls = 0
    time, speed = math.sqrt(2 * 2.5 / G), math.sqrt(2 * G * 2.5)
    while time < 2.5:  # the closed form: each flight takes 2 v / g, and v shrinks to .8 v
        falls += 1
        speed *= 0.8
        time += 2 * speed / G
    assert len(watch.begins) == falls
    run(world, 8.0)
    assert len(watch.touching) == 1


# What goes


def remove_velocity(entity: int) -> None:
    esper.remove_component(entity, Velocity)
    esper.remove_component(entity, Mass)


GOING: dict[str, Callable[[int], Any]] = {
    "deleted at once": lambda entity: esper.delete_entity(entity, immediate=True),
    "deleted later": esper.delete_entity,
    "moved away": lambda entity: setattr(place(entity), "x", 500.0),
    "disabled": lambda entity: esper.add_component(entity, Disabled()),
    "filtered out": lambda entity: esper.add_component(entity, Filter(mask=0)),
    "without a shape": lambda entity: esper.remove_component(entity, Shape),
    "without a place": lambda entity: esper.remove_component(entity, Transform),
}


@pytest.mark.parametrize("how", GOING)
def test_what_goes_ends_its_contacts_once(how: str) -> None:
    world = new_world((0.0, 0.0))
    watch = Watch()
    ground = floor()
    below, above = (body(Shape.box(1, 1), 0, y, LockedAxes(angle=True)) for y in (0.499, 1.498))
    run(world, 2 * DT)
    assert watch.touching == {(ground, below), (below, above)}
    watch.ends.clear()
    GOING[how](below)
    world.step(DT)
    assert watch.touching == set()
    assert watch.ends == [(ground, below), (below, above)]
    run(world, 0.5)
    assert len(watch.ends) == 2


CHANGING: dict[str, Callable[[int], Any]] = {
    "another shape": lambda entity: esper.add_component(entity, Shape.box(1.1, 1.0)),
    "another filter": lambda entity: esper.add_component(entity, Filter(category=2)),
    "static": remove_velocity,
    "kinematic": lambda entity: esper.remove_component(entity, Mass),
}


@pytest.mark.parametrize("how", CHANGING)
def test_what_changes_and_still_touches_stays_paired(how: str) -> None:
    world = new_world()
    watch = Watch()
    ground = floor()
    below, above = stack(2)
    run(world, 0.5)
    CHANGING[how](below)
    run(world, 0.5)
    still = (
        {(below, above)} if how in ("static", "kinematic") else {(ground, below), (below, above)}
    )
    assert watch.touching == still


def test_a_reset_forgets_what_touched() -> None:
    world = new_world()
    watch = Watch()
    floor()
    stack(2)
    run(world, 0.5)
    world.reset()
    watch.touching.clear()
    world.step(DT)
    assert watch.ends == []
    floor()
    stack(2)
    run(world, 0.5)
    assert len(watch.touching) == 2


# What handlers do


@pytest.fixture
def landing() -> tuple[World, int, int]:
    """A box about to land on the floor."""
    world = new_world()
    ground = floor()
    return world, ground, body(Shape.box(1, 1), 0, 0.6, WOODEN)


class Once:
    """Calls a function at the first begin."""

    def __init__(self, function: Callable[[ContactBegin], None]) -> None:
        self.function = function
        self.calls = 0
        Watch.kept.append(self)  # type: ignore[arg-type]
        esper.set_handler(CONTACT_BEGIN, self.call)

    def call(self, event: ContactBegin) -> None:
        self.calls += 1
        if self.calls == 1:
            self.function(event)


def test_a_handler_may_delete_what_it_is_told_of(landing: tuple[World, int, int]) -> None:
    world, ground, box = landing
    watch = Watch()
    once = Once(lambda event: esper.delete_entity(event.entity_b, immediate=True))
    run(world, 1.0)
    assert once.calls == 1
    assert watch.ends == [(ground, box)]
    assert world.entities() == [ground]


def test_a_handler_may_create_and_move(landing: tuple[World, int, int]) -> None:
    world, ground, box = landing
    watch = Watch()
    made: list[int] = []

    def act(event: ContactBegin) -> None:
        place(event.entity_b).x += 10.0
        made.append(body(Shape.box(1, 1), 0, 0.5, WOODEN))

    Once(act)
    run(world, 1.0)
    assert place(box).x == pytest.approx(10.0, abs=1e-3)
    assert {(ground, box), (ground, made[0])} <= watch.touching


def test_a_handler_may_read_the_world(landing: tuple[World, int, int]) -> None:
    world, _, box = landing
    seen: list[Any] = []
    Once(lambda event: seen.append((world.bodies_at(0, 0.5), len(world.contacts), world.hash())))
    run(world, 1.0)
    assert seen[0][:2] == ([box], 1)


def test_no_event_is_lost_to_a_handler_that_raises(landing: tuple[World, int, int]) -> None:
    world, _, _ = landing
    body(Shape.box(1, 1), 5.0, 0.6, WOODEN)
    watch = Watch()

    def fail(event: ContactBegin) -> None:
        raise RuntimeError("no")

    once = Once(fail)
    with pytest.raises(RuntimeError, match="no"):
        run(world, 1.0)
    assert once.calls == 2
    assert len(watch.begins) == 2
    run(world, 1.0)
    assert len(watch.touching) == 2


def test_events_of_a_step_that_broke_are_told_by_the_next(landing: tuple[World, int, int]) -> None:
    world, _, _ = landing
    watch = Watch()

    class Break(esper.Processor):
        def process(self, dt: float) -> None:
            if world.contact_table.active_count and not watch.begins:
                world.remove_system(self)
                raise RuntimeError("broken")

    breaking = Break()
    world._systems[Stage.AFTER_STEP] = (breaking, *world._systems[Stage.AFTER_STEP])
    with pytest.raises(RuntimeError, match="broken"):
        run(world, 1.0)
    run(world, 1.0)
    assert len(watch.begins) == 1


# Anything at any time


@pytest.mark.parametrize("seed", range(3))
def test_begins_and_ends_pair_whatever_becomes_of_a_pile(seed: int) -> None:
    rng = np.random.default_rng(seed)
    world = new_world()
    watch = Watch()
    ground = floor()
    boxes = [body(Shape.box(1, 1), k % 4, 0.5 + k // 4, WOODEN) for k in range(12)]
    for _ in range(300):
        for _ in range(rng.integers(0, 3)):
            toggle(int(rng.integers(0, 8)), rng, boxes)
        world.step(DT)
        shown = {
            tuple(sorted((int(each["entity_a"]), int(each["entity_b"]))))
            for each in world.contacts
            if each["normal_impulse"].max() > 0.0
        }
        assert shown <= watch.touching
        alive = {ground, *boxes}
        assert all(pair[0] in alive and pair[1] in alive for pair in watch.touching)
    for entity in boxes:
        esper.delete_entity(entity, immediate=True)
    world.step(DT)
    assert watch.touching == set()
    assert len(watch.begins) == len(watch.ends)


def toggle(what: int, rng: np.random.Generator, boxes: list[int]) -> None:
    """Change one of the boxes somehow, or exchange it."""
    k = int(rng.integers(0, len(boxes)))
    box = boxes[k]
    kinds: dict[int, Callable[[], Any]] = {
        0: Disabled,
        1: lambda: Filter(mask=0),
        2: Mass,
        3: Velocity,
        4: lambda: Shape.box(1.0, 1.0),
    }
    if what in kinds:
        made = kinds[what]()
        if esper.has_component(box, type(made)):
            esper.remove_component(box, type(made))
        else:
            esper.add_component(box, made)
    elif what == 5:
        place(box).x, place(box).y = rng.uniform(-2, 6), rng.uniform(0.5, 4)
    elif what == 6:
        esper.delete_entity(box, immediate=True)
        boxes[k] = body(Shape.circle(0.5), rng.uniform(0, 4), 4.0, RUBBER)
    else:
        esper.add_component(box, Filter(group=int(rng.integers(-1, 2))))


def test_a_stacked_pair_whose_kind_is_toggled_for_100_steps_stays_paired() -> None:
    world = new_world()
    watch = Watch()
    ground = floor()
    below, above = stack(2)
    for step in range(100):
        if step % 3 == 0:
            if esper.has_component(below, Mass):
                remove_velocity(below)
            else:
                esper.add_component(below, Velocity())
                esper.add_component(below, Mass())
        if step % 5 == 0:
            if esper.has_component(above, Disabled):
                esper.remove_component(above, Disabled)
            else:
                esper.add_component(above, Disabled())
        world.step(DT)
    for entity in (ground, below, above):
        esper.delete_entity(entity)
    world.step(DT)
    assert watch.touching == set()
    assert len(watch.begins) == len(watch.ends) > 20
