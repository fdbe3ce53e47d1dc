"""RenderSystem: the last two poses of every body, so that a view can draw between them."""

import math

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.direct_calls import direct
from ecs_physics.kernels.poses import blend_poses, keep_poses
from ecs_physics.state import State, array, fill
from ecs_physics.systems.simulation import Simulation


class RenderSystem(esper.Processor):
    """Keeps `previous` and `current`, (rows, 3) float64 arrays of x, y (m) and angle (rad).

    Rows are those of the tables. A body that is new or was teleported has the same pose in both,
    so that it does not smear across the screen.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self._keep_poses = direct(keep_poses)
        self.previous: NDArray[np.float64] = np.zeros((0, 3))
        self.current: NDArray[np.float64] = np.zeros((0, 3))
        self._owners: NDArray[np.int64] = np.zeros(0, np.int64)
        self._is_still = False

    def process(self, dt: float) -> None:
        """Keep this step's poses beside the last one's."""
        store = self.simulation.store
        if not store.step_rows:
            self._stay()
            return
        self._is_still = False
        self._make_room(len(store.bodies))
        self.previous, self.current = self.current, self.previous
        self._keep_poses(
            store.rows, store.transforms, store.bodies, self._owners, self.previous, self.current
        )

    def _stay(self) -> None:
        """Nothing has moved: the last two poses are the same."""
        if not self._is_still:
            self.previous[:] = self.current
            self._is_still = True

    def interpolate(self, alpha: float) -> NDArray[np.float64]:
        """Poses between the last two steps, (rows, 3): 0 is the one before, 1 the last.

        Rows that were written since the last step hold their Transform; so do those of new bodies.
        """
        store = self.simulation.store
        store.adopt()
        poses: NDArray[np.float64] = np.empty((store.rows, 3))
        blend_poses(
            store.rows,
            len(self.current),
            alpha,
            store.transforms,
            self._owners,
            self.previous,
            self.current,
            poses,
        )
        return poses

    def state(self) -> State:
        """All of it, as `take_state` takes it: views of what is in use."""
        rows = self.simulation.store.rows
        return {
            "previous": self.previous[:rows],
            "current": self.current[:rows],
            "owners": self._owners[:rows],
        }

    def take_state(self, state: State) -> None:
        """Become what `state` says, a copy."""
        owners = array(state["owners"])
        self._is_still = False
        self._make_room(len(owners))
        fill(self.previous, state["previous"])
        fill(self.current, state["current"])
        fill(self._owners, owners)
        self._owners[len(owners) :] = 0

    def _make_room(self, capacity: int) -> None:
        missing = capacity - len(self.current)
        if missing > 0:
            more = np.full((missing, 3), math.nan)
            self.previous = np.vstack([self.previous, more])
            self.current = np.vstack([self.current, more])
            self._owners = np.concatenate([self._owners, np.zeros(missing, np.int64)])
