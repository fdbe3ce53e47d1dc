"""The broad phase: pairs of parts whose fat boxes overlap, found with a hierarchical hash grid.

Each part lies once in the grid: in the cell of its box's lower corner, at the finest level
whose cells are wider than the box. Cells double from level to level and lie at fixed places
(`2**k` metres), so the grid depends on nothing but the boxes. Whoever searches a level looks at
the cells that its own box touches and at one more to the left and below; where that would be
more cells than the level has parts, it goes through those parts instead. So neither a huge
floor nor a swarm of grains is ever walked cell by cell.

The hash puts neighbouring cells of a row into neighbouring buckets and parts are sorted by
bucket, so a row of cells is one stretch of memory.

The grid is made anew in each search in which something has moved (about 10 ns a part); so the
order of the pairs depends on the present tables alone, never on the past.

Arrays, all owned by the caller:

- `parts`: (P,) PART, `bodies`: (B,) BODY, `traits`: (B,) TRAITS, read only. Of a part: `body`,
  `moved`, `fat_*`.
- `excluded`: (N,) int64, ascending, pairs of bodies that a joint keeps from colliding.
- `buckets`: (H + 1,) int32, scratch. H is a power of two and at least `part_rows`; 2 to 4 times
  as many suit parts of mixed sizes better.
- `places`: (P or more,) PLACE, scratch: one row for each row of `parts`.
- `boxes`: (P or more,) BOX, scratch: one row for each part, sorted by bucket.
- `levels`: (LEVELS,) LEVEL, scratch.
- `pairs_out`: (N, 2) int32, C-contiguous.
"""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.compile import (
    Record,
    inlined,
    inner,
    integer,
    integers,
    integers32,
    integers32_2,
    kernel,
    table,
)
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

FEWEST_CELLS: Final = 4
"""Cells that a search looks at or more, so that fewer parts are always gone through."""

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
        ("lower_x", "f8"),  # m, the part's fat box
        ("lower_y", "f8"),
        ("upper_x", "f8"),
        ("upper_y", "f8"),
        ("part", "i4"),  # row of the part
        ("body", "i4"),  # row of its body
        ("y", "i4"),  # as in PLACE
        ("level", "i4"),
        ("moved", "?"),
    ],
    align=True,
)

LEVEL: Final = np.dtype(
    [
        ("per_width", "f8"),  # 1/m, cells in a metre
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
        integers32,
        table(PLACE),
        table(BOX),
        table(LEVEL),
        integers32_2,
    )
)
def find_pairs(
    part_rows: int,
    bodies: Table,
    traits: Table,
    excluded: Integers64,
    parts: Table,
    buckets: Integers,
    places: Table,
    boxes: Table,
    levels: Table,
    pairs_out: Integers,
) -> int:
    """Write the new pairs of parts whose fat boxes overlap or touch; return how many there are.

    A pair is new where one of its parts has `moved`. Parts of the same body, and bodies that
    may not meet (pair_filter.py), make no pair. Each pair comes once, as (smaller row, larger
    row), in an order that depends on the tables alone. Free rows are skipped; an empty box (lower
    > upper) or one with a NaN in it overlaps nothing.

    The number returned may be larger than `pairs_out` has room for: then only the first are
    written, and the caller calls again with more room. Nothing else is changed: `moved`
    remains as it is.

    `part_rows`: rows of `parts` in use. The arrays are described at the top of this file.
    """
    found = 0
    if not _any_moved(part_rows, parts) or _are_one_group(part_rows, traits, parts):
        return found
    finest = _place_parts(part_rows, traits, parts, buckets, places, levels)
    _sort_by_bucket(part_rows, parts, buckets, places, boxes)
    _choose_searchers(finest, levels)
    for part in range(part_rows):
        if places[part].bucket < 0:
            continue
        own = places[part].level
        moved = parts[part].moved
        if not moved and levels[own].searches == 0:
            continue
        level = finest
        while level >= 0:
            if levels[own].group < 0 and levels[own].group == levels[level].group:
                wanted = False
            elif level >= own:
                wanted = moved or _all_search(own, level, levels)
            else:
                still = levels[level].count > levels[level].moved
                wanted = moved and still and not _all_search(level, own, levels)
            if wanted:
                found = _search(
                    part,
                    level,
                    bodies,
                    traits,
                    excluded,
                    buckets,
                    places,
                    boxes,
                    levels,
                    found,
                    pairs_out,
                )
            level = levels[level].coarser
    return found


