"""Substeps: its phases, and that each of its systems can be replaced by another."""

import math

import esper
import pytest

from ecs_physics import Force, Mass, Shape, Stage, Transform, Velocity, World
from ecs_physics.systems.contact_resolution import ContactResolution
from ecs_physics.systems.integration import Integration
from ecs_physics.systems.phases import Integrator, Resolution
from ecs_physics.tables import DYNAMIC

DT = 1.0 / 60.0


def test_phases_are_called_in_the_order_of_the_method() -> None:
    world = World(substeps=2)
    calls: list[tuple] = []

    class Solver(Resolution):
        def begin(self, dt: float, h: float) -> None:
            calls.append(("begin", dt, h))

        def process(self, h: float) -> None:
            calls.append(("solve", h))

        def relax(self, h: float) -> None:
            calls.append(("relax", h))

        def end(self) -> None:
            calls.append(("end",))

    class Motion(Integrator):
        def velocities(self, h: float) -> None:
            calls.append(("velocities", h))

        def process(self, h: float) -> None:
            calls.append(("positions", h))

    world.remove_system(ContactResolution)
    world.remove_system(Integration)
    world.add_system(Solver(), Stage.CONTACT_RESOLUTION)
    world.add_system(Motion(), Stage.INTEGRATION)
    world.step(0.5)
    substep = [("velocities", 0.25), ("solve", 0.25), ("positions", 0.25), ("relax", 0.25)]
    assert calls == [("begin", 0.5, 0.25), *substep, *substep, ("end",)]


def test_another_integrator_moves_the_same_bodies() -> None:
    """Velocity Verlet under constant gravity is the exact parabola."""

    class Verlet(Integrator):
        def __init__(self, world: World) -> None:
            self.world = world

        def velocities(self, h: float) -> None:
            store = self.world.store
            for row in range(store.rows):
                if store.bodies["kind"][row] == DYNAMIC:
                    pull = store.forces["y"][row] * store.bodies["inverse_mass_y"][row]
                    store.bodies["y"][row] -= 0.5 * h * h * pull
                    store.velocities["y"][row] += h * pull

        def process(self, h: float) -> None:
            store = self.world.store
            store.bodies["y"][: store.rows] += h * store.velocities["y"][: store.rows]

    world = World()
    ball = esper.create_entity(Transform(0, 10), Velocity(0, 3), Shape.circle(0.5), Mass())
    world.remove_system(Integration)
    world.add_system(Verlet(world), Stage.INTEGRATION)
    for _ in range(60):
        world.step(DT)
    y = esper.component_for_entity(ball, Transform).y
    assert y == pytest.approx(10 + 3 - 9.81 / 2, abs=1e-9)


def test_a_plain_processor_can_stand_for_the_contact_resolution() -> None:
    """A penalty spring for each point of each contact: crude, and it holds a ball up."""

    class Penalty(esper.Processor):
        def __init__(self, world: World) -> None:
            self.world = world

        def process(self, h: float) -> None:
            store = self.world.store
            for contact in self.world.contacts:
                row = store.row_of(max(contact["entity_a"], contact["entity_b"]))
                overlap = -contact["separation"][0] + 0.0
                if overlap > 0.0:
                    velocity = store.velocities[row]
                    push = 2000.0 * overlap - 40.0 * velocity["y"]
                    velocity["y"] += h * push * store.bodies["inverse_mass_y"][row]

    world = World()
    esper.create_entity(Transform(0, -0.5), Shape.box(10, 1))
    ball = esper.create_entity(Transform(0, 0.5), Velocity(), Shape.circle(0.5), Mass(mass=1))
    world.remove_system(ContactResolution)
    world.add_system(Penalty(world), Stage.CONTACT_RESOLUTION)
    for _ in range(300):
        world.step(DT)
    sag = 9.81 / 2000.0
    assert esper.component_for_entity(ball, Transform).y == pytest.approx(0.5 - sag, abs=1e-3)


def test_without_contact_resolution_bodies_pass_through() -> None:
    world = World()
    esper.create_entity(Transform(0, -0.5), Shape.box(10, 1))
    ball = esper.create_entity(Transform(0, 0.6), Velocity(), Shape.circle(0.5), Mass())
    world.remove_system(ContactResolution)
    for _ in range(60):
        world.step(DT)
    assert esper.component_for_entity(ball, Velocity).y == pytest.approx(-9.81)
    assert esper.component_for_entity(ball, Transform).y < -1.0


