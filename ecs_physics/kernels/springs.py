"""Springs with dampers between points on two bodies, or on one body and in the world. float64.

With the ends pa, pb, the direction g = (pa - pb) / |pa - pb| (0 where the length is below SHORT),
the stretch C = |pa - pb| - d and the ends' velocities va, vb, the force on A at pa is

    F = -k C g - c ((va - vb).g) g,

and the opposite on B at pb. Its derivative by pa is K = -k (g g^T + C (I - g g^T) / |pa - pb|), of
which the damping is left out: it is explicit (founding system 2).
"""

import math
from typing import Final

import numpy as np
from numba import types

from ecs_physics.kernels.compile import (
    Reals,
    Record,
    Table,
    inlined,
    inner,
    integer,
    kernel,
    real,
    reals3,
    table,
)
from ecs_physics.tables import BODY, DYNAMIC, FORCE, VELOCITY

SHORT: Final = 1e-4
"""m. A spring shorter than this has no direction, and no force. Smaller: rounding decides where two
ends that meet are pushed. Larger: springs of rest length 0 stop before they are closed."""

SPRING: Final = np.dtype(
    [
        ("row_a", "i4"),  # of the body
        ("row_b", "i4"),  # -1 where that end is fixed in the world
        ("first_block", "i4"),  # of its df/dx: one block, or four between two bodies
        ("anchor_ax", "f8"),  # m, in the shape's coordinates
        ("anchor_ay", "f8"),
        ("anchor_bx", "f8"),  # m, in the shape's coordinates, or in the world
        ("anchor_by", "f8"),
        ("stiffness", "f8"),  # N/m
        ("rest_length", "f8"),  # m
        ("damping", "f8"),  # N s/m
    ],
    align=True,
)


@kernel(types.void(integer, table(SPRING), table(BODY), table(VELOCITY), table(FORCE)))
def add_spring_forces(
    count: int, springs: Table, bodies: Table, velocities: Table, forces_out: Table
) -> None:
    """Add the pull of each spring to the forces (N) and torques (N m) on its bodies."""
    for at in range(count):
        spring = springs[at]
        row_a = spring.row_a
        row_b = spring.row_b
        ax, ay, bx, by, x, y, length = _ends(spring, bodies)
        if not length >= SHORT:
            continue
        g_x = x / length
        g_y = y / length
        speed_x = velocities[row_a].x - velocities[row_a].omega * ay
        speed_y = velocities[row_a].y + velocities[row_a].omega * ax
        if row_b >= 0:
            speed_x -= velocities[row_b].x - velocities[row_b].omega * by
            speed_y -= velocities[row_b].y + velocities[row_b].omega * bx
        pull = spring.stiffness * (length - spring.rest_length)
        drag = spring.damping * (speed_x * g_x + speed_y * g_y)
        force_x = -pull * g_x - drag * g_x
        force_y = -pull * g_y - drag * g_y
        _pull(row_a, ax, ay, force_x, force_y, bodies, forces_out)
        if row_b >= 0:
            _pull(row_b, bx, by, -force_x, -force_y, bodies, forces_out)


@kernel(types.void(integer, table(SPRING), table(BODY), reals3))
def spring_gradients(count: int, springs: Table, bodies: Table, blocks_out: Reals) -> None:
    """Write d(force, torque)/d(x, y, angle) of each spring, damping left out.

    Of a spring between two bodies the blocks from `first_block` on are: A by A, A by B, B by A, B
    by B; of one that is fixed in the world: A by A. With r the arm of an end and J = (I, w x r) its
    velocity by the body's, they are Ja^T K Ja, -Ja^T K Jb and so on; the force itself turns with
    the arm, which takes r.F from the torque by the own angle.

    `blocks_out` is (blocks, 3, 3), N/m, N and N m.
    """
    for at in range(count):
        spring = springs[at]
        first = spring.first_block
        ax, ay, bx, by, x, y, length = _ends(spring, bodies)
        k_xx = k_xy = k_yy = 0.0
        force_x = force_y = 0.0
        if length >= SHORT:
            g_x = x / length
            g_y = y / length
            stretch = length - spring.rest_length
            across = stretch / length
            k_xx = -spring.stiffness * (g_x * g_x + across * (1.0 - g_x * g_x))
            k_xy = -spring.stiffness * (g_x * g_y - across * (g_x * g_y))
            k_yy = -spring.stiffness * (g_y * g_y + across * (1.0 - g_y * g_y))
            force_x = -spring.stiffness * stretch * g_x
            force_y = -spring.stiffness * stretch * g_y
        _block(first, 1.0, ax, ay, ax, ay, k_xx, k_xy, k_yy, blocks_out)
        blocks_out[first, 2, 2] -= ax * force_x + ay * force_y
        if spring.row_b >= 0:
            _block(first + 1, -1.0, ax, ay, bx, by, k_xx, k_xy, k_yy, blocks_out)
            _block(first + 2, -1.0, bx, by, ax, ay, k_xx, k_xy, k_yy, blocks_out)
            _block(first + 3, 1.0, bx, by, bx, by, k_xx, k_xy, k_yy, blocks_out)
            blocks_out[first + 3, 2, 2] += bx * force_x + by * force_y


