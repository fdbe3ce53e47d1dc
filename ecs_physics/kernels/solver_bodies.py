"""The solver's float32 copies of bodies, and the way there and back.

A copy is a row of eight float32: v_x, v_y, omega (m/s, rad/s), one that is free, how far the centre
of mass has moved in this substep (m, x and y), and cosine - 1 and sine of the angle that it has
turned in it. One 32-byte row is what one vector instruction loads.

The velocities in the tables stay the masters, in float64. `take_velocities` copies them,
`give_velocities` adds to the masters what the solver has changed in the copies: so a body that
nothing touches keeps its full float64 value, and rounding does not add up over the steps.
"""

import numpy as np
from numba import types

from ecs_physics.kernels.compile import (
    Reals,
    Reals32,
    Table,
    inlined,
    integer,
    kernel,
    reals3,
    reals32_2,
    table,
)
from ecs_physics.tables import BODY, DYNAMIC, FREE, STATIC, VELOCITY

_ZERO = np.float32(0.0)
_STILL = 1e-30

WIDE_TURN = 0.6
"""rad. Contact points follow a body only until it has turned by this in a step: their effective
masses are those of its beginning, and an impulse given at one place and taken back at another
leaves a spin. Smaller: contacts of what spins are less exact. Larger: what spins flies apart."""


@kernel(types.void(integer, table(BODY), reals3, reals32_2))
def start_copies(rows: int, bodies: Table, origins_out: Reals, copies_out: Reals32) -> None:
    """Note where every body is when a step begins: no motion yet.

    `origins_out` (2, rows, 3) takes x, y (m) and angle (rad) twice: [0] stays as it is during the
    step, [1] follows from substep to substep. `copies_out` has at least rows + 1 rows; its last one
    belongs to no body: immovable bodies and empty lanes point there.
    """
    for row in range(rows):
        for when in range(2):
            origins_out[when, row, 0] = bodies[row].x
            origins_out[when, row, 1] = bodies[row].y
            origins_out[when, row, 2] = bodies[row].angle
        clear_copy(row, copies_out)
    clear_copy(copies_out.shape[0] - 1, copies_out)


@inlined
def clear_copy(row: int, copies: Reals32) -> None:
    """At rest, and not moved."""
    for column in range(8):
        copies[row, column] = _ZERO


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


@kernel(types.void(integer, table(BODY), table(VELOCITY), reals3, reals32_2))
def follow_motion(
    rows: int, bodies: Table, velocities: Table, origins: Reals, copies_out: Reals32
) -> None:
    """Write into the copies how bodies have moved in this substep, and their velocities."""
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
    """Write how one body has moved in this substep into its copy; the next one starts there.

    Cosine and sine are the first terms of their series: a tenth of the cost, and the error for a
    quarter of a radian a substep, which is already too fast to see, is below 1e-5. A body
    that has turned by more than WIDE_TURN in this step counts as not moving any more.
    """
    body = bodies[row]
    if abs(body.angle - origins[0, row, 2]) > WIDE_TURN:
        for column in range(4, 8):
            copies[row, column] = _ZERO
        return
    copies[row, 4] = np.float32(body.x - origins[1, row, 0])
    copies[row, 5] = np.float32(body.y - origins[1, row, 1])
    angle = body.angle - origins[1, row, 2]
    square = angle * angle
    if square < _STILL:  # float32 so small is slow (denormal), and turns nothing
        copies[row, 6] = _ZERO
    else:
        copies[row, 6] = np.float32(-0.5 * square + square * square / 24.0)
    copies[row, 7] = np.float32(angle - angle * square / 6.0)
    origins[1, row, 0] = body.x
    origins[1, row, 1] = body.y
    origins[1, row, 2] = body.angle
