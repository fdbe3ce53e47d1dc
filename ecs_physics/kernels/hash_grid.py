"""The broad phase: pairs of parts whose fat boxes overlap, found with a hierarchical hash grid.

Each part lies once in the grid: in the cell of its box's lower corner, at the finest level
whose cells are higher than the box is wide and high. Cells double from level to level and lie at
fixed places (`2**k` metres). Whoever searches a level looks at the rows of cells in which a box
that overlaps its own may begin, and in each row at those that may reach it; where that would be
more than the level has parts, it goes through those parts instead. So neither a huge floor nor a
swarm of grains is ever walked cell by cell.

The hash puts neighbouring cells of a row into neighbouring buckets and parts are sorted by
bucket, so a row of cells is one stretch of memory, and cells can be narrow: fewer boxes that are
too far away are looked at, for no more stretches.

The grid is made anew in each search in which something has moved (about 16 ns a part). Which pairs
are found depends on the tables alone; in which order, on the number of buckets too.

`searched` are the boxes that each part was last searched with: a pair of which those overlapped is
known since then.

Arrays, all owned by the caller:

- `parts`: (P,) PART, `bodies`: (B,) BODY, `traits`: (B,) TRAITS, read only. Of a part: `body`,
  `moved`, `fat_*`.
- `searched`: (P, 4) float32, m, lower x and y, upper x and y; NaN for one never searched for, or
  whose pairs are to be found anew.
- `excluded`: (N,) int64, ascending, pairs of bodies that a joint keeps from colliding.
- `buckets`: (H + 1,) int32, scratch. H is a power of two, at least FEWEST_BUCKETS and at least
  `part_rows`; twice as many suit parts of mixed sizes better.
- `places`: (P or more,) PLACE, scratch: one row for each row of `parts`.
- `boxes`: (P or more,) BOX, scratch: one row for each part, sorted by bucket.
- `levels`: (LEVELS,) LEVEL, scratch.
- `moved`: (P or more,) int32, scratch: rows of the parts that have moved.
- `near`: (P + MORE_NEAR or more,) int32, scratch: the boxes that overlap one.
- `pairs_out`: (N, 2) int32, C-contiguous.
"""

import math
from typing import Any, Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from ecs_physics.kernels.compile import (
    Reals32,
    Record,
    at,
    inlined,
    inner,
    integer,
    integers,
    integers32,
    integers32_2,
    kernel,
    reals32_2,
    table,
)
from ecs_physics.kernels.few_moved import FEW_MOVED, find_pairs_of_few, list_moved
from ecs_physics.kernels.pair_filter import may_meet
from ecs_physics.tables import BODY, PART, TRAITS

FINEST: Final = -10
"""Exponent of the finest cell, 2**-10 m. Whatever is smaller lies there too. Higher: dust
crowds in few cells. Lower: more levels to look at."""

LEVELS: Final = 32
"""Levels of cells from 2**-10 m to 2**20 m (1,049 km), and one for all that is larger: that
one has no cells, its parts are gone through one by one."""

NO_CELLS: Final = LEVELS - 1

SMALLEST: Final = 2.0**FINEST
"""m. Boxes below this size lie on the finest level."""

TOO_LARGE: Final = 2.0 ** (FINEST + NO_CELLS - 1)
"""m. Boxes of this size and more have no cells."""

SIGNIFICAND_BITS: Final = 52
EXPONENT_OF_HALF: Final = 1022
"""Of a float64: where its exponent begins, and what stands there for .5 to 1."""

FEWEST_CELLS: Final = 4
"""Looks that a search takes or more, so that fewer parts are always gone through."""

FEWEST_BUCKETS: Final = 8
"""More than there are cells in a row in which a box may meet one of its own size."""

CELLS_PER_HEIGHT: Final = 2
"""How many times as high as wide a cell is. More: a row begins nearer to where it has to, but
cells of other rows that share buckets by chance are met more often."""

FARTHEST_CELL: Final = float(2**60)
"""Cells beyond are counted as this one: keeps NaN, infinity and 1e300 m inside an int64."""

KEPT_BITS: Final = 2**31 - 1
"""Part of a cell's number that is kept. Rows of cells 2**31 apart are taken for one another,
which costs a look at a far box and no more."""

