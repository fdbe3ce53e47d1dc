"""Integration: symplectic Euler."""

from ecs_physics.kernels.integration import integrate_positions, integrate_velocities
from ecs_physics.systems.phases import Integrator
from ecs_physics.systems.simulation import Simulation


class Integration(Integrator):
    """v += h a, then x += h v: first order, and energy neither creeps up nor down."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation

    def velocities(self, h: float) -> None:
        """Forces and damping -> velocities of dynamic bodies."""
        store = self.simulation.store
        integrate_velocities(
            store.step_rows, h, store.forces, store.dampings, store.bodies, store.velocities
        )

    def process(self, h: float) -> None:
        """Velocities -> positions and angles of dynamic and kinematic bodies."""
        store = self.simulation.store
        integrate_positions(store.step_rows, h, store.velocities, store.bodies)
