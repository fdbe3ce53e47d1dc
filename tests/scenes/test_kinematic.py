"""Kinematic bodies: where they go, and what they carry."""

import math
from collections.abc import Callable
from typing import Any

import esper
import pytest

from ecs_physics import Force, Mass, Material, Shape, Stage, Transform, Velocity, World
from tests.scenes.scenery import DT, G, body, floor, new_world

Path = Callable[[float], tuple[float, float, float]]
"""x, y (m) and angle (rad) at a time (s)."""


def place(entity: int) -> Transform:
    return esper.component_for_entity(entity, Transform)


def speed(entity: int) -> Velocity:
    return esper.component_for_entity(entity, Velocity)


def mover(x: float = 0.0, y: float = 0.0, *more: Any) -> int:
    return esper.create_entity(Transform(x, y), Velocity(), Shape.box(4.0, 0.5), *more)


def by_velocity(world: World, entity: int, path: Path) -> None:
    now, then = path(world.time), path(world.time + DT)
    velocity = speed(entity)
    velocity.x, velocity.y, velocity.omega = ((b - a) / DT for a, b in zip(now, then, strict=True))


def by_target(world: World, entity: int, path: Path) -> None:
    world.move_to(entity, *path(world.time + DT), time=DT)


def start_as_carried(rider: int, carrier: int, path: Path) -> None:
    """Give a rider the velocity of its place on the carrier in the first step."""
    now, then = path(0.0), path(DT)
    vx, vy, omega = ((b - a) / DT for a, b in zip(now, then, strict=True))
    x, y = place(rider).x - place(carrier).x, place(rider).y - place(carrier).y
    velocity = speed(rider)
    velocity.x, velocity.y, velocity.omega = vx - omega * y, vy + omega * x, omega


def strayed(rider: int, carrier: int, x: float, y: float) -> float:
    """How far (m) a rider is from its place in the carrier's axes."""
    at, to = place(carrier), place(rider)
    cos, sin = math.cos(at.angle), math.sin(at.angle)
    dx, dy = to.x - at.x, to.y - at.y
    return math.hypot(cos * dx + sin * dy - x, cos * dy - sin * dx - y)


def farthest_strayed(path: Path, rider: int, carrier: int, drive: "Drive", seconds: float) -> float:
    """How far (m) a rider strays from its place, which the carrier's path is checked for."""
    world = drive.world
    x, y = place(rider).x - place(carrier).x, place(rider).y - place(carrier).y
    start_as_carried(rider, carrier, path)
    worst = 0.0
    while world.time < seconds:
        drive(carrier, path)
        world.step(DT)
        wanted = path(world.time)
        assert math.dist(wanted, (place(carrier).x, place(carrier).y, place(carrier).angle)) < 1e-12
        worst = max(worst, strayed(rider, carrier, x, y))
    return worst


class Drive:
    """Moves a carrier along a path, in one of two ways."""

    def __init__(self, world: World, way: Any) -> None:
        self.world = world
        self.way = way

    def __call__(self, carrier: int, path: Path) -> None:
        self.way(self.world, carrier, path)


_ways = pytest.mark.parametrize("way", [by_velocity, by_target])


@pytest.mark.parametrize("speed_", [0.5, -2.0, 6.0])
def test_a_conveyor_moves_a_box_at_its_surface_speed(speed_: float) -> None:
    world = new_world()
    esper.create_entity(
        Transform(0.0, -0.5), Shape.box(1000.0, 1.0), Material(surface_speed=speed_)
    )
    box = body(Shape.box(1.0, 1.0), 0.0, 0.5)
    while world.time < abs(speed_) / (0.6 * G) + 0.5:
        world.step(DT)
    start = place(box).x
    for _ in range(600):
        world.step(DT)
        assert math.isclose(speed(box).x, speed_, rel_tol=1e-3)
    assert math.isclose(place(box).x - start, speed_ * 600 * DT, rel_tol=1e-3)


@_ways
def test_a_lift_carries(way: Any) -> None:
    world = new_world()

    def path(t: float) -> tuple[float, float, float]:
        return 0.0, 0.5 - 0.5 * math.cos(0.5 * math.pi * t), 0.0  # 1 m up and down in 4 s

    lift = mover()
    rider = body(Shape.box(1.0, 1.0), 0.3, 0.75)
    assert farthest_strayed(path, rider, lift, Drive(world, way), 60.0) < 0.01


