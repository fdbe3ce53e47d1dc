"""Pairs of bodies whose boxes meet, for the textbook detections: sort and sweep along x."""

from numba import types

from ecs_physics.kernels.compile import (
    Integers,
    Reals,
    Table,
    integer,
    integers,
    kernel,
    reals2,
    table,
)
from ecs_physics.kernels.pair_filter import can_be_pushed
from ecs_physics.tables import BODY, FREE, PART

NOWHERE = 1e300
"""m. A box from here to minus here meets no other: that of a row without a shape."""


@kernel(types.void(integer, table(BODY), table(PART), reals2))
def box_bodies(rows: int, bodies: Table, parts: Table, boxes_out: Reals) -> None:
    """Write the box around all parts of each body: lower x, lower y, upper x, upper y (m)."""
    for row in range(rows):
        lower_x = lower_y = NOWHERE
        upper_x = upper_y = -NOWHERE
        part = bodies[row].first_part if bodies[row].kind != FREE else -1
        while part >= 0:
            lower_x = min(lower_x, parts[part].lower_x)
            lower_y = min(lower_y, parts[part].lower_y)
            upper_x = max(upper_x, parts[part].upper_x)
            upper_y = max(upper_y, parts[part].upper_y)
            part = parts[part].next
        boxes_out[row, 0] = lower_x
        boxes_out[row, 1] = lower_y
        boxes_out[row, 2] = upper_x
        boxes_out[row, 3] = upper_y


@kernel(integer(integer, integers, table(BODY), reals2, integers))
def find_body_pairs(
    rows: int, order: Integers, bodies: Table, boxes: Reals, pairs_out: Integers
) -> int:
    """Write a * rows + b, a < b, for all bodies whose boxes meet and one of which is dynamic.

    Args:
        rows: rows in use.
        order: (rows,) rows by ascending lower x of their boxes.
        bodies: (rows or more,).
        boxes: see `box_bodies`.
        pairs_out: (N,); in no order.

    Returns the number of pairs; where it is larger than N, only the first are written.
    """
    found = 0
    for i in range(rows):
        first = order[i]
        if boxes[first, 0] > boxes[first, 2]:
            continue
        for j in range(i + 1, rows):
            second = order[j]
            if boxes[second, 0] > boxes[first, 2]:
                break
            if boxes[second, 1] > boxes[first, 3] or boxes[first, 1] > boxes[second, 3]:
                continue
            if boxes[second, 0] > boxes[second, 2]:
                continue
            if not can_be_pushed(bodies[first]) and not can_be_pushed(bodies[second]):
                continue
            if found < pairs_out.shape[0]:
                pairs_out[found] = min(first, second) * rows + max(first, second)
            found += 1
    return found
