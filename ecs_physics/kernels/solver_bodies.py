"""The solver's float32 copies of bodies, and the way there and back.

A copy is a row of eight float32: v_x, v_y, omega (m/s, rad/s), one that is free, how far the centre
of mass has moved in this substep (m, x and y), and cosine - 1 and sine of the angle that it has
turned in it. One 32-byte row is what one vector instruction loads.

The velocities in the tables stay the masters, in float64. What float32 leaves out of a velocity,
the remainder, is kept in `motions`, and velocity = copy + remainder at any time: so a body that
nothing touches keeps its full float64 value, and rounding does not add up over the steps.

`motions` are rows of four float64: x, y, turning and a zero. First come those of all bodies that
say what forces add to the velocity in each substep (KICK), then the factors of damping, then the
remainders (REST), since some passes need one kind only. Behind them are the poses (POSE): while
substeps run it is these that move, and the bodies follow where somebody needs to see them. That is
all that a substep needs beside the copy.

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
from ecs_physics.kernels.quads import Quad, four, number, read_four, write_four
from ecs_physics.tables import BODY, DYNAMIC, FREE, KINEMATIC, STATIC, VELOCITY, column_of

KICK = 0  # m/s and rad/s a substep
DAMPING_FACTOR = 1  # 1 for none
REST = 2  # m/s and rad/s, what the copy lacks of the velocity
POSE = 3  # m, m, rad, and the angle as the step began
MOTION_ROWS = 4  # for each body

INVERSE_MASS_X = 0  # 1/kg, all three are 0 for what is not dynamic
INVERSE_MASS_Y = 1
INVERSE_INERTIA = 2  # 1/(kg m^2)
EXTENT = 3  # m, and farther than anything for what is not dynamic
MOVES = 4  # 1 for what is dynamic, else 0

BODY_POSE = column_of(BODY, "x")
"""From this column of BODY on: x, y, angle, and the angle as the step began."""

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
        linear = angular = 1.0
        if kind == DYNAMIC:
            push_x = bodies[row].inverse_mass_x
            push_y = bodies[row].inverse_mass_y
            push_omega = bodies[row].inverse_inertia
            linear = 1.0 / (1.0 + h * max(dampings[row].linear, 0.0))
            angular = 1.0 / (1.0 + h * max(dampings[row].angular, 0.0))
        elif kind == KINEMATIC:
            push_x = push_y = push_omega = 1.0
        write_four(
            motions_out, row_of(POSE, row, motions_out), 0, read_four(bodies, row, BODY_POSE)
        )
        force = forces[row]
        pushes = four(
            h * force.x * push_x, h * force.y * push_y, h * force.torque * push_omega, 0.0
        )
        write_four(motions_out, row_of(KICK, row, motions_out), 0, pushes)
        write_four(
            motions_out,
            row_of(DAMPING_FACTOR, row, motions_out),
            0,
            four(linear, linear, angular, 0.0),
        )
        if kind == DYNAMIC or kind == KINEMATIC:
            take_velocity(row, velocities, motions_out, copies_out)
        else:  # also one asleep that somebody has just given a velocity: it wakes in the next step
            write_four(motions_out, row_of(REST, row, motions_out), 0, four(0.0, 0.0, 0.0, 0.0))


@inlined
def row_of(kind: int, row: int, motions: Reals) -> int:
    """Where in `motions` the four numbers of a kind are of the body in a row."""
    return kind * (motions.shape[0] // MOTION_ROWS) + row


@inlined
def kick(first: int, last: int, motions: Reals, copies: Reals32) -> None:
    """Let forces and damping act for a substep on the copies of the rows first to last - 1.

    Without a look at what a body is: nothing acts on what does not move.
    """
    for row in range(first, last):
        kicked = velocity_of(row, motions, copies) + read_four(
            motions, row_of(KICK, row, motions), 0
        )
        set_velocity(
            row,
            kicked * read_four(motions, row_of(DAMPING_FACTOR, row, motions), 0),
            motions,
            copies,
        )


@inlined
def move(first: int, last: int, h: float, motions: Reals, copies: Reals32) -> None:
    """x += h v, angle += h omega for the rows first to last - 1, and note it in the copies.

    Without a look at what a body is: what does not move has no velocity here. The poses are those
    of `start_motions`; `give_poses` brings the bodies there.
    """
    for row in range(first, last):
        before = read_four(motions, row_of(POSE, row, motions), 0)
        after = before + four(h, h, h, h) * velocity_of(row, motions, copies)
        write_four(motions, row_of(POSE, row, motions), 0, after)
        follow_body(row, after - before, number(after, 2) - number(after, 3), copies)


@inlined
def give_poses(first: int, last: int, motions: Reals, bodies_out: Table) -> None:
    """Put the bodies in the rows first to last - 1 where they have moved."""
    for row in range(first, last):
        pose = read_four(motions, row_of(POSE, row, motions), 0)
        write_four(bodies_out, row, BODY_POSE, pose)


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
    set_velocity(row, four(velocity.x, velocity.y, velocity.omega, 0.0), motions, copies)


@inlined
def set_velocity(row: int, velocity: Quad, motions: Reals, copies: Reals32) -> None:
    """Split a velocity (m/s, rad/s, and 0) into copy and remainder."""
    write_four(copies, row, 0, velocity)
    write_four(motions, row_of(REST, row, motions), 0, velocity - read_four(copies, row, 0))


@inlined
def velocity_of(row: int, motions: Reals, copies: Reals32) -> Quad:
    """Put copy and remainder together: m/s, rad/s, and 0."""
    return read_four(copies, row, 0) + read_four(motions, row_of(REST, row, motions), 0)


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
            now = velocity_of(row, motions, copies)
            velocity.x = number(now, 0)
            velocity.y = number(now, 1)
            velocity.omega = number(now, 2)


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
        body = bodies[row]
        moved = four(
            body.x - poses[row, 0], body.y - poses[row, 1], body.angle - poses[row, 2], 0.0
        )
        follow_body(row, moved, body.angle - body.start_angle, copies_out)
        poses[row, 0] = body.x
        poses[row, 1] = body.y
        poses[row, 2] = body.angle


@inlined
def is_given(row: int, velocity: Record, motions: Reals, copies: Reals32) -> bool:
    """Whether a velocity is the one that `give_velocities` has given."""
    given = velocity_of(row, motions, copies)
    return bool(
        velocity.x == number(given, 0)
        and velocity.y == number(given, 1)
        and velocity.omega == number(given, 2)
    )


@inlined
def follow_body(row: int, moved: Quad, turned: float, copies: Reals32) -> None:
    """Write into its copy how one body has `moved` in this substep: m, m, rad.

    Cosine and sine are the first terms of their series: a tenth of the cost, and the error for a
    quarter of a radian a substep, which is already too fast to see, is below 1e-5. A body
    that has `turned` (rad) by more than WIDE_TURN in this step, or in this substep alone, or gone
    farther than WIDE_WAY in it, counts as not moving any more.
    """
    x = number(moved, 0)
    y = number(moved, 1)
    angle = number(moved, 2)
    is_near = abs(x) <= WIDE_WAY and abs(y) <= WIDE_WAY and abs(angle) <= WIDE_TURN
    if not is_near or abs(turned) > WIDE_TURN:
        write_four(copies, row, 4, four(0.0, 0.0, 0.0, 0.0))
        return
    square = angle * angle
    # A float32 so small is slow (denormal), and turns nothing.
    square = square if square >= _STILL else 0.0
    cos_less_1 = square * (square * _24TH - 0.5)
    sin = angle - angle * (square * _6TH)
    write_four(copies, row, 4, four(x, y, cos_less_1, sin))
