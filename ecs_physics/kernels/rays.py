"""What rays meet among all bodies: they walk down a tree of boxes, the nearer child first.

What the arrays of the tree are: bounding_tree.py; how a ray meets a part: ray_shapes.py.
Where a ray meets several bodies at the same fraction, the oldest, the one with the smallest
entity, comes first.
"""

from typing import Final

import numpy as np

from ecs_physics.kernels.compile import (
    Integers,
    Integers32,
    Reals,
    Table,
    inner,
    integer,
    integers,
    integers32,
    integers32_2,
    kernel,
    reals,
    reals2,
    table,
)
from ecs_physics.kernels.query_rules import SEEKER, is_seen
from ecs_physics.kernels.ray_shapes import MISS, SLACK, meet_part
from ecs_physics.kernels.tree_leaves import LEAF
from ecs_physics.kernels.tree_walk import children_entered, per_way
from ecs_physics.tables import TRAITS

RAY_HITS: Final = np.dtype(
    [
        ("entity", "i8"),  # what was met first, 0: nothing
        ("fraction", "f8"),  # of the way from start to end; 1 for nothing
        ("x", "f8"),  # m, where; the ray's end for nothing
        ("y", "f8"),
        ("normal_x", "f8"),  # unit vector out of what was met; 0 for nothing
        ("normal_y", "f8"),
    ],
    align=True,
)
"""What `World.rays` gives: one row for each ray."""


@kernel(
    integer(
        integer,
        reals2,
        reals2,
        table(SEEKER),
        integers,
        table(TRAITS),
        table(LEAF),
        reals2,
        reals2,
        integers32_2,
        integers32,
        reals,
        table(RAY_HITS),
    ),
    feature="queries",
)
def cast_rays(
    count: int,
    starts: Reals,
    ends: Reals,
    seeker: Table,
    ignored: Integers,
    traits: Table,
    leaves: Table,
    corners: Reals,
    bounds: Reals,
    children: Integers32,
    stack: Integers32,
    entries: Reals,
    hits_out: Table,
) -> int:
    """Find what each of `count` rays meets first; returns how many meet something.

    `stack` and `entries` are scratch, as long as `children`.
    """
    found = 0
    for ray in range(count):
        x = starts[ray, 0]
        y = starts[ray, 1]
        dx = ends[ray, 0] - x
        dy = ends[ray, 1] - y
        hit = hits_out[ray]
        leaf, fraction, normal_x, normal_y = _first_of_ray(
            x,
            y,
            dx,
            dy,
            seeker,
            ignored,
            traits,
            leaves,
            corners,
            bounds,
            children,
            stack,
            entries,
        )
        hit.fraction = fraction
        hit.normal_x = normal_x
        hit.normal_y = normal_y
        if leaf >= 0:
            hit.entity = leaves[leaf].entity
            hit.x = x + fraction * dx
            hit.y = y + fraction * dy
            found += 1
        else:
            hit.entity = 0
            hit.x = ends[ray, 0]
            hit.y = ends[ray, 1]
    return found


@inner
def _first_of_ray(
    x: float,
    y: float,
    dx: float,
    dy: float,
    seeker: Table,
    ignored: Integers,
    traits: Table,
    leaves: Table,
    corners: Reals,
    bounds: Reals,
    children: Integers32,
    stack: Integers32,
    entries: Reals,
) -> tuple[int, float, float, float]:
    """The leaf that a ray meets first (-1: none), at which fraction, and the normal there."""
    per_x, per_y = per_way(dx, dy)
    best_leaf = -1
    best = 1.0
    normal_x = normal_y = 0.0
    node = 0
    waiting = 0
    while True:
        if node < 0:
            row = -1 - node
            leaf = leaves[row]
            fraction, out_x, out_y = meet_part(
                x, y, dx, dy, corners, leaf.first, leaf.count, leaf.radius, leaf.one_sided
            )
            is_nearer = fraction < best
            if fraction == best:
                is_nearer = best_leaf < 0 or leaf.entity < leaves[best_leaf].entity
            if is_nearer and is_seen(leaf, traits, seeker[0], ignored):
                best_leaf = row
                best = fraction
                normal_x = out_x
                normal_y = out_y
        else:
            first, second = children_entered(node, x, y, per_x, per_y, SLACK, SLACK, best, bounds)
            if first <= second:
                nearer, farther, later = children[node, 0], children[node, 1], second
            else:
                nearer, farther, later = children[node, 1], children[node, 0], first
            if later < MISS:
                stack[waiting] = farther
                entries[waiting] = later
                waiting += 1
            if min(first, second) < MISS:
                node = nearer
                continue
        while waiting > 0 and entries[waiting - 1] > best:
            waiting -= 1
        if waiting == 0:
            break
        waiting -= 1
        node = stack[waiting]
    return best_leaf, best, normal_x, normal_y


@kernel(
    integer(
        reals2,
        reals2,
        table(SEEKER),
        integers,
        table(TRAITS),
        table(LEAF),
        reals2,
        reals2,
        integers32_2,
        integers32,
        table(RAY_HITS),
    ),
    feature="queries",
)
def cast_through(
    starts: Reals,
    ends: Reals,
    seeker: Table,
    ignored: Integers,
    traits: Table,
    leaves: Table,
    corners: Reals,
    bounds: Reals,
    children: Integers32,
    stack: Integers32,
    hits_out: Table,
) -> int:
    """Write all parts that the first ray meets, in any order; returns how many.

    Where `hits_out` is too short, only the first are written.
    """
    x = starts[0, 0]
    y = starts[0, 1]
    dx = ends[0, 0] - x
    dy = ends[0, 1] - y
    per_x, per_y = per_way(dx, dy)
    found = 0
    stack[0] = 0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if node >= 0:
            first, second = children_entered(node, x, y, per_x, per_y, SLACK, SLACK, 1.0, bounds)
            if first < MISS:
                stack[waiting] = children[node, 0]
                waiting += 1
            if second < MISS:
                stack[waiting] = children[node, 1]
                waiting += 1
            continue
        leaf = leaves[-1 - node]
        fraction, normal_x, normal_y = meet_part(
            x, y, dx, dy, corners, leaf.first, leaf.count, leaf.radius, leaf.one_sided
        )
        if fraction > 1.0 or not is_seen(leaf, traits, seeker[0], ignored):
            continue
        if found < hits_out.shape[0]:
            hit = hits_out[found]
            hit.entity = leaf.entity
            hit.fraction = fraction
            hit.x = x + fraction * dx
            hit.y = y + fraction * dy
            hit.normal_x = normal_x
            hit.normal_y = normal_y
        found += 1
    return found
