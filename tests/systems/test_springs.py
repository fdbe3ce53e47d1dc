"""Springs: forces and torques, what is live, what goes, and the derivative."""

import copy
import math

import esper
import numpy as np
import pytest

from ecs_physics import Mass, Shape, Stage, Transform, Velocity, World
from ecs_physics.components import Spring
from ecs_physics.measures import angular_momentum, momentum, total_energy
from ecs_physics.systems.contact_resolution import ContactResolution
from ecs_physics.systems.integrators import use_integrator
from ecs_physics.systems.placement import Placement
from ecs_physics.systems.springs import Springs

DT = 1.0 / 240.0


def spring_world() -> tuple[World, Springs]:
    world = World(gravity=(0, 0), substeps=1)
    springs = Springs(world)
    world.add_system(springs, Stage.FORCES)
    return world, springs


def particle(x: float = 0.0, y: float = 0.0) -> int:
    return esper.create_entity(Transform(x, y), Velocity(), Mass(mass=1))


def wedge(x: float, y: float, angle: float, *motion: float) -> int:
    """A triangle whose centre of mass is not its origin."""
    shape = Shape.polygon([(0, 0), (2, 0), (0, 1)])
    return esper.create_entity(Transform(x, y, angle), Velocity(*motion), shape, Mass())


def process(world: World, kind: type) -> None:
    """Let the system of a class do its part of Stage.FORCES."""
    (system,) = (each for each in world.systems(Stage.FORCES) if type(each) is kind)
    system.process(1e-9)


def forces_of(world: World) -> np.ndarray:
    """(rows, 3) forces at the state that the columns hold."""
    store = world.store
    with world:
        process(world, Placement)
        for field in ("x", "y", "torque"):
            store.forces[field] = 0.0
        process(world, Springs)
    found = np.stack([store.forces[field][: store.rows] for field in ("x", "y", "torque")], axis=1)
    for field in ("x", "y", "torque"):
        store.forces[field] = 0.0
    return found


def test_a_spring_pulls_by_stretch_and_damps_along_itself() -> None:
    world, _ = spring_world()
    esper.create_entity(Transform(3, 4), Velocity(1, 0), Mass(mass=1))
    esper.create_entity(Spring(1, stiffness=10, rest_length=3, damping=2))
    assert forces_of(world)[0] == pytest.approx([-(20 + 1.2) * 0.6, -(20 + 1.2) * 0.8, 0])


def test_an_anchor_off_the_centre_of_mass_turns_the_body() -> None:
    world, _ = spring_world()
    bar = esper.create_entity(Transform(0, 0, math.pi / 2), Velocity(), Shape.box(2, 1), Mass())
    esper.create_entity(
        Spring(bar, stiffness=10, rest_length=0, anchor_a=(1, 0), anchor_b=(3, 1))
    )  # the end is at (0, 1)
    assert forces_of(world)[0] == pytest.approx([30, 0, -30])


def test_two_bodies_keep_momentum_and_angular_momentum_and_energy() -> None:
    world, _ = spring_world()
    world.remove_system(ContactResolution)
    a, b = wedge(0, 0, 0.3, 1, 0, 2), wedge(3, 1, -0.5, -1, 1, 0)
    esper.create_entity(Spring(a, b, stiffness=50, rest_length=1, anchor_a=(2, 0), anchor_b=(0, 1)))
    use_integrator(world, "Runge-Kutta 4")
    kept = (*momentum(world), angular_momentum(world, (5, -2)))
    energy = total_energy(world)
    for _ in range(480):
        world.step(DT)
    now = (*momentum(world), angular_momentum(world, (5, -2)))
    assert now == pytest.approx(kept, abs=1e-6)
    assert total_energy(world) == pytest.approx(energy, rel=2e-5)


def test_the_derivative_is_that_of_the_forces() -> None:
    """Central differences of the forces by every coordinate of every body."""
    world, springs = spring_world()
    a, b = wedge(0, 0, 0.3), wedge(3, 1, -0.5)
    wall = esper.create_entity(Transform(-2, 0, 0.4), Shape.box(1, 1))
    options = {"stiffness": 50, "rest_length": 2.9}
    esper.create_entity(Spring(a, b, anchor_a=(2, 0), anchor_b=(0, 1), **options))
    esper.create_entity(Spring(b, anchor_a=(2, 0), anchor_b=(4, 4), **options))
    esper.create_entity(Spring(wall, a, anchor_a=(0.5, 0.5), anchor_b=(0, 0.5), **options))
    forces_of(world)
    rows, columns, blocks = springs.force_gradient()
    found = np.zeros((9, 9))
    for i, j, block in zip(rows, columns, blocks, strict=True):
        found[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] += block
    store = world.store
    moving = [3 * store.row_of(each) + axis for each in (a, b) for axis in range(3)]
    for column in moving:
        row, field = column // 3, ("x", "y", "angle")[column % 3]
        start = store.transforms[row].copy()
        sides = []
        for step in (1e-6, -1e-6):
            center = np.array([store.bodies["x"][row], store.bodies["y"][row]])
            store.transforms[row] = start
            store.transforms[field][row] += step
            if field == "angle":  # about the centre of mass, which stays
                store.transforms["x"][row] = start["x"]
                angle = store.transforms["angle"][row]
                local = np.array([store.bodies["center_x"][row], store.bodies["center_y"][row]])
                cos, sin = np.cos(angle), np.sin(angle)
                origin = center - np.array([[cos, -sin], [sin, cos]]) @ local
                store.transforms["x"][row], store.transforms["y"][row] = origin
            sides.append(forces_of(world).reshape(-1))
            store.transforms[row] = start
            forces_of(world)
        slope = (sides[0] - sides[1]) / 2e-6
        assert found[moving, column] == pytest.approx(slope[moving], abs=1e-5)


