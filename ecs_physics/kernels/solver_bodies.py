"""The solver's float32 copies of bodies, and the way there and back.

A copy is a row of eight float32: v_x, v_y, omega (m/s, rad/s), one that is free, how far the centre
of mass has moved in this substep (m, x and y), and cosine - 1 and sine of the angle that it has
turned in it. One 32-byte row is what one vector instruction loads.

The velocities in the tables stay the masters, in float64. What float32 leaves out of a velocity,
the remainder, is kept in `motions`, and velocity = copy + remainder at any time: so a body that
nothing touches keeps its full float64 value, and rounding does not add up over the steps.

A row of `motions` is eight float64: what forces add to the velocity in each substep (KICK), the
factors of damping, and the remainders. It is all that a substep needs beside the copy.

A row of masses, eight float32 too, is what the solver needs of a body to fill the blocks.
"""

import numpy as np
from numba import types

from ecs_physics.kernels.compile import (
    Reals,
    Reals32,
    Record,
    Table,
    at,
    inlined,
    integer,
    kernel,
    reals2,
    reals32_2,
    table,
)
from ecs_physics.tables import BODY, DYNAMIC, FREE, KINEMATIC, STATIC, VELOCITY

KICK_X = 0  # m/s a substep
KICK_Y = 1
KICK_OMEGA = 2  # rad/s
LINEAR = 3  # factor of damping, 1 for none
ANGULAR = 4
REST_X = 5  # m/s, what the copy lacks of the velocity
REST_Y = 6
REST_OMEGA = 7

INVERSE_MASS_X = 0  # 1/kg, all three are 0 for what is not dynamic
INVERSE_MASS_Y = 1
INVERSE_INERTIA = 2  # 1/(kg m^2)
EXTENT = 3  # m, and farther than anything for what is not dynamic
MOVES = 4  # 1 for what is dynamic, else 0

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_FARTHEST = np.float32(1e30)
_STILL = 1e-30
_6TH = 1.0 / 6.0  # a product takes a quarter of the time of a division
_24TH = 1.0 / 24.0

WIDE_TURN = 0.6
"""rad. Contact points follow a body only until it has turned by this in a step: their effective
masses are those of its beginning, and an impulse given at one place and taken back at another
leaves a spin. Smaller: contacts of what spins are less exact. Larger: what spins flies apart."""

WIDE_WAY = 10.0
"""m. Nor where it moves farther than this in a substep: the same, with arms of kilometres, where
joints that contradict each other fling their bodies. Smaller: contacts of what is really so fast,
2400 m/s at 4 substeps of 1/60 s, are less exact. Larger: speeds grow without bound."""


@kernel(types.void(integer, table(BODY), reals2, reals32_2, reals32_2))
def start_copies(
    rows: int, bodies: Table, poses_out: Reals, copies_out: Reals32, masses_out: Reals32
) -> None:
    """Note where every body is when a step begins, and how heavy it is: no motion yet.

    `poses_out` (rows, 3) takes x, y (m) and angle (rad), for `follow_motion`. `copies_out` and
    `masses_out` have at least rows + 1 rows, and their last one belongs to no body: empty lanes
    point there.
    """
    for row in range(rows):
        body = bodies[at(row)]
        poses_out[at(row), 0] = body.x
        poses_out[at(row), 1] = body.y
        poses_out[at(row), 2] = body.angle
        clear_copy(row, copies_out)
        moves = body.kind == DYNAMIC
        masses_out[at(row), INVERSE_MASS_X] = np.float32(body.inverse_mass_x) if moves else _ZERO
        masses_out[at(row), INVERSE_MASS_Y] = np.float32(body.inverse_mass_y) if moves else _ZERO
        masses_out[at(row), INVERSE_INERTIA] = np.float32(body.inverse_inertia) if moves else _ZERO
        masses_out[at(row), EXTENT] = np.float32(body.extent) if moves else _FARTHEST
        masses_out[at(row), MOVES] = _ONE if moves else _ZERO
    nobody = copies_out.shape[0] - 1
    clear_copy(nobody, copies_out)
    clear_copy(nobody, masses_out)


