"""Gravity: every dynamic body's weight."""

from ecs_physics.kernels.direct_calls import direct
from ecs_physics.kernels.gravity import add_gravity
from ecs_physics.systems.phases import ForcesOnAwake
from ecs_physics.systems.simulation import Simulation


class Gravity(ForcesOnAwake):
    """Adds m g, times the body's GravityScale, to the force on every dynamic body."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self._add_gravity = direct(add_gravity)

    def process(self, dt: float) -> None:
        """Add the weights."""
        store = self.simulation.store
        if not store.step_rows:
            return
        gravity_x, gravity_y = self.simulation.gravity
        self._add_gravity(
            store.rows,
            gravity_x,
            gravity_y,
            store.gravity_scales,
            store.masses,
            store.bodies,
            store.forces,
        )
