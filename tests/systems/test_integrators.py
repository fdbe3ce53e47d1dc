"""Integrators by name: their order, their energy, and any forces."""

import itertools
import math
import subprocess
import sys
from typing import Any

import esper
import numpy as np
import pytest
from scipy.integrate import solve_ivp

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
    World,
)
from ecs_physics.components import Spring
from ecs_physics.measures import kinetic_energy, total_energy
from ecs_physics.systems import implicit_euler
from ecs_physics.systems.contact_resolution import ContactResolution
from ecs_physics.systems.implicit_euler import ImplicitEuler
from ecs_physics.systems.integration import Integration
from ecs_physics.systems.integrators import INTEGRATORS, integrator, use_integrator
from ecs_physics.systems.springs import Springs

ORDERS = {
    "Explicit Euler": 1,
    "Symplectic Euler": 1,
    "Runge-Kutta 2": 2,
    "Runge-Kutta 4": 4,
    "Velocity Verlet": 2,
    "Implicit Euler": 1,
}


class Wind(esper.Processor):
    """A user's force system, in plain esper: quadratic drag, and a field that turns bodies."""

    def process(self, dt: float) -> None:
        for _, (force, velocity, pose) in esper.get_components(Force, Velocity, Transform):
            speed = math.hypot(velocity.x, velocity.y)
            force.x -= 0.2 * speed * velocity.x
            force.y -= 0.2 * speed * velocity.y
            force.torque += math.sin(pose.angle) - 0.1 * velocity.omega


def off_center_body() -> dict[str, Any]:
    """A body that is pulled at a corner, away from its centre of mass, in the wind."""
    shape = Shape.polygon([(0, 0), (2, 0), (0, 1)])
    components = {
        "pose": Transform(0, 0, 0.4),
        "motion": Velocity(1, 2, -1),
        "mass": Mass(mass=2),
        "force": Force(),
    }
    body = esper.create_entity(shape, *components.values())
    esper.create_entity(
        Spring(body, stiffness=8, rest_length=1, anchor_a=(2, 0), anchor_b=(0, 3), damping=0.3)
    )
    return components


def exact_end(duration: float) -> np.ndarray:
    """The same by an independent solver: x, y of the shape's origin, angle."""
    shape = Shape.polygon([(0, 0), (2, 0), (0, 1)])
    properties = shape.mass_properties()
    mass, inertia = 2.0, properties.inertia * 2.0 / properties.mass
    center = np.array(properties.center)

    def turned(local: Any, angle: float) -> np.ndarray:
        cos, sin = math.cos(angle), math.sin(angle)
        return np.array([cos * local[0] - sin * local[1], sin * local[0] + cos * local[1]])

    def rates(time: float, y: np.ndarray) -> np.ndarray:
        position, angle, velocity, omega = y[:2], y[2], y[3:5], y[5]
        arm = turned(np.array([2.0, 0.0]) - center, angle)
        way = position + arm - np.array([0.0, 3.0])
        length = np.hypot(*way)
        speed = velocity + omega * np.array([-arm[1], arm[0]])
        pull = -(8 * (length - 1) + 0.3 * (speed @ way) / length) * way / length
        force = pull - 0.2 * np.hypot(*velocity) * velocity + mass * np.array([0.5, -9.81])
        torque = arm[0] * pull[1] - arm[1] * pull[0] + math.sin(angle) - 0.1 * omega
        return np.array([*velocity, omega, *(force / mass), torque / inertia])

    start = [*turned(center, 0.4), 0.4, 1, 2, -1]
    end = solve_ivp(rates, (0, duration), start, rtol=1e-12, atol=1e-12, method="DOP853").y[:, -1]
    return np.array([*(end[:2] - turned(center, end[2])), end[2]])


def end_by(method: str, steps: int, duration: float, substeps: int = 1) -> np.ndarray:
    world = World(
        gravity=(0.5, -9.81), substeps=substeps, name=f"{method} {steps} {substeps} steps"
    )
    world.remove_system(ContactResolution)
    use_integrator(world, method)
    world.add_system(Springs(world), Stage.FORCES)
    world.add_system(Wind(), Stage.FORCES)
    pose = off_center_body()["pose"]
    for _ in range(steps):
        world.step(duration / steps)
    return np.array([pose.x, pose.y, pose.angle])


