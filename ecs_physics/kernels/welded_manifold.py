"""Where a part of a welded solid, A, touches another part: over its free edges (seams.py).

Each free edge is met as an edge of a chain is (chain_edge.py), so its normals are only what the
surface of the whole solid has. What is so deep inside that no edge has it in front of it is
pushed out through the nearest one.

What the arguments are: part_pairs.py.
"""

from typing import Final

import numpy as np

from ecs_physics.kernels.chain_edge import collide_edge_circle, collide_edge_polygon
from ecs_physics.kernels.compile import Reals, Record, inlined, inner
from ecs_physics.kernels.manifold import (
    ROUND,
    TWO_VERTICES,
    VERTEX_OF_A,
    VERTEX_OF_B,
    Manifold,
    feature,
    no_manifold,
    one_point,
    seen_from_other,
)
from ecs_physics.kernels.part_cores import FAR, SLACK, facing_edge, lowest, middle, next_vertex
from ecs_physics.kernels.polygon_manifold import clipped_manifold

ROWS: Final = 4
"""Rows of vertices of a free edge: before, tail, head, after."""


@inlined
def are_welded(part_a: Record, part_b: Record) -> bool:
    """Whether `collide_welds` is for two parts: one of them is welded, and meets no other such.

    What is welded is solid from all sides: a chain's edge meets the whole part.
    """
    are_edges = part_a.one_sided or part_b.one_sided
    return bool((part_a.seams > 0) != (part_b.seams > 0) and not are_edges)


@inner
def collide_welds(
    vertices: Reals, part_a: Record, part_b: Record, dx: float, dy: float, limit: float
) -> Manifold:
    """The manifold of two rows of PART, one of which is welded, whose gap is at most `limit` (m).

    (dx, dy) leads from the centre of mass of A's body to that of B's.
    """
    is_swapped = part_b.seams > 0
    welded = part_b if is_swapped else part_a
    other = part_a if is_swapped else part_b
    manifold = collide_welded(
        vertices,
        np.int64(welded.first_vertex),
        np.int64(welded.count),
        np.int64(welded.first_edge),
        np.int64(welded.seams) - 1,
        np.int64(other.first_vertex),
        np.int64(other.count),
        other.radius,
        -dx if is_swapped else dx,
        -dy if is_swapped else dy,
        limit,
    )
    return seen_from_other(manifold, dx, dy) if is_swapped else manifold


@inner
def collide_welded(
    vertices: Reals,
    first_a: int,
    count_a: int,
    first_edge: int,
    edges: int,
    first_b: int,
    count_b: int,
    radius_b: float,
    dx: float,
    dy: float,
    limit: float,
) -> Manifold:
    """The manifold of a welded part, A, with `edges` free edges, and any part B but a chain's."""
    for k in range(edges):
        tail = first_edge + ROWS * k + 1
        if count_b > 1:
            manifold = collide_edge_polygon(
                vertices, tail, 0.0, first_b, count_b, radius_b, dx, dy, limit
            )
        else:
            manifold = collide_edge_circle(vertices, tail, 0.0, first_b, radius_b, dx, dy, limit)
        if manifold[0] > 0:
            return of_edge(manifold, k)
    if edges == 0 or not is_inside(vertices, first_a, count_a, first_b, count_b, dx, dy):
        return no_manifold()
    return way_out(vertices, first_edge, edges, first_b, count_b, radius_b, dx, dy)


@inner
def of_edge(manifold: Manifold, k: int) -> Manifold:
    """The manifold of the free edge `k` of A, with feature numbers that tell it from others."""
    if k == 0:
        return manifold
    return (
        manifold[0],
        manifold[1],
        manifold[2],
        manifold[3],
        manifold[4],
        manifold[5],
        feature_of_edge(manifold[6], k),
        manifold[7],
        manifold[8],
        manifold[9],
        feature_of_edge(manifold[10], k) if manifold[0] > 1 else 0,
    )


@inner
def feature_of_edge(which: int, k: int) -> int:
    """The number of a feature with A's vertex or edge counted from the first free edge on."""
    if which == ROUND:
        return which
    kind = VERTEX_OF_A
    if which >= TWO_VERTICES:
        kind = TWO_VERTICES
    elif which >= VERTEX_OF_B:
        kind = VERTEX_OF_B
    return kind + feature(((which >> 14) & 0x3FFF) + ROWS * k, which & 0x3FFF)


@inner
def is_inside(
    vertices: Reals, first_a: int, count_a: int, first_b: int, count_b: int, dx: float, dy: float
) -> bool:
    """Whether the middle of B lies within A."""
    x, y = middle(vertices, first_b, count_b)
    for row in range(first_a, first_a + count_a):
        out_x = x + dx - vertices[row, 0]
        out_y = y + dy - vertices[row, 1]
        if out_x * vertices[row, 2] + out_y * vertices[row, 3] > 0.0:
            return False
    return True


@inner
def way_out(
    vertices: Reals,
    first_edge: int,
    edges: int,
    first_b: int,
    count_b: int,
    radius_b: float,
    dx: float,
    dy: float,
) -> Manifold:
    """The manifold over the free edge through which B, deep inside, gets out soonest."""
    best = -FAR
    tail = first_edge + 1
    for k in range(edges):
        row = first_edge + ROWS * k + 1
        x = vertices[row, 2]
        y = vertices[row, 3]
        gap = lowest(vertices, first_b, count_b, x, y)
        gap += (dx - vertices[row, 0]) * x + (dy - vertices[row, 1]) * y
        if gap > best + SLACK:
            best = gap
            tail = row
    normal_x = vertices[tail, 2]
    normal_y = vertices[tail, 3]
    if count_b == 1:
        x = vertices[first_b, 0] + dx - best * normal_x
        y = vertices[first_b, 1] + dy - best * normal_y
        return one_point(normal_x, normal_y, x, y, best, 0.0, radius_b, ROUND)
    face = facing_edge(vertices, first_b, count_b, normal_x, normal_y)
    return of_edge(
        clipped_manifold(
            vertices,
            tail,
            tail + 1,
            tail,
            0.0,
            first_b,
            face,
            next_vertex(face, first_b, count_b),
            radius_b,
            dx,
            dy,
            normal_x,
            normal_y,
        ),
        (tail - first_edge) // ROWS,
    )