@inner
def _any_moved(part_rows: int, parts: Table) -> bool:
    for part in range(part_rows):
        is_there = parts[part].body >= 0
        if is_there and parts[part].moved:
            return True
    return False


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
    per_width = 1.0 / SMALLEST
    for level in range(LEVELS):
        levels[level].per_width = per_width
        levels[level].searches = 0
        levels[level].count = 0
        levels[level].moved = 0
        levels[level].first = -1
        levels[level].group = 0
        per_width *= 0.5
    for part in range(part_rows - 1, -1, -1):  # backwards, so that the lists ascend
        width = parts[part].fat_upper_x - parts[part].fat_lower_x
        height = parts[part].fat_upper_y - parts[part].fat_lower_y
        if parts[part].body < 0 or not (width >= 0.0 and height >= 0.0):
            places[part].bucket = -1
            continue
        level = _level_of(max(width, height))
        x = _cell_of(parts[part].fat_lower_x, levels[level].per_width)
        y = _cell_of(parts[part].fat_lower_y, levels[level].per_width)
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
    part_rows: int, parts: Table, buckets: Integers, places: Table, boxes: Table
) -> None:
    """Write `boxes`; `buckets[b]` becomes the first row of bucket b, `buckets[b + 1]` its end."""
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
        boxes[box].part = part
        boxes[box].body = parts[part].body
        boxes[box].y = places[part].y
        boxes[box].level = places[part].level
        boxes[box].moved = parts[part].moved


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
            ratio = levels[level].per_width / levels[coarser].per_width
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
    """The finest level whose cells are wider than `size` (m)."""
    if size < SMALLEST:
        return 0
    if size < TOO_LARGE:
        return math.frexp(size)[1] - FINEST
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


@inner
def _search(
    part: int,
    level: int,
    bodies: Table,
    traits: Table,
    excluded: Integers64,
    buckets: Integers,
    places: Table,
    boxes: Table,
    levels: Table,
    found: int,
    pairs_out: Integers,
) -> int:
    """Write the pairs of one part with the parts of one level; return the new `found`."""
    own = places[part].box
    own_level = boxes[own].level
    forward = level == own_level and _all_search(level, level, levels)
    found_by_other = -1  # moved parts up to this row find their pairs themselves
    if level < own_level:
        found_by_other = KEPT_BITS
    elif level == own_level and not forward:
        found_by_other = part

    few = level == NO_CELLS or levels[level].count < FEWEST_CELLS
    first_x = last_x = first_y = last_y = np.int64(0)
    if not few:
        per_width = levels[level].per_width
        first_x = _cell_of(boxes[own].lower_x, per_width) - 1
        first_y = _cell_of(boxes[own].lower_y, per_width) - 1
        last_x = _cell_of(boxes[own].upper_x, per_width)
        last_y = _cell_of(boxes[own].upper_y, per_width)
        if level != own_level:  # on its own level a box has few cells, and all must do the same
            cells = float(last_x - first_x + 1) * float(last_y - first_y + 1)
            few = cells > levels[level].count
    if few:
        other = places[part].next_of_level if forward else levels[level].first
        while other >= 0:
            box = places[other].box
            found = _scan(
                own,
                box,
                box + 1,
                level,
                boxes[box].y,
                found_by_other,
                bodies,
                traits,
                excluded,
                boxes,
                found,
                pairs_out,
            )
            other = places[other].next_of_level
        return found

    bucket_count = buckets.shape[0] - 1
    if forward:  # the own cell after the part itself, the cells to its right, the rows above
        first_y += 1
    for y in range(first_y, last_y + 1):
        if forward and y == first_y:
            bucket = _bucket_of(first_x + 1, y, level, bucket_count)
            end = bucket + last_x - first_x
            start = own + 1
        else:
            bucket = _bucket_of(first_x, y, level, bucket_count)
            end = bucket + last_x - first_x + 1
            start = buckets[bucket]
        while True:
            stop = buckets[min(end, bucket_count)]
            found = _scan(
                own,
                start,
                stop,
                level,
                y & KEPT_BITS,
                found_by_other,
                bodies,
                traits,
                excluded,
                boxes,
                found,
                pairs_out,
            )
            if end <= bucket_count:
                break
            end -= bucket_count  # the row goes on in the first buckets
            start = 0
    return found


@inner
def _scan(
    own: int,
    start: int,
    stop: int,
    level: int,
    y: int,
    found_by_other: int,
    bodies: Table,
    traits: Table,
    excluded: Integers64,
    boxes: Table,
    found: int,
    pairs_out: Integers,
) -> int:
    """Write the pairs of one box with a stretch of boxes; return the new `found`.

    Boxes of other levels or rows of cells than `y` are there by chance of the hash and are not
    meant. Moved ones of parts up to row `found_by_other` report the pair themselves.
    """
    lower_x = boxes[own].lower_x
    lower_y = boxes[own].lower_y
    upper_x = boxes[own].upper_x
    upper_y = boxes[own].upper_y
    for other in range(start, stop):
        apart = (
            (lower_x > boxes[other].upper_x)
            | (boxes[other].lower_x > upper_x)
            | (lower_y > boxes[other].upper_y)
            | (boxes[other].lower_y > upper_y)
        )
        if apart or boxes[other].y != y or boxes[other].level != level:
            continue
        if boxes[other].moved:
            if boxes[other].part <= found_by_other:
                continue
        elif not boxes[own].moved:
            continue
        first = boxes[own].body
        second = boxes[other].body
        if first == second:
            continue
        if not may_meet(first, second, bodies, traits, excluded):
            continue
        if found < pairs_out.shape[0]:
            pairs_out[found, 0] = min(boxes[own].part, boxes[other].part)
            pairs_out[found, 1] = max(boxes[own].part, boxes[other].part)
        found += 1
    return found
