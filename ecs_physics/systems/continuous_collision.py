"""ContinuousCollision: what is fast stops where it would have passed through something."""

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.continuous import find_fast, stop_fast
from ecs_physics.kernels.direct_calls import direct
from ecs_physics.stages import Stage
from ecs_physics.systems.collision_detection import CollisionDetection
from ecs_physics.systems.simulation import Simulation


class ContinuousCollision(esper.Processor):
    """First of the AFTER_STEP stage: what went through an immovable body goes back to it.

    A body with a Bullet stops at dynamic ones too. Velocities stay: the next step's contact acts.
    It belongs to CollisionDetection: where another detection decides what touches, nothing stops.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self._find_fast = direct(find_fast)
        self._marks: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._times: NDArray[np.float64] = np.zeros(0)
        self._obstacles: NDArray[np.int64] = np.zeros(0, np.int64)
        self._swept: NDArray[np.int32] = np.zeros(0, np.int32)

    def process(self, dt: float) -> None:
        """Sweep what is fast, and put back what must stop."""
        store = self.simulation.store
        if len(self._times) < len(store.bodies):
            self._marks = np.zeros(len(store.bodies), np.uint8)
            self._times = np.zeros(len(store.bodies))
            self._obstacles = np.zeros(len(store.bodies), np.int64)
        if not self._find_fast(store.step_rows, store.bodies, store.traits, self._marks):
            return
        detections = self.simulation.systems(Stage.COLLISION_DETECTION)
        if not any(isinstance(each, CollisionDetection) for each in detections):
            return
        warm_up("continuous")
        contacts = self.simulation.contact_table
        if len(self._swept) < len(contacts.rows):
            self._swept = np.zeros(len(contacts.rows), np.int32)
        direct(stop_fast)(
            store.step_rows,
            store.part_rows,
            contacts.count,
            contacts.rows,
            store.traits,
            contacts.excluded,
            store.parts,
            store.local_vertices,
            self._marks,
            store.bodies,
            store.transforms,
            self._times,
            self._obstacles,
            self._swept,
        )
