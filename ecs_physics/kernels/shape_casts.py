"""Where a shape that moves without turning first meets a body: conservative advancement.

Two convex parts with a gap along some normal cannot touch before the way along that normal has
used the gap up. So the moving one is set forward by just that, the gap is measured anew, and so
on: the steps never lead too far, and for flat sides one or two are enough.

What overlaps or touches the shape where it starts is met at fraction 0, with the normal against
the way; but not where it only touches and the way leads out. The edge of a chain is met from its
solid side only, by what has its middle there. What the arrays are: bounding_tree.py.
"""

import math
from typing import Final

from ecs_physics.kernels.compile import (
    Integers,
    Integers32,
    Reals,
    Record,
    Table,
    inner,
    integer,
    integers,
    integers32,
    integers32_2,
    kernel,
    real,
    reals,
    reals2,
    table,
)
from ecs_physics.kernels.distance import distance_of_parts
from ecs_physics.kernels.query_rules import SEEKER, is_seen
from ecs_physics.kernels.ray_shapes import MISS, SLACK
from ecs_physics.kernels.rays import RAY_HITS
from ecs_physics.kernels.tree_leaves import LEAF
from ecs_physics.kernels.tree_walk import children_entered, per_way
from ecs_physics.tables import TRAITS

MOST_ADVANCES: Final = 60
"""Steps of the advancement at most. Only a way that grazes a corner needs more than a few."""

TOUCHING: Final = 1e-10
"""m. A gap this small is none. Smaller: lost in the rounding of places 100 km out."""

Touch = tuple[float, float, float, float, float]
"""Fraction (infinite: none), normal x and y out of what was met, and where (x, y, m)."""


@kernel(
    integer(
        real,
        real,
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
        reals,
        table(RAY_HITS),
    ),
    feature="queries",
)
def cast_parts(
    dx: float,
    dy: float,
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
    entries: Reals,
    hit_out: Table,
) -> int:
    """Find what the parts `own` meet first on their way (dx, dy), m; returns whether anything.

    Of several at one fraction the oldest counts, as for rays.
    """
    hit = hit_out[0]
    hit.entity = 0
    hit.fraction = 1.0
    per_x, per_y = per_way(dx, dy)
    for each in range(own_count):
        mine = own[each]
        half_x = 0.5 * (mine.upper_x - mine.lower_x)
        half_y = 0.5 * (mine.upper_y - mine.lower_y)
        x = mine.lower_x + half_x
        y = mine.lower_y + half_y
        half_x += SLACK
        half_y += SLACK
        stack[0] = 0
        entries[0] = 0.0
        waiting = 1
        while waiting > 0:
            waiting -= 1
            node = stack[waiting]
            if entries[waiting] > hit.fraction:
                continue
            if node >= 0:
                first, second = children_entered(
                    node, x, y, per_x, per_y, half_x, half_y, hit.fraction, bounds
                )
                nearer = 0 if first <= second else 1
                for side in (1 - nearer, nearer):
                    entry = first if side == 0 else second
                    if entry < MISS:
                        stack[waiting] = children[node, side]
                        entries[waiting] = entry
                        waiting += 1
                continue
            leaf = leaves[-1 - node]
            if not is_seen(leaf, traits, seeker[0], ignored):
                continue
            touch = _first_touch(leaf, corners, mine, own_corners, dx, dy)
            is_first = touch[0] < hit.fraction
            if touch[0] == hit.fraction:
                is_first = hit.entity == 0 or leaf.entity < hit.entity
            if is_first:
                hit.entity = leaf.entity
                hit.fraction = touch[0]
                hit.normal_x = touch[1]
                hit.normal_y = touch[2]
                hit.x = touch[3]
                hit.y = touch[4]
    return 1 if hit.entity != 0 else 0


