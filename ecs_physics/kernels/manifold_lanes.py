"""What eight pairs of parts that collide at once have in common, whatever parts they are.

A batch holds eight pairs of parts of one form: `names[number, name, lane]` are the rows that they
are of, `batches[number, field, lane]`, float32, is what is found out about them, along the world's
axes. A name stands for eight pairs (lanes.py).

What lanes have written there can be read one by one without delay, but not the other way: lanes
would wait until all that was written one by one before has got to memory.
"""

from typing import Final

import numpy as np
from numba import types

from ecs_physics.kernels.compile import (
    Integers32,
    Reals,
    Reals32,
    Record,
    Table,
    at,
    inlined,
    integer,
    kernel,
    reals32_2,
    table,
)
from ecs_physics.kernels.lanes import LANES, Lanes
from ecs_physics.kernels.quads import four, write_four
from ecs_physics.tables import BODY, VELOCITY

# Which rows the lanes of a batch are of.
PART_A: Final = 0
PART_B: Final = 1
BODY_A: Final = 2
BODY_B: Final = 3
ROW: Final = 4  # of the contact table
NAMES: Final = 5

# What a row of eight float32 says of a part, ...
MIDDLE_X: Final = 0  # m, from the centre of mass of its body
MIDDLE_Y: Final = 1
AXIS_X: Final = 2  # of a box, as are its halves
AXIS_Y: Final = 3
HALF_0: Final = 4  # m, half of its width along the axis; not 0 for any part but circles
HALF_1: Final = 5  # and along the cross axis
RADIUS: Final = 6  # m
WAY: Final = 7  # m, no point of a box gets farther in this step
# ... what one says of how a body moves, ...
PLACE_X: Final = 0  # m, centre of mass in the world; together with ...
PLACE_Y: Final = 1
REST_X: Final = 2  # ... what float32 leaves out of it
REST_Y: Final = 3
SPEED_X: Final = 4  # m/s
SPEED_Y: Final = 5
TURNING: Final = 6  # rad/s
# ... and what one says of its surface.
FRICTION: Final = 0
RESTITUTION: Final = 1
ROLLING_RESISTANCE: Final = 2
SURFACE_SPEED: Final = 3  # m/s

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)

Pair = tuple[Lanes, Lanes]
"""The components of a vector, or two other numbers."""


@inlined
def write_part(row: int, vertices: Reals, part: Record, parts_out: Reals32) -> None:
    """Write what is said of any part but a box, of which box_manifolds.write_box tells more."""
    first = at(part.first_vertex)
    parts_out[row, MIDDLE_X] = np.float32(vertices[first, 0])
    parts_out[row, MIDDLE_Y] = np.float32(vertices[first, 1])
    parts_out[row, HALF_0] = _ZERO if part.count == 1 else _ONE
    parts_out[row, RADIUS] = np.float32(part.radius)


@kernel(types.void(integer, table(BODY), table(VELOCITY), reals32_2, reals32_2))
def copy_bodies(
    rows: int, bodies: Table, velocities: Table, motions_out: Reals32, surfaces_out: Reals32
) -> None:
    """Write what manifolds need of bodies: rows of how they move, and of their surfaces."""
    for row in range(rows):
        body = bodies[row]
        velocity = velocities[row]
        x = np.float64(np.float32(body.x))
        y = np.float64(np.float32(body.y))
        write_four(motions_out, row, PLACE_X, four(x, y, body.x - x, body.y - y))
        write_four(motions_out, row, SPEED_X, four(velocity.x, velocity.y, velocity.omega, 0.0))
        surface = four(body.friction, body.restitution, body.rolling_resistance, body.surface_speed)
        write_four(surfaces_out, row, FRICTION, surface)


@inlined
def put_pair(number: int, lane: int, row: int, contact: Record, names_out: Integers32) -> None:
    """Put a contact, in this row, into a lane of a batch."""
    names_out[at(number), PART_A, at(lane)] = contact.part_a
    names_out[at(number), PART_B, at(lane)] = contact.part_b
    names_out[at(number), BODY_A, at(lane)] = contact.body_a
    names_out[at(number), BODY_B, at(lane)] = contact.body_b
    names_out[at(number), ROW, at(lane)] = row


@inlined
def fill_up(number: int, count: int, names_out: Integers32) -> None:
    """Let the lanes from `count` on do what the first one does."""
    for lane in range(count, LANES):
        for name in range(NAMES):
            names_out[number, name, lane] = names_out[number, name, 0]


@inlined
def way_between(a: tuple[Lanes, ...], b: tuple[Lanes, ...]) -> Pair:
    """From one centre of mass to the other, m, given two rows of motion."""
    return (
        (b[PLACE_X] - a[PLACE_X]) + (b[REST_X] - a[REST_X]),
        (b[PLACE_Y] - a[PLACE_Y]) + (b[REST_Y] - a[REST_Y]),
    )
