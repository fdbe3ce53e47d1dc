"""How far two convex parts are apart, and at which points: Gilbert, Johnson and Keerthi's method.

A and B are the hulls of some vertices, without their rounding. The hull of all differences b - a
has the origin at the same distance as A has B; the method walks over its corners towards the
origin, holding one or two of them, until no corner lies nearer. In 2-D that ends at the nearest
corner or edge after a few steps, so the answer is exact but for rounding.

Vertices are rows that begin with x and y, m, in any order around the hull; A and B may lie in two
arrays or in one. B is displaced by (dx, dy), m: for vertices about a centre of mass, how far B's
is from A's; for vertices in the world 0.

Who casts shapes or looks for a time of impact finds here what one step of conservative
advancement needs: nothing can touch before the distance, less both radii, has been used up.
"""

import math
from typing import Final

from ecs_physics.kernels.compile import Reals, inlined, inner

MOST_STEPS: Final = 100
"""Corners looked at, at most. It ends by itself before; rounding might make it run in a ring."""

Corner = tuple[float, float, int, int]
"""A corner of the hull of differences: x, y (m), and the rows of its vertices of A and of B."""

Distance = tuple[float, float, float, float, float]
"""Distance (m), nearest point of A and of B (x and y, m; both in A's coordinates)."""


@inner
def distance_of_parts(
    vertices_a: Reals,
    first_a: int,
    count_a: int,
    vertices_b: Reals,
    first_b: int,
    count_b: int,
    dx: float,
    dy: float,
) -> Distance:
    """The distance of A from B and the points where they are nearest, rounding left out.

    Where they overlap the distance is 0, and both points are one that lies in both.
    """
    w0 = _difference(vertices_a, first_a, vertices_b, first_b, dx, dy)
    w1 = w0
    share = 0.0
    nearest = w0[0] * w0[0] + w0[1] * w0[1]
    for _ in range(MOST_STEPS):
        if nearest == 0.0:
            break
        x, y = _towards_origin(w0, w1)
        w2 = _farthest(vertices_a, first_a, count_a, vertices_b, first_b, count_b, dx, dy, x, y)
        if not (w2[0] - w0[0]) * x + (w2[1] - w0[1]) * y > 0.0:
            break
        if _holds_origin(w0, w1, w2):
            return _common_point(vertices_a, w0, w1, w2)
        share_0, square_0 = _nearest_on_edge(w0, w2)
        share_1, square_1 = _nearest_on_edge(w1, w2)
        if not min(square_0, square_1) < nearest:
            break
        if square_1 < square_0:
            w0 = w1
            share_0 = share_1
        nearest = min(square_0, square_1)
        w1 = w2
        share = share_0
        if share == 0.0:
            w1 = w0
        elif share == 1.0:
            w0 = w1
            share = 0.0
    ax = vertices_a[w0[2], 0] + share * (vertices_a[w1[2], 0] - vertices_a[w0[2], 0])
    ay = vertices_a[w0[2], 1] + share * (vertices_a[w1[2], 1] - vertices_a[w0[2], 1])
    bx = vertices_b[w0[3], 0] + share * (vertices_b[w1[3], 0] - vertices_b[w0[3], 0])
    by = vertices_b[w0[3], 1] + share * (vertices_b[w1[3], 1] - vertices_b[w0[3], 1])
    return math.sqrt(nearest), ax, ay, bx + dx, by + dy


@inlined
def _difference(
    vertices_a: Reals, row_a: int, vertices_b: Reals, row_b: int, dx: float, dy: float
) -> Corner:
    x = vertices_b[row_b, 0] - vertices_a[row_a, 0] + dx
    y = vertices_b[row_b, 1] - vertices_a[row_a, 1] + dy
    return x, y, row_a, row_b


@inlined
def _towards_origin(w0: Corner, w1: Corner) -> tuple[float, float]:
    """From a corner, or square to an edge, towards the origin; of any length."""
    along_x = w1[0] - w0[0]
    along_y = w1[1] - w0[1]
    if along_x == 0.0 and along_y == 0.0:
        return -w0[0], -w0[1]
    side = along_y * w0[0] - along_x * w0[1]  # of the origin, to the right of the edge if < 0
    if side > 0.0:
        return -along_y, along_x
    return along_y, -along_x


@inlined
def _farthest(
    vertices_a: Reals,
    first_a: int,
    count_a: int,
    vertices_b: Reals,
    first_b: int,
    count_b: int,
    dx: float,
    dy: float,
    x: float,
    y: float,
) -> Corner:
    """The corner of the hull of differences that lies farthest along (x, y)."""
    row_a = first_a
    low = vertices_a[first_a, 0] * x + vertices_a[first_a, 1] * y
    for row in range(first_a + 1, first_a + count_a):
        along = vertices_a[row, 0] * x + vertices_a[row, 1] * y
        if along < low:
            low = along
            row_a = row
    row_b = first_b
    high = vertices_b[first_b, 0] * x + vertices_b[first_b, 1] * y
    for row in range(first_b + 1, first_b + count_b):
        along = vertices_b[row, 0] * x + vertices_b[row, 1] * y
        if along > high:
            high = along
            row_b = row
    return _difference(vertices_a, row_a, vertices_b, row_b, dx, dy)


@inlined
def _holds_origin(w0: Corner, w1: Corner, w2: Corner) -> bool:
    """Whether the origin lies in a triangle that has an area, or on its boundary."""
    turn_0 = w1[0] * w2[1] - w1[1] * w2[0]
    turn_1 = w2[0] * w0[1] - w2[1] * w0[0]
    turn_2 = w0[0] * w1[1] - w0[1] * w1[0]
    if turn_0 + turn_1 + turn_2 == 0.0:
        return False
    is_left = turn_0 >= 0.0 and turn_1 >= 0.0 and turn_2 >= 0.0
    return is_left or (turn_0 <= 0.0 and turn_1 <= 0.0 and turn_2 <= 0.0)


@inlined
def _common_point(vertices_a: Reals, w0: Corner, w1: Corner, w2: Corner) -> Distance:
    """A point of A and B, from the origin's shares of the triangle's corners."""
    turn_0 = w1[0] * w2[1] - w1[1] * w2[0]
    turn_1 = w2[0] * w0[1] - w2[1] * w0[0]
    turn_2 = w0[0] * w1[1] - w0[1] * w1[0]
    per_turn = 1.0 / (turn_0 + turn_1 + turn_2)
    x = turn_0 * vertices_a[w0[2], 0] + turn_1 * vertices_a[w1[2], 0]
    x = (x + turn_2 * vertices_a[w2[2], 0]) * per_turn
    y = turn_0 * vertices_a[w0[2], 1] + turn_1 * vertices_a[w1[2], 1]
    y = (y + turn_2 * vertices_a[w2[2], 1]) * per_turn
    return 0.0, x, y, x, y


@inlined
def _nearest_on_edge(w0: Corner, w1: Corner) -> tuple[float, float]:
    """Where an edge is nearest to the origin: share of the way to w1, distance squared (m^2)."""
    along_x = w1[0] - w0[0]
    along_y = w1[1] - w0[1]
    before = -(w0[0] * along_x + w0[1] * along_y)
    behind = w1[0] * along_x + w1[1] * along_y
    if before <= 0.0:
        return 0.0, w0[0] * w0[0] + w0[1] * w0[1]
    if behind <= 0.0:
        return 1.0, w1[0] * w1[0] + w1[1] * w1[1]
    turn = w0[0] * along_y - w0[1] * along_x
    return before / (before + behind), turn * turn / (along_x * along_x + along_y * along_y)
