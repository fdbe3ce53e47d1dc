"""RenderSystem: the last two poses of each body, and what lies between them."""

import esper
import numpy as np
import pytest

from ecs_physics import Mass, Shape, Transform, Velocity, World

DT = 0.1


def flyer(x: float, speed: float = 1.0) -> int:
    return esper.create_entity(Transform(x, 0), Velocity(speed, 0, 2), Shape.circle(0.1), Mass())


def test_poses_are_interpolated_between_the_last_two_steps() -> None:
    world = World(gravity=(0, 0))
    flyer(0.0)
    still = esper.create_entity(Transform(9, 8, 7), Shape.circle(0.1))
    for _ in range(3):
        world.step(DT)
    for alpha in (0.0, 0.25, 1.0):
        moving, static = world.render.interpolate(alpha)
        assert moving == pytest.approx([0.2 + 0.1 * alpha, 0.0, 0.4 + 0.2 * alpha])
        assert static.tolist() == [9.0, 8.0, 7.0]
    assert world.entities()[1] == still


def test_before_the_first_step_bodies_are_where_they_were_put() -> None:
    world = World()
    flyer(3.0)
    assert world.render.interpolate(0.5).tolist() == [[3.0, 0.0, 0.0]]


def test_new_and_teleported_bodies_do_not_smear() -> None:
    world = World(gravity=(0, 0))
    jumper = flyer(0.0)
    world.step(DT)
    world.step(DT)
    esper.component_for_entity(jumper, Transform).x = 100.0
    flyer(50.0)
    assert world.render.interpolate(0.5)[:, 0].tolist() == [100.0, 50.0], "seen at once"
    world.step(DT)
    for alpha in (0.0, 0.5, 1.0):
        xs = world.render.interpolate(alpha)[:, 0]
        assert xs == pytest.approx([100.1, 50.1], abs=0.11)
        assert xs.max() > 99.0
    world.step(DT)
    assert world.render.interpolate(0.0)[:, 0] == pytest.approx([100.1, 50.1])


def test_a_row_taken_over_by_another_body_does_not_smear() -> None:
    world = World(gravity=(0, 0))
    old = flyer(0.0)
    for _ in range(3):
        world.step(DT)
    esper.delete_entity(old, immediate=True)
    flyer(70.0)
    world.step(DT)
    assert world.render.interpolate(0.0)[0, 0] == pytest.approx(70.1, abs=0.11)
    assert world.render.interpolate(0.0)[0, 0] > 69.0


def test_poses_grow_with_the_world() -> None:
    world = World(gravity=(0, 0))
    flyer(0.0)
    world.step(DT)
    for k in range(300):
        flyer(2.0 + k)
    world.step(DT)
    world.step(DT)
    poses = world.render.interpolate(0.5)
    assert poses.shape == (301, 3)
    assert np.isfinite(poses).all()
    assert poses[0, 0] == pytest.approx(0.25)
    assert poses[300, 0] == pytest.approx(301.15)