@pytest.mark.parametrize("method", INTEGRATORS)
def test_each_method_has_its_order_whatever_the_forces(method: str) -> None:
    """Half the step, and the error falls by 2 to the power of the order."""
    wanted = exact_end(1.0)
    coarse, fine = (np.abs(end_by(method, n, 1.0) - wanted).max() for n in (100, 200))
    assert fine < 0.1
    assert math.log2(coarse / fine) == pytest.approx(ORDERS[method], abs=0.25)


@pytest.mark.parametrize("method", INTEGRATORS)
def test_substeps_are_steps_of_the_method(method: str) -> None:
    """Forces are asked for anew in each substep, unlike in the production integration."""
    assert end_by(method, 25, 0.5, substeps=4) == pytest.approx(end_by(method, 100, 0.5), abs=1e-12)


@pytest.mark.parametrize("method", INTEGRATORS)
def test_columns_are_left_as_they_were_but_for_the_result(method: str) -> None:
    world = World(substeps=2)
    use_integrator(world, method)
    world.add_system(Springs(world), Stage.FORCES)
    seen = []

    class Look(esper.Processor):
        def process(self, dt: float) -> None:
            seen.append((body["pose"].x, body["force"].y, body["force"].torque))

    body = off_center_body()
    world.add_system(Look(), Stage.SUBSTEP)
    wall = esper.create_entity(Transform(50, 3, 0.3), Shape.box(1, 1))
    world.step(0.01)
    assert seen[0][0] == 0.0
    assert seen[0][1:] == seen[1][1:]
    assert seen[1][0] != 0.0
    assert body["force"].y == 0.0
    still = esper.component_for_entity(wall, Transform)
    assert (still.x, still.y, still.angle) == (50, 3, 0.3)


@pytest.mark.parametrize("method", INTEGRATORS)
def test_forces_that_were_set_stand_for_the_whole_step(method: str) -> None:
    """A constant force and weight: every method but the Euler ones meets the parabola exactly."""
    world = World(gravity=(0, -2), substeps=1)
    use_integrator(world, method)
    force, pose = Force(), Transform()
    esper.create_entity(pose, Velocity(1, 0), Mass(mass=4), force, GravityScale(0.5))
    for _ in range(10):
        force.x = 8.0
        force.torque = 3.0  # a point mass does not turn
        world.step(0.1)
    lead = {"Explicit Euler": -1, "Symplectic Euler": 1, "Implicit Euler": 1}.get(method, 0)
    assert pose.x == pytest.approx(1 + 0.5 * 2 * (1 + 0.1 * lead), rel=1e-12)
    assert pose.y == pytest.approx(-0.5 * (1 + 0.1 * lead), rel=1e-12)
    assert pose.angle == 0.0


@pytest.mark.parametrize("method", INTEGRATORS)
def test_damping_and_locked_axes_count(method: str) -> None:
    world = World(gravity=(0, -10), substeps=1)
    use_integrator(world, method)
    motion = Velocity(8, 0, 4)
    body = (Shape.box(1, 1), Mass(), Damping(2, 1), LockedAxes(y=True))
    esper.create_entity(Transform(), motion, *body)
    for _ in range(1000):
        world.step(0.001)
    assert motion.x == pytest.approx(8 * math.exp(-2), rel=5e-3)
    assert motion.omega == pytest.approx(4 * math.exp(-1), rel=5e-3)
    assert motion.y == 0.0


def orbit_energies(method: str) -> np.ndarray:
    """Total energy of a mass that swings on a spring, at the end of each of 2000 coarse steps."""
    world = World(gravity=(0, 0), substeps=1, name=f"energy of {method}")
    use_integrator(world, method)
    world.add_system(Springs(world), Stage.FORCES)
    mass = esper.create_entity(Transform(2, 0), Velocity(0, 2), Mass(mass=1))
    esper.create_entity(Spring(mass, stiffness=10, rest_length=1))
    energies = []
    for _ in range(2000):
        world.step(0.02)
        energies.append(total_energy(world))
    return np.array(energies)