def test_a_substep_system_sees_poses_that_are_up_to_date() -> None:
    world = World(gravity=(0, 0), substeps=5)
    ball = esper.create_entity(Transform(), Velocity(10, 0), Shape.circle(0.5), Mass())
    transform = esper.component_for_entity(ball, Transform)
    seen: list[float] = []

    class Look(esper.Processor):
        def process(self, h: float) -> None:
            seen.append(transform.x)

    world.add_system(Look(), Stage.SUBSTEP)
    world.step(0.5)
    assert seen == pytest.approx([0.0, 1.0, 2.0, 3.0, 4.0])
    assert transform.x == pytest.approx(5.0)


def test_a_substep_system_changes_velocities_that_count_at_once() -> None:
    """Half of an oscillation of a spring that is evaluated in every substep: symplectic Euler."""
    world = World(gravity=(0, 0), substeps=16)
    ball = esper.create_entity(Transform(1, 0), Velocity(), Shape.circle(0.1), Mass(mass=1))
    transform = esper.component_for_entity(ball, Transform)
    velocity = esper.component_for_entity(ball, Velocity)

    class Spring(esper.Processor):
        def process(self, h: float) -> None:
            velocity.x -= h * math.pi**2 * transform.x

    world.add_system(Spring(), Stage.SUBSTEP)
    for _ in range(60):
        world.step(DT)
    assert transform.x == pytest.approx(-1.0, abs=0.01)


def test_a_teleport_inside_a_substep_is_where_the_next_step_begins() -> None:
    world = World(gravity=(0, 0))
    ball = esper.create_entity(Transform(), Velocity(1, 0), Shape.circle(0.5), Mass())
    transform = esper.component_for_entity(ball, Transform)
    jumps: list[int] = []

    class Jump(esper.Processor):
        def process(self, h: float) -> None:
            if not jumps:
                jumps.append(1)
                transform.x = 50.0

    world.add_system(Jump(), Stage.SUBSTEP)
    world.step(DT)
    assert transform.x == pytest.approx(50.0, abs=1.1 * DT)
    world.step(DT)
    assert transform.x == pytest.approx(50.0 + DT, abs=1.1 * DT)


def test_forces_stand_for_the_whole_step_and_are_cleared_at_its_end() -> None:
    world = World(gravity=(0, 0))
    force = Force(x=6.0)
    esper.create_entity(Transform(), Velocity(), Shape.circle(0.5), Mass(mass=2), force)
    seen: list[float] = []

    class Look(esper.Processor):
        def process(self, h: float) -> None:
            seen.append(force.x)

    world.add_system(Look(), Stage.SUBSTEP)
    world.step(DT)
    assert seen == [6.0] * 4
    assert force.x == 0.0


@pytest.mark.parametrize("phase", ["begin", "process", "relax", "end"])
def test_an_exception_in_any_phase_of_a_resolution_names_it(phase: str) -> None:
    class Faulty(Resolution):
        pass

    def fail(*arguments: float) -> None:
        raise ZeroDivisionError

    world = World()
    faulty = Faulty()
    for each in ("begin", "process", "relax", "end"):
        setattr(faulty, each, fail if each == phase else lambda *arguments: None)
    world.add_system(faulty, Stage.CONTACT_RESOLUTION)
    with pytest.raises(ZeroDivisionError) as caught:
        world.step(DT)
    assert caught.value.__notes__ == ["raised by the system Faulty in Stage.CONTACT_RESOLUTION"]


def test_an_exception_in_the_velocities_of_an_integrator_names_it() -> None:
    class Faulty(Integrator):
        def velocities(self, h: float) -> None:
            raise ZeroDivisionError

        def process(self, h: float) -> None:
            pass

    world = World()
    world.add_system(Faulty(), Stage.INTEGRATION)
    with pytest.raises(ZeroDivisionError) as caught:
        world.step(DT)
    assert caught.value.__notes__ == ["raised by the system Faulty in Stage.INTEGRATION"]
