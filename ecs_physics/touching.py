"""Touching: which bodies touch, from step to step, and what of that begins and ends."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_physics.contact_table import ContactTable
from ecs_physics.events import CONTACT_BEGIN, CONTACT_END, Events
from ecs_physics.kernels.contact_events import (
    BEGIN,
    PAIR,
    find_changes,
    merge_changes,
    recount,
    write_begins,
)
from ecs_physics.state import State, array, fill
from ecs_physics.store import Store


class Touching:
    """The pairs of bodies that touch: `pairs[:count]`, ascending by entities.

    Every pair that begins is noted once, and ends once, however its contacts go from the contact
    table: the table's rows say whether they touch, and the pairs are counted anew where fewer of
    them are left than there were.
    """

    def __init__(self) -> None:
        self.count = 0
        self.pairs: NDArray[Any] = np.zeros(64, PAIR)
        self._other: NDArray[Any] = np.zeros(64, PAIR)
        self._ended: NDArray[Any] = np.zeros(64, PAIR)
        self._rows = 0
        self._counts = np.zeros(3, np.int64)
        self._make_room(64)

    def renew(self, store: Store, contacts: ContactTable, events: Events) -> None:
        """Find what began and what ended in the step whose substeps have run, and note it."""
        rows = _rows_in_use(contacts)
        if rows > len(self._changed):
            self._make_room(len(contacts.rows))
        changed = find_changes(rows, contacts.rows, self._changed, self._counts)
        are_some_gone = int(self._counts[0]) != self._rows
        if not changed and not are_some_gone:
            return
        if are_some_gone:
            recount(rows, contacts.rows, self.count, self.pairs)
        self._merge(self._in_order(contacts, changed), contacts)
        self._note(store, contacts, events)

    def _in_order(self, contacts: ContactTable, changed: int) -> NDArray[np.int32]:
        """The rows that have changed, ascending by their entities."""
        listed = self._changed[:changed]
        first, second = contacts.rows["entity_a"][listed], contacts.rows["entity_b"][listed]
        order = np.lexsort((np.maximum(first, second), np.minimum(first, second)))
        return listed[order]

    def _merge(self, changed: NDArray[np.int32], contacts: ContactTable) -> None:
        most = self.count + len(changed)
        if most > len(self._other):
            self._other = np.zeros(2 * most, PAIR)
            self._ended = np.zeros(2 * most, PAIR)
        merge_changes(
            len(changed),
            changed,
            contacts.rows,
            self.count,
            self.pairs,
            self._other,
            self._begun,
            self._ended,
            self._counts,
        )
        self.pairs, self._other = self._other, self.pairs
        self.count = int(self._counts[0])
        self._rows = int(self.pairs["rows"][: self.count].sum())

    def _note(self, store: Store, contacts: ContactTable, events: Events) -> None:
        begun, ended = int(self._counts[1]), int(self._counts[2])
        if ended:
            gone = self._ended[:ended]
            events.note(CONTACT_END, gone["entity_a"], gone["entity_b"])
        if begun:
            begins: NDArray[Any] = np.zeros(begun, BEGIN)
            write_begins(begun, self._begun, contacts.rows, store.bodies, begins)
            events.note_rows(CONTACT_BEGIN, begins)

    def state(self) -> State:
        """All of it, as `take_state` takes it: views of what is in use."""
        return {"pairs": self.pairs[: self.count], "rows": self._rows}

    def take_state(self, state: State) -> None:
        """Become what `state` says, a copy."""
        pairs = array(state["pairs"])
        if len(pairs) > len(self.pairs):
            self.pairs = np.zeros(len(pairs), PAIR)
        fill(self.pairs, pairs)
        self.count = len(pairs)
        self._rows = int(state["rows"])

    def _make_room(self, capacity: int) -> None:
        self._changed: NDArray[np.int32] = np.zeros(capacity, np.int32)
        self._begun: NDArray[np.int32] = np.zeros(capacity, np.int32)


def _rows_in_use(contacts: ContactTable) -> int:
    """Those of pairs, and those that a textbook detection has put behind them."""
    if not contacts.active_count:
        return contacts.count
    return max(contacts.count, int(contacts.active[contacts.active_count - 1]) + 1)
