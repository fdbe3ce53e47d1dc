"""A tree of boxes around the parts of all bodies, by which queries find what is near.

Each node holds the boxes of its two children, so that one stretch of memory tells of both. It
is built from the top, each time cut where the two halves' boxes have the least outline for what
they hold (the surface-area heuristic, in 2-D: a random line meets a box as often as it is long
around), among cuts at a few places along the longer side. While bodies move, the boxes follow
and the tree stays; where it has become much longer around than it was, it is built anew. Answers
never depend on that: the order in which leaves are met has no say in them.

Arrays, all owned by the caller; P parts, of which N are in use:

- `bounds`: (P or more, 8) float64, m: of the first child lower x and y, upper x and y, then of
  the second. Nothing is there where a lower one is infinite.
- `children`: (P or more, 2) int32: a row of `bounds`, or -1 - the row of a leaf. A node's row is
  less than its children's; the root's is 0.
- `order`: (P or more,) int32, scratch; `spare`: (P or more,) LEAF, scratch.
- `centers`: (P or more, 2) float64, scratch.
- `bins`: (BINS, 5) float64, scratch; `tasks`: (P or more, 4) int32, scratch.
"""

import math
from typing import Final

from ecs_physics.kernels.compile import (
    Integers32,
    Reals,
    Table,
    inlined,
    inner,
    integer,
    integers32,
    integers32_2,
    kernel,
    real,
    reals2,
    table,
)
from ecs_physics.kernels.tree_leaves import LEAF, list_leaves, number_leaves, place_body
from ecs_physics.tables import BODY, FREE, PART, TRANSFORM

BINS: Final = 12
"""Places to cut at, and one more. More: the tree gets hardly better, and takes longer."""

FEWEST_BINNED: Final = 6
"""Leaves from which on places to cut at are compared; fewer are cut in the middle."""


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
        integers32_2,
        integers32,
        table(LEAF),
        reals2,
        reals2,
        integers32_2,
    ),
    feature="queries",
)
def build_tree(
    rows: int,
    transforms: Table,
    bodies: Table,
    parts: Table,
    local_vertices: Reals,
    leaf_of_part: Integers32,
    leaves: Table,
    corners: Reals,
    placed: Reals,
    children: Integers32,
    order: Integers32,
    spare: Table,
    centers: Reals,
    bins: Reals,
    tasks: Integers32,
) -> int:
    """Make leaves of all parts where they are now, and a tree of them; returns how many.

    `bounds` are left to `fit_tree`.
    """
    count = list_leaves(rows, bodies, parts, spare)
    number_leaves(count, spare, leaf_of_part)
    _place_all(
        rows, transforms, bodies, parts, local_vertices, leaf_of_part, spare, corners, placed
    )
    for row in range(count):
        order[row] = row
        x = 0.5 * spare[row].lower_x + 0.5 * spare[row].upper_x
        y = 0.5 * spare[row].lower_y + 0.5 * spare[row].upper_y
        centers[row, 0] = x if math.isfinite(x) else 0.0
        centers[row, 1] = y if math.isfinite(y) else 0.0
    _split_all(count, spare, centers, order, bins, tasks, children)
    for row in range(count):
        leaves[row] = spare[order[row]]
    number_leaves(count, leaves, leaf_of_part)
    _place_all(
        rows, transforms, bodies, parts, local_vertices, leaf_of_part, leaves, corners, placed
    )
    return count


@kernel(real(integer, table(LEAF), integers32_2, reals2), feature="queries")
def fit_tree(count: int, leaves: Table, children: Integers32, bounds_out: Reals) -> float:
    """Fit all boxes of a tree of `count` leaves around them; returns the sum of outlines, m."""
    total = 0.0
    for row in range(max(count - 2, 0), -1, -1):
        for side in range(2):
            at = 4 * side
            child = children[row, side]
            if child >= 0:
                for axis in range(2):
                    low = min(bounds_out[child, axis], bounds_out[child, axis + 4])
                    high = max(bounds_out[child, axis + 2], bounds_out[child, axis + 6])
                    bounds_out[row, at + axis] = low
                    bounds_out[row, at + axis + 2] = high
            elif -1 - child < count:
                leaf = leaves[-1 - child]
                bounds_out[row, at] = leaf.lower_x
                bounds_out[row, at + 1] = leaf.lower_y
                bounds_out[row, at + 2] = leaf.upper_x
                bounds_out[row, at + 3] = leaf.upper_y
            else:
                bounds_out[row, at] = bounds_out[row, at + 1] = math.inf
                bounds_out[row, at + 2] = bounds_out[row, at + 3] = -math.inf
            if bounds_out[row, at] <= bounds_out[row, at + 2]:
                total += bounds_out[row, at + 2] - bounds_out[row, at]
                total += bounds_out[row, at + 3] - bounds_out[row, at + 1]
    return total