@inlined
def clear_copy(row: int, copies: Reals32) -> None:
    """At rest, and not moved."""
    for column in range(8):
        copies[row, column] = _ZERO


@inlined
def start_motions(
    first: int,
    last: int,
    h: float,
    forces: Table,
    dampings: Table,
    bodies: Table,
    velocities: Table,
    motions_out: Reals,
    copies_out: Reals32,
) -> None:
    """Copy velocities, and work out what each substep of `h` seconds does to them.

    For the rows first to last - 1. Kinematic bodies have accelerations among the forces
    (kinematic_ramps.py).
    """
    for row in range(first, last):
        kind = bodies[row].kind
        push_x = push_y = push_omega = 0.0
        motions_out[row, LINEAR] = 1.0
        motions_out[row, ANGULAR] = 1.0
        if kind == DYNAMIC:
            push_x = bodies[row].inverse_mass_x
            push_y = bodies[row].inverse_mass_y
            push_omega = bodies[row].inverse_inertia
            motions_out[row, LINEAR] = 1.0 / (1.0 + h * max(dampings[row].linear, 0.0))
            motions_out[row, ANGULAR] = 1.0 / (1.0 + h * max(dampings[row].angular, 0.0))
        elif kind == KINEMATIC:
            push_x = push_y = push_omega = 1.0
        motions_out[row, KICK_X] = h * forces[row].x * push_x
        motions_out[row, KICK_Y] = h * forces[row].y * push_y
        motions_out[row, KICK_OMEGA] = h * forces[row].torque * push_omega
        if kind == STATIC or kind == FREE:
            motions_out[row, REST_X] = motions_out[row, REST_Y] = motions_out[row, REST_OMEGA] = 0.0
        else:
            take_velocity(row, velocities, motions_out, copies_out)


@inlined
def kick(first: int, last: int, motions: Reals, copies: Reals32) -> None:
    """Let forces and damping act for a substep on the copies of the rows first to last - 1.

    Without a look at what a body is: nothing acts on what does not move.
    """
    for row in range(first, last):
        x = np.float64(copies[row, 0]) + motions[row, REST_X] + motions[row, KICK_X]
        y = np.float64(copies[row, 1]) + motions[row, REST_Y] + motions[row, KICK_Y]
        omega = np.float64(copies[row, 2]) + motions[row, REST_OMEGA] + motions[row, KICK_OMEGA]
        set_velocity(
            row,
            x * motions[row, LINEAR],
            y * motions[row, LINEAR],
            omega * motions[row, ANGULAR],
            motions,
            copies,
        )


@inlined
def move(first: int, last: int, h: float, bodies: Table, motions: Reals, copies: Reals32) -> None:
    """x += h v, angle += h omega for the rows first to last - 1, and note it in the copies."""
    for row in range(first, last):
        body = bodies[row]
        if body.kind != DYNAMIC and body.kind != KINEMATIC:
            continue
        x = body.x
        y = body.y
        angle = body.angle
        body.x += h * (np.float64(copies[row, 0]) + motions[row, REST_X])
        body.y += h * (np.float64(copies[row, 1]) + motions[row, REST_Y])
        body.angle += h * (np.float64(copies[row, 2]) + motions[row, REST_OMEGA])
        follow_body(row, body, x, y, angle, copies)


@kernel(types.void(integer, table(BODY), table(VELOCITY), reals2, reals32_2))
def take_velocities(
    rows: int, bodies: Table, velocities: Table, motions_out: Reals, copies_out: Reals32
) -> None:
    """Copy the velocities of what moves."""
    for row in range(rows):
        if bodies[row].kind != STATIC and bodies[row].kind != FREE:
            take_velocity(row, velocities, motions_out, copies_out)


@inlined
def take_velocity(row: int, velocities: Table, motions: Reals, copies: Reals32) -> None:
    """Copy one body's velocity."""
    velocity = velocities[row]
    set_velocity(row, velocity.x, velocity.y, velocity.omega, motions, copies)


