"""The broad phase where few parts have moved: each is compared with all, without a grid.

What the arguments are: hash_grid.py.
"""

from typing import Final

import numpy as np

from ecs_physics.kernels.compile import (
    Integers,
    Integers32,
    Reals32,
    Record,
    Table,
    at,
    inlined,
    inner,
)
from ecs_physics.kernels.pair_filter import may_meet

FEW_MOVED: Final = 12
"""Parts. To compare one with all takes a twelfth of the time in which a grid is made of all."""

MORE_NEAR: Final = FEW_MOVED + 1
"""By how much the list of what is near a part may be longer than there are parts: those that have
moved may be in it twice, and the place after the last one is written to."""


@inner
def list_moved(part_rows: int, parts: Table, rows_out: Integers32) -> int:
    """List the parts that have moved; return how many there are."""
    count = 0
    for row in range(part_rows):
        if parts[at(row)].moved and is_there(parts[at(row)]):
            rows_out[at(count)] = row
            count += 1
    return count


@inner
def find_pairs_of_few(
    moved_count: int,
    moved: Integers32,
    part_rows: int,
    bodies: Table,
    traits: Table,
    excluded: Integers,
    parts: Table,
    searched: Reals32,
    near: Integers32,
    pairs_out: Integers32,
) -> int:
    """Write the new pairs of the `moved` parts; return how many there are."""
    found = 0
    for k in range(moved_count):
        own = np.int64(moved[k])
        part = parts[at(own)]
        still = list_overlapping(part, part_rows, searched, near)
        count = still
        for j in range(k + 1, moved_count):
            near[at(count)] = moved[j]
            count += 1 if overlap(part, parts[at(moved[j])]) else 0
        for j in range(count):
            other = np.int64(near[j])
            if not is_there(parts[at(other)]) or (j < still and parts[at(other)].moved):
                continue
            a = part.body
            b = parts[at(other)].body
            if a == b or met_before(own, other, searched):
                continue
            if not may_meet(a, b, bodies, traits, excluded):
                continue
            if found < pairs_out.shape[0]:
                pairs_out[found, 0] = min(own, other)
                pairs_out[found, 1] = max(own, other)
            found += 1
    return found


@inlined
def is_there(part: Record) -> bool:
    """Whether a row of PART is in use and its fat box no empty one."""
    return bool(
        (part.body >= 0)
        & (part.fat_lower_x <= part.fat_upper_x)
        & (part.fat_lower_y <= part.fat_upper_y)
    )


@inlined
def list_overlapping(part: Record, part_rows: int, searched: Reals32, near_out: Integers32) -> int:
    """List the parts whose searched boxes overlap or touch the fat box of one."""
    lower_x = part.fat_lower_x
    lower_y = part.fat_lower_y
    upper_x = part.fat_upper_x
    upper_y = part.fat_upper_y
    count = 0
    for row in range(part_rows):
        near_out[at(count)] = row
        is_near = (
            (lower_x <= searched[at(row), 2])
            & (searched[at(row), 0] <= upper_x)
            & (lower_y <= searched[at(row), 3])
            & (searched[at(row), 1] <= upper_y)
        )
        count += 1 if is_near else 0
    return count


@inlined
def overlap(a: Record, b: Record) -> bool:
    """Whether the fat boxes of two parts overlap or touch."""
    return bool(
        (a.fat_lower_x <= b.fat_upper_x)
        & (b.fat_lower_x <= a.fat_upper_x)
        & (a.fat_lower_y <= b.fat_upper_y)
        & (b.fat_lower_y <= a.fat_upper_y)
    )


@inlined
def met_before(a: int, b: int, searched: Reals32) -> bool:
    """Whether two parts overlapped as they were last searched with: then the pair is known."""
    return bool(
        (searched[at(a), 0] <= searched[at(b), 2])
        & (searched[at(b), 0] <= searched[at(a), 2])
        & (searched[at(a), 1] <= searched[at(b), 3])
        & (searched[at(b), 1] <= searched[at(a), 3])
    )
