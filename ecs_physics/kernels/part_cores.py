"""Cores of parts: what the manifolds ask of the edges and corners of one.

A part is the set of points within `radius` of the hull of its vertices, its core. Vertices are
rows (x, y, normal_x, normal_y) in the world's axes, m, about the centre of mass of their own
body, counter-clockwise, each with the outward normal of the edge from it to the next one.
"""

import math
from typing import Final

from ecs_physics.kernels.compile import Reals, at, inlined, inner

SLACK: Final = 1e-9
"""m. Points this far beyond an edge's end still belong to it. Smaller: rounding errors open
cracks between neighbours. Larger: bodies touch what is beside them."""

COINCIDENT: Final = 1e-8
"""m. Points closer than this have no direction from one to the other."""

FAR: Final = 1e300
"""m. Farther than anything."""


@inlined
def next_vertex(row: int, first: int, count: int) -> int:
    """The row of the vertex after that in `row`."""
    return row + 1 if row + 1 < first + count else first


@inner
def lowest(vertices: Reals, first: int, count: int, x: float, y: float) -> float:
    """The smallest coordinate along (x, y) of `count` vertices, m."""
    low = FAR
    for row in range(first, first + count):
        along = vertices[at(row), 0] * x + vertices[at(row), 1] * y
        if along < low:
            low = along
    return low


@inlined
def facing_edge(vertices: Reals, first: int, count: int, x: float, y: float) -> int:
    """The row of the edge whose normal is most opposed to (x, y)."""
    edge = first
    least = FAR
    for row in range(first, first + count):
        facing = vertices[at(row), 2] * x + vertices[at(row), 3] * y
        if facing < least:
            least = facing
            edge = row
    return edge


@inner
def best_face(
    vertices: Reals, first_a: int, count_a: int, first_b: int, count_b: int, dx: float, dy: float
) -> tuple[float, int]:
    """The edge of A whose line keeps B farthest off: (gap along its normal in m, its row)."""
    best = -FAR
    edge = first_a
    for row in range(first_a, first_a + count_a):
        normal_x = vertices[at(row), 2]
        normal_y = vertices[at(row), 3]
        low = lowest(vertices, first_b, count_b, normal_x, normal_y)
        gap = low + (dx - vertices[at(row), 0]) * normal_x + (dy - vertices[at(row), 1]) * normal_y
        if gap > best:
            best = gap
            edge = row
    return best, edge


@inner
def nearest_corner(
    vertices: Reals, corner: int, first: int, count: int, dx: float, dy: float
) -> tuple[float, int]:
    """Of `count` vertices displaced by (dx, dy) the nearest to one: (distance in m, its row)."""
    x = vertices[at(corner), 0] - dx
    y = vertices[at(corner), 1] - dy
    least = FAR
    nearest = first
    for row in range(first, first + count):
        away_x = vertices[at(row), 0] - x
        away_y = vertices[at(row), 1] - y
        square = away_x * away_x + away_y * away_y
        if square < least:
            least = square
            nearest = row
    return math.sqrt(least), nearest


@inner
def middle(vertices: Reals, first: int, count: int) -> tuple[float, float]:
    """The mean of a part's vertices, a point inside its core, m."""
    x = 0.0
    y = 0.0
    for row in range(first, first + count):
        x += vertices[at(row), 0]
        y += vertices[at(row), 1]
    return x / count, y / count