@_ways
@pytest.mark.parametrize("size", [(1.0, 1.0), (0.5, 0.5), (1.0, 0.4)])
def test_a_shuttle_carries(way: Any, size: tuple[float, float]) -> None:
    world = new_world()
    turning = 0.5 * math.pi
    amplitude = 0.42 * 0.6 * G / turning**2

    def path(t: float) -> tuple[float, float, float]:
        return amplitude * math.sin(turning * t), 0.0, 0.0

    shuttle = mover()
    rider = body(Shape.box(*size), 0.3, 0.25 + 0.5 * size[1])
    assert farthest_strayed(path, rider, shuttle, Drive(world, way), 60.0) < 0.01


@_ways
def test_a_rocking_platform_carries(way: Any) -> None:
    world = new_world()

    def path(t: float) -> tuple[float, float, float]:
        return 0.0, 0.0, math.radians(20.0) * math.sin(0.5 * math.pi * t)

    platform = mover()
    rider = body(Shape.box(0.5, 0.5), 1.0, 0.5)
    assert farthest_strayed(path, rider, platform, Drive(world, way), 60.0) < 0.05


def test_a_turntable_seen_from_the_side_carries_a_box_around() -> None:
    world = new_world(gravity=(0.0, 0.0))
    wheel = esper.create_entity(Transform(0.0, 0.0), Velocity(omega=1.0), Shape.circle(1.0))
    box = body(Shape.box(0.4, 0.4), 1.2, 0.0, Velocity(0.0, 1.2, 1.0))
    esper.add_component(box, Force())
    for _ in range(120):
        x, y = place(box).x, place(box).y
        force = esper.component_for_entity(box, Force)
        force.x, force.y = -0.16 * 4.0 * x, -0.16 * 4.0 * y  # pulled in: more than it needs
        world.step(DT)
    assert math.isclose(math.atan2(place(box).y, place(box).x), place(wheel).angle, abs_tol=0.03)


# -- move_to ------------------------------------------------------------------------------


@pytest.mark.parametrize(("time", "steps"), [(DT, 1), (0.5, 30), (0.1, 6), (0.011, 1), (0.51, 31)])
def test_it_is_there_in_time_and_stops(time: float, steps: int) -> None:
    world = new_world()
    lift = mover()
    world.move_to(lift, 3.0, -1.0, 7.0, time)
    for k in range(1, steps + 5):
        world.step(DT)
        share = min(k / steps, 1.0)
        assert math.isclose(place(lift).x, 3.0 * share, abs_tol=1e-12)
        assert math.isclose(place(lift).y, -1.0 * share, abs_tol=1e-12)
        assert math.isclose(place(lift).angle, 7.0 * share, abs_tol=1e-12)
    assert (speed(lift).x, speed(lift).y, speed(lift).omega) == (0.0, 0.0, 0.0)


def test_without_an_angle_it_goes_on_turning() -> None:
    world = new_world()
    lift = mover()
    speed(lift).omega = 2.0
    world.move_to(lift, 1.0, 0.0, time=0.5)
    for _ in range(60):
        world.step(DT)
    assert math.isclose(place(lift).x, 1.0, abs_tol=1e-12)
    assert math.isclose(place(lift).angle, 2.0, rel_tol=1e-12)


def test_another_order_or_a_written_velocity_ends_it() -> None:
    world = new_world()
    lifts = [mover(10.0 * k) for k in range(3)]
    for each in lifts:
        world.move_to(each, place(each).x + 1.0, 0.0, 0.0, 1.0)
    for _ in range(30):
        world.step(DT)
    world.move_to(lifts[1], 10.0, 0.0, 0.0, 0.5)
    speed(lifts[2]).x = -1.0
    for _ in range(60):
        world.step(DT)
    assert math.isclose(place(lifts[0]).x, 1.0, abs_tol=1e-12)
    assert math.isclose(place(lifts[1]).x, 10.0, abs_tol=1e-12)
    assert math.isclose(place(lifts[2]).x, 19.5, abs_tol=1e-12)


def test_a_body_that_changes_or_goes_is_no_longer_steered() -> None:
    world = new_world(gravity=(0.0, 0.0))
    lifts = [mover(10.0 * k) for k in range(2)]
    for each in lifts:
        world.move_to(each, place(each).x, 5.0, time=1.0)
    world.step(DT)
    esper.add_component(lifts[0], Mass())
    esper.delete_entity(lifts[1])
    other = mover(10.0)
    for _ in range(120):
        world.step(DT)
    assert math.isclose(speed(lifts[0]).y, 5.0, rel_tol=1e-12)
    assert place(other).y == 0.0


