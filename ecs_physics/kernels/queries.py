"""Questions about places: which bodies cover a point, which parts lie in a box.

Arrays, all owned by the caller:

- `parts`: (P,) PART, `bodies`: (B,) BODY, read only.
- `world_vertices`: (V, 4) float64, C-contiguous: x, y and the edge's outward normal, in world
  axes and relative to the body's centre of mass. Answers are as old as they and the boxes are.
- `rows_out`: (N,) int32.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.compile import inner, integer, integers32, kernel, real, reals2, table
from ecs_physics.tables import BODY, PART

Table = NDArray[Any]
Reals = NDArray[np.float64]
Integers = NDArray[np.int32]


@kernel(integer(real, real, real, integer, table(BODY), table(PART), reals2, integers32))
def points_in_parts(
    x: float,
    y: float,
    tolerance: float,
    part_rows: int,
    bodies: Table,
    parts: Table,
    world_vertices: Reals,
    rows_out: Integers,
) -> int:
    """Write the rows of the bodies that cover the point (`x`, `y`) (m); return how many do.

    A part covers what is inside it and on its boundary. A chain's edge, or a segment without a
    radius, has no inside: it covers what lies within `tolerance` (m) of it, and nothing where
    `tolerance` is 0. A part with NaN in its place covers nothing.

    Each body comes once, in the order of its first part that covers the point. The number
    returned may be larger than `rows_out` has room for: then only the first are written.
    """
    found = 0
    for part in range(part_rows):
        if parts[part].body < 0:
            continue
        if not _covers(part, x, y, tolerance, bodies, parts, world_vertices):
            continue
        if _earlier_covers(part, x, y, tolerance, bodies, parts, world_vertices):
            continue
        if found < rows_out.shape[0]:
            rows_out[found] = parts[part].body
        found += 1
    return found


@inner
def _earlier_covers(
    part: int,
    x: float,
    y: float,
    tolerance: float,
    bodies: Table,
    parts: Table,
    world_vertices: Reals,
) -> bool:
    """Whether a part of the same body with a smaller row covers the point too."""
    other = bodies[parts[part].body].first_part
    while other >= 0:
        if other < part and _covers(other, x, y, tolerance, bodies, parts, world_vertices):
            return True
        other = parts[other].next
    return False


@inner
def _covers(
    part: int,
    x: float,
    y: float,
    tolerance: float,
    bodies: Table,
    parts: Table,
    world_vertices: Reals,
) -> bool:
    """Whether one part covers the point."""
    body = parts[part].body
    x -= bodies[body].x
    y -= bodies[body].y
    if not max(abs(x), abs(y)) <= bodies[body].extent + tolerance:
        return False
    first = parts[part].first_vertex
    count = parts[part].count
    reach = parts[part].radius
    if count <= 2 and (parts[part].one_sided or reach == 0.0):
        if tolerance <= 0.0:
            return False
        reach += tolerance
    if count > 2 and _inside(x, y, first, count, world_vertices):
        return True
    return _distance(x, y, first, count, world_vertices) <= reach


@inner
def _inside(x: float, y: float, first: int, count: int, world_vertices: Reals) -> bool:
    """Whether the point lies inside a convex polygon, or on its boundary."""
    for v in range(first, first + count):
        out = (x - world_vertices[v, 0]) * world_vertices[v, 2]
        out += (y - world_vertices[v, 1]) * world_vertices[v, 3]
        if not out <= 0.0:
            return False
    return True


@inner
def _distance(x: float, y: float, first: int, count: int, world_vertices: Reals) -> float:
    """Distance (m) of the point from the nearest edge of a part, or from its only vertex."""
    nearest = math.inf
    before_x = world_vertices[first + count - 1, 0]
    before_y = world_vertices[first + count - 1, 1]
    for v in range(first, first + count):
        along_x = world_vertices[v, 0] - before_x
        along_y = world_vertices[v, 1] - before_y
        from_x = x - before_x
        from_y = y - before_y
        length_2 = along_x * along_x + along_y * along_y
        share = 0.0
        if length_2 > 0.0:
            share = (from_x * along_x + from_y * along_y) / length_2
            share = max(0.0, min(share, 1.0))
        distance = math.hypot(from_x - share * along_x, from_y - share * along_y)
        nearest = min(nearest, distance)
        before_x = world_vertices[v, 0]
        before_y = world_vertices[v, 1]
    return nearest