def test_energy_tells_the_methods_apart() -> None:
    start = 0.5 * 4 + 0.5 * 10
    assert orbit_energies("Explicit Euler")[-1] > 2 * start
    assert orbit_energies("Implicit Euler")[-1] < 0.7 * start
    for method, swing in (("Symplectic Euler", 0.1), ("Velocity Verlet", 0.005)):
        energies = orbit_energies(method)
        assert np.abs(energies / start - 1).max() < swing
        assert energies[:500].mean() == pytest.approx(energies[-500:].mean(), rel=0.1 * swing)
    assert orbit_energies("Runge-Kutta 4")[-1] == pytest.approx(start, rel=1e-3)


def test_symplectic_euler_is_the_production_integration() -> None:
    ends = []
    for name in ("production", "named"):
        world = World(gravity=(0.3, -9.81), substeps=1, name=f"symplectic {name}")
        if name == "named":
            use_integrator(world, "Symplectic Euler")
        world.add_system(Springs(world), Stage.FORCES)
        body = off_center_body()
        for _ in range(200):
            world.step(0.01)
        ends.append([body["pose"].x, body["pose"].y, body["pose"].angle])
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)


def test_choosing_swaps_the_one_that_is_there() -> None:
    world = World()
    first = use_integrator(world, "Runge-Kutta 4")
    assert world.systems(Stage.INTEGRATION) == (first,)
    second = use_integrator(world, "Implicit Euler")
    assert world.systems(Stage.INTEGRATION) == (second,)
    assert isinstance(second, ImplicitEuler)
    world.remove_system(second)
    world.add_system(Integration(world), Stage.INTEGRATION)
    with pytest.raises(ValueError, match="integrator 'Euler': give one of 'Explicit Euler', "):
        integrator("Euler", world)


@pytest.mark.parametrize("method", INTEGRATORS)
def test_boxes_rest_on_the_floor_under_any_method(method: str) -> None:
    """The production contacts are resolved between velocities and positions of any of them."""
    world = World()
    use_integrator(world, method)
    esper.create_entity(Transform(0, -0.5), Shape.box(10, 1))
    poses = [Transform(0, 0.5 + 1.05 * i) for i in range(3)]
    for pose in poses:
        esper.create_entity(pose, Velocity(), Shape.box(1, 1), Mass())
    for _ in range(180):
        world.step(1 / 60)
    assert [pose.y for pose in poses] == pytest.approx([0.5, 1.5, 2.5], abs=0.02)
    assert kinetic_energy(world) < 1e-4


def cloth(world: World, wide: int, stiffness: float) -> list[Transform]:
    """Point masses in a square net, whose upper row hangs on the world."""
    poses = {(i, j): Transform(0.1 * i, -0.1 * j) for i in range(wide) for j in range(wide)}
    mass = {
        at: esper.create_entity(pose, Velocity(), Mass(mass=0.02)) for at, pose in poses.items()
    }
    options: dict[str, float] = {"stiffness": stiffness, "damping": 0.02}
    for i, j in poses:
        if j == 0:
            anchor = (0.1 * i, 0.0)
            esper.create_entity(Spring(mass[i, 0], anchor_b=anchor, rest_length=0, **options))
        for di, dj in ((1, 0), (0, 1), (1, 1), (1, -1)):
            other = mass.get((i + di, j + dj))
            if other is not None:
                length = 0.1 * math.hypot(di, dj)
                esper.create_entity(Spring(mass[i, j], other, rest_length=length, **options))
    return list(poses.values())


def cloth_after(method: str, steps: int, wide: int = 8, stiffness: float = 5000.0) -> Any:
    world = World(substeps=1)
    use_integrator(world, method)
    world.add_system(Springs(world), Stage.FORCES)
    poses = cloth(world, wide, stiffness)
    for _ in range(steps):
        world.step(1 / 60)
    found = np.array([[pose.x, pose.y] for pose in poses])
    world.close()
    return found