@inner
def _first_touch(
    leaf: Record, corners: Reals, mine: Record, own_corners: Reals, dx: float, dy: float
) -> Touch:
    """When a moving part first touches one that rests."""
    first = leaf.first
    count = leaf.count
    own_first = mine.first
    own_count = mine.count
    if leaf.one_sided and not _comes_from_left(
        corners, first, own_corners, own_first, own_count, dx, dy
    ):
        return MISS, 0.0, 0.0, 0.0, 0.0
    reach = leaf.radius + mine.radius
    fraction = 0.0
    normal_x = normal_y = 0.0
    for step in range(MOST_ADVANCES):
        apart, ax, ay, bx, by = distance_of_parts(
            corners, first, count, own_corners, own_first, own_count, fraction * dx, fraction * dy
        )
        gap = apart - reach
        if step == 0 and gap <= SLACK:
            return _touch_at_start(
                leaf, corners, mine, own_corners, gap, apart, ax, ay, bx, by, dx, dy
            )
        if gap <= TOUCHING:
            break
        normal_x = (bx - ax) / apart
        normal_y = (by - ay) / apart
        approach = -(dx * normal_x + dy * normal_y)
        if approach * (1.0 - fraction) < gap - TOUCHING:
            return MISS, 0.0, 0.0, 0.0, 0.0
        fraction = min(fraction + gap / approach, 1.0)
    x = ax + leaf.radius * normal_x
    y = ay + leaf.radius * normal_y
    return fraction, normal_x, normal_y, x, y


@inner
def _comes_from_left(
    corners: Reals,
    first: int,
    own_corners: Reals,
    own_first: int,
    own_count: int,
    dx: float,
    dy: float,
) -> bool:
    """Whether a part has its middle on the left of a chain's edge, and moves to the right."""
    along_x = corners[first + 1, 0] - corners[first, 0]
    along_y = corners[first + 1, 1] - corners[first, 1]
    if along_x * dy - along_y * dx >= 0.0:
        return False
    height = 0.0
    for row in range(own_first, own_first + own_count):
        height += along_x * (own_corners[row, 1] - corners[first, 1])
        height -= along_y * (own_corners[row, 0] - corners[first, 0])
    return height >= -SLACK * own_count * math.hypot(along_x, along_y)


@inner
def _touch_at_start(
    leaf: Record,
    corners: Reals,
    mine: Record,
    own_corners: Reals,
    gap: float,
    apart: float,
    ax: float,
    ay: float,
    bx: float,
    by: float,
    dx: float,
    dy: float,
) -> Touch:
    """What overlaps is met at once; what only touches is not met by a way that leads out."""
    if apart > SLACK:
        normal_x = (bx - ax) / apart
        normal_y = (by - ay) / apart
    else:
        gap, normal_x, normal_y = _best_axis(leaf, corners, mine, own_corners)
        gap -= leaf.radius + mine.radius
    way = math.hypot(dx, dy)
    if gap >= -SLACK and way > 0.0 and dx * normal_x + dy * normal_y >= 0.0:
        return MISS, 0.0, 0.0, 0.0, 0.0
    x = 0.5 * (ax + leaf.radius * normal_x + bx - mine.radius * normal_x)
    y = 0.5 * (ay + leaf.radius * normal_y + by - mine.radius * normal_y)
    if way == 0.0:
        return 0.0, 0.0, 0.0, x, y
    return 0.0, -dx / way, -dy / way, x, y


@inner
def _best_axis(
    leaf: Record, corners: Reals, mine: Record, own_corners: Reals
) -> tuple[float, float, float]:
    """Along which edge's normal, from leaf to `mine`, the cores overlap least: gap, normal."""
    best = -math.inf
    normal_x = normal_y = 0.0
    for is_mine in range(2):
        first = mine.first if is_mine else leaf.first
        count = mine.count if is_mine else leaf.count
        for step in range(count if count > 1 else 0):
            row = first + step
            after = first + (step + 1) % count
            if is_mine:
                out_x = own_corners[row, 1] - own_corners[after, 1]
                out_y = own_corners[after, 0] - own_corners[row, 0]
            else:
                out_x = corners[after, 1] - corners[row, 1]
                out_y = corners[row, 0] - corners[after, 0]
            length = math.hypot(out_x, out_y)
            out_x /= length
            out_y /= length
            high = -math.inf
            for other in range(leaf.first, leaf.first + leaf.count):
                high = max(high, corners[other, 0] * out_x + corners[other, 1] * out_y)
            low = math.inf
            for other in range(mine.first, mine.first + mine.count):
                low = min(low, own_corners[other, 0] * out_x + own_corners[other, 1] * out_y)
            if low - high > best:
                best = low - high
                normal_x = out_x
                normal_y = out_y
    return best, normal_x, normal_y
