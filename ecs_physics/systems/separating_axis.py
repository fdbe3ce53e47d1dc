"""SeparatingAxisDetection: the minimum push vector of convex parts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.body_pairs import box_bodies
from ecs_physics.kernels.separating_axis import find_axis_impacts
from ecs_physics.store import Store
from ecs_physics.systems.simulation import Simulation
from ecs_physics.systems.textbook_detection import TextbookDetection


class SeparatingAxisDetection(TextbookDetection):
    """Two convex parts overlap where they do so along the edge normals of both.

    A system for Stage.COLLISION_DETECTION: the first method of founding system 3. Each two parts
    that overlap give one impact: the normal and overlap of the minimum push vector, at the
    deepest vertex, or in the middle of two edges that lie along each other. Round shapes are
    exact, a concave body counts as its convex parts, a chain pushes along its normals only. See
    kernels/separating_axis.py.
    """

    def __init__(self, simulation: Simulation) -> None:
        super().__init__(simulation)
        self._boxes: NDArray[np.float64] = np.zeros((0, 4))

    def find(self, store: Store, first_row: int, rows: NDArray[Any]) -> int:
        """Write the impacts of all pairs whose boxes meet."""
        if len(self._boxes) < len(store.bodies):
            self._boxes = np.zeros((len(store.bodies), 4))
        box_bodies(store.step_rows, store.bodies, store.parts, self._boxes)
        pairs = self.body_pairs(store, self._boxes)
        found: int = find_axis_impacts(
            first_row,
            store.step_rows,
            len(pairs),
            pairs,
            store.bodies,
            store.parts,
            store.world_vertices,
            rows,
        )
        return found
