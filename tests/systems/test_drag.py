"""A soft pull on one body: it follows, whatever it weighs, and cannot explode."""

import math

import esper
import numpy as np
import pytest

from ecs_physics import LockedAxes, Mass, Shape, Stage, Transform, Velocity, World
from ecs_physics.systems.drag import PULL_HERTZ, WEIGHTS, Drag, soft_impulse

OMEGA = 2.0 * math.pi * PULL_HERTZ


def dragging(gravity: tuple[float, float] = (0.0, 0.0)) -> tuple[World, Drag]:
    world = World(gravity=gravity)
    drag = Drag(world)
    world.add_system(drag, Stage.FORCES)
    return world, drag


def box(mass: float, size: float = 1.0, x: float = 0.0, y: float = 0.0) -> int:
    return esper.create_entity(Transform(x, y), Velocity(), Shape.box(size, size), Mass(mass=mass))


def place_of(entity: int) -> tuple[float, float]:
    transform = esper.component_for_entity(entity, Transform)
    return transform.x, transform.y


@pytest.mark.parametrize(("mass", "size"), [(0.001, 0.02), (1.0, 1.0), (1e6, 20.0)])
@pytest.mark.parametrize("dt", [1.0 / 240.0, 1.0 / 60.0, 1.0 / 10.0])
def test_any_mass_follows_at_any_time_step(mass: float, size: float, dt: float) -> None:
    world, drag = dragging()
    entity = box(mass, size)
    world.entities()
    drag.grab(entity, 0.0, 0.0)
    drag.move(0.5, 0.25)
    for _ in range(math.ceil(2.0 / dt)):
        world.step(dt)
    assert place_of(entity) == pytest.approx((0.5, 0.25), abs=1e-3)
    assert esper.component_for_entity(entity, Velocity).x == pytest.approx(0.0, abs=1e-3)


def test_it_approaches_as_a_critically_damped_spring_does() -> None:
    dt = 1e-4
    x, velocity = 1.0, 0.0
    for _ in range(1000):
        impulse = soft_impulse(np.array([x, 0.0]), np.array([velocity, 0.0]), np.eye(2) / 3.0, dt)
        velocity += impulse[0] / 3.0
        x += velocity * dt
    time = 1000 * dt
    assert x == pytest.approx((1.0 + OMEGA * time) * math.exp(-OMEGA * time), abs=2e-3)


def test_the_implicit_step_in_closed_form() -> None:
    dt, offset, speed, mass = 0.05, 0.7, -2.0, 4.0
    gain = dt * OMEGA * (dt * OMEGA + 2.0)
    wanted = (speed - dt * OMEGA * OMEGA * offset) / (1.0 + gain)
    impulse = soft_impulse(np.array([offset, 0.0]), np.array([speed, 0.0]), np.eye(2) / mass, dt)
    assert speed + impulse[0] / mass == pytest.approx(wanted)
    assert impulse[1] == pytest.approx(0.0)


def test_a_held_body_sags_by_its_weight() -> None:
    world, drag = dragging((0.0, -9.81))
    entity = box(2.0)
    world.entities()
    drag.grab(entity, 0.0, 0.0)
    for _ in range(300):
        world.step()
    assert place_of(entity)[1] == pytest.approx(-9.81 / OMEGA**2, rel=0.05)


def test_an_off_centre_grip_hangs_below_the_hand() -> None:
    world, drag = dragging((0.0, -9.81))
    entity = box(2.0)
    world.entities()
    drag.grab(entity, 0.4, 0.0)
    for _ in range(1200):
        world.step()
    x, y = place_of(entity)
    assert x == pytest.approx(0.4, abs=0.02)
    assert y == pytest.approx(-0.4, abs=0.03)


@pytest.mark.parametrize("mass", [0.001, 1.0, 1e6])
def test_violent_moves_stay_bounded(mass: float) -> None:
    world, drag = dragging()
    entity = box(mass)
    world.entities()
    drag.grab(entity, 0.5, 0.5)
    random = np.random.default_rng(7)
    before = 0.0
    for _ in range(300):
        drag.move(*(random.uniform(-1e6, 1e6, 2)))
        world.step()
        velocity = esper.component_for_entity(entity, Velocity)
        speed = math.hypot(velocity.x, velocity.y)
        assert math.isfinite(speed)
        assert math.isfinite(velocity.omega)
        assert speed - before <= WEIGHTS * 9.81 / 60.0 * (1.0 + 1e-6)
        before = speed
    drag.move(*place_of(entity))
    for _ in range(1200):
        world.step()
    velocity = esper.component_for_entity(entity, Velocity)
    assert math.hypot(velocity.x, velocity.y) < 0.1
    assert place_of(entity) == pytest.approx(drag.target, abs=0.8)


def test_locked_axes_are_not_pulled() -> None:
    world, drag = dragging()
    entity = box(1.0)
    esper.add_component(entity, LockedAxes(x=True, angle=True))
    world.step()
    drag.grab(entity, 0.5, 0.5)
    drag.move(3.0, 3.0)
    for _ in range(300):
        world.step()
    assert place_of(entity) == pytest.approx((0.0, 2.5), abs=1e-2)


def test_a_deleted_body_is_let_go() -> None:
    world, drag = dragging()
    entity = box(1.0)
    world.entities()
    drag.grab(entity, 0.0, 0.0)
    drag.move(1.0, 0.0)
    world.step()
    esper.delete_entity(entity, immediate=True)
    world.step()
    assert drag.entity is None
    assert drag.grabbed_point is None


def test_a_body_that_becomes_static_is_let_go() -> None:
    world, drag = dragging()
    entity = box(1.0)
    world.entities()
    drag.grab(entity, 0.0, 0.0)
    esper.remove_component(entity, Velocity)
    world.step()
    assert drag.entity is None


def test_release() -> None:
    world, drag = dragging()
    entity = box(1.0)
    world.entities()
    drag.grab(entity, 0.0, 0.0)
    drag.move(5.0, 0.0)
    drag.release()
    world.step()
    assert place_of(entity) == (0.0, 0.0)
    drag.release()


def test_what_cannot_be_grabbed() -> None:
    world, drag = dragging()
    floor = esper.create_entity(Transform(), Shape.box(1, 1))
    world.entities()
    with pytest.raises(ValueError, match="not dynamic"):
        drag.grab(floor, 0.0, 0.0)
    with pytest.raises(ValueError, match="is no body"):
        drag.grab(999, 0.0, 0.0)
    with pytest.raises(ValueError, match="finite"):
        drag.grab(box(1.0), math.nan, 0.0)
    with pytest.raises(ValueError, match="finite"):
        drag.move(math.inf, 0.0)
