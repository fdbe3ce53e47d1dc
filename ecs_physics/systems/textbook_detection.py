"""What the textbook detections have in common: where their impacts go."""

from typing import Any

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.body_pairs import find_body_pairs
from ecs_physics.kernels.compile import warm_up
from ecs_physics.store import Store
from ecs_physics.systems.simulation import Simulation


class TextbookDetection(esper.Processor):
    """Base of a detection that finds all impacts anew in each step.

    The contact table keeps its pairs, without points, as the production detection needs them, so
    that either can take the other's place between two steps. The impacts are rows behind them,
    one point each, and `active` lists them. A subclass writes them in `find`.
    """

    def __init__(self, simulation: Simulation) -> None:
        warm_up()
        self.simulation = simulation
        self._pairs: NDArray[np.int64] = np.zeros(64, np.int64)

    def process(self, dt: float) -> None:
        """Find the impacts."""
        store = self.simulation.store
        contacts = self.simulation.contact_table
        if store.pool.any_removed or store.moved_parts:
            contacts.renew_pairs(store)
        contacts.rows["count"][: contacts.count] = 0
        found = self.find(store, contacts.count, contacts.rows)
        if contacts.count + found > len(contacts.rows):
            contacts.make_room(contacts.count + found)
            found = self.find(store, contacts.count, contacts.rows)
        contacts.active[:found] = np.arange(contacts.count, contacts.count + found)
        contacts.active_count = found

    def find(self, store: Store, first_row: int, rows: NDArray[Any]) -> int:
        """Write impacts to `rows` from `first_row` on, as far as there is room.

        Returns how many there are.
        """
        raise NotImplementedError(f"{type(self).__name__}.find: write impacts, return their number")

    def body_pairs(self, store: Store, boxes: NDArray[np.float64]) -> NDArray[np.int64]:
        """Pairs a * rows + b of bodies whose boxes (lower x, y, upper x, y; m) meet, ascending."""
        rows = store.step_rows
        order = np.argsort(boxes[:rows, 0], kind="stable")
        found = find_body_pairs(rows, order, store.bodies, boxes, self._pairs)
        if found > len(self._pairs):
            self._pairs = np.zeros(2 * found, np.int64)
            found = find_body_pairs(rows, order, store.bodies, boxes, self._pairs)
        pairs = self._pairs[:found]
        pairs.sort()
        return pairs