GOLDEN_RATIO: Final = (math.sqrt(5.0) - 1.0) / 2.0
"""A row of cells begins this part of all buckets after the row below, so that cells near each
other share no bucket."""

LEVEL_STRIDE: Final = 83492791
"""So many buckets lie between cells of equal numbers on two levels. Any large odd number."""

PLACE: Final = np.dtype(
    [
        ("bucket", "i4"),  # of the part's cell, -1 for a part that is not in the grid
        ("y", "i4"),  # row of cells on its level, the lower 31 bits
        ("level", "i4"),
        ("box", "i4"),  # row in `boxes`
        ("next_of_level", "i4"),  # next part on the same level, -1 for none; rows ascend
    ],
    align=True,
)

BOX: Final = np.dtype(
    [
        ("lower_x", "f4"),  # m, the part's fat box
        ("lower_y", "f4"),
        ("upper_x", "f4"),
        ("upper_y", "f4"),
        ("old_lower_x", "f4"),  # m, with which it was last searched
        ("old_lower_y", "f4"),
        ("old_upper_x", "f4"),
        ("old_upper_y", "f4"),
        ("part", "i4"),  # row of the part
        ("body", "i4"),  # row of its body
        ("y", "i4"),  # as in PLACE
        ("level", "i1"),
        ("moved", "?"),
    ],
    align=True,
)

LEVEL: Final = np.dtype(
    [
        ("per_height", "f8"),  # 1/m, rows of cells in a metre
        ("widest", "f8"),  # m, of the boxes of its parts
        ("highest", "f8"),  # m
        ("searches", "i8"),  # bit c: all parts of this level search level c, not moved ones only
        ("count", "i4"),  # parts on this level
        ("moved", "i4"),  # those of them that have moved
        ("first", "i4"),  # the first of them, -1 for none
        ("coarser", "i4"),  # next coarser level that has parts, -1 for none
        ("group", "i4"),  # negative where all its parts are of that group, 0 else
    ],
    align=True,
)

Table = NDArray[Any]
Integers = NDArray[np.int32]
Integers64 = NDArray[np.int64]


@kernel(
    integer(
        integer,
        table(BODY),
        table(TRAITS),
        integers,
        table(PART),
        reals32_2,
        integers32,
        table(PLACE),
        table(BOX),
        table(LEVEL),
        integers32,
        integers32,
        integers32_2,
    )
)
def find_pairs(
    part_rows: int,
    bodies: Table,
    traits: Table,
    excluded: Integers64,
    parts: Table,
    searched: Reals32,
    buckets: Integers,
    places: Table,
    boxes: Table,
    levels: Table,
    moved: Integers,
    near: Integers,
    pairs_out: Integers,
) -> int:
    """Write the new pairs of parts whose fat boxes overlap or touch; return how many there are.

    A pair is new where one of its parts has `moved` and their `searched` boxes did not overlap.
    Parts of the same body, and bodies that may not meet (pair_filter.py), make no pair. Each pair
    comes once, as (smaller row, larger row), in any order. Free rows are skipped; an empty box
    (lower > upper) or one with a NaN in it overlaps nothing.

    The number returned may be larger than `pairs_out` has room for: then only the first are
    written, and the caller calls again with more room. Nothing else is changed: `moved` and
    `searched` remain as they are until `end_search`.

    `part_rows`: rows of `parts` in use. The arrays are described at the top of this file.
    """
    found = 0
    moved_count = list_moved(part_rows, parts, moved)
    if moved_count == 0 or _are_one_group(part_rows, traits, parts):
        return found
    if moved_count <= FEW_MOVED:
        return find_pairs_of_few(
            moved_count,
            moved,
            part_rows,
            bodies,
            traits,
            excluded,
            parts,
            searched,
            near,
            pairs_out,
        )
    finest = _place_parts(part_rows, traits, parts, buckets, places, levels)
    count = _sort_by_bucket(part_rows, parts, searched, buckets, places, boxes)
    _choose_searchers(finest, levels)
    for box in range(count):  # neighbours one after the other: what they look at is near memory
        own = boxes[box].level
        has_moved = boxes[box].moved
        if not has_moved and levels[own].searches == 0:
            continue
        level = finest
        while level >= 0:
            if levels[own].group < 0 and levels[own].group == levels[level].group:
                wanted = False
            elif level >= own:
                wanted = has_moved or _all_search(own, level, levels)
            else:
                still = levels[level].count > levels[level].moved
                wanted = has_moved and still and not _all_search(level, own, levels)
            if wanted:
                count_near = _list_near(box, level, buckets, places, boxes, levels, near)
                found = _write_pairs(
                    box,
                    _found_by_other(box, level, boxes, levels),
                    count_near,
                    near,
                    bodies,
                    traits,
                    excluded,
                    boxes,
                    found,
                    pairs_out,
                )
            level = levels[level].coarser
    return found


