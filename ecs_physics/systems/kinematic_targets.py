"""KinematicTargets: kinematic bodies on their way to a place."""

from typing import Any

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics.components import Velocity
from ecs_physics.kernels.kinematic_targets import TARGET, steer
from ecs_physics.state import State, array
from ecs_physics.store import Store
from ecs_physics.systems.simulation import Simulation
from ecs_physics.traits import Disabled


class KinematicTargets(esper.Processor):
    """First of the FORCES stage: velocities for those that `World.move_to` has sent somewhere.

    `targets[:count]` are they, in the order in which they were sent; `waiting` are those of them
    that are disabled, and go on when they are enabled.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.count = 0
        self.targets: NDArray[Any] = np.zeros(8, TARGET)
        self.waiting: NDArray[Any] = np.zeros(0, TARGET)

    def forget(self) -> None:
        """Send nobody anywhere any more."""
        self.count = 0
        self.waiting = self.waiting[:0]

    def send(self, entity: int, row: int, x: float, y: float, angle: float, time: float) -> None:
        """Send a body to a place (m, rad; NaN: any angle), to be there in `time` seconds."""
        self.waiting = self.waiting[self.waiting["entity"] != entity]
        known = np.flatnonzero(self.targets["entity"][: self.count] == entity)
        place = int(known[0]) if len(known) else self.count
        self._put(place, (entity, row, x, y, angle, time, False, 0.0, 0.0, 0.0))

    def _put(self, place: int, target: Any) -> None:
        if place == len(self.targets):
            self.targets = np.concatenate([self.targets, np.zeros(place, TARGET)])
        self.targets[place] = target
        self.count = max(self.count, place + 1)

    def process(self, dt: float) -> None:
        """Give velocities for a step of `dt` seconds."""
        if not self.count and not len(self.waiting):
            return
        store = self.simulation.store
        store.adopt()
        self._follow(store)
        store.note_written(Velocity)
        self.count = steer(
            self.count, dt, self.targets, store.transforms, store.bodies, store.velocities
        )

    def _follow(self, store: Store) -> None:
        """Let go on who was enabled, and wait who was disabled."""
        waiting, self.waiting = self.waiting, self.waiting[:0]
        for target in waiting:
            self._put(self.count, target)
        targets = self.targets[: self.count]
        for k in np.flatnonzero(store.bodies["entity"][targets["row"]] != targets["entity"]):
            entity = int(targets["entity"][k])
            if store.has_row(entity):
                targets["row"][k] = store.row_of(entity)
            elif esper.entity_exists(entity) and esper.has_component(entity, Disabled):
                self.waiting = np.append(self.waiting, targets[k : k + 1])

    def state(self) -> State:
        """The targets, for a snapshot."""
        return {"targets": self.targets[: self.count], "waiting": self.waiting}

    def take_state(self, state: State) -> None:
        """Become what `state` says."""
        targets = array(state["targets"])
        self.count = len(targets)
        self.targets = np.zeros(max(8, self.count), TARGET)
        self.targets[: self.count] = targets
        self.waiting = array(state["waiting"]).copy()
