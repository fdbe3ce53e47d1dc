"""Touching: which bodies touch, from step to step, what of that begins and ends, and what hits."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_physics.contact_table import ContactTable
from ecs_physics.events import CONTACT_BEGIN, CONTACT_END, HIT, Events
from ecs_physics.kernels.contact_events import (
    BEGINS,
    ENDS,
    HITS,
    PAIR,
    find_changes,
    merge_changes,
    recount,
    take_off,
    write_begins,
    write_hits,
)
from ecs_physics.kernels.contact_order import LISTED
from ecs_physics.kernels.direct_calls import direct
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
        self._ended: NDArray[Any] = np.zeros(64, ENDS)
        self._rows = 0
        self._find_changes = direct(find_changes)
        self._counts = np.zeros(4, np.int64)
        self._make_room(64)

    def renew(self, store: Store, contacts: ContactTable, events: Events, h: float) -> None:
        """Find what began, ended and hit in the step whose substeps (h seconds) have run; note it.

        To be called as long as the forces of the step are there.
        """
        rows = _rows_in_use(contacts)
        if rows > len(self._changed):
            self._make_room(len(contacts.rows))
        changed = self._find_changes(
            rows, events.hit_speed, contacts.rows, self._changed, self._hitting, self._counts
        )
        touched, hitting, _, _ = self._counts.tolist()
        if touched != self._rows:
            if touched == self._rows - contacts.lost_count:
                take_off(contacts.lost_count, contacts.lost, self.count, self.pairs)
            else:  # some have gone by another way
                recount(rows, contacts.rows, self.count, self.pairs)
        contacts.forget_lost()
        if changed or touched != self._rows:
            begun, ended = self._merge(changed, contacts)
            self._note_changes(begun, ended, store, contacts, events)
        if hitting:
            self._note_hits(hitting, store, contacts, events, h)

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

    def _merge(self, changed: int, contacts: ContactTable) -> tuple[int, int]:
        """Bring the pairs in step; returns how many have begun, and how many have ended."""
        most = self.count + changed
        if most > min(len(self._other), len(self._ended)):
            self._other = np.zeros(2 * most, PAIR)
            self._ended = np.zeros(2 * most, ENDS)
        direct(merge_changes)(
            changed,
            self._changed,
            contacts.rows,
            self.count,
            self.pairs,
            self._listed,
            self._other,
            self._begun,
            self._ended,
            self._counts,
        )
        self.pairs, self._other = self._other, self.pairs
        self.count, begun, ended, self._rows = self._counts.tolist()
        return begun, ended

    def _note_changes(
        self, begun: int, ended: int, store: Store, contacts: ContactTable, events: Events
    ) -> None:
        if ended:
            events.note_rows(CONTACT_END, self._ended[:ended].copy())
        if begun:
            begins: NDArray[Any] = np.empty(begun, BEGINS)
            direct(write_begins)(begun, self._begun, contacts.rows, store.bodies, begins)
            events.note_rows(CONTACT_BEGIN, begins)

    def _note_hits(
        self,
        hitting: int,
        store: Store,
        contacts: ContactTable,
        events: Events,
        h: float,
    ) -> None:
        hits: NDArray[Any] = np.empty(hitting, HITS)
        count = direct(write_hits)(
            hitting,
            self._hitting,
            events.hit_speed,
            h,
            contacts.rows,
            store.bodies,
            store.forces,
            self._listed,
            hits,
        )
        if count:
            events.note_rows(HIT, hits[:count])

    def _make_room(self, capacity: int) -> None:
        self._hitting: NDArray[np.int32] = np.zeros(capacity, np.int32)
        self._changed: NDArray[np.int32] = np.zeros(capacity, np.int32)
        self._begun: NDArray[np.int32] = np.zeros(capacity, np.int32)
        self._listed: NDArray[Any] = np.zeros(capacity, LISTED)


def _rows_in_use(contacts: ContactTable) -> int:
    """Those of pairs, and those that a textbook detection has put behind them."""
    if not contacts.active_count:
        return contacts.count
    return max(contacts.count, int(contacts.active[contacts.active_count - 1]) + 1)