@inlined
def set_velocity(
    row: int, x: float, y: float, omega: float, motions: Reals, copies: Reals32
) -> None:
    """Split a velocity (m/s, rad/s) into copy and remainder."""
    copies[row, 0] = np.float32(x)
    copies[row, 1] = np.float32(y)
    copies[row, 2] = np.float32(omega)
    motions[row, REST_X] = x - np.float64(np.float32(x))
    motions[row, REST_Y] = y - np.float64(np.float32(y))
    motions[row, REST_OMEGA] = omega - np.float64(np.float32(omega))


@kernel(types.void(integer, table(BODY), reals2, reals32_2, table(VELOCITY)))
def give_velocities(
    rows: int, bodies: Table, motions: Reals, copies: Reals32, velocities_out: Table
) -> None:
    """Bring the masters in step with what has become of the copies since they were taken."""
    give_range(0, rows, bodies, motions, copies, velocities_out)


@inlined
def give_range(
    first: int, last: int, bodies: Table, motions: Reals, copies: Reals32, velocities_out: Table
) -> None:
    """The same for the rows first to last - 1."""
    for row in range(first, last):
        if bodies[row].kind == DYNAMIC or bodies[row].kind == KINEMATIC:
            velocity = velocities_out[row]
            velocity.x = np.float64(copies[row, 0]) + motions[row, REST_X]
            velocity.y = np.float64(copies[row, 1]) + motions[row, REST_Y]
            velocity.omega = np.float64(copies[row, 2]) + motions[row, REST_OMEGA]


@kernel(types.void(integer, table(BODY), table(VELOCITY), reals2, reals2, reals32_2))
def follow_motion(
    rows: int, bodies: Table, velocities: Table, poses: Reals, motions: Reals, copies_out: Reals32
) -> None:
    """Write into the copies how bodies have moved since `poses`, which becomes where they are.

    Velocities that somebody has changed meanwhile are taken anew.
    """
    for row in range(rows):
        if bodies[row].kind == STATIC or bodies[row].kind == FREE:
            continue
        if not is_given(row, velocities[row], motions, copies_out):
            take_velocity(row, velocities, motions, copies_out)
        follow_body(row, bodies[row], poses[row, 0], poses[row, 1], poses[row, 2], copies_out)
        poses[row, 0] = bodies[row].x
        poses[row, 1] = bodies[row].y
        poses[row, 2] = bodies[row].angle


@inlined
def is_given(row: int, velocity: Record, motions: Reals, copies: Reals32) -> bool:
    """Whether a velocity is the one that `give_velocities` has given."""
    return bool(
        velocity.x == np.float64(copies[row, 0]) + motions[row, REST_X]
        and velocity.y == np.float64(copies[row, 1]) + motions[row, REST_Y]
        and velocity.omega == np.float64(copies[row, 2]) + motions[row, REST_OMEGA]
    )


@inlined
def follow_body(
    row: int, body: Record, was_x: float, was_y: float, was_angle: float, copies: Reals32
) -> None:
    """Write how one body has moved in this substep into its copy, from where it was (m, rad).

    Cosine and sine are the first terms of their series: a tenth of the cost, and the error for a
    quarter of a radian a substep, which is already too fast to see, is below 1e-5. A body
    that has turned by more than WIDE_TURN in this step, or in this substep alone, or gone farther
    than WIDE_WAY in it, counts as not moving any more.
    """
    angle = body.angle - was_angle
    is_near = abs(body.x - was_x) <= WIDE_WAY and abs(body.y - was_y) <= WIDE_WAY
    is_near = is_near and abs(angle) <= WIDE_TURN
    if not is_near or abs(body.angle - body.start_angle) > WIDE_TURN:
        for column in range(4, 8):
            copies[row, column] = _ZERO
        return
    copies[row, 4] = np.float32(body.x - was_x)
    copies[row, 5] = np.float32(body.y - was_y)
    square = angle * angle
    # A float32 so small is slow (denormal), and turns nothing.
    square = square if square >= _STILL else 0.0
    copies[row, 6] = np.float32(square * (square * _24TH - 0.5))
    copies[row, 7] = np.float32(angle - angle * (square * _6TH))