@kernel(real(integer, table(SPRING), table(BODY)))
def spring_energy(count: int, springs: Table, bodies: Table) -> float:
    """The energy stored in all springs, the sum of k C^2 / 2 (J)."""
    energy = 0.0
    for at in range(count):
        spring = springs[at]
        length = _ends(spring, bodies)[6]
        stretch = length - spring.rest_length
        energy += 0.5 * spring.stiffness * stretch * stretch
    return energy


@inner
def _ends(spring: Record, bodies: Table) -> tuple[float, float, float, float, float, float, float]:
    """The arms of both ends, and the way from B's end to A's: x, y and its length. All in m.

    Arms are from the centres of mass; an end in the world has none.
    """
    a = bodies[spring.row_a]
    local_x = spring.anchor_ax - a.center_x
    local_y = spring.anchor_ay - a.center_y
    ax = a.cos * local_x - a.sin * local_y
    ay = a.sin * local_x + a.cos * local_y
    if spring.row_b >= 0:
        b = bodies[spring.row_b]
        local_x = spring.anchor_bx - b.center_x
        local_y = spring.anchor_by - b.center_y
        bx = b.cos * local_x - b.sin * local_y
        by = b.sin * local_x + b.cos * local_y
        x = (a.x - b.x) + (ax - bx)
        y = (a.y - b.y) + (ay - by)
    else:
        bx = 0.0
        by = 0.0
        x = a.x + ax - spring.anchor_bx
        y = a.y + ay - spring.anchor_by
    return ax, ay, bx, by, x, y, math.sqrt(x * x + y * y)


@inlined
def _pull(
    row: int, x: float, y: float, force_x: float, force_y: float, bodies: Table, forces_out: Table
) -> None:
    """Add a force (N) at (x, y) from a dynamic body's centre of mass."""
    if bodies[row].kind == DYNAMIC:
        force = forces_out[row]
        force.x += force_x
        force.y += force_y
        force.torque += x * force_y - y * force_x


@inlined
def _block(
    at: int,
    sign: float,
    rx: float,
    ry: float,
    sx: float,
    sy: float,
    k_xx: float,
    k_xy: float,
    k_yy: float,
    blocks_out: Reals,
) -> None:
    """Write sign J(r)^T K J(s), with J(r) = (I, (-ry, rx))."""
    k_xx *= sign
    k_xy *= sign
    k_yy *= sign
    turn_x = -k_xx * sy + k_xy * sx  # K times (-sy, sx)
    turn_y = -k_xy * sy + k_yy * sx
    blocks_out[at, 0, 0] = k_xx
    blocks_out[at, 0, 1] = k_xy
    blocks_out[at, 0, 2] = turn_x
    blocks_out[at, 1, 0] = k_xy
    blocks_out[at, 1, 1] = k_yy
    blocks_out[at, 1, 2] = turn_y
    blocks_out[at, 2, 0] = -ry * k_xx + rx * k_xy
    blocks_out[at, 2, 1] = -ry * k_xy + rx * k_yy
    blocks_out[at, 2, 2] = -ry * turn_x + rx * turn_y
