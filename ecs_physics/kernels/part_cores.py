"""Cores of parts: what the manifolds ask of the edges and corners of one.

A part is the set of points within `radius` of the hull of its vertices, its core. Vertices are
rows (x, y, normal_x, normal_y) in the world's axes, m, about the centre of mass of their own
body, counter-clockwise, each with the outward normal of the edge from it to the next one.
"""

import math
from typing import Final

from ecs_physics.kernels.compile import Reals, inlined, inner

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
        along = vertices[row, 0] * x + vertices[row, 1] * y
        if along < low:
            low = along
    return low


@inlined
def facing_edge(vertices: Reals, first: int, count: int, x: float, y: float) -> int:
    """The row of the edge whose normal is most opposed to (x, y)."""
    edge = first
    least = FAR
    for row in range(first, first + count):
        facing = vertices[row, 2] * x + vertices[row, 3] * y
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
        normal_x = vertices[row, 2]
        normal_y = vertices[row, 3]
        low = lowest(vertices, first_b, count_b, normal_x, normal_y)
        gap = low + (dx - vertices[row, 0]) * normal_x + (dy - vertices[row, 1]) * normal_y
        if gap > best:
            best = gap
            edge = row
    return best, edge


@inlined
def best_face_of_box(
    vertices: Reals, first_a: int, first_b: int, dx: float, dy: float
) -> tuple[float, int]:
    """`best_face` for two boxes, which most bodies are: a pair of faces shares one direction."""
    gap_0, gap_2 = gaps_of_faces(vertices, first_a, first_b, dx, dy)
    gap_1, gap_3 = gaps_of_faces(vertices, first_a + 1, first_b, dx, dy)
    best = gap_0
    edge = first_a
    edge = first_a + 1 if gap_1 > best else edge
    best = gap_1 if gap_1 > best else best
    edge = first_a + 2 if gap_2 > best else edge
    best = gap_2 if gap_2 > best else best
    edge = first_a + 3 if gap_3 > best else edge
    best = gap_3 if gap_3 > best else best
    return best, edge


@inlined
def gaps_of_faces(
    vertices: Reals, row: int, first_b: int, dx: float, dy: float
) -> tuple[float, float]:
    """How far box B lies before the face in `row` and before the opposite one, m."""
    normal_x = vertices[row, 2]
    normal_y = vertices[row, 3]
    along_0 = vertices[first_b, 0] * normal_x + vertices[first_b, 1] * normal_y
    along_1 = vertices[first_b + 1, 0] * normal_x + vertices[first_b + 1, 1] * normal_y
    along_2 = vertices[first_b + 2, 0] * normal_x + vertices[first_b + 2, 1] * normal_y
    along_3 = vertices[first_b + 3, 0] * normal_x + vertices[first_b + 3, 1] * normal_y
    low_01 = along_1 if along_1 < along_0 else along_0
    high_01 = along_0 if along_1 < along_0 else along_1
    low_23 = along_3 if along_3 < along_2 else along_2
    high_23 = along_2 if along_3 < along_2 else along_3
    low = low_23 if low_23 < low_01 else low_01
    high = high_23 if high_23 > high_01 else high_01
    away = dx * normal_x + dy * normal_y
    face = vertices[row, 0] * normal_x + vertices[row, 1] * normal_y
    opposite = vertices[row + 2, 0] * normal_x + vertices[row + 2, 1] * normal_y
    return low + away - face, opposite - (high + away)


@inner
def nearest_corner(
    vertices: Reals, corner: int, first: int, count: int, dx: float, dy: float
) -> tuple[float, int]:
    """Of `count` vertices displaced by (dx, dy) the nearest to one: (distance in m, its row)."""
    x = vertices[corner, 0] - dx
    y = vertices[corner, 1] - dy
    least = FAR
    nearest = first
    for row in range(first, first + count):
        away_x = vertices[row, 0] - x
        away_y = vertices[row, 1] - y
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
        x += vertices[row, 0]
        y += vertices[row, 1]
    return x / count, y / count
