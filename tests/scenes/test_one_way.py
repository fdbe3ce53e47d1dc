"""One-way bodies: risen through, stood on, stacked on, walked into, moving, turned."""

import math

import esper
import pytest

from ecs_physics import OneWay, Shape, Transform, Velocity
from tests.scenes.scenery import DT, G, body, floor, new_world

HALF = 0.1
"""m, of a platform's thickness."""


def platform(y: float, *more: object, angle: float = 0.0, width: float = 6.0) -> int:
    """A one-way platform whose top is at height y."""
    top = Transform(HALF * math.sin(angle), y - HALF * math.cos(angle), angle)
    return esper.create_entity(top, Shape.box(width, 2.0 * HALF), OneWay(), *more)


def place(entity: int) -> Transform:
    return esper.component_for_entity(entity, Transform)


def speed(entity: int) -> Velocity:
    return esper.component_for_entity(entity, Velocity)


@pytest.mark.parametrize("shape", [Shape.box(0.6, 0.6), Shape.circle(0.3)])
@pytest.mark.parametrize("jump", [5.0, 6.5, 8.0, 12.0, 30.0])
def test_jumping_up_through_it(shape: Shape, jump: float) -> None:
    world = new_world()
    floor()
    platform(2.0, width=100.0)
    jumpers = [
        body(shape, 1.5 * k - 15.0, 0.3 + jump * DT * k / 20.0, Velocity(0.0, jump))
        for k in range(20)
    ]
    starts = [place(each).y for each in jumpers]
    highest = [y + jump * jump / (2.0 * G) for y in starts]
    before = [jump] * 20
    while world.time < 2.0 * jump / G + 0.5:
        world.step(DT)
        for k, each in enumerate(jumpers):
            y, v = place(each).y, speed(each).y
            gained = v - before[k] + G * DT
            is_held = min(abs(y - 0.3), abs(y - 2.3)) < 0.02
            assert abs(gained) < 1e-3 or is_held  # free flight, but for the landings
            assert y < highest[k] + 1e-6
            before[k] = v
    for k, each in enumerate(jumpers):
        if abs(highest[k] - 2.3) > 0.01:  # else either is right
            assert abs(place(each).y - (2.3 if highest[k] > 2.3 else 0.3)) < 2e-3


def test_a_stack_of_three_stands_on_it() -> None:
    world = new_world()
    platform(1.0)
    boxes = [body(Shape.box(0.5, 0.5), 0.01 * k, 1.25 + 0.51 * k) for k in range(3)]
    for _ in range(300):
        world.step(DT)
    for k, each in enumerate(boxes):
        assert abs(place(each).y - (1.25 + 0.5 * k)) < 2e-3
        assert math.hypot(speed(each).x, speed(each).y) < 1e-3


def test_a_stack_rises_through_it_together() -> None:
    world = new_world()
    platform(2.0)
    boxes = [body(Shape.box(0.5, 0.5), 0.0, 0.25 + 0.5 * k, Velocity(0.0, 9.0)) for k in range(3)]
    floor()
    while speed(boxes[0]).y > -5.0:
        world.step(DT)
        for k, each in enumerate(boxes):  # in free flight as one, on the way up and down
            assert abs(place(each).y - place(boxes[0]).y - 0.5 * k) < 1e-3
            assert abs(place(each).x) < 1e-3
    for _ in range(120):
        world.step(DT)
    assert min(place(each).y for each in boxes) == pytest.approx(2.25, abs=5e-3)


@pytest.mark.parametrize("from_x", [-1.0, 1.0])
def test_coming_from_the_side_it_is_walked_through(from_x: float) -> None:
    world = new_world()
    floor(100.0)
    platform(0.5, width=2.0)
    walkers = [
        body(shape, 4.0 * from_x, 0.3, Velocity(-3.0 * from_x, 0.0))
        for shape in (Shape.box(0.6, 0.6), Shape.circle(0.3))
    ]
    world.pre_solve = lambda contact: setattr(contact, "friction", 0.0)
    world.contact_filter = lambda a, b: not (a in walkers and b in walkers)
    for _ in range(200):
        world.step(DT)
        for each in walkers:
            assert math.isclose(speed(each).x, -3.0 * from_x, rel_tol=1e-3)
            assert abs(place(each).y - 0.3) < 2e-3


@pytest.mark.parametrize("shape", [Shape.box(0.6, 0.6), Shape.circle(0.3)])
def test_from_one_platform_to_the_next_nothing_falls_through(shape: Shape) -> None:
    world = new_world()
    for k in range(8):
        place(platform(1.0, width=2.0)).x = 2.0 * k
    walkers = [body(shape, 0.02 * k, 1.3 + 1e-4 * k, Velocity(4.0, 0.0)) for k in range(10)]
    world.pre_solve = lambda contact: setattr(contact, "friction", 0.0)
    world.contact_filter = lambda a, b: not (a in walkers and b in walkers)
    while place(walkers[-1]).x < 13.0:
        world.step(DT)
        assert world.time < 5.0
        for each in walkers:
            assert place(each).y > 1.3 - 2e-3  # it may hop at a seam, as on any two bodies