def test_stiff_cloth_explodes_under_explicit_euler_and_stands_under_implicit() -> None:
    assert np.abs(cloth_after("Explicit Euler", 20)).max() > 1e6
    hanging = cloth_after("Implicit Euler", 300)
    assert np.abs(hanging - cloth_after("Implicit Euler", 0)).max() < 0.05


def test_all_ways_to_solve_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    band = cloth_after("Implicit Euler", 30)
    monkeypatch.setattr(implicit_euler, "MOST_BAND_WORK", 0.0)
    assert cloth_after("Implicit Euler", 30) == pytest.approx(band, abs=1e-9)
    monkeypatch.setattr(implicit_euler, "MOST_DENSE", 1000)
    assert cloth_after("Implicit Euler", 30) == pytest.approx(band, abs=1e-9)


class Whirl(esper.Processor):
    """A user's force whose derivative is not symmetric: it drives bodies around the origin."""

    def __init__(self, world: World, strength: float) -> None:
        self.world = world
        self.strength = strength

    def process(self, dt: float) -> None:
        store = self.world.store
        rows = store.rows
        store.forces["x"][:rows] -= self.strength * store.bodies["y"][:rows]
        store.forces["y"][:rows] += self.strength * store.bodies["x"][:rows]

    def force_gradient(self) -> Any:
        rows = np.arange(self.world.store.rows)
        block = self.strength * np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
        return rows, rows, np.broadcast_to(block, (len(rows), 3, 3)).copy()


@pytest.mark.parametrize("count", [1, 40])
def test_implicit_euler_takes_the_derivative_of_a_users_forces(count: int) -> None:
    """Against the linear recursion itself: (I - h^2 K) dv = h (K x + h K v)."""
    world = World(gravity=(0, 0), substeps=1)
    use_integrator(world, "Implicit Euler")
    world.add_system(Whirl(world, 3.0), Stage.FORCES)
    world.add_system(Springs(world), Stage.FORCES)  # of which there are none
    poses = [Transform(1 + i, 0) for i in range(count)]
    for pose in poses:
        esper.create_entity(pose, Velocity(0, 1), Mass(mass=1))
    h, k = 0.1, 3.0 * np.array([[0.0, -1.0], [1.0, 0.0]])
    x, v = np.array([float(count), 0.0]), np.array([0.0, 1.0])
    for _ in range(20):
        world.step(h)
        v = v + np.linalg.solve(np.eye(2) - h * h * k, h * (k @ x + h * k @ v))
        x = x + h * v
    assert (poses[-1].x, poses[-1].y) == pytest.approx(x, rel=1e-9)


def test_springs_pressed_together_are_solved_too() -> None:
    """The matrix is then not positive definite, and Cholesky's method gives way to LU."""
    world = World(gravity=(0, 0), substeps=1)
    use_integrator(world, "Implicit Euler")
    world.add_system(Springs(world), Stage.FORCES)
    poses = [Transform(0.01 * i, 0) for i in range(40)]
    masses = [esper.create_entity(pose, Velocity(), Mass(mass=0.1)) for pose in poses]
    for a, b in itertools.pairwise(masses):
        esper.create_entity(Spring(a, b, stiffness=1e4, rest_length=1.0))
    for _ in range(5):
        world.step(0.01)
    x = [pose.x for pose in poses]
    assert np.isfinite(x).all()
    assert np.mean(x) == pytest.approx(0.195)


@pytest.mark.parametrize("method", INTEGRATORS)
def test_the_same_start_gives_the_same_bits(method: str) -> None:
    def run() -> str:
        world = World(substeps=1)
        use_integrator(world, method)
        world.add_system(Springs(world), Stage.FORCES)
        cloth(world, 5, 20.0)
        for _ in range(20):
            world.step(1 / 240)
        found = world.hash()
        world.reset()
        world.close()
        return found

    assert run() == run()


def test_importing_the_package_loads_no_solver_of_scipy() -> None:
    code = (
        "import sys, ecs_physics, ecs_physics.systems.integrators; "
        "import ecs_physics.systems.implicit_euler; "
        "print('scipy.sparse' in sys.modules, 'scipy.linalg' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.strip() == "False False", result.stderr
