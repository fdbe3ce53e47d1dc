"""Free collisions: what they cannot change."""

import math

import esper
import numpy as np
import pytest

from ecs_physics import Mass, Material, Shape, Transform, Velocity, World
from tests.scenes.scenery import body, motion, new_world, place, steps


def crowd(seed: int, count: int = 40) -> World:
    """Boxes and circles that fly at each other without gravity."""
    rng = np.random.default_rng(seed)
    world = new_world(gravity=(0.0, 0.0))
    for k in range(count):
        shape = (
            Shape.box(*rng.uniform(0.5, 1.5, 2)) if k % 2 else Shape.circle(rng.uniform(0.3, 0.7))
        )
        material = Material(
            friction=rng.uniform(0.0, 0.8), restitution=(0.0, 0.5, 1.0)[rng.integers(3)]
        )
        velocity = Velocity(*rng.uniform(-5.0, 5.0, 2), rng.uniform(-3.0, 3.0))
        mass = Mass(density=rng.uniform(0.5, 2.0))
        turn = rng.uniform(0.0, 6.0)
        body(shape, 2.0 * (k % 8), 2.0 * (k // 8), velocity, mass, material, angle=turn)
    return world


def momenta(world: World) -> tuple[np.ndarray, np.ndarray]:
    """m v of each body, kg m/s (n, 2), and its angular momentum about the origin, kg m^2/s."""
    at, moving, mass = (world.columns(each) for each in (Transform, Velocity, Mass))
    linear = mass["mass"][:, None] * np.stack([moving["x"], moving["y"]], axis=1)
    angular = at["x"] * linear[:, 1] - at["y"] * linear[:, 0] + mass["inertia"] * moving["omega"]
    return linear, angular


@pytest.mark.parametrize("seed", range(6))
def test_momentum_and_angular_momentum_are_kept(seed: int) -> None:
    world = crowd(seed)
    linear, angular = momenta(world)
    total, turning = linear.sum(axis=0), angular.sum()
    size, turning_size = np.hypot(*linear.T).sum(), np.abs(angular).sum()
    touched = 0
    for _ in steps(world, 5.0):
        touched += len(world.contacts)
        linear, angular = momenta(world)
        assert np.abs(linear.sum(axis=0) - total).max() < 1e-6 * size
        assert abs(angular.sum() - turning) < 1e-3 * turning_size
    assert touched > 100, "a scene without collisions proves nothing"


@pytest.mark.parametrize("seed", range(3))
def test_inelastic_collisions_only_lose_energy(seed: int) -> None:
    world = crowd(seed)

    def energy() -> float:
        moving, mass = world.columns(Velocity), world.columns(Mass)
        straight = mass["mass"] * (moving["x"] ** 2 + moving["y"] ** 2)
        return 0.5 * float((straight + mass["inertia"] * moving["omega"] ** 2).sum())

    first = energy()
    for _ in steps(world, 5.0):
        assert energy() < 1.02 * first


def test_a_glancing_hit_of_two_discs_without_friction_follows_the_line_of_centres() -> None:
    """Equal masses, e = 1: the speed along the line of centres is exchanged, the rest is kept."""
    slippery = Material(friction=0.0, restitution=1.0)
    for phase in np.linspace(0.0, 0.08, 9):
        world = new_world(gravity=(0.0, 0.0))
        a = body(Shape.circle(0.5), -2.0 - phase, 0.6, Velocity(5.0, 0.0), slippery)
        b = body(Shape.circle(0.5), 0.0, 0.0, slippery)
        for _ in steps(world, 1.0):
            pass
        along = np.array([0.8, -0.6])  # centres 1 m apart, .6 of it in y
        columns = world.columns(Velocity)
        assert columns["entity"].tolist() == [a, b]
        speeds = np.stack([columns["x"], columns["y"]], axis=1)
        struck = 5.0 * along[0] * along
        # The normal is that of the step's beginning: until the hit it turns by up to 3 degrees.
        assert speeds[1] == pytest.approx(struck, abs=0.3)
        assert speeds[0] + speeds[1] == pytest.approx([5.0, 0.0], abs=1e-5)
        assert (speeds**2).sum() == pytest.approx(25.0, rel=0.01)


def test_a_thin_gas_of_elastic_discs_keeps_its_energy_and_stays_in_its_box() -> None:
    world = new_world(gravity=(0.0, 0.0))
    elastic = Material(friction=0.0, restitution=1.0)
    for x, y, width, height in (
        (0, -0.5, 12, 1),
        (0, 10.5, 12, 1),
        (-5.5, 5, 1, 12),
        (5.5, 5, 1, 12),
    ):
        esper.create_entity(Transform(x, y), Shape.box(width, height), elastic)
    discs = []
    for k in range(20):
        way = 2.4 * k + 0.3
        velocity = Velocity(4.0 * math.cos(way), 4.0 * math.sin(way))
        at = 1.1 * (k % 8) - 4.0, 1.1 * (k // 8) + 1.0
        discs.append(body(Shape.circle(0.3), *at, velocity, elastic))
    for _ in steps(world, 10.0):
        energy = sum(motion(each).x ** 2 + motion(each).y ** 2 for each in discs)
        assert energy == pytest.approx(20 * 16.0, rel=0.05)
    assert max(abs(motion(each).omega) for each in discs) < 1e-3, "nothing can turn them"
    assert max(abs(place(each).x) for each in discs) < 5.0
