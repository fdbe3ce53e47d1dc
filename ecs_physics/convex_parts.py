"""A simple polygon cut into few convex parts."""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

Vertices = NDArray[np.float64]

RELATIVE_TOLERANCE: Final = 1e-12
"""Ratio to the polygon's size. A corner nearer than this to the line through its neighbours is
no corner. Smaller: rounding makes corners on straight edges. Larger: fine circles lose theirs."""

_ROUNDING: Final = 4.0 * float(np.finfo(np.float64).eps)
_AREA_TOLERANCE: Final = 1e-9


def following(rows: Vertices) -> Vertices:
    """For each row of a ring the next one: `numpy.roll(rows, -1, axis=0)`, ten times as fast."""
    return np.concatenate([rows[1:], rows[:1]])


def preceding(rows: Vertices) -> Vertices:
    """For each row of a ring the one before."""
    return np.concatenate([rows[-1:], rows[:-1]])


def length_tolerance(vertices: Vertices) -> float:
    """How far (m) two things may be apart in a polygon with these (n, 2) vertices and count as one.

    A fixed fraction of the polygon's size, and what the rounding of its coordinates allows.
    """
    size = float(np.ptp(vertices, axis=0).max())
    return RELATIVE_TOLERANCE * size + _ROUNDING * float(np.abs(vertices).max())


def corners(vertices: Vertices, tolerance: float) -> NDArray[np.intp]:
    """The vertices of a polygon that make its outline: indices in order.

    Left out are vertices that the next one repeats, and those on the straight line between
    their neighbours. Where the outline folds back on itself the vertex is kept.

    Args:
        vertices: (n, 2) of a closed outline, either winding, m.
        tolerance: m, see `length_tolerance`.
    """
    step = following(vertices) - vertices
    kept = np.flatnonzero(np.hypot(step[:, 0], step[:, 1]) > tolerance)
    while len(kept) > 2:
        points = vertices[kept]
        into = points - preceding(points)
        out = following(into)
        chord = into + out
        away = np.abs(into[:, 0] * out[:, 1] - into[:, 1] * out[:, 0])
        near = away <= tolerance * np.hypot(chord[:, 0], chord[:, 1])
        straight = near & ((into * out).sum(axis=1) > 0.0)
        if not straight.any():
            break
        kept = kept[~straight]
    return kept


def convex_parts(vertices: Vertices) -> list[Vertices]:
    """Cut a simple polygon into convex polygons that cover it exactly and do not overlap.

    The polygon is triangulated (ear clipping, mapbox-earcut), then triangles are joined across
    shared diagonals, in a fixed order, wherever the union stays convex: at most four times as
    many parts as the best partition has (Hertel and Mehlhorn 1983). A part has any number of
    vertices. All vertices of the parts are vertices of the polygon.

    Args:
        vertices: (n, 2) corners counter-clockwise, m, of a simple polygon without repeated
            corners.

    Returns:
        (k, 2) arrays, counter-clockwise, in an order that depends on `vertices` alone.

    Raises:
        ValueError: where the triangles do not add up to the polygon, as can happen when edges
            all but touch.
    """
    from mapbox_earcut import triangulate_float64

    points = np.ascontiguousarray(vertices - vertices[0])
    ends = np.array([len(points)], dtype=np.uint32)
    triangles = triangulate_float64(points, ends).reshape(-1, 3).astype(np.intp)
    doubled = _doubled_areas(points, triangles)
    triangles[doubled < 0.0] = triangles[doubled < 0.0][:, ::-1]
    _check_cover(points, float(np.abs(doubled).sum()))
    tolerance = length_tolerance(vertices)
    rings = _joined(points, triangles.tolist(), tolerance)
    parts = (ring[corners(ring, tolerance)] for ring in (vertices[r] for r in rings))
    return [part for part in parts if len(part) > 2]


def _doubled_areas(points: Vertices, triangles: NDArray[np.intp]) -> Vertices:
    first = points[triangles[:, 0]]
    along = points[triangles[:, 1]] - first
    across = points[triangles[:, 2]] - first
    doubled: Vertices = along[:, 0] * across[:, 1] - along[:, 1] * across[:, 0]
    return doubled


def _check_cover(points: Vertices, doubled_area: float) -> None:
    ends = following(points)
    wanted = float((points[:, 0] * ends[:, 1] - points[:, 1] * ends[:, 0]).sum())
    size = float(np.ptp(points, axis=0).max())
    if abs(doubled_area - wanted) > _AREA_TOLERANCE * max(wanted, RELATIVE_TOLERANCE * size * size):
        raise ValueError(
            f"a polygon of area {0.5 * wanted:.6g} m^2 was cut into triangles of "
            f"{0.5 * doubled_area:.6g} m^2: move edges apart that all but touch"
        )


def _joined(points: Vertices, triangles: list[list[int]], tolerance: float) -> list[list[int]]:
    """Join triangles across shared edges while convex; rings of indices, in order."""
    rings: list[list[int]] = triangles
    owner = {(ring[i - 1], ring[i]): number for number, ring in enumerate(rings) for i in range(3)}
    parent = list(range(len(rings)))

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    coordinates: list[list[float]] = points.tolist()
    for (start, end), number in owner.items():
        if start > end or (end, start) not in owner:
            continue
        left, right = root(number), root(owner[end, start])
        if left == right:
            continue
        ring = _union(rings[left], rings[right], start, end)
        last = ring.index(end)
        if all(_turns_left(coordinates, ring, at, tolerance) for at in (0, last)):
            parent[right] = left
            rings[left] = ring
    return [ring for number, ring in enumerate(rings) if parent[number] == number]


def _union(left: list[int], right: list[int], start: int, end: int) -> list[int]:
    """The ring around two that share an edge, from `start` on.

    The edge runs from `start` to `end` in the left ring, and back in the right one.
    """
    i, j = left.index(end), right.index(start)
    ahead = right[j:] + right[:j]  # start ... end
    back = left[i:] + left[:i]  # end ... start
    return ahead + back[1:-1]


def _turns_left(coordinates: list[list[float]], ring: list[int], at: int, tolerance: float) -> bool:
    ax, ay = coordinates[ring[at - 1]]
    bx, by = coordinates[ring[at]]
    cx, cy = coordinates[ring[(at + 1) % len(ring)]]
    cross = (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
    return cross >= -tolerance * math.hypot(cx - ax, cy - ay)
