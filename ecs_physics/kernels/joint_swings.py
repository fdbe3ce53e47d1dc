"""Angles at pins, eight at once: what most rows of joints are.

A block of which all rows are such, a *swing* each, follows its bodies with lanes (lanes.py). Their
arms and gaps are exact when a step begins (joint_row_lanes.py), and are carried along in each
substep with what the bodies have turned in it.

A torque alone would part the points of the pin, and the pin would undo most of it: a bob of small
inertia on a long arm gave way to its limit. So the impulse comes with the one at the points that
keeps them together, q = -K^-1 G W j, where j is the Jacobian of the angle, G that of the points, W
the inverse masses and K = G W G^T. The Jacobian is then j + G^T q: as fast as that of the angle
alone while the points stay together, and the pin is not disturbed.
"""

from typing import Final

import numpy as np

from ecs_physics.kernels.compile import Integers32, Reals32, inlined
from ecs_physics.kernels.joint_row_fields import (
    ARM_AX,
    ARM_AY,
    ARM_BX,
    ARM_BY,
    GAP,
    IMPULSE,
    INERTIA_A,
    INERTIA_B,
    IS_LIMIT,
    JACOBIAN,
    MASS,
    MASS_AX,
    MASS_AY,
    MASS_BX,
    MASS_BY,
    RANGE,
    SIDE,
    TOTAL,
)
from ecs_physics.kernels.lane_rows import gather_rows
from ecs_physics.kernels.lanes import Lanes, load, splat, store, where_positive

FAR: Final = 0.25
"""rad. A limit on an angle that is farther away is not looked at in this substep. Lower: what turns
fast passes it and is called back."""

_FAR = np.float32(FAR)
_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_6TH = np.float32(1.0 / 6.0)


@inlined
def follow_swings(block: int, copies: Reals32, rows: Integers32, lanes: Reals32) -> None:
    """Carry arms and gaps along with what the bodies have turned in this substep.

    Where the other limit is the nearer one now it takes over, without an impulse: what was done
    belongs to the one that did it.
    """
    turn_a = turn_arm(ARM_AX, block, gather_rows(copies, rows, block, 0), lanes)
    turn_b = turn_arm(ARM_BX, block, gather_rows(copies, rows, block, 1), lanes)
    zero = splat(_ZERO)
    side = load(lanes, block, SIDE)
    turned = turn_a - turn_b
    gap = load(lanes, block, GAP) + where_positive(-side, -turned, turned)
    other = load(lanes, block, RANGE) - gap
    flips = gap - other
    total = load(lanes, block, TOTAL)
    store(lanes, block, GAP, where_positive(flips, other, gap))
    store(lanes, block, SIDE, where_positive(flips, -side, side))
    store(lanes, block, IMPULSE, where_positive(flips, zero, load(lanes, block, IMPULSE)))
    store(lanes, block, TOTAL, where_positive(flips, -total, total))


@inlined
def turn_arm(field: int, block: int, body: tuple[Lanes, ...], lanes: Reals32) -> Lanes:
    """Turn the arm that begins at `field`; returns by how much its body has turned, rad.

    `body` are the columns of the copies (solver_bodies.py); the angle comes back from its sine by
    the series of the arcsine.
    """
    x = load(lanes, block, field)
    y = load(lanes, block, field + 1)
    cos_less_1 = body[6]
    sin = body[7]
    store(lanes, block, field, x + (cos_less_1 * x - sin * y))
    store(lanes, block, field + 1, y + (sin * x + cos_less_1 * y))
    return sin + (sin * sin) * (sin * splat(_6TH))


@inlined
def write_swings(block: int, lanes: Reals32) -> None:
    """Jacobians and effective masses from arms and gaps; limits that are far away rest.

    With K written as in joint_pins.py, so that float32 will do.
    """
    zero, one = splat(_ZERO), splat(_ONE)
    ax, ay = load(lanes, block, ARM_AX), load(lanes, block, ARM_AY)
    bx, by = load(lanes, block, ARM_BX), load(lanes, block, ARM_BY)
    inertia_a, inertia_b = load(lanes, block, INERTIA_A), load(lanes, block, INERTIA_B)
    mass_ax, mass_ay = load(lanes, block, MASS_AX), load(lanes, block, MASS_AY)
    mass_bx, mass_by = load(lanes, block, MASS_BX), load(lanes, block, MASS_BY)
    mass_x = mass_ax + mass_bx
    mass_y = mass_ay + mass_by
    parted_x = -(inertia_a * ay) - inertia_b * by
    parted_y = inertia_a * ax + inertia_b * bx
    yy = inertia_a * ay * ay + inertia_b * by * by
    k11 = mass_x + yy
    k12 = -(inertia_a * ax * ay) - inertia_b * bx * by
    k22 = mass_y + (inertia_a * ax * ax + inertia_b * bx * bx)
    across = ax * by - ay * bx
    determinant = mass_x * k22 + mass_y * yy + inertia_a * inertia_b * across * across
    inverse = where_positive(determinant, one / where_positive(determinant, determinant, one), zero)
    x = (k12 * parted_y - k22 * parted_x) * inverse
    y = (k12 * parted_x - k11 * parted_y) * inverse
    turn_a = (one + ax * y) - ay * x
    turn_b = (-one - bx * y) + by * x
    along = mass_x * x * x + mass_y * y * y
    along = along + (inertia_a * turn_a * turn_a + inertia_b * turn_b * turn_b)
    mass = where_positive(along, one / where_positive(along, along, one), zero)
    too_far = load(lanes, block, IS_LIMIT) * (load(lanes, block, GAP) - splat(_FAR))
    sign = where_positive(-load(lanes, block, SIDE), -one, one)
    store(lanes, block, MASS, where_positive(too_far, zero, mass))
    store(lanes, block, IMPULSE, where_positive(too_far, zero, load(lanes, block, IMPULSE)))
    store(lanes, block, JACOBIAN, sign * x)
    store(lanes, block, JACOBIAN + 1, sign * y)
    store(lanes, block, JACOBIAN + 2, sign * turn_a)
    store(lanes, block, JACOBIAN + 3, -(sign * x))
    store(lanes, block, JACOBIAN + 4, -(sign * y))
    store(lanes, block, JACOBIAN + 5, sign * turn_b)
