"""Questions about places: which bodies cover a point or overlap a shape, and how far two are apart.

What the arrays are: bounding_tree.py.
"""

import math
from typing import Final

import numpy as np

from ecs_physics.kernels.compile import (
    Integers,
    Integers32,
    Reals,
    Table,
    inlined,
    integer,
    integers,
    integers32,
    integers32_2,
    kernel,
    real,
    reals2,
    table,
)
from ecs_physics.kernels.distance import distance_of_parts
from ecs_physics.kernels.query_rules import SEEKER, is_seen
from ecs_physics.kernels.ray_shapes import SLACK, nearest_of_part
from ecs_physics.kernels.tree_leaves import LEAF
from ecs_physics.kernels.tree_walk import meets_child
from ecs_physics.tables import BODY, PART, TRAITS

CLOSEST: Final = np.dtype(
    [("distance", "f8"), ("x_a", "f8"), ("y_a", "f8"), ("x_b", "f8"), ("y_b", "f8")],
    align=True,
)
"""One row: how far two bodies are apart, m, and where, in the world."""


@kernel(
    integer(
        real,
        real,
        real,
        table(SEEKER),
        integers,
        table(TRAITS),
        table(LEAF),
        reals2,
        reals2,
        integers32_2,
        integers32,
        integers,
    ),
    feature="queries",
)
def find_at_point(
    x: float,
    y: float,
    tolerance: float,
    seeker: Table,
    ignored: Integers,
    traits: Table,
    leaves: Table,
    corners: Reals,
    bounds: Reals,
    children: Integers32,
    stack: Integers32,
    entities_out: Integers,
) -> int:
    """Write whose parts cover the point (`x`, `y`) (m), once for each part; return how many do.

    A part covers what is inside it and on its boundary. A chain's edge, or a segment without a
    radius, has no inside: it covers what lies within `tolerance` (m) of it, and nothing where
    `tolerance` is 0. A part with NaN in its place covers nothing.

    Where `entities_out` is too short, only the first are written.
    """
    found = 0
    stack[0] = 0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if node >= 0:
            for side in range(2):
                if meets_child(
                    node,
                    side,
                    x - tolerance,
                    y - tolerance,
                    x + tolerance,
                    y + tolerance,
                    bounds,
                ):
                    stack[waiting] = children[node, side]
                    waiting += 1
            continue
        leaf = leaves[-1 - node]
        reach = leaf.radius
        if leaf.one_sided or (leaf.count == 2 and reach == 0.0):
            if tolerance <= 0.0:
                continue
            reach += tolerance
        distance = nearest_of_part(x, y, corners, leaf.first, leaf.count)[0]
        if not distance <= reach or not is_seen(leaf, traits, seeker[0], ignored):
            continue
        if found < entities_out.shape[0]:
            entities_out[found] = leaf.entity
        found += 1
    return found


@kernel(
    integer(
        integer,
        table(LEAF),
        reals2,
        table(SEEKER),
        integers,
        table(TRAITS),
        table(LEAF),
        reals2,
        reals2,
        integers32_2,
        integers32,
        integers,
    ),
    feature="queries",
)
def find_overlapping(
    own_count: int,
    own: Table,
    own_corners: Reals,
    seeker: Table,
    ignored: Integers,
    traits: Table,
    leaves: Table,
    corners: Reals,
    bounds: Reals,
    children: Integers32,
    stack: Integers32,
    entities_out: Integers,
) -> int:
    """Write whose parts overlap or touch the parts `own`, once for each two; return how many do.

    Where `entities_out` is too short, only the first are written.
    """
    found = 0
    for each in range(own_count):
        mine = own[each]
        stack[0] = 0
        waiting = 1
        while waiting > 0:
            waiting -= 1
            node = stack[waiting]
            if node >= 0:
                for side in range(2):
                    if meets_child(
                        node,
                        side,
                        mine.lower_x - SLACK,
                        mine.lower_y - SLACK,
                        mine.upper_x + SLACK,
                        mine.upper_y + SLACK,
                        bounds,
                    ):
                        stack[waiting] = children[node, side]
                        waiting += 1
                continue
            leaf = leaves[-1 - node]
            if not is_seen(leaf, traits, seeker[0], ignored):
                continue
            apart = distance_of_parts(
                corners, leaf.first, leaf.count, own_corners, mine.first, mine.count, 0.0, 0.0
            )[0]
            if apart > leaf.radius + mine.radius + SLACK:
                continue
            if found < entities_out.shape[0]:
                entities_out[found] = leaf.entity
            found += 1
    return found


@kernel(
    real(
        integer,
        integer,
        table(BODY),
        table(PART),
        integers32,
        table(LEAF),
        reals2,
        table(CLOSEST),
    ),
    feature="queries",
)
def find_closest(
    row_a: int,
    row_b: int,
    bodies: Table,
    parts: Table,
    leaf_of_part: Integers32,
    leaves: Table,
    corners: Reals,
    closest_out: Table,
) -> float:
    """The distance (m) of the bodies in two rows, 0 where they overlap, and where it is.

    Infinite where one has no part in a place that is a number.
    """
    closest = closest_out[0]
    closest.distance = math.inf
    part_a = bodies[row_a].first_part
    while part_a >= 0:
        a = leaves[leaf_of_part[part_a]]
        part_a = parts[part_a].next
        part_b = bodies[row_b].first_part
        while part_b >= 0:
            b = leaves[leaf_of_part[part_b]]
            part_b = parts[part_b].next
            beside = max(a.lower_x - b.upper_x, b.lower_x - a.upper_x, 0.0)
            above = max(a.lower_y - b.upper_y, b.lower_y - a.upper_y, 0.0)
            if not math.hypot(beside, above) < closest.distance:
                continue
            apart, ax, ay, bx, by = distance_of_parts(
                corners, a.first, a.count, corners, b.first, b.count, 0.0, 0.0
            )
            gap = max(apart - a.radius - b.radius, 0.0)
            if not gap < closest.distance:
                continue
            closest.distance = gap
            out_x = (bx - ax) / apart if apart > 0.0 else 0.0
            out_y = (by - ay) / apart if apart > 0.0 else 0.0
            along_a, along_b = _shares(apart, a.radius, b.radius)
            closest.x_a = ax + along_a * out_x
            closest.y_a = ay + along_a * out_y
            closest.x_b = bx - along_b * out_x
            closest.y_b = by - along_b * out_y
    return closest.distance


@inlined
def _shares(apart: float, radius_a: float, radius_b: float) -> tuple[float, float]:
    """How far (m) from the cores' nearest points the surfaces are; one common point if overlapping.

    That is the middle of the stretch between the cores that both roundings cover.
    """
    if apart >= radius_a + radius_b:
        return radius_a, radius_b
    low = max(apart - radius_b, 0.0)
    high = min(radius_a, apart)
    middle = 0.5 * (low + high)
    return middle, apart - middle