def test_values_are_live_and_bad_ones_are_refused() -> None:
    world, springs = spring_world()
    spring = Spring(particle(2), stiffness=1, rest_length=1)
    esper.create_entity(spring)
    assert forces_of(world)[0, 0] == pytest.approx(-1)
    spring.stiffness = 3
    spring.rest_length = 0
    spring.anchor_b = (1, 0)
    assert forces_of(world)[0, 0] == pytest.approx(-3)
    assert springs.potential_energy() == pytest.approx(1.5)
    with pytest.raises(ValueError, match=r"Spring.stiffness = -1"):
        spring.stiffness = -1
    with pytest.raises(ValueError, match=r"Spring.body_b = 7 is body_a too"):
        Spring(7, 7, stiffness=1, rest_length=1)
    with pytest.raises(ValueError, match=r"Spring.body_a = 'x'"):
        Spring("x", stiffness=1, rest_length=1)  # type: ignore[arg-type]
    copied = copy.deepcopy(spring)
    copied.stiffness = 100
    assert forces_of(world)[0, 0] == pytest.approx(-3)
    assert repr(copied) == (
        "Spring(1, None, stiffness=100.0, rest_length=0.0, damping=0.0, "
        "anchor_a=(0.0, 0.0), anchor_b=(1.0, 0.0))"
    )


def test_a_spring_goes_with_its_body() -> None:
    world, springs = spring_world()
    a, b, c = particle(0), particle(2), particle(4)
    first = esper.create_entity(Spring(a, b, stiffness=1, rest_length=1))
    second = esper.create_entity(Spring(b, c, stiffness=1, rest_length=1))
    esper.add_component(c, Spring(c, a, stiffness=1, rest_length=1))
    world.step(DT)
    esper.delete_entity(b)
    world.step(DT)
    assert not esper.entity_exists(first)
    assert not esper.entity_exists(second)
    assert springs.potential_energy() == pytest.approx(4.5, rel=1e-3)
    esper.delete_entity(a)
    world.step(DT)
    assert esper.entity_exists(c)
    assert not esper.has_component(c, Spring)
    assert springs.potential_energy() == 0.0


def test_a_spring_that_rests_goes_with_its_body() -> None:
    """A disabled body is none to the store, which does not say that it is deleted."""
    world, _ = spring_world()
    a, b = particle(), particle(1)
    spring = esper.create_entity(Spring(a, b, stiffness=1, rest_length=1))
    world.disable(b)
    world.step(DT)
    assert esper.entity_exists(spring)
    esper.delete_entity(b, immediate=True)
    world.step(DT)
    assert not esper.entity_exists(spring)


def test_bodies_and_springs_may_come_in_any_order_and_rows_are_reused() -> None:
    world, _ = spring_world()
    first = particle(5)
    for _ in range(100):
        particle()
    spring = esper.create_entity(Spring(first, 103, stiffness=1, rest_length=1))
    assert particle(9) == 103
    esper.delete_entity(2)
    world.step(DT)
    third = particle(7)  # takes the row of entity 2
    assert esper.component_for_entity(first, Velocity).x == pytest.approx(3 * DT)
    esper.delete_entity(spring)
    esper.create_entity(Spring(third, 103, stiffness=1, rest_length=1))
    world.step(DT)
    assert esper.component_for_entity(first, Velocity).x == pytest.approx(3 * DT)
    assert esper.component_for_entity(third, Velocity).x == pytest.approx(DT, rel=0.1)


def test_a_spring_that_a_force_system_creates_with_its_body_pulls_from_the_next_step_on() -> None:
    world = World(gravity=(0, 0), substeps=1)
    made: list[int] = []

    class Create(esper.Processor):
        def process(self, dt: float) -> None:
            if not made:
                made.append(particle(3))
                esper.create_entity(Spring(made[0], stiffness=2, rest_length=1))

    world.add_system(Create(), Stage.FORCES)
    world.add_system(Springs(world), Stage.FORCES)
    world.step(DT)
    motion = esper.component_for_entity(made[0], Velocity)
    assert motion.x == 0.0
    world.step(DT)
    assert motion.x == pytest.approx(-4 * DT)


def test_a_spring_to_what_is_no_body_is_refused_by_name() -> None:
    world, _ = spring_world()
    nobody = esper.create_entity(Transform())
    spring = esper.create_entity(Spring(particle(), nobody, stiffness=1, rest_length=1))
    with pytest.raises(ValueError, match=rf"Spring.body_b = {nobody} of entity {spring} is no"):
        world.step(DT)


def test_energy_is_read_from_another_esper_world_and_after_a_reset() -> None:
    world, springs = spring_world()
    esper.create_entity(Spring(particle(3), stiffness=2, rest_length=1))
    esper.switch_world("another of test_springs")
    assert springs.potential_energy() == pytest.approx(4)
    assert esper.current_world == "another of test_springs"
    world.reset()
    assert springs.potential_energy() == 0.0
    with world:
        esper.create_entity(Spring(particle(2), stiffness=2, rest_length=1))
    world.step(DT)
    assert springs.potential_energy() == pytest.approx(1, rel=1e-2)