def test_a_disabled_one_waits_and_goes_on() -> None:
    """Also where others take its row, where it comes from a snapshot, or is sent elsewhere."""
    world = new_world(gravity=(0.0, 0.0))
    lift, sent_anew, gone = mover(), mover(0.0, 9.0), mover(0.0, 18.0)
    for each in (lift, sent_anew, gone):
        world.move_to(each, 3.0, place(each).y, time=1.0)
    for _ in range(30):
        world.step(DT)
    for each in (lift, sent_anew, gone):
        world.disable(each)
    world.step(DT)
    others = [mover(0.0, -9.0 * k) for k in range(1, 4)]
    for _ in range(30):
        world.step(DT)
    moment = world.snapshot()
    for _ in range(2):
        assert place(lift).x == pytest.approx(1.5)
        for each in (lift, sent_anew):
            world.enable(each)
        esper.delete_entity(gone)
        world.move_to(sent_anew, 0.0, 9.0, time=0.5)
        for _ in range(60):
            world.step(DT)
        assert place(lift).x == pytest.approx(3.0)
        assert place(sent_anew).x == pytest.approx(0.0, abs=1e-12)
        assert [place(each).x for each in others] == [0.0] * 3
        world.restore(moment)


def test_a_snapshot_keeps_where_it_goes() -> None:
    world = new_world()
    floor()
    lift = mover(0.0, 1.0)
    rider = body(Shape.box(0.5, 0.5), 0.5, 1.5)
    world.move_to(lift, 2.0, 3.0, 0.1, 1.0)
    for _ in range(20):
        world.step(DT)
    snapshot = world.snapshot()
    hashes = []
    for _ in range(2):
        for k in range(60):
            if k > 30:
                world.move_to(lift, 0.01 * k * k, 3.0, time=DT)
            world.step(DT)
        hashes.append(world.hash())
        world.restore(snapshot)
    assert hashes[0] == hashes[1]
    assert esper.entity_exists(rider)


def test_what_cannot_be_moved_to_a_place_is_refused() -> None:
    world = new_world()
    static, dynamic, lift = floor(), body(Shape.circle(1.0), 0.0, 5.0), mover()
    for entity in (static, dynamic, 999):
        with pytest.raises(ValueError, match="is no kinematic body"):
            world.move_to(entity, 0.0, 0.0)
    for bad in ({"x": math.nan}, {"y": "up"}, {"angle": math.inf}, {"time": 0.0}, {"time": -1.0}):
        with pytest.raises(ValueError, match="move_to"):
            world.move_to(lift, **{"x": 0.0, "y": 0.0} | bad)


# -- within a step ------------------------------------------------------------------------


class Watch(esper.Processor):
    """Notes a body's velocity along x at the beginning of each substep."""

    def __init__(self, entity: int) -> None:
        self.entity = entity
        self.seen: list[float] = []

    def process(self, h: float) -> None:
        self.seen.append(speed(self.entity).x)


def test_a_velocity_that_is_written_once_counts_from_the_first_substep() -> None:
    world = new_world()
    lift = mover()
    watch = Watch(lift)
    world.add_system(watch, Stage.SUBSTEP)
    for value in (0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 0.0, 0.0):
        speed(lift).x = value
        world.step(DT)
        assert speed(lift).x == value
        assert set(watch.seen[-4:]) == {value}


def test_forces_do_not_move_kinematic_bodies() -> None:
    world = new_world()
    lift = mover(0.0, 0.0, Force(5.0, 5.0, 5.0))
    for _ in range(3):
        esper.component_for_entity(lift, Force).x = 9.0
        world.step(DT)
    assert (place(lift).x, place(lift).y, place(lift).angle) == (0.0, 0.0, 0.0)


def test_one_call_or_phase_by_phase_are_the_same_bits() -> None:
    hashes = set()
    for phases in (False, True):
        world = new_world()
        lift = mover()
        body(Shape.box(1.0, 1.0), 0.3, 0.75)
        if phases:
            world.add_system(Watch(lift), Stage.SUBSTEP)
        for _ in range(120):
            by_velocity(world, lift, lambda t: (math.sin(t), math.sin(2.0 * t), 0.1 * math.sin(t)))
            world.step(DT)
        hashes.add(world.hash())
    assert len(hashes) == 1