@kernel(types.void(integer, table(PART), reals32_2))
def end_search(part_rows: int, parts: Table, searched: Reals32) -> None:
    """Note the boxes that have been searched with: nothing has `moved` any more.

    A free row is left as it is: the next part in it has met nobody.
    """
    for part in range(part_rows):
        if parts[part].moved and parts[part].body >= 0:
            parts[part].moved = False
            searched[part, 0] = parts[part].fat_lower_x
            searched[part, 1] = parts[part].fat_lower_y
            searched[part, 2] = parts[part].fat_upper_x
            searched[part, 3] = parts[part].fat_upper_y


@inner
def _are_one_group(part_rows: int, traits: Table, parts: Table) -> bool:
    """Whether all parts are of one negative group: then none of them meets another."""
    group = 0
    for part in range(part_rows):
        if parts[part].body >= 0:
            own = traits[parts[part].body].group
            if own >= 0 or (group < 0 and own != group):
                return False
            group = own
    return True


@inner
def _place_parts(
    part_rows: int, traits: Table, parts: Table, buckets: Integers, places: Table, levels: Table
) -> int:
    """Find the cell of each part; return the finest level in use, -1 if there is none."""
    for bucket in range(buckets.shape[0]):
        buckets[bucket] = 0
    per_height = 1.0 / SMALLEST
    for level in range(LEVELS):
        levels[level].per_height = per_height
        levels[level].widest = 0.0
        levels[level].highest = 0.0
        levels[level].searches = 0
        levels[level].count = 0
        levels[level].moved = 0
        levels[level].first = -1
        levels[level].group = 0
        per_height *= 0.5
    for part in range(part_rows - 1, -1, -1):  # backwards, so that the lists ascend
        lower_x = float(parts[part].fat_lower_x)
        lower_y = float(parts[part].fat_lower_y)
        width = float(parts[part].fat_upper_x) - lower_x
        height = float(parts[part].fat_upper_y) - lower_y
        if parts[part].body < 0 or not (width >= 0.0 and height >= 0.0):
            places[part].bucket = -1
            continue
        level = _level_of(max(width, height))
        x = _cell_of(lower_x, CELLS_PER_HEIGHT * levels[level].per_height)
        y = _cell_of(lower_y, levels[level].per_height)
        levels[level].widest = max(levels[level].widest, width)
        levels[level].highest = max(levels[level].highest, height)
        bucket = _bucket_of(x, y, level, buckets.shape[0] - 1)
        buckets[bucket] += 1
        places[part].bucket = bucket
        places[part].y = y & KEPT_BITS
        places[part].level = level
        places[part].next_of_level = levels[level].first
        _join_group(traits[parts[part].body].group, levels[level])
        levels[level].first = part
        levels[level].count += 1
        if parts[part].moved:
            levels[level].moved += 1
    finest = -1
    for level in range(LEVELS - 1, -1, -1):
        levels[level].coarser = finest
        if levels[level].count > 0:
            finest = level
    return finest


@inlined
def _join_group(group: int, level_out: Record) -> None:
    """Let a level know whether its parts are still of one negative group, with one more."""
    if level_out.count == 0:
        level_out.group = min(group, 0)
    elif level_out.group < 0 and group != level_out.group:
        level_out.group = 0


