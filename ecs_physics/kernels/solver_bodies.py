"""The solver's float32 copies of bodies, and the way there and back.

A copy is a row of eight float32: v_x, v_y, omega (m/s, rad/s), the angle turned since the step
began (rad), how far the centre of mass has moved since then (m, x and y), and the cosine and sine
of that angle. One 32-byte row is what one vector instruction loads.

The velocities in the tables stay the masters, in float64. `take_velocities` copies them,
`give_velocities` adds to the masters what the solver has changed in the copies: so a body that
nothing touches keeps its full float64 value, and rounding does not add up over the steps.
"""

import math

import numpy as np
from numba import types

from ecs_physics.kernels.compile import (
    Reals,
    Reals32,
    Table,
    inlined,
    integer,
    kernel,
    reals2,
    reals32_2,
    table,
)
from ecs_physics.tables import BODY, DYNAMIC, FREE, STATIC, VELOCITY

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


@kernel(types.void(integer, table(BODY), reals2, reals32_2))
def start_copies(rows: int, bodies: Table, origins_out: Reals, copies_out: Reals32) -> None:
    """Note where every body is when a step begins: no motion yet.

    `origins_out` (rows, 3) takes x, y (m) and angle (rad). `copies_out` has at least rows + 1
    rows; its last one belongs to no body: immovable bodies and empty lanes point there.
    """
    for row in range(rows):
        origins_out[row, 0] = bodies[row].x
        origins_out[row, 1] = bodies[row].y
        origins_out[row, 2] = bodies[row].angle
        clear_copy(row, copies_out)
    clear_copy(copies_out.shape[0] - 1, copies_out)


@inlined
def clear_copy(row: int, copies: Reals32) -> None:
    """At rest, where the step began."""
    for column in range(8):
        copies[row, column] = _ZERO
    copies[row, 6] = _ONE


@kernel(types.void(integer, table(BODY), table(VELOCITY), reals32_2))
def take_velocities(rows: int, bodies: Table, velocities: Table, copies_out: Reals32) -> None:
    """Copy the velocities of what moves."""
    take_range(0, rows, bodies, velocities, copies_out)


@inlined
def take_range(first: int, last: int, bodies: Table, velocities: Table, copies: Reals32) -> None:
    """Copy the velocities of what moves in the rows first to last - 1."""
    for row in range(first, last):
        if bodies[row].kind != STATIC and bodies[row].kind != FREE:
            take_velocity(row, velocities, copies)


@inlined
def take_velocity(row: int, velocities: Table, copies: Reals32) -> None:
    """Copy one body's velocity."""
    velocity = velocities[row]
    copies[row, 0] = np.float32(velocity.x)
    copies[row, 1] = np.float32(velocity.y)
    copies[row, 2] = np.float32(velocity.omega)


@kernel(types.void(integer, table(BODY), reals32_2, table(VELOCITY)))
def give_velocities(rows: int, bodies: Table, copies: Reals32, velocities_out: Table) -> None:
    """Add to the masters what the solver has changed in the copies since they were taken."""
    give_range(0, rows, bodies, copies, velocities_out)


@inlined
def give_range(first: int, last: int, bodies: Table, copies: Reals32, velocities: Table) -> None:
    """Add to the masters of rows first to last - 1 what the solver has changed in their copies."""
    for row in range(first, last):
        if bodies[row].kind == DYNAMIC:
            give_velocity(row, copies, velocities)


@kernel(types.void(integer, table(BODY), table(VELOCITY), reals2, reals32_2))
def follow_motion(
    rows: int, bodies: Table, velocities: Table, origins: Reals, copies_out: Reals32
) -> None:
    """Bring the copies' motion since the step began, and their velocities, up to date."""
    for row in range(rows):
        if bodies[row].kind != STATIC and bodies[row].kind != FREE:
            take_velocity(row, velocities, copies_out)
            follow_body(row, bodies, origins, copies_out)


@inlined
def give_velocity(row: int, copies: Reals32, velocities_out: Table) -> None:
    """Add to one body's velocity what the solver has changed in its copy."""
    velocity = velocities_out[row]
    velocity.x += np.float64(copies[row, 0]) - np.float64(np.float32(velocity.x))
    velocity.y += np.float64(copies[row, 1]) - np.float64(np.float32(velocity.y))
    velocity.omega += np.float64(copies[row, 2]) - np.float64(np.float32(velocity.omega))


@inlined
def follow_body(row: int, bodies: Table, origins: Reals, copies: Reals32) -> None:
    """Bring one copy's motion since the step began up to date."""
    copies[row, 4] = np.float32(bodies[row].x - origins[row, 0])
    copies[row, 5] = np.float32(bodies[row].y - origins[row, 1])
    angle = np.float32(bodies[row].angle - origins[row, 2])
    turn(row, angle - copies[row, 3], copies)
    copies[row, 3] = angle


@inlined
def turn(row: int, angle: float, copies: Reals32) -> None:
    """Turn a copy further by a small angle: along the tangent, scaled back to length one.

    Cheaper than a cosine, and nothing lasts beyond the step but the angle itself.
    """
    cos = copies[row, 6]
    sin = copies[row, 7]
    new_cos = cos - angle * sin
    new_sin = sin + angle * cos
    scale = _ONE / np.float32(math.sqrt(new_cos * new_cos + new_sin * new_sin))
    copies[row, 6] = new_cos * scale
    copies[row, 7] = new_sin * scale
