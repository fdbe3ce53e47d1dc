"""Outlines: all bodies' corners as polygons and lines, packed for the textbook kernels."""

import math
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.outlines import CHAIN, OUTLINE, POLYGON, SEGMENT, place_outlines
from ecs_physics.shapes import Shape
from ecs_physics.store import Store

ROUND_STEP: Final = math.pi / 12.0
"""rad. Round corners become polygons with a corner for each such turn: a disc has 24. Smaller:
rounder and slower. Larger: discs roll with bumps."""

Points = NDArray[np.float64]


class Outlines:
    """The outlines of all bodies of a store, packed anew when bodies come, go or change shape.

    `points` (V, 2) and `boxes` (bodies, 4), m, are in the world, as of the last `place()`; `loops`
    are rows of OUTLINE; those of row i are `first_loops[i]` to `first_loops[i + 1] - 1`.
    """

    def __init__(self) -> None:
        self.loops: NDArray[Any] = np.zeros(0, OUTLINE)
        self.first_loops: NDArray[np.int32] = np.zeros(1, np.int32)
        self.points: Points = np.zeros((0, 2))
        self.boxes: Points = np.zeros((0, 4))
        self._local: Points = np.zeros((0, 2))
        self._packed: tuple[Store, int] | None = None

    def place(self, store: Store) -> None:
        """Bring all outlines to where the bodies of `store` are."""
        if self._packed is None or self._packed[0] is not store or self._packed[1] != store.version:
            self._pack(store)
            self._packed = (store, store.version)
        place_outlines(
            store.rows,
            len(self.loops),
            self.loops,
            self._local,
            store.bodies,
            self.points,
            self.boxes,
        )

    def _pack(self, store: Store) -> None:
        loops: list[tuple[int, int, int, int]] = []
        points: list[Points] = []
        first_loops = np.zeros(store.rows + 1, np.int32)
        start = 0
        centers = store.bodies[["center_x", "center_y"]][: store.rows].tolist()
        for row, shape in enumerate(store.shapes[: store.rows]):
            if shape is not None:
                for kind, corners in outlines_of(shape):
                    loops.append((row, start, len(corners), kind))
                    points.append(corners - np.array(centers[row]))
                    start += len(corners)
            first_loops[row + 1] = len(loops)
        self.loops = np.array(loops, OUTLINE)
        self.first_loops = first_loops
        self._local = np.concatenate(points) if points else np.zeros((0, 2))
        self.points = np.zeros_like(self._local)
        self.boxes = np.zeros((len(store.bodies), 4))


@lru_cache(maxsize=512)
def outlines_of(shape: Shape) -> tuple[tuple[int, Points], ...]:
    """The outlines of a shape, each with its kind, (n, 2) m in the shape's coordinates.

    Polygons are counter-clockwise and begin with the first corner that was given; round shapes
    become polygons with corners on the round, one for each ROUND_STEP.
    """
    if shape.kind == "compound":
        return tuple(
            (kind, _placed(corners, x, y, angle))
            for inner, x, y, angle in shape.parameters[0]
            for kind, corners in outlines_of(inner)
        )
    if shape.kind == "chain":
        vertices, closed = shape.parameters
        return ((CHAIN, np.array([*vertices, vertices[0]] if closed else vertices)),)
    part = shape.parts[0]
    if shape.kind == "polygon" and len(shape.parts) > 1:
        return ((POLYGON, _counter_clockwise(np.array(shape.parameters[0]))),)
    if part.radius > 0.0:
        return ((POLYGON, _rounded(part.vertices, part.radius)),)
    return ((SEGMENT if len(part.vertices) == 2 else POLYGON, np.array(part.vertices)),)


def _counter_clockwise(vertices: Points) -> Points:
    x, y = (vertices - vertices[0]).T
    doubled = float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
    kept = (vertices != np.roll(vertices, -1, axis=0)).any(axis=1)
    if not kept.all():  # a corner that is given twice in a row
        vertices = vertices[kept]
    return vertices if doubled > 0.0 else np.concatenate([vertices[:1], vertices[:0:-1]])


def _rounded(vertices: Points, radius: float) -> Points:
    count = len(vertices)
    if count == 1:
        angles = np.arange(round(2.0 * math.pi / ROUND_STEP)) * ROUND_STEP
        circle: Points = vertices + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        return circle
    along = np.roll(vertices, -1, axis=0) - vertices
    directions = np.arctan2(-along[:, 0], along[:, 1])
    corners = []
    for i in range(count):
        begin = directions[i - 1]
        turn = (directions[i] - begin) % (2.0 * math.pi)
        angles = begin + np.linspace(0.0, turn, math.ceil(turn / ROUND_STEP - 1e-9) + 1)
        corners.append(vertices[i] + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1))
    return np.concatenate(corners)


def _placed(corners: Points, x: float, y: float, angle: float) -> Points:
    cos, sin = math.cos(angle), math.sin(angle)
    placed: Points = corners @ np.array([[cos, sin], [-sin, cos]]) + np.array([x, y])
    return placed
