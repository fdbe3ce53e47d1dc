"""Bodies that nothing touches: the integrator's closed forms, and the exact parabola."""

import math

import esper
import numpy as np
import pytest

from ecs_physics import (
    Damping,
    Force,
    GravityScale,
    LockedAxes,
    Mass,
    Shape,
    Stage,
    Transform,
    Velocity,
)
from tests.scenes.scenery import DT, SUBSTEPS, G, H, body, motion, new_world, place, run, steps

SHAPES = [
    Shape.circle(0.5),
    Shape.box(1, 2),
    Shape.capsule((-1, 0), (1, 0), 0.2),
    Shape.polygon([(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2)]),
]


@pytest.mark.parametrize("shape", SHAPES, ids=repr)
def test_projectile_follows_the_closed_form_and_stays_near_the_parabola(shape: Shape) -> None:
    world = new_world()
    ball = body(shape, 1.0, 10.0, Velocity(3.0, 4.0))
    for step in steps(world, 2.0):
        n = (step + 1) * SUBSTEPS
        t = n * H
        # Symplectic Euler: v_n = v_0 - n g h and y_n = y_0 + sum h v_k.
        assert place(ball).x == pytest.approx(1.0 + 3.0 * t, abs=1e-6)
        assert place(ball).y == pytest.approx(
            10.0 + 4.0 * t - G * H * H * n * (n + 1) / 2, abs=1e-6
        )
        assert motion(ball).y == pytest.approx(4.0 - G * t, abs=1e-6)
        exact = 10.0 + 4.0 * t - G * t * t / 2
        assert abs(place(ball).y - exact) <= G * H * t / 2 + 1e-6


@pytest.mark.parametrize("shape", SHAPES, ids=repr)
def test_a_spinning_body_turns_about_its_centre_of_mass(shape: Shape) -> None:
    world = new_world(gravity=(0.0, 0.0))
    entity = body(shape, 2.0, 1.0, Velocity(1.0, 0.0, 3.0), angle=0.3)

    def centre() -> np.ndarray:
        transform = place(entity)
        x, y = esper.component_for_entity(entity, Mass).center
        cos, sin = math.cos(transform.angle), math.sin(transform.angle)
        return np.array([transform.x + cos * x - sin * y, transform.y + sin * x + cos * y])

    start = centre()
    for step in steps(world, 1.0):
        t = (step + 1) * DT
        assert centre() == pytest.approx(start + np.array([t, 0.0]), abs=1e-9)
        assert place(entity).angle == pytest.approx(0.3 + 3.0 * t, abs=1e-9)


def test_gravity_scale_is_a_factor_of_gravity() -> None:
    world = new_world()
    bodies = {s: body(Shape.circle(0.5), 3.0 * s, 0.0, GravityScale(s)) for s in (-1, 0, 0.5, 2)}
    run(world, 1.0)
    for scale, entity in bodies.items():
        assert motion(entity).y == pytest.approx(-G * scale, abs=1e-9)


def test_gravity_has_any_direction_and_may_change() -> None:
    world = new_world(gravity=(2.0, 1.0))
    entity = body(Shape.box(1, 1), 0.0, 0.0)
    run(world, 1.0)
    world.gravity = (0.0, -1.0)
    run(world, 1.0)
    assert (motion(entity).x, motion(entity).y) == pytest.approx((2.0, 0.0), abs=1e-9)


def test_damping_is_implicit_eulers_decay_whatever_the_coefficient() -> None:
    world = new_world(gravity=(0.0, 0.0))
    bodies = {
        c: body(Shape.circle(0.5), 0.0, 20.0 * k, Velocity(2.0, 0.0, 3.0), Damping(c, c / 2))
        for k, c in enumerate((0.0, 0.5, 10.0, 1e4))
    }
    run(world, 0.5)
    n = round(0.5 / H)
    for c, entity in bodies.items():
        assert motion(entity).x == pytest.approx(2.0 * (1.0 + H * c) ** -n, rel=1e-9)
        assert motion(entity).omega == pytest.approx(3.0 * (1.0 + H * c / 2) ** -n, rel=1e-9)
    assert motion(bodies[0.5]).x == pytest.approx(2.0 * math.exp(-0.25), rel=1e-3)


