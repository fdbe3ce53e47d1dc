"""Many small, fast and spinning bodies in a box with thin walls: collisions make no energy."""

import esper
import numpy as np
import pytest

from ecs_physics import Bullet, Mass, Material, Shape, Transform, Velocity, World

DT = 1 / 60
SIZE = 20.0
WALL = 0.05
SHAPES = (
    Shape.circle(0.1),
    Shape.box(0.3, 0.1),
    Shape.box(0.15, 0.15),
    Shape.capsule((-0.2, 0), (0.2, 0), 0.05),
)


def crowd(speed: float, spin: float, restitution: float) -> World:
    """150 bodies without weight, with velocities of up to `speed` m/s and `spin` rad/s."""
    material = Material(friction=0.6, restitution=restitution)
    world = World(name=f"crowd {speed} {spin} {restitution}", gravity=(0, 0))
    middle = 0.5 * (SIZE + WALL)
    for side in (-middle, middle):
        esper.create_entity(Transform(side, 0), Shape.box(WALL, SIZE + 2 * WALL), material)
        esper.create_entity(Transform(0, side), Shape.box(SIZE, WALL), material)
    random = np.random.default_rng(5)
    for k in range(150):
        x, y = random.uniform(-0.45 * SIZE, 0.45 * SIZE, 2).tolist()
        vx, vy = random.uniform(-speed, speed, 2).tolist()
        velocity = Velocity(vx, vy, float(random.uniform(-spin, spin)))
        kinds = [Bullet()] if k % 3 else []
        esper.create_entity(Transform(x, y), velocity, SHAPES[k % 4], Mass(), material, *kinds)
    return world


def energy(world: World) -> float:
    """J, of the motion of all."""
    velocity, mass = world.columns(Velocity), world.columns(Mass)
    speeds = velocity["x"] ** 2 + velocity["y"] ** 2
    each = mass["mass"] * speeds + mass["inertia"] * velocity["omega"] ** 2
    return 0.5 * float(each[mass["entity"] != 0].sum())


@pytest.mark.parametrize("restitution", [0.0, 0.8])
@pytest.mark.parametrize(
    ("speed", "spin"), [(5, 5), (20, 20), (60, 20), (150, 20), (150, 200), (20, 1000), (400, 50)]
)
def test_no_step_adds_energy_and_nobody_gets_out(
    speed: float, spin: float, restitution: float
) -> None:
    world = crowd(speed, spin, restitution)
    energies = [energy(world)]
    for _ in range(60):
        world.step(DT)
        energies.append(energy(world))
        assert energies[-1] <= 1.001 * energies[-2]
    pose = world.columns(Transform)[world.columns(Mass)["entity"] != 0]
    assert max(abs(pose["x"]).max(), abs(pose["y"]).max()) < 0.5 * SIZE + WALL
    assert energies[-1] < 0.9 * energies[0]