@inner
def _sort_by_bucket(
    part_rows: int,
    parts: Table,
    searched: Reals32,
    buckets: Integers,
    places: Table,
    boxes: Table,
) -> int:
    """Write `boxes` and return how many there are.

    `buckets[b]` becomes the first row of bucket b, `buckets[b + 1]` its end.
    """
    end = 0
    for bucket in range(buckets.shape[0]):
        end += buckets[bucket]
        buckets[bucket] = end
    for part in range(part_rows - 1, -1, -1):
        bucket = places[part].bucket
        if bucket < 0:
            continue
        buckets[bucket] -= 1
        box = buckets[bucket]
        places[part].box = box
        boxes[box].lower_x = parts[part].fat_lower_x
        boxes[box].lower_y = parts[part].fat_lower_y
        boxes[box].upper_x = parts[part].fat_upper_x
        boxes[box].upper_y = parts[part].fat_upper_y
        boxes[box].old_lower_x = searched[part, 0]
        boxes[box].old_lower_y = searched[part, 1]
        boxes[box].old_upper_x = searched[part, 2]
        boxes[box].old_upper_y = searched[part, 3]
        boxes[box].part = part
        boxes[box].body = parts[part].body
        boxes[box].y = places[part].y
        boxes[box].level = places[part].level
        boxes[box].moved = parts[part].moved
    return end


@inner
def _choose_searchers(finest: int, levels: Table) -> None:
    """Decide for each two levels which parts search: the moved ones or all of the finer level.

    The moved ones of a coarser level may have to look at many cells of a finer one; then it is
    cheaper that those that lie still on the finer level search the coarser one, which has few
    cells for each of them. On one and the same level, if most have moved, all search, but each
    only what comes after it in the order of cells.
    """
    level = finest
    while level >= 0:
        searches = np.int64(0)
        if 2 * levels[level].moved > levels[level].count:
            searches |= np.int64(1) << level
        still = levels[level].count - levels[level].moved
        coarser = levels[level].coarser
        while coarser >= 0:
            ratio = levels[level].per_height / levels[coarser].per_height
            looks_of_moved = min(ratio * ratio, float(levels[level].count))
            looks_of_still = min(FEWEST_CELLS, levels[coarser].count)
            if levels[coarser].moved * looks_of_moved > still * looks_of_still:
                searches |= np.int64(1) << coarser
            coarser = levels[coarser].coarser
        levels[level].searches = searches
        level = levels[level].coarser


@inner
def _all_search(level: int, other: int, levels: Table) -> bool:
    """Whether also the parts of `level` that lie still search the level `other`."""
    return (levels[level].searches >> other) & 1 == 1


@inner
def _level_of(size: float) -> int:
    """The finest level whose cells are wider than `size` (m).

    That is its exponent, read from the bits: `math.frexp` takes twenty times as long.
    """
    if size < SMALLEST:
        return 0
    if size < TOO_LARGE:
        exponent = (np.float64(size).view(np.int64) >> SIGNIFICAND_BITS) - EXPONENT_OF_HALF
        return int(exponent) - FINEST
    return NO_CELLS


@inner
def _cell_of(position: float, per_width: float) -> np.int64:
    """The number of the cell that holds `position` (m) along one axis."""
    cell = np.floor(position * per_width)
    return np.int64(max(-FARTHEST_CELL, min(cell, FARTHEST_CELL)))


@inner
def _bucket_of(x: np.int64, y: np.int64, level: int, bucket_count: int) -> np.int64:
    """The bucket of a cell. The next cell along x has the next bucket."""
    mask = bucket_count - 1
    stride = np.int64(GOLDEN_RATIO * bucket_count) | 1
    return (x + (y & mask) * stride + np.int64(level) * LEVEL_STRIDE) & mask


@inlined
def _is_forward(own_level: int, level: int, levels: Table) -> bool:
    """Whether a box searches only what comes after it in the order of cells."""
    return level == own_level and _all_search(level, level, levels)


@inlined
def _found_by_other(own: int, level: int, boxes: Table, levels: Table) -> int:
    """Moved boxes of a level before this one find their pairs with `own` themselves."""
    own_level = boxes[own].level
    if level < own_level:
        return boxes.shape[0]
    if level > own_level or _is_forward(own_level, level, levels):
        return 0
    return own


