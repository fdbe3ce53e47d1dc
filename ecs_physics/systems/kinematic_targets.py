"""KinematicTargets: kinematic bodies on their way to a place."""

from typing import Any

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics.components import Velocity
from ecs_physics.kernels.kinematic_targets import TARGET, steer
from ecs_physics.state import State, array
from ecs_physics.systems.simulation import Simulation


class KinematicTargets(esper.Processor):
    """First of the FORCES stage: velocities for those that `World.move_to` has sent somewhere.

    `targets[:count]` are they, in the order in which they were sent.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.count = 0
        self.targets: NDArray[Any] = np.zeros(8, TARGET)

    def send(self, entity: int, row: int, x: float, y: float, angle: float, time: float) -> None:
        """Send a body to a place (m, rad; NaN: any angle), to be there in `time` seconds."""
        known = np.flatnonzero(self.targets["entity"][: self.count] == entity)
        place = int(known[0]) if len(known) else self.count
        if place == len(self.targets):
            self.targets = np.concatenate([self.targets, np.zeros(place, TARGET)])
        self.targets[place] = (entity, row, x, y, angle, time, False, 0.0, 0.0, 0.0)
        self.count = max(self.count, place + 1)

    def process(self, dt: float) -> None:
        """Give velocities for a step of `dt` seconds."""
        if not self.count:
            return
        store = self.simulation.store
        store.adopt()
        store.note_written(Velocity)
        self.count = steer(
            self.count, dt, self.targets, store.transforms, store.bodies, store.velocities
        )

    def state(self) -> State:
        """The targets, for a snapshot."""
        return {"targets": self.targets[: self.count]}

    def take_state(self, state: State) -> None:
        """Become what `state` says."""
        targets = array(state["targets"])
        self.count = len(targets)
        self.targets = np.zeros(max(8, self.count), TARGET)
        self.targets[: self.count] = targets
