"""KinematicRamps: lets kinematic bodies change their velocity evenly within a step."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.kinematic_ramps import RAMP, begin_ramps, end_ramps
from ecs_physics.stages import Stage
from ecs_physics.state import State, array, fill
from ecs_physics.systems.integration import Integration
from ecs_physics.systems.simulation import Simulation
from ecs_physics.tables import KINEMATIC

_NO_ROWS: Final = np.zeros(0, np.int64)


class KinematicRamps:
    """What comes around the substeps of a step; see kernels/kinematic_ramps.py."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.ramps: NDArray[Any] = np.zeros(0, RAMP)
        self._rows: NDArray[np.int64] = _NO_ROWS
        self._seen: tuple[int, int] = (-1, -1)

    def begin(self, dt: float) -> None:
        """Let velocities be those of the substeps of a step of `dt` seconds, until `end`."""
        store = self.simulation.store
        if not store.kinematics:
            self._rows = _NO_ROWS
            return
        now = (id(store), store.version)
        if now != self._seen:
            self._seen = now
            self._rows = np.flatnonzero(store.bodies["kind"][: store.rows] == KINEMATIC)
            self._make_room(len(store.bodies))
        integrations = self.simulation.systems(Stage.INTEGRATION)
        if [type(each) for each in integrations] != [Integration]:
            for field in ("x", "y", "torque"):
                store.forces[field][self._rows] = 0.0
            return
        substeps = self.simulation.substeps
        begin_ramps(
            len(self._rows),
            self._rows,
            dt / substeps,
            substeps,
            store.bodies,
            self.ramps,
            store.forces,
            store.velocities,
        )

    def end(self) -> None:
        """Let velocities be as before."""
        if len(self._rows):
            store = self.simulation.store
            end_ramps(len(self._rows), self._rows, store.bodies, self.ramps, store.velocities)

    def state(self) -> State:
        """What it knows of the step before, for a snapshot."""
        return {"ramps": self.ramps}

    def take_state(self, state: State) -> None:
        """Become what `state` says."""
        ramps = array(state["ramps"])
        self.ramps = np.zeros(len(ramps), RAMP)
        fill(self.ramps, ramps)
        self._seen = (-1, -1)

    def _make_room(self, capacity: int) -> None:
        missing = capacity - len(self.ramps)
        if missing > 0:
            self.ramps = np.concatenate([self.ramps, np.zeros(missing, RAMP)])
