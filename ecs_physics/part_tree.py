"""The tree in which queries look for the parts of bodies, kept in step with the world."""

from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.bounding_tree import BINS, build_tree, fit_tree
from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.tree_leaves import LEAF, follow_poses, place_shape
from ecs_physics.part_pool import PartPool, prepare
from ecs_physics.shapes import Shape
from ecs_physics.store import Store

_SLACKEST: Final = 1.6
"""A tree that is so many times as long around as when it was built is built anew. Lower: more
building while bodies move. Higher: slower queries."""


class PartTree:
    """Copies of all parts where the Transforms say that they are, in a tree of boxes.

    `follow` renews what has changed since the last time: nothing where nothing has; the boxes
    where bodies have moved; all of it where parts have come or gone. It writes to nothing but its
    own arrays, so that a query in the middle of a step does not disturb that.

    The arrays are described in kernels/tree_leaves.py and kernels/bounding_tree.py.
    """

    leaves: NDArray[Any]
    corners: NDArray[np.float64]
    bounds: NDArray[np.float64]
    children: NDArray[np.int32]
    leaf_of_part: NDArray[np.int32]
    stack: NDArray[np.int32]
    entries: NDArray[np.float64]
    arrays: tuple[NDArray[Any], ...]
    """Those that kernels take to look for what a query sees, in their order."""
    _placed: NDArray[np.float64]
    _order: NDArray[np.int32]
    _spare: NDArray[Any]
    _centers: NDArray[np.float64]
    _tasks: NDArray[np.int32]

    def __init__(self) -> None:
        self._pool: PartPool | None = None
        self._version = -1
        self._length = 0.0
        self.count = 0
        self._bins = np.zeros((BINS, 5))
        self._make_room(0, 0, 0)

    def forget(self) -> None:
        """Have the next `follow` build the tree, whatever it knows."""
        self._pool = None

    def follow(self, store: Store) -> None:
        """Make the tree what the world is now. The store has adopted what changed."""
        pool = store.pool
        if pool is not self._pool or pool.version != self._version:
            self._build(store)
            return
        moved = follow_poses(
            store.rows,
            store.transforms,
            store.bodies,
            store.parts,
            store.local_vertices,
            self.leaf_of_part,
            self.leaves,
            self.corners,
            self._placed,
        )
        if moved and self._fit() > _SLACKEST * self._length:
            self._build(store)

    def _build(self, store: Store) -> None:
        warm_up("queries")
        pool = store.pool
        if len(pool.parts) > len(self.leaves) or len(pool.local_vertices) > len(self.corners):
            self._make_room(len(pool.parts), len(pool.local_vertices), len(store.bodies))
        if len(store.bodies) > len(self._placed):
            self._placed = np.zeros((len(store.bodies), 3))
        self.count = build_tree(
            store.rows,
            store.transforms,
            store.bodies,
            store.parts,
            store.local_vertices,
            self.leaf_of_part,
            self.leaves,
            self.corners,
            self._placed,
            self.children,
            self._order,
            self._spare,
            self._centers,
            self._bins,
            self._tasks,
        )
        self._pool = pool
        self._version = pool.version
        self._length = self._fit()

    def _fit(self) -> float:
        return float(fit_tree(self.count, self.leaves, self.children, self.bounds))

    def _make_room(self, parts: int, vertices: int, bodies: int) -> None:
        room = parts + 2
        self.leaves = np.zeros(room, LEAF)
        self.corners = np.zeros((vertices, 2))
        self.bounds = np.zeros((room, 8))
        self.children = np.zeros((room, 2), np.int32)
        self.leaf_of_part = np.zeros(room, np.int32)
        self.stack = np.zeros(room, np.int32)
        self.arrays = (self.leaves, self.corners, self.bounds, self.children, self.stack)
        self.entries = np.zeros(room)
        self._placed = np.zeros((bodies, 3))
        self._order = np.zeros(room, np.int32)
        self._spare = np.zeros(room, LEAF)
        self._centers = np.zeros((room, 2))
        self._tasks = np.zeros((room, 4), np.int32)


class PlacedShape:
    """The parts of a shape that a query asks about, as leaves of no body."""

    def __init__(self, shape: Shape) -> None:
        prepared = prepare(shape, 0.0, 0.0).parts
        self.count = len(prepared)
        self.leaves = np.zeros(self.count, LEAF)
        self._first_vertices = np.zeros(self.count, np.int32)
        self._vertices = np.vstack([part.vertices for part in prepared])
        rows = vertices = 0
        for leaf, part in enumerate(prepared):
            row: Any = self.leaves[leaf]
            row["first"], row["count"], row["radius"] = vertices, part.count, part.radius
            self._first_vertices[leaf] = rows + 1 if part.one_sided else rows
            rows += len(part.vertices)
            vertices += part.count
        self.corners: NDArray[np.float64] = np.zeros((vertices, 2))

    def place(self, x: float, y: float, angle: float) -> None:
        """Put its origin at (x, y), m, turned by `angle`, rad."""
        place_shape(
            self.count,
            x,
            y,
            angle,
            self._first_vertices,
            self._vertices,
            self.leaves,
            self.corners,
        )


@lru_cache(maxsize=64)
def placed_shape(shape: Shape) -> PlacedShape:
    """The same one for equal shapes: whoever uses it places it first."""
    return PlacedShape(shape)