def test_a_platform_that_rises_lifts_and_one_that_sinks_passes() -> None:
    world = new_world()
    floor()
    lift = platform(0.5, Velocity(0.0, 2.0))
    press = platform(4.0, Velocity(0.0, -2.0), width=3.0)
    place(press).x = 20.0
    rider = body(Shape.box(0.5, 0.5), 0.0, 0.76, Velocity(0.0, 2.0))
    below = body(Shape.box(0.5, 0.5), 20.0, 0.25)
    for _ in range(60):
        world.step(DT)
    assert abs(place(rider).y - (place(lift).y + HALF + 0.25)) < 5e-3
    for _ in range(60):
        world.step(DT)
        assert abs(place(below).y - 0.25) < 2e-3


def test_a_platform_that_overtakes_a_body_from_below_does_not_pass() -> None:
    world = new_world(gravity=(0.0, 0.0))
    platform(0.0, Velocity(0.0, 20.0))
    ball = body(Shape.circle(0.3), 0.0, 3.0)
    for _ in range(60):
        world.step(DT)
    assert speed(ball).y > 19.9


@pytest.mark.parametrize("degrees", [-30.0, 20.0, 90.0, 180.0])
def test_it_stops_on_the_side_that_its_shape_says(degrees: float) -> None:
    angle = math.radians(degrees)
    up = (-math.sin(angle), math.cos(angle))
    for sign in (1.0, -1.0):
        world = new_world(gravity=(0.0, 0.0))
        esper.create_entity(Transform(1.0, 2.0, angle), Shape.box(6.0, 2.0 * HALF), OneWay())
        start = (1.0 + 2.0 * sign * up[0], 2.0 + 2.0 * sign * up[1])
        ball = body(Shape.circle(0.25), *start, Velocity(-6.0 * sign * up[0], -6.0 * sign * up[1]))
        for _ in range(60):
            world.step(DT)
        height = (place(ball).x - 1.0) * up[0] + (place(ball).y - 2.0) * up[1]
        if sign > 0.0:
            assert abs(height - 0.25 - HALF) < 0.02  # stopped
        else:
            assert math.isclose(height, 4.0, abs_tol=1e-6)  # passed


def test_it_can_face_any_way() -> None:
    world = new_world(gravity=(0.0, 0.0))
    esper.create_entity(Transform(0.0, 0.0), Shape.box(0.2, 6.0), OneWay(1.0, 0.0))
    passes = body(Shape.circle(0.25), -2.0, 0.0, Velocity(6.0, 0.0))
    stops = body(Shape.circle(0.25), 2.0, 2.0, Velocity(-6.0, 0.0))
    for _ in range(60):
        world.step(DT)
    assert math.isclose(place(passes).x, 4.0, abs_tol=1e-6)
    assert place(stops).x > 0.3


def test_dropping_through_takes_one_call() -> None:
    world = new_world()
    floor(y=-3.0)
    platform(0.0)
    lower = platform(-1.5)
    shapes = (Shape.box(0.5, 0.5), Shape.circle(0.25))
    riders = [body(shape, -1.0 + 2.0 * k, 0.25) for k, shape in enumerate(shapes)]
    for _ in range(30):
        world.step(DT)
    for each in riders:
        world.drop_through(each)
    for _ in range(120):
        world.step(DT)
    assert all(abs(place(each).y + 1.25) < 2e-3 for each in riders)  # the next one holds
    assert {row["entity_a"] for row in world.contacts} == {lower}
    for each in riders:
        world.drop_through(each)
        speed(each).y = 7.0  # jumps instead: through the upper one and back on to it
    for _ in range(120):
        world.step(DT)
    assert all(abs(place(each).y - 0.25) < 2e-3 for each in riders)
    with pytest.raises(ValueError, match="is no body"):
        world.drop_through(999)


def test_a_body_that_begins_within_it_falls_out_below() -> None:
    world = new_world()
    floor()
    platform(2.0)
    ball = body(Shape.circle(0.3), 0.0, 2.0)
    for _ in range(120):
        world.step(DT)
    assert abs(place(ball).y - 0.3) < 2e-3


def test_without_the_component_it_is_solid_again() -> None:
    world = new_world()
    plate = platform(2.0)
    ball = body(Shape.circle(0.3), 0.0, 0.5, Velocity(0.0, 12.0))
    world.step(DT)
    esper.remove_component(plate, OneWay)
    for _ in range(20):
        world.step(DT)
        assert place(ball).y < 1.52
