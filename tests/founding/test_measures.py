"""Energy, momentum and overlap of a world, by hand."""

import math

import esper
import pytest

from ecs_physics import GravityScale, Mass, Shape, Stage, Transform, Velocity, World, measures
from ecs_physics.components import Spring
from ecs_physics.systems.springs import Springs


def test_energy_and_momentum_of_two_bodies() -> None:
    world = World(gravity=(1, -10), substeps=1)
    world.add_system(Springs(world), Stage.FORCES)
    shape = Shape.polygon([(0, 0), (3, 0), (0, 3)])  # centre of mass at (1, 1)
    body = esper.create_entity(
        Transform(2, 1, math.pi / 2), Velocity(1, 2, 3), shape, Mass(mass=2, inertia=5)
    )  # centre of mass at (1, 2)
    particle = esper.create_entity(
        Transform(0, 4), Velocity(-1, 0), Mass(mass=3), GravityScale(0.5)
    )
    esper.create_entity(Transform(0, 50), Shape.box(1, 1))
    esper.create_entity(
        Spring(particle, body, stiffness=4, rest_length=1, anchor_b=(0, 2))
    )  # from (0, 4) to (0, 1)
    assert measures.kinetic_energy(world) == pytest.approx(0.5 * 2 * 5 + 0.5 * 5 * 9 + 0.5 * 3)
    height = 2 * (10 * 2 - 1 * 1) + 1.5 * (10 * 4)
    assert measures.potential_energy(world) == pytest.approx(height + 0.5 * 4 * 2**2)
    total = measures.kinetic_energy(world) + measures.potential_energy(world)
    assert measures.total_energy(world) == pytest.approx(total)
    assert measures.momentum(world) == pytest.approx((2 - 3, 4))
    about_origin = 5 * 3 + 2 * (1 * 2 - 2 * 1) + 3 * (0 * 0 - 4 * -1)
    assert measures.angular_momentum(world) == pytest.approx(about_origin)
    shifted = 5 * 3 + 2 * (0 * 2 - 1 * 1) + 3 * (0 + 3)
    assert measures.angular_momentum(world, (1, 1)) == pytest.approx(shifted)


def test_the_deepest_overlap_whatever_the_detection() -> None:
    world = World(gravity=(0, 0))
    assert measures.max_penetration(world) == 0.0
    esper.create_entity(Transform(), Shape.chain([(-5, 0), (5, 0)]))
    esper.create_entity(Transform(1, 0.4), Velocity(), Shape.box(1, 1), Mass())
    esper.create_entity(Transform(-3, 0.3), Velocity(), Shape.circle(0.5), Mass())
    esper.create_entity(Transform(20, 0), Shape.box(1, 1))
    esper.create_entity(Transform(20, 0), Shape.box(1, 1))  # static in static does not count
    assert measures.max_penetration(world) == pytest.approx(0.2)
