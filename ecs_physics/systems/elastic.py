"""ElasticResolution: frictionless impulses with elasticity, and overlap pushed out at once."""

import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.impact_response import elastic_impacts
from ecs_physics.systems.impulse_penalty import pairs_own, ratio
from ecs_physics.systems.phases import Resolution
from ecs_physics.systems.simulation import Simulation


class ElasticResolution(Resolution):
    """The textbook answer to polygons that overlap: founding system 3.

    A system for Stage.CONTACT_RESOLUTION, on any contacts. It acts once a step, where the
    contacts were found: an impulse along the normal where the bodies approach, which keeps
    momentum and angular momentum, and at elasticity 1 energy; then the overlap is pushed out in
    proportion to the inverse masses. Its known flaw: pushed fully out, shapes on a floor under
    gravity never come to rest. See kernels/impact_response.py for the formulas.

    Args:
        simulation: the world.
        elasticity: ratio from 0 to 1; None takes each pair's restitution.
        push_out: ratio from 0 to 1, how much of the overlap a step takes away.

    Both are attributes, and a new value counts from the next step on.

    Raises:
        ValueError: naming the value that is out of range, here and where an attribute is set.
    """

    def __init__(
        self, simulation: Simulation, *, elasticity: float | None = 1.0, push_out: float = 1.0
    ) -> None:
        warm_up()
        self.simulation = simulation
        self.elasticity = elasticity
        self.push_out = push_out
        self._moved: NDArray[np.float64] = np.zeros((0, 2))

    @property
    def elasticity(self) -> float | None:
        """Ratio of the speeds after and before an impact; None: each pair's restitution."""
        return self._elasticity

    @elasticity.setter
    def elasticity(self, value: float | None) -> None:
        self._elasticity = None if value is None else ratio(value, "elasticity")

    @property
    def push_out(self) -> float:
        """Ratio of the overlap that a step takes away."""
        return self._push_out

    @push_out.setter
    def push_out(self, value: float) -> None:
        self._push_out = ratio(value, "push_out")

    def begin(self, dt: float, h: float) -> None:
        """Apply the impulses, and push overlaps out."""
        store = self.simulation.store
        contacts = self.simulation.contact_table
        if len(self._moved) < len(store.bodies):
            self._moved = np.zeros((len(store.bodies), 2))
        elastic_impacts(
            contacts.active_count,
            pairs_own(self._elasticity),
            self._push_out,
            store.step_rows,
            contacts.active,
            contacts.rows,
            store.velocities,
            store.bodies,
            self._moved,
        )