def test_force_and_torque_act_for_one_step() -> None:
    world = new_world(gravity=(0.0, 0.0))
    force = Force(6.0, -4.0, 5.0)
    entity = body(Shape.box(1, 1), 0.0, 0.0, Mass(mass=2.0, inertia=0.5), force)
    for _ in range(3):
        world.step(DT)
        assert (force.x, force.y, force.torque) == (0.0, 0.0, 0.0)
        velocity = motion(entity)
        assert velocity.x == pytest.approx(3.0 * DT)
        assert velocity.y == pytest.approx(-2.0 * DT)
        assert velocity.omega == pytest.approx(10.0 * DT)


def test_a_force_of_every_step_is_set_by_a_system() -> None:
    world = new_world(gravity=(0.0, 0.0))
    entity = body(Shape.circle(0.5), 0.0, 0.0, Mass(mass=2.0), Force())

    class Rocket(esper.Processor):
        def process(self, dt: float) -> None:
            for _entity, force in esper.get_component(Force):
                force.y += 5.0

    world.add_system(Rocket(), Stage.FORCES)
    run(world, 2.0)
    assert motion(entity).y == pytest.approx(5.0, rel=1e-9)


def test_a_point_mass_falls_and_does_not_turn() -> None:
    world = new_world()
    entity = esper.create_entity(Transform(0, 3), Velocity(1, 0), Mass(mass=2.0), Force(torque=9))
    floor = esper.create_entity(Transform(0, 0), Shape.box(50, 1))
    run(world, 1.0)
    assert motion(entity).y == pytest.approx(-G, abs=1e-9)
    assert place(entity).y < 0.0, "nothing touches a point mass"
    assert place(entity).angle == 0.0
    assert world.entities() == [entity, floor]


@pytest.mark.parametrize("axis", ["x", "y", "angle"])
def test_a_locked_axis_stays_and_the_others_move(axis: str) -> None:
    world = new_world(gravity=(1.0, 2.0))
    start = {"x": 0.25, "y": 0.5, "angle": 0.125}
    entity = body(
        Shape.box(1, 1),
        start["x"],
        start["y"],
        Velocity(1, 1, 1),
        Force(torque=1.0),
        LockedAxes(**{axis: True}),
        angle=start["angle"],
    )
    run(world, 1.0)
    for each, value in start.items():
        now = getattr(place(entity), each)
        assert now == value if each == axis else now > value + 0.5


def test_a_locked_body_hit_by_another_keeps_its_axis() -> None:
    world = new_world(gravity=(0.0, 0.0))
    rail = body(Shape.box(1, 1), 0.0, 0.0, LockedAxes(y=True, angle=True))
    ball = body(Shape.circle(0.5), -2.0, 0.45, Velocity(4.0, -1.0))
    run(world, 1.0)
    assert motion(ball).x < 4.0
    assert motion(rail).x > 0.5
    assert (place(rail).y, place(rail).angle) == (0.0, 0.0)


def test_a_kinematic_body_keeps_its_velocity_under_forces() -> None:
    world = new_world()
    lift = esper.create_entity(
        Transform(), Velocity(0.5, 1.0, 0.25), Shape.box(2, 1), Force(50, 50, 50)
    )
    body(Shape.box(1, 1), 0.0, 1.0, Mass(density=100.0))
    run(world, 2.0)
    assert (place(lift).x, place(lift).y, place(lift).angle) == pytest.approx((1.0, 2.0, 0.5))
    assert (motion(lift).x, motion(lift).y, motion(lift).omega) == (0.5, 1.0, 0.25)
