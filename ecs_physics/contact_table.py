"""ContactTable: the pairs of parts that may touch, kept from step to step, and their manifolds."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.contact_states import UNASKED
from ecs_physics.kernels.direct_calls import direct
from ecs_physics.kernels.few_moved import MORE_NEAR
from ecs_physics.kernels.hash_grid import BOX, LEVEL, LEVELS, PLACE, end_search, find_pairs
from ecs_physics.kernels.pair_hash import (
    EMPTY,
    LISTED,
    add_pairs,
    drop_pairs,
    drop_parts_of,
    rehash,
)
from ecs_physics.state import State, array, fill
from ecs_physics.store import Store
from ecs_physics.tables import CONTACT, CONTACTS, in_lines

_RENEWALS_BEFORE_DROPPING: Final = 8
"""Searches for new pairs until those that have parted are dropped. Until then each costs a look at
two boxes. More: rows of no use. Fewer: a pass over all rows for little."""


class ContactTable:
    """Rows of CONTACT, a row for each pair of parts whose fat boxes overlap.

    `rows[:count]` are in use; `active[:active_count]` are the rows whose manifold has points, those
    that sleep left out. Where it `asks`, new rows are marked, so that World.contact_filter is asked
    about them.
    `version` grows whenever rows come, go or change places.
    `lost[:lost_count]` are the pairs of entities, older first, of touching rows that have gone with
    their parts since they were last forgotten.
    `drops` grows only where rows may have changed places. `excluded` holds pairs of bodies that a
    joint keeps from colliding, as keys of
    kernels/pair_filter.py, ascending. Any collision detection fills the table, any contact
    resolution reads it.
    """

    def __init__(self) -> None:
        self.count = 0
        self.active_count = 0
        self.drops = 0
        self.lost: NDArray[np.int64] = np.zeros((0, 2), np.int64)
        self._lost_count: NDArray[np.int64] = np.zeros(1, np.int64)
        self.version = 0
        self.asks = False
        self.excluded: NDArray[np.int64] = np.zeros(0, np.int64)
        self._renewals = 0
        self.rows: NDArray[Any] = np.zeros(0, CONTACT)
        self._ordered: NDArray[Any] = self.rows
        self.active: NDArray[np.int32] = np.zeros(0, np.int32)
        self._searched: NDArray[np.float32] = np.zeros((0, 4), np.float32)
        self.make_room(64)
        self._make_hash(256)
        self._make_lists(64)
        self._pairs: NDArray[np.int32] = np.zeros((256, 2), np.int32)
        self._make_grid(64)

    def renew_pairs(self, store: Store) -> None:
        """Search for new pairs around parts that have moved; now and then drop parted ones."""
        parts, part_rows = store.parts, store.part_rows
        self._make_grid(part_rows)
        self._make_searched(part_rows)  # not with the grid: snapshots bring their own
        self._drop_removed(store)
        found = self._find_pairs(store)
        if found > len(self._pairs):
            self._pairs = np.zeros((2 * found, 2), np.int32)
            found = self._find_pairs(store)
        self.make_room(self.count + found)
        if 2 * (self.count + found) > len(self._keys):
            self._make_hash(4 * (self.count + found))
        if self.count + found > len(self._listed):
            self._make_lists(self.count + found)
        before = self.count
        self.count = direct(add_pairs)(
            part_rows,
            self._pairs,
            found,
            self._starts,
            self._listed,
            self._listed_again,
            self._keys,
            self._places,
            store.bodies,
            store.traits,
            parts,
            self.rows,
            self.count,
        )
        if self.asks:
            self.rows["disabled"][before : self.count] = UNASKED
        self.version += 1
        self._renewals += 1
        direct(end_search)(part_rows, parts, self._searched)
        if self._renewals % _RENEWALS_BEFORE_DROPPING == 0:
            self._drop_parted(store)
        store.moved_parts = 0

    def _drop_parted(self, store: Store) -> None:
        """Drop the pairs that have parted and put the others in order."""
        self.count = drop_pairs(
            store.part_rows,
            store.parts,
            self._searched,
            self._starts,
            self._listed,
            self._listed_again,
            self._keys,
            self._places,
            self.rows,
            self.count,
            self._ordered,
        )
        self.rows, self._ordered = self._ordered, self.rows
        self.drops += 1

    @property
    def lost_count(self) -> int:
        """How many rows have been lost."""
        return int(self._lost_count[0])

    def forget_lost(self) -> None:
        """Let those that were lost have been told of."""
        self._lost_count[0] = 0

    def _drop_removed(self, store: Store) -> None:
        """Drop the contacts of parts that have gone: bodies deleted or reshaped."""
        if not store.pool.any_removed:
            return
        most = self.lost_count + self.count
        if most > len(self.lost):
            lost = np.zeros((2 * most, 2), np.int64)
            lost[: self.lost_count] = self.lost[: self.lost_count]
            self.lost = lost
        removed = store.pool.removed
        self.count = drop_parts_of(
            removed,
            self._keys,
            self._places,
            self.rows,
            self.count,
            self.active,
            self.lost,
            self._lost_count,
        )
        rows = store.part_rows
        self._searched[:rows][removed[:rows]] = np.nan
        self.active_count = 0  # rows have changed places: the narrow phase lists them anew
        self.drops += 1
        self.version += 1
        removed[:] = False
        store.pool.any_removed = False

    def shown(self, store: Store) -> NDArray[Any]:
        """The manifolds that have points, as `World.contacts` shows them: a copy."""
        asleep = self.rows[: self.count]["is_asleep"] & (self.rows["count"][: self.count] > 0)
        rows = self.rows[np.concatenate([self.active[: self.active_count], np.flatnonzero(asleep)])]
        if store.pool.any_removed:
            gone = store.pool.removed
            rows = rows[~(gone[rows["part_a"]] | gone[rows["part_b"]])]
        table = np.zeros(len(rows), CONTACTS)
        for field in ("entity_a", "entity_b", "count", "normal_x", "normal_y"):
            table[field] = rows[field]
        bodies: Any = store.bodies[rows["body_a"]]
        for point in range(2):
            in_use = rows["count"] > point
            for field, column in (
                ("x", bodies["x"] + rows[f"anchor_ax_{point}"]),
                ("y", bodies["y"] + rows[f"anchor_ay_{point}"]),
                ("separation", rows[f"separation_{point}"]),
                ("normal_impulse", rows[f"total_normal_{point}"]),
                ("tangent_impulse", rows[f"total_tangent_{point}"]),
            ):
                table[field][:, point] = np.where(in_use, column, 0.0)
        return table

    def state(self) -> State:
        """All of it, as `take_state` takes it: views of what is in use."""
        return {
            "rows": self.rows[: self.count],
            "active": self.active[: self.active_count],
            "excluded": self.excluded,
            "searched": self._searched,
            "renewals": self._renewals,
        }

    def take_state(self, state: State) -> None:
        """Become what `state` says, a copy; the hash table is filled anew from the contacts."""
        rows, active = array(state["rows"]), array(state["active"])
        self.count = self.active_count = 0
        self.make_room(len(rows))
        if 2 * len(rows) > len(self._keys):
            self._make_hash(4 * len(rows))
        self.count, self.active_count = len(rows), len(active)
        fill(self.rows, rows)
        fill(self.active, active)
        self.excluded = array(state["excluded"]).copy()
        self._searched = array(state["searched"]).copy()
        self._renewals = int(state["renewals"])
        self.version += 1
        self.drops += 1
        self.forget_lost()
        rehash(self._keys, self._places, self.rows, self.count)

    def _find_pairs(self, store: Store) -> int:
        found: int = direct(find_pairs)(
            store.part_rows,
            store.bodies,
            store.traits,
            self.excluded,
            store.parts,
            self._searched,
            self._buckets,
            self._grid_places,
            self._boxes,
            self._levels,
            self._moved,
            self._near,
            self._pairs,
        )
        return found

    def make_room(self, least: int) -> None:
        """Hold at least so many rows; what is there stays."""
        if least <= len(self.rows):
            return
        capacity = 1 << (least - 1).bit_length()
        rows = in_lines(capacity, CONTACT)
        active: NDArray[np.int32] = np.zeros(capacity, np.int32)
        fill(rows, self.rows)
        fill(active, self.active)
        self._ordered = in_lines(capacity, CONTACT)
        self.rows = rows
        self.active = active

    def _make_hash(self, least: int) -> None:
        capacity = 1 << (least - 1).bit_length()
        self._keys: NDArray[np.int64] = np.full(capacity, EMPTY, np.int64)
        self._places: NDArray[np.int32] = np.zeros(capacity, np.int32)
        if self.count:
            rehash(self._keys, self._places, self.rows, self.count)

    def _make_lists(self, least: int) -> None:
        capacity = 1 << (least - 1).bit_length()
        self._listed: NDArray[Any] = np.zeros(capacity, LISTED)
        self._listed_again: NDArray[Any] = np.zeros(capacity, LISTED)

    def _make_searched(self, part_rows: int) -> None:
        if part_rows <= len(self._searched):
            return
        capacity = 1 << (part_rows - 1).bit_length()
        searched: NDArray[np.float32] = np.full((capacity, 4), np.nan, np.float32)
        searched[: len(self._searched)] = self._searched
        self._searched = searched

    def _make_grid(self, part_rows: int) -> None:
        if hasattr(self, "_buckets") and len(self._grid_places) >= part_rows:
            return
        capacity = 1 << (part_rows - 1).bit_length()
        self._buckets: NDArray[np.int32] = np.zeros(2 * capacity + 1, np.int32)
        self._grid_places: NDArray[Any] = np.zeros(capacity, PLACE)
        self._starts: NDArray[np.int32] = np.zeros(capacity, np.int32)
        self._moved: NDArray[np.int32] = np.zeros(capacity, np.int32)
        self._near: NDArray[np.int32] = np.zeros(capacity + MORE_NEAR, np.int32)
        self._boxes: NDArray[Any] = np.zeros(capacity, BOX)
        self._levels: NDArray[Any] = np.zeros(LEVELS, LEVEL)