@inner
def _list_near(
    own: int,
    level: int,
    buckets: Integers,
    places: Table,
    boxes: Table,
    levels: Table,
    near_out: Integers,
) -> int:
    """List the boxes of one level that overlap a box; return how many there are."""
    box = boxes[at(own)]
    this = levels[at(level)]
    forward = _is_forward(box.level, level, levels)
    few = level == NO_CELLS or this.count < FEWEST_CELLS
    per_width = CELLS_PER_HEIGHT * this.per_height
    first_x = last_x = first_y = last_y = np.int64(0)
    if not few:
        first_x = _cell_of(box.lower_x - this.widest, per_width)
        first_y = _cell_of(box.lower_y - this.highest, this.per_height)
        last_x = _cell_of(box.upper_x, per_width)
        last_y = _cell_of(box.upper_y, this.per_height)
        if level != box.level:  # on its own level a box has few cells, and all must do the same
            looks = float(last_y - first_y + 1) * (2.0 + float(last_x - first_x) / CELLS_PER_HEIGHT)
            few = looks > this.count or last_x - first_x >= buckets.shape[0] - 1
    count = 0
    if few:
        other = places[at(box.part)].next_of_level if forward else this.first
        while other >= 0:
            near_out[at(count)] = places[at(other)].box
            count += 1 if _overlap(box, boxes[at(places[at(other)].box)]) else 0
            other = places[at(other)].next_of_level
        return count
    bucket_count = buckets.shape[0] - 1
    if forward:  # the own cell after the box itself, the cells to its right, the rows above
        first_y = _cell_of(box.lower_y, this.per_height)
    for y in range(first_y, last_y + 1):
        x = first_x
        if forward and y == first_y:
            x = _cell_of(box.lower_x, per_width)
        bucket = _bucket_of(x, y, level, bucket_count)
        end = bucket + last_x - x + 1
        start = own + 1 if forward and y == first_y else np.int64(buckets[at(bucket)])
        while True:
            for other in range(start, buckets[at(min(end, bucket_count))]):
                near_out[at(count)] = other
                count += 1 if _overlap_in_row(box, boxes[at(other)], level, y & KEPT_BITS) else 0
            if end <= bucket_count:
                break
            end -= bucket_count  # the row goes on in the first buckets
            start = np.int64(0)
    return count


@inlined
def _overlap(a: Record, b: Record) -> bool:
    """Whether two boxes overlap or touch: without branches, since nobody can tell beforehand."""
    return bool(
        (a.lower_x <= b.upper_x)
        & (b.lower_x <= a.upper_x)
        & (a.lower_y <= b.upper_y)
        & (b.lower_y <= a.upper_y)
    )


@inlined
def _overlap_in_row(own: Record, other: Record, level: int, y: int) -> bool:
    """Whether a box overlaps another of a level in row `y` of its cells.

    Those of other levels or rows share a bucket by chance.
    """
    return bool(_overlap(own, other) & (other.y == y) & (other.level == level))


@inner
def _write_pairs(
    own: int,
    found_by_other: int,
    count: int,
    near: Integers,
    bodies: Table,
    traits: Table,
    excluded: Integers64,
    boxes: Table,
    found: int,
    pairs_out: Integers,
) -> int:
    """Write the pairs of one box with `count` boxes near it; return the new `found`.

    Moved ones before the box `found_by_other` report the pair themselves.
    """
    a = boxes[at(own)]
    for k in range(count):
        other = near[at(k)]
        b = boxes[at(other)]
        if _met_before(a, b):
            continue
        if other < found_by_other if b.moved else not a.moved:
            continue
        if a.body == b.body or not may_meet(a.body, b.body, bodies, traits, excluded):
            continue
        if found < pairs_out.shape[0]:
            pairs_out[at(found), 0] = min(a.part, b.part)
            pairs_out[at(found), 1] = max(a.part, b.part)
        found += 1
    return found


@inlined
def _met_before(a: Record, b: Record) -> bool:
    """Whether two boxes overlapped as they were last searched with: then the pair is known."""
    return bool(
        (a.old_lower_x <= b.old_upper_x)
        & (b.old_lower_x <= a.old_upper_x)
        & (a.old_lower_y <= b.old_upper_y)
        & (b.old_lower_y <= a.old_upper_y)
    )
