"""The convex parts of all bodies as queries see them: where the Transforms say that they are now.

Steps keep geometry of their own, which is as old as the last placing and must not be touched
while a step runs. A query therefore has its own copy, and renews what has moved since.

Arrays, all owned by the caller:

- `leaves`: (P,) LEAF, one for each part, in the order of the tree (see bounding_tree.py).
- `corners`: (V, 2) float64, x and y of their vertices in the world, m, leaf after leaf.
- `leaf_of_part`: (P,) int32, the row in `leaves` of each row of PART.
- `placed`: (B, 3) float64, x, y (m) and angle (rad) that each body's leaves were placed with.
"""

import math
from typing import Final

import numpy as np
from numba import types

from ecs_physics.kernels.compile import (
    Integers32,
    Reals,
    Table,
    inlined,
    inner,
    integer,
    integers32,
    kernel,
    real,
    reals2,
    table,
)
from ecs_physics.tables import BODY, FREE, PART, TRANSFORM

LEAF: Final = np.dtype(
    [
        ("entity", "i8"),  # whose part it is
        ("body", "i4"),  # row of that body
        ("part", "i4"),  # row of the part
        ("first", "i4"),  # row of its first vertex in `corners`
        ("count", "i4"),  # vertices, as in PART
        ("radius", "f8"),  # m
        ("one_sided", "?"),
        ("lower_x", "f8"),  # m, box in the world, rounding included; nothing where it holds no
        ("lower_y", "f8"),  # number: lower is then infinite and upper minus that
        ("upper_x", "f8"),
        ("upper_y", "f8"),
    ],
    align=True,
)


@inner
def list_leaves(rows: int, bodies: Table, parts: Table, leaves_out: Table) -> int:
    """Write a leaf for each part of each body, body after body; returns how many there are."""
    count = 0
    for row in range(rows):
        if bodies[row].kind == FREE:
            continue
        part = bodies[row].first_part
        while part >= 0:
            leaf = leaves_out[count]
            leaf.entity = bodies[row].entity
            leaf.body = row
            leaf.part = part
            leaf.count = parts[part].count
            leaf.radius = parts[part].radius
            leaf.one_sided = parts[part].one_sided
            count += 1
            part = parts[part].next
    return count


@inner
def number_leaves(count: int, leaves: Table, leaf_of_part_out: Integers32) -> None:
    """Give each leaf its stretch of `corners`, in order, and let its part know the leaf."""
    first = 0
    for row in range(count):
        leaves[row].first = first
        first += leaves[row].count
        leaf_of_part_out[leaves[row].part] = row


@inner
def place_body(
    row: int,
    transforms: Table,
    bodies: Table,
    parts: Table,
    local_vertices: Reals,
    leaf_of_part: Integers32,
    leaves: Table,
    corners_out: Reals,
    placed_out: Reals,
) -> None:
    """Put all leaves of a body where its Transform is."""
    x = transforms[row].x
    y = transforms[row].y
    angle = transforms[row].angle
    placed_out[row, 0] = x
    placed_out[row, 1] = y
    placed_out[row, 2] = angle
    cos = math.cos(angle)
    sin = math.sin(angle)
    x += cos * bodies[row].center_x - sin * bodies[row].center_y
    y += sin * bodies[row].center_x + cos * bodies[row].center_y
    part = bodies[row].first_part
    while part >= 0:
        place_leaf(
            leaf_of_part[part],
            parts[part].first_vertex,
            x,
            y,
            cos,
            sin,
            local_vertices,
            leaves,
            corners_out,
        )
        part = parts[part].next


@inlined
def place_leaf(
    row: int,
    first_vertex: int,
    x: float,
    y: float,
    cos: float,
    sin: float,
    local_vertices: Reals,
    leaves: Table,
    corners_out: Reals,
) -> None:
    """Turn a leaf's vertices, move them to (x, y) and fit its box."""
    leaf = leaves[row]
    lower_x = lower_y = math.inf
    upper_x = upper_y = -math.inf
    total = 0.0
    for vertex in range(leaf.count):
        local_x = local_vertices[first_vertex + vertex, 0]
        local_y = local_vertices[first_vertex + vertex, 1]
        corner_x = x + (cos * local_x - sin * local_y)
        corner_y = y + (sin * local_x + cos * local_y)
        corners_out[leaf.first + vertex, 0] = corner_x
        corners_out[leaf.first + vertex, 1] = corner_y
        lower_x = min(lower_x, corner_x)
        lower_y = min(lower_y, corner_y)
        upper_x = max(upper_x, corner_x)
        upper_y = max(upper_y, corner_y)
        total += corner_x + corner_y
    is_finite = math.isfinite(total)
    leaf.lower_x = lower_x - leaf.radius if is_finite else math.inf
    leaf.lower_y = lower_y - leaf.radius if is_finite else math.inf
    leaf.upper_x = upper_x + leaf.radius if is_finite else -math.inf
    leaf.upper_y = upper_y + leaf.radius if is_finite else -math.inf


@kernel(
    integer(
        integer,
        table(TRANSFORM),
        table(BODY),
        table(PART),
        reals2,
        integers32,
        table(LEAF),
        reals2,
        reals2,
    ),
    feature="queries",
)
def follow_poses(
    rows: int,
    transforms: Table,
    bodies: Table,
    parts: Table,
    local_vertices: Reals,
    leaf_of_part: Integers32,
    leaves: Table,
    corners_out: Reals,
    placed_out: Reals,
) -> int:
    """Renew the leaves of bodies whose Transform has changed; returns how many bodies have."""
    moved = 0
    for row in range(rows):
        pose = transforms[row]
        is_same = pose.x == placed_out[row, 0] and pose.y == placed_out[row, 1]
        if is_same and pose.angle == placed_out[row, 2]:
            continue
        if bodies[row].kind == FREE:
            continue
        moved += 1
        place_body(
            row,
            transforms,
            bodies,
            parts,
            local_vertices,
            leaf_of_part,
            leaves,
            corners_out,
            placed_out,
        )
    return moved


@kernel(
    types.void(integer, real, real, real, integers32, reals2, table(LEAF), reals2),
    feature="queries",
)
def place_shape(
    count: int,
    x: float,
    y: float,
    angle: float,
    first_vertices: Integers32,
    local_vertices: Reals,
    leaves: Table,
    corners_out: Reals,
) -> None:
    """Place the parts of a shape that is asked about: its origin at (x, y) (m), turned (rad)."""
    cos = math.cos(angle)
    sin = math.sin(angle)
    for row in range(count):
        place_leaf(row, first_vertices[row], x, y, cos, sin, local_vertices, leaves, corners_out)
