"""Seams: finds again which edges of static polygons lie open, whenever some of them change."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ecs_physics.constants import WELD_DISTANCE
from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.direct_calls import direct
from ecs_physics.kernels.few_moved import MORE_NEAR
from ecs_physics.kernels.hash_grid import BOX, FEWEST_BUCKETS, LEVEL, LEVELS, PLACE, find_pairs
from ecs_physics.kernels.seams import PIECE, find_free_edges, list_moved_statics
from ecs_physics.part_pool import PartPool
from ecs_physics.state import State, array
from ecs_physics.tables import BODY, DYNAMIC, STATIC, TRAITS

_MOST_BOXES: Final = 32
"""Changed places up to which their surroundings are looked for, instead of all being renewed."""

_MOST_EDGES: Final = 254
"""Free edges that a part can have; one with more is left as it was made."""

_BOX: Final = ("lower_x", "lower_y", "upper_x", "upper_y")
_ALIKE: Final = ("category", "mask", "group", "is_one_way", "one_way_x", "one_way_y")
"""Neighbours that others meet differently are no one solid."""

Table = NDArray[Any]
Rows = NDArray[np.int32]


class Seams:
    """Keeps the free edges of static polygons in the pool in step with where these are.

    `known[row]` says that a part is a static polygon, or a chain's edge, and `boxes[row]` where it
    was when it was last looked at.
    """

    def __init__(self) -> None:
        self.known = np.zeros(0, np.bool_)
        self.boxes = np.zeros((0, 4))
        self._moved = np.zeros(0, np.int32)

    def renew(self, pool: PartPool, bodies: Table, traits: Table) -> None:
        """Weld anew about static parts that came, went or moved since the last time."""
        self._grow(len(pool.parts))
        count = direct(list_moved_statics)(pool.rows, bodies, pool.parts, self._moved)
        gone = [row for row in pool.gone if self.known[row]]
        pool.gone.clear()
        if not count and not gone:
            return
        moved = self._moved[:count]
        lost = np.union1d(np.array(gone, np.int32), moved)
        lost = lost[self.known[lost]]
        places = self.boxes[lost]
        self.known[lost] = False
        for row in moved[pool.parts["seams"][moved] > 0].tolist():
            _set(pool, bodies, row, None)
        come = moved[_is_solid(moved, pool.parts, bodies, traits)]
        self.known[come] = True
        self.boxes[come] = np.column_stack([pool.parts[field][come] for field in _BOX])
        solid = np.flatnonzero(self.known).astype(np.int32)
        self._weld(solid, np.vstack([places, self.boxes[come]]), pool, bodies, traits)

    def state(self) -> State:
        """What `take_state` takes; the free edges themselves are the pool's."""
        return {"known": self.known, "boxes": self.boxes}

    def take_state(self, state: State) -> None:
        """Become what `state` says, a copy."""
        self.known = array(state["known"]).copy()
        self.boxes = array(state["boxes"]).copy()

    def _weld(
        self, solid: Rows, places: NDArray[np.float64], pool: PartPool, bodies: Table, traits: Table
    ) -> None:
        about = self._is_about(solid, places)
        chosen = solid[about]
        if not len(chosen):
            return
        lower, upper = self.boxes[chosen, :2].min(axis=0), self.boxes[chosen, 2:].max(axis=0)
        near = self._touch(solid, np.concatenate([lower, upper]))
        solid, about = solid[near], about[near]
        firsts, neighbours = _neighbours(solid, about, self.boxes, pool.parts, traits, bodies)
        if not len(neighbours):
            for part in chosen.tolist():
                _set(pool, bodies, part, None)
            return
        warm_up("seams")
        room = 2 * int(pool.parts["count"][chosen].sum())
        while True:
            pieces, rows = np.zeros(room, PIECE), np.zeros((4 * room, 4))
            counts = np.full(len(chosen), -1, np.int32)
            found = find_free_edges(
                chosen,
                firsts,
                neighbours,
                bodies,
                pool.parts,
                pool.world_vertices,
                np.zeros((len(neighbours) + 1, 2)),
                pieces,
                rows,
                counts,
            )
            if found <= room:
                break
            room = found
        end = 0
        for part, count in zip(chosen.tolist(), counts.tolist(), strict=True):
            start, end = end, end + max(4 * count, 0)
            fits = 0 <= count <= _MOST_EDGES
            _set(pool, bodies, part, rows[start:end] if fits else None)

    def _is_about(self, solid: Rows, places: NDArray[np.float64]) -> NDArray[np.bool_]:
        if len(places) > _MOST_BOXES:
            return np.ones(len(solid), np.bool_)
        about = np.zeros(len(solid), np.bool_)
        for place in places:
            about |= self._touch(solid, place)
        return about

    def _touch(self, solid: Rows, place: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which of the parts are at or next to a box."""
        boxes, reach = self.boxes[solid], 2.0 * WELD_DISTANCE
        is_below = np.all(boxes[:, :2] <= place[2:] + reach, axis=1)
        return is_below & np.all(boxes[:, 2:] >= place[:2] - reach, axis=1)

    def _grow(self, rows: int) -> None:
        missing = rows - len(self.known)
        if missing > 0:
            self.known = np.concatenate([self.known, np.zeros(missing, np.bool_)])
            self.boxes = np.vstack([self.boxes, np.zeros((missing, 4))])
        if rows > len(self._moved):
            self._moved = np.zeros(rows, np.int32)


def _set(pool: PartPool, bodies: Table, part: int, edges: NDArray[np.float64] | None) -> None:
    if pool.parts["one_sided"][part]:
        body: Any = bodies[pool.parts["body"][part]]
        pool.set_beyond(part, edges, float(body["cos"]), float(body["sin"]))
    else:
        pool.set_free_edges(part, edges)


def _is_solid(rows: Rows, parts: Table, bodies: Table, traits: Table) -> NDArray[np.bool_]:
    """Which of these parts are static polygons, or edges of chains, that stop others."""
    body = parts["body"][rows]
    is_polygon = (parts["count"][rows] > 2) & (parts["radius"][rows] == 0.0)
    is_chain = parts["one_sided"][rows]
    return (is_polygon | is_chain) & (bodies["kind"][body] == STATIC) & ~traits["is_sensor"][body]


def _neighbours(
    solid: Rows,
    about: NDArray[np.bool_],
    boxes: NDArray[np.float64],
    parts: Table,
    traits: Table,
    bodies: Table,
) -> tuple[NDArray[np.int64], Rows]:
    """Which parts lie close to those of `solid` that are `about`: where each one's begin, and they.

    Found by the grid of the broad phase, for which each part is a body of its own.
    """
    pairs = solid[_close_pairs(parts[solid], boxes[solid], about)]
    body = parts["body"][pairs]
    alike = np.ones(len(pairs), np.bool_)
    for field in _ALIKE:
        alike &= traits[field][body[:, 0]] == traits[field][body[:, 1]]
    turned = bodies["angle"][body[:, 0]] != bodies["angle"][body[:, 1]]
    alike &= ~(traits["is_one_way"][body[:, 0]] & turned)
    pairs = pairs[alike]
    both = np.vstack([pairs, pairs[:, ::-1]])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    chosen = solid[about]
    begins = np.searchsorted(both[:, 0], chosen, side="left")
    ends = np.searchsorted(both[:, 0], chosen, side="right")
    neighbours = [both[begin:end, 1] for begin, end in zip(begins, ends, strict=True)]
    firsts = np.concatenate([[0], np.cumsum(ends - begins)])
    return firsts.astype(np.int64), np.ascontiguousarray(np.concatenate(neighbours), np.int32)


def _close_pairs(
    parts: Table, boxes: NDArray[np.float64], about: NDArray[np.bool_]
) -> NDArray[np.int32]:
    count = len(parts)
    reach = np.array([-1.0, -1.0, 1.0, 1.0]) * WELD_DISTANCE
    outwards = np.copysign(np.float32(np.inf), reach).astype(np.float32)
    fat = np.nextafter((boxes + reach).astype(np.float32), outwards)
    for column, field in enumerate(_BOX):
        parts[f"fat_{field}"] = fat[:, column]
    parts["body"] = np.arange(count)
    parts["moved"] = about
    bodies, traits = np.zeros(count, BODY), np.zeros(count, TRAITS)
    bodies["kind"] = DYNAMIC
    traits["category"] = traits["mask"] = 1
    capacity = max(1 << (count - 1).bit_length(), FEWEST_BUCKETS)
    buckets = np.zeros(2 * capacity + 1, np.int32)
    places, grid = np.zeros(capacity, PLACE), np.zeros(capacity, BOX)
    levels, excluded = np.zeros(LEVELS, LEVEL), np.zeros(0, np.int64)
    moved, near = np.zeros(count, np.int32), np.zeros(count + MORE_NEAR, np.int32)
    searched = np.where(about[:, None], np.float32(np.nan), fat)
    pairs = np.zeros((4 * count, 2), np.int32)
    while True:
        found = find_pairs(
            count,
            bodies,
            traits,
            excluded,
            parts,
            searched,
            buckets,
            places,
            grid,
            levels,
            moved,
            near,
            pairs,
        )
        if found <= len(pairs):
            return pairs[:found]
        pairs = np.zeros((found, 2), np.int32)