@inner
def _place_all(
    rows: int,
    transforms: Table,
    bodies: Table,
    parts: Table,
    local_vertices: Reals,
    leaf_of_part: Integers32,
    leaves: Table,
    corners: Reals,
    placed: Reals,
) -> None:
    for row in range(rows):
        if bodies[row].kind != FREE:
            place_body(
                row,
                transforms,
                bodies,
                parts,
                local_vertices,
                leaf_of_part,
                leaves,
                corners,
                placed,
            )


@inner
def _split_all(
    count: int,
    leaves: Table,
    centers: Reals,
    order: Integers32,
    bins: Reals,
    tasks: Integers32,
    children_out: Integers32,
) -> None:
    """Cut stretches of `order` in two until each holds one leaf."""
    children_out[0, 0] = -1
    children_out[0, 1] = -1 - count  # no such leaf: nothing
    if count < 2:
        return
    nodes = 1
    tasks[0, 0] = 0  # first
    tasks[0, 1] = count  # behind the last
    tasks[0, 2] = 0  # the node that they hang on
    waiting = 1
    while waiting > 0:
        waiting -= 1
        first = tasks[waiting, 0]
        last = tasks[waiting, 1]
        node = tasks[waiting, 2]
        cut = _cut(first, last, leaves, centers, order, bins)
        for side in range(2):
            begin = first if side == 0 else cut
            end = cut if side == 0 else last
            if end - begin == 1:
                children_out[node, side] = -1 - begin
                continue
            children_out[node, side] = nodes
            tasks[waiting, 0] = begin
            tasks[waiting, 1] = end
            tasks[waiting, 2] = nodes
            waiting += 1
            nodes += 1


@inner
def _cut(
    first: int, last: int, leaves: Table, centers: Reals, order: Integers32, bins: Reals
) -> int:
    """Sort a stretch of `order` into two halves; returns where the second one begins."""
    low_x = low_y = math.inf
    high_x = high_y = -math.inf
    for at in range(first, last):
        low_x = min(low_x, centers[order[at], 0])
        low_y = min(low_y, centers[order[at], 1])
        high_x = max(high_x, centers[order[at], 0])
        high_y = max(high_y, centers[order[at], 1])
    axis = 0 if high_x - low_x >= high_y - low_y else 1
    low = low_x if axis == 0 else low_y
    width = high_x - low_x if axis == 0 else high_y - low_y
    if not 0.0 < width < math.inf:
        return (first + last) // 2
    per_width = BINS / width
    most = BINS // 2
    if last - first >= FEWEST_BINNED:
        most = _best_cut(first, last, axis, low, per_width, leaves, centers, order, bins)
    cut = first
    for at in range(first, last):
        leaf = order[at]
        if _bin(centers[leaf, axis], low, per_width) < most:
            order[at] = order[cut]
            order[cut] = leaf
            cut += 1
    if cut in (first, last):
        return (first + last) // 2
    return cut


@inlined
def _bin(center: float, low: float, per_width: float) -> int:
    return min(int((center - low) * per_width), BINS - 1)


@inner
def _best_cut(
    first: int,
    last: int,
    axis: int,
    low: float,
    per_width: float,
    leaves: Table,
    centers: Reals,
    order: Integers32,
    bins: Reals,
) -> int:
    """The bin before which to cut: where outline times leaves, summed over both, is least."""
    for each in range(BINS):
        bins[each, 0] = bins[each, 1] = math.inf
        bins[each, 2] = bins[each, 3] = -math.inf
        bins[each, 4] = 0.0
    for at in range(first, last):
        leaf = leaves[order[at]]
        each = _bin(centers[order[at], axis], low, per_width)
        bins[each, 0] = min(bins[each, 0], leaf.lower_x)
        bins[each, 1] = min(bins[each, 1], leaf.lower_y)
        bins[each, 2] = max(bins[each, 2], leaf.upper_x)
        bins[each, 3] = max(bins[each, 3], leaf.upper_y)
        bins[each, 4] += 1.0
    best = math.inf
    most = BINS // 2
    for cut in range(1, BINS):
        cost = _cost(0, cut, bins) + _cost(cut, BINS, bins)
        if cost < best:
            best = cost
            most = cut
    return most


@inlined
def _cost(first: int, last: int, bins: Reals) -> float:
    """Outline times leaves of some bins."""
    low_x = low_y = math.inf
    high_x = high_y = -math.inf
    count = 0.0
    for each in range(first, last):
        low_x = min(low_x, bins[each, 0])
        low_y = min(low_y, bins[each, 1])
        high_x = max(high_x, bins[each, 2])
        high_y = max(high_y, bins[each, 3])
        count += bins[each, 4]
    if count == 0.0 or low_x > high_x:
        return 0.0
    return count * (high_x - low_x + high_y - low_y)
