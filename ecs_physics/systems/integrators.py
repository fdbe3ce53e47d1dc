"""Integrators by name: explicit and symplectic Euler, Runge-Kutta 2 and 4, Verlet, implicit Euler.

    use_integrator(world, "Runge-Kutta 4")

All work for any systems of Stage.FORCES, user-written ones included: an integrator may let them
run several times a step, at states that it tries (see trial_states.py). y is the state (poses q,
velocities v), a the acceleration at a state, h the step.
"""

from abc import abstractmethod
from typing import Any, Final, Protocol

import numpy as np

from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.states import damp, give_motions, move_bodies
from ecs_physics.stages import Stage
from ecs_physics.systems.phases import Integrator
from ecs_physics.systems.simulation import Simulation
from ecs_physics.systems.trial_states import Rows, TrialStates


class MethodIntegrator(Integrator):
    """Base of the integrators that are chosen by name; a subclass says in `advance` how.

    A system for Stage.INTEGRATION. Contacts are resolved between the new velocities and the new
    positions: a body whose velocity a contact changes there moves by h v instead.
    """

    def __init__(self, simulation: Simulation) -> None:
        warm_up()
        self.simulation = simulation
        self.states = TrialStates(simulation)
        self._steps: Rows = np.zeros((0, 3))
        self._motions: Rows = np.zeros((0, 3))

    @abstractmethod
    def advance(self, q: Rows, v: Rows, h: float) -> tuple[Rows, Rows]:
        """How far poses move in `h` seconds, and the new velocities."""

    def begin(self, dt: float, h: float) -> None:
        """Tell apart the forces that systems give and those that stand for the whole step."""
        with np.errstate(over="ignore", invalid="ignore"):
            self.states.begin(dt)

    def velocities(self, h: float) -> None:
        """Work out the substep, and write its velocities."""
        store = self.simulation.store
        with np.errstate(over="ignore", invalid="ignore"):
            q, v = self.states.start()
            try:
                self._steps, self._motions = self.advance(q, v, h)
            finally:
                self.states.finish()
        give_motions(len(self._motions), self._motions, store.bodies, store.velocities)

    def process(self, h: float) -> None:
        """Write its positions."""
        store = self.simulation.store
        move_bodies(
            len(self._motions), h, self._steps, self._motions, store.velocities, store.bodies
        )


class ExplicitEuler(MethodIntegrator):
    """q += h v(old), v += h a(old): first order; oscillations gain energy and blow up."""

    def advance(self, q: Rows, v: Rows, h: float) -> tuple[Rows, Rows]:
        """One evaluation."""
        a = self.states.accelerations(q, v, h)
        return h * v, v + h * a


class SymplecticEuler(MethodIntegrator):
    """v += h a(old), q += h v(new): first order; energy swings, and neither creeps up nor down.

    Damping components act by the factor 1 / (1 + h c), as in the production integration.
    """

    def advance(self, q: Rows, v: Rows, h: float) -> tuple[Rows, Rows]:
        """One evaluation."""
        store = self.simulation.store
        a = self.states.accelerations(q, v, h, with_damping=False)
        new = v + h * a
        damp(store.step_rows, h, store.bodies, store.dampings, new)
        return h * new, new


class RungeKutta2(MethodIntegrator):
    """The midpoint method: y += h f(y + h f(y) / 2). Second order."""

    def advance(self, q: Rows, v: Rows, h: float) -> tuple[Rows, Rows]:
        """Two evaluations."""
        half = 0.5 * h
        a = self.states.accelerations(q, v, h)
        middle = v + half * a
        b = self.states.accelerations(q + half * v, middle, h)
        return h * middle, v + h * b


class RungeKutta4(MethodIntegrator):
    """The classical method: y += h (k1 + 2 k2 + 2 k3 + k4) / 6. Fourth order."""

    def advance(self, q: Rows, v: Rows, h: float) -> tuple[Rows, Rows]:
        """Four evaluations."""
        half = 0.5 * h
        a1 = self.states.accelerations(q, v, h)
        v2 = v + half * a1
        a2 = self.states.accelerations(q + half * v, v2, h)
        v3 = v + half * a2
        a3 = self.states.accelerations(q + half * v2, v3, h)
        v4 = v + h * a3
        a4 = self.states.accelerations(q + h * v3, v4, h)
        sixth = h / 6.0
        return (
            sixth * (v + 2.0 * v2 + 2.0 * v3 + v4),
            v + sixth * (a1 + 2.0 * a2 + 2.0 * a3 + a4),
        )


class VelocityVerlet(MethodIntegrator):
    """q += h v + h^2 a / 2, v += h (a + a(new)) / 2: second order, symplectic.

    Forces that depend on velocity see v + h a at the new place, which keeps the order.
    """

    def advance(self, q: Rows, v: Rows, h: float) -> tuple[Rows, Rows]:
        """Two evaluations."""
        a = self.states.accelerations(q, v, h)
        step = h * (v + (0.5 * h) * a)
        b = self.states.accelerations(q + step, v + h * a, h)
        return step, v + (0.5 * h) * (a + b)


class ChangingSimulation(Simulation, Protocol):
    """A world whose systems can be exchanged."""

    def add_system(self, system: Any, stage: Stage) -> None:
        """Let a system run in a stage."""

    def remove_system(self, system: Any) -> None:
        """Take a system out."""


def _implicit_euler(simulation: Simulation) -> Integrator:
    from ecs_physics.systems.implicit_euler import ImplicitEuler

    return ImplicitEuler(simulation)


INTEGRATORS: Final[dict[str, Any]] = {
    "Explicit Euler": ExplicitEuler,
    "Symplectic Euler": SymplecticEuler,
    "Runge-Kutta 2": RungeKutta2,
    "Runge-Kutta 4": RungeKutta4,
    "Velocity Verlet": VelocityVerlet,
    "Implicit Euler": _implicit_euler,
}
"""What makes an integrator from a world, by its name."""


def integrator(name: str, simulation: Simulation) -> Integrator:
    """An integrator by its name, to be added in Stage.INTEGRATION.

    Raises:
        ValueError: for a name that is not in INTEGRATORS.
    """
    if not isinstance(name, str) or name not in INTEGRATORS:
        known = ", ".join(repr(each) for each in INTEGRATORS)
        raise ValueError(f"integrator {name!r}: give one of {known}")
    made: Integrator = INTEGRATORS[name](simulation)
    return made


def use_integrator(world: ChangingSimulation, name: str) -> Integrator:
    """Let a world integrate by the method of that name, from its next step on; returns the system.

    It takes the place of the integrators (systems derived from phases.Integrator) that are there.

    Raises:
        ValueError: for a name that is not in INTEGRATORS.
    """
    new = integrator(name, world)
    for each in world.systems(Stage.INTEGRATION):
        if isinstance(each, Integrator):
            world.remove_system(each)
    world.add_system(new, Stage.INTEGRATION)
    return new
