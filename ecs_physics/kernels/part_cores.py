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


@inlined
def facing_edge_of_box(vertices: Reals, first: int, x: float, y: float) -> int:
    """`facing_edge` for a box: opposite edges have opposite normals."""
    along_0 = vertices[at(first), 2] * x + vertices[at(first), 3] * y
    along_1 = vertices[at(first + 1), 2] * x + vertices[at(first + 1), 3] * y
    edge_02 = first if along_0 <= 0.0 else first + 2
    edge_13 = first + 1 if along_1 <= 0.0 else first + 3
    return edge_02 if abs(along_0) >= abs(along_1) else edge_13


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


@inlined
def best_face_of_box(
    vertices: Reals, first_a: int, first_b: int, dx: float, dy: float
) -> tuple[float, int]:
    """`best_face` for two boxes (or other parallelograms), which most bodies are.

    Opposite faces lie equally far from the middle, and B reaches as far to both sides of its own,
    so of each pair only the face on B's side counts.
    """
    away_x = 0.5 * (vertices[at(first_b), 0] + vertices[at(first_b + 2), 0]) + dx
    away_y = 0.5 * (vertices[at(first_b), 1] + vertices[at(first_b + 2), 1]) + dy
    away_x -= 0.5 * (vertices[at(first_a), 0] + vertices[at(first_a + 2), 0])
    away_y -= 0.5 * (vertices[at(first_a), 1] + vertices[at(first_a + 2), 1])
    gap_02, is_far_02 = gap_of_faces(vertices, first_a, first_b, away_x, away_y)
    gap_13, is_far_13 = gap_of_faces(vertices, first_a + 1, first_b, away_x, away_y)
    edge_02 = first_a + 2 if is_far_02 else first_a
    edge_13 = first_a + 3 if is_far_13 else first_a + 1
    return max(gap_02, gap_13), edge_13 if gap_13 > gap_02 else edge_02


@inlined
def gap_of_faces(
    vertices: Reals, row: int, first_b: int, away_x: float, away_y: float
) -> tuple[float, bool]:
    """How far box B lies before the face in `row` or the opposite one, m, and whether before that.

    (away_x, away_y) leads from the middle of A to that of B, m.
    """
    normal_x = vertices[at(row), 2]
    normal_y = vertices[at(row), 3]
    to_face = (vertices[at(row), 0] - vertices[at(row + 2), 0]) * normal_x
    to_face += (vertices[at(row), 1] - vertices[at(row + 2), 1]) * normal_y
    side_x = vertices[at(first_b + 1), 0] - vertices[at(first_b), 0]
    side_y = vertices[at(first_b + 1), 1] - vertices[at(first_b), 1]
    other_x = vertices[at(first_b + 2), 0] - vertices[at(first_b + 1), 0]
    other_y = vertices[at(first_b + 2), 1] - vertices[at(first_b + 1), 1]
    width = abs(side_x * normal_x + side_y * normal_y)
    width += abs(other_x * normal_x + other_y * normal_y)
    along = away_x * normal_x + away_y * normal_y
    return abs(along) - 0.5 * (to_face + width), along < 0.0


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
