"""What the solver needs of each row, worked out in float64 and written into its lane.

With p_a, p_b the anchors, d = p_a - p_b, r their arms from the centres of mass, n a direction and
A x B the cross product of the plane, the Jacobian of

    |d|                         is (n, r_a x n, -n, -(r_b x n)), where n = d / |d|;
    n.d with n fixed to B       is (n, r_a x n, -n, -((r_b + d) x n));
    the angle of A less B's     is (0, 0, 1, 0, 0, -1).
"""

import math
from typing import Any

import numpy as np
from numba import types

from ecs_physics.constants import JOINT_CYCLES_PER_SUBSTEP, JOINT_DAMPING_RATIO, JOINT_PULL_SPEED
from ecs_physics.kernels.axes import cos_sin
from ecs_physics.kernels.blocks import LANES, softness
from ecs_physics.kernels.compile import (
    Integers32,
    Reals,
    Reals32,
    Record,
    Table,
    inlined,
    inner,
    integer,
    integers32_3,
    kernel,
    real,
    reals2,
    reals32_2,
    reals32_3,
    table,
)
from ecs_physics.kernels.joint_bodies import write_masses, write_solver_rows
from ecs_physics.kernels.joint_lists import (
    ACROSS,
    ANGLE,
    DRIVE,
    GEARED_ANGLE,
    HOLD,
    JOINT,
    LENGTH,
    LIMIT,
    PULLEY_LENGTH,
    RATCHET,
    ROW,
    SPRING,
)
from ecs_physics.kernels.joint_row_fields import (
    ARM_AX,
    ARM_AY,
    ARM_BX,
    ARM_BY,
    GAP,
    HIGHEST,
    IMPULSE,
    INERTIA_A,
    INERTIA_B,
    IS_LIMIT,
    JACOBIAN,
    KIND,
    LOWEST,
    MASS,
    MASS_AX,
    MASS_AY,
    MASS_BX,
    MASS_BY,
    RANGE,
    RATE,
    RELAX_RATE,
    ROW_FIELDS,
    SIDE,
    SPEED,
    TOTAL,
)
from ecs_physics.kernels.joint_swings import FAR, follow_swings, write_swings
from ecs_physics.kernels.lanes import splat, store
from ecs_physics.tables import BODY

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_BIG = 1e18
_SHORT = 1e-9
"""m. What is shorter has no direction."""


@kernel(
    types.void(integer, real, integer, table(ROW), table(BODY), integers32_3, reals32_3),
    feature="joints",
)
def frame_rows(
    block_count: int,
    h: float,
    nobody: int,
    rows: Table,
    bodies: Table,
    rows_out: Integers32,
    lanes_out: Reals32,
) -> None:
    """Write what stays from step to step as long as rows, kinds of bodies and `h` do.

    Impulses are left as they are. For `rows_out` and `nobody` see joint_bodies.py.
    """
    for place in range(block_count * LANES):
        block = place // LANES
        lane = place % LANES
        write_solver_rows(rows[place], nobody, block, lane, bodies, rows_out)
        for field in range(ROW_FIELDS):
            if field != IMPULSE and field != SIDE:
                lanes_out[block, field, lane] = _ZERO
        if rows[place].joint >= 0:
            write_law(rows[place], h, block, lane, lanes_out)
    for block in range(block_count):
        swings = 0
        for lane in range(LANES):
            row = rows[LANES * block + lane]
            swings += 1 if row.joint < 0 or is_swing(row) else 0
        lanes_out[block, KIND, 0] = _ONE if swings == LANES else _ZERO


@inlined
def is_swing(row: Record) -> bool:
    """Whether a row measures the angle at a rigid pin."""
    return bool(row.measure == ANGLE and row.is_pinned)


@kernel(
    types.void(integer, table(JOINT), table(ROW), table(BODY), reals32_2, integers32_3, reals32_3),
    feature="joints",
)
def fill_rows(
    block_count: int,
    joints: Table,
    rows: Table,
    bodies: Table,
    masses: Reals32,
    solver_rows: Integers32,
    lanes_out: Reals32,
) -> None:
    """Write what is new in each step: masses, Jacobians and gaps; nothing is summed up yet.

    `masses` are those of the solver's rows (solver_bodies.py).
    """
    for block in range(block_count):
        write_masses(block, MASS_AX, masses, solver_rows, lanes_out)
        store(lanes_out, block, TOTAL, splat(_ZERO))
        are_swings = lanes_out[block, KIND, 0] > _ZERO
        for lane in range(LANES):
            row = rows[LANES * block + lane]
            if row.joint < 0:
                continue
            if are_swings:  # no ratchet is among them
                start_swing(row, block, lane, bodies, lanes_out)
                continue
            if joints[row.joint].type == RATCHET:
                click(joints[row.joint], row, bodies)
            refresh(row, block, lane, bodies, lanes_out)
        if are_swings:
            write_swings(block, lanes_out)


@inlined
def start_swing(row: Record, block: int, lane: int, bodies: Table, lanes_out: Reals32) -> None:
    """Arms and gap of a swing when a step begins."""
    arm_ax, arm_ay = turned_arm(row.ax, row.ay, bodies[row.row_a])
    value = bodies[row.row_a].angle
    arm_bx = 0.0
    arm_by = 0.0
    if row.row_b >= 0:
        arm_bx, arm_by = turned_arm(row.bx, row.by, bodies[row.row_b])
        value -= bodies[row.row_b].angle
    lanes_out[block, ARM_AX, lane] = np.float32(arm_ax)
    lanes_out[block, ARM_AY, lane] = np.float32(arm_ay)
    lanes_out[block, ARM_BX, lane] = np.float32(arm_bx)
    lanes_out[block, ARM_BY, lane] = np.float32(arm_by)
    width = min(row.upper - row.lower, _BIG) if row.law == LIMIT else _BIG
    lanes_out[block, RANGE, lane] = np.float32(width)
    write_gap(row, value, block, lane, lanes_out)


@inner
def write_law(row: Record, h: float, block: int, lane: int, lanes_out: Reals32) -> None:
    """Softness, speed and bounds."""
    rate, scale, impulse_scale = softness(JOINT_CYCLES_PER_SUBSTEP / h, JOINT_DAMPING_RATIO, h)
    relax_rate, relax_scale, relax_impulse_scale = 0.0, 1.0, 0.0
    if row.law == SPRING:
        rate, scale, impulse_scale = softness(row.hertz, row.damping_ratio, h)
        relax_rate, relax_scale, relax_impulse_scale = rate, scale, impulse_scale
    elif row.law == DRIVE:
        rate, scale, impulse_scale = 0.0, 1.0, 0.0
    most = min(row.most * h, _BIG)
    lanes_out[block, RATE, lane] = np.float32(rate)
    lanes_out[block, RATE + 1, lane] = np.float32(scale)
    lanes_out[block, RATE + 2, lane] = np.float32(impulse_scale)
    lanes_out[block, RELAX_RATE, lane] = np.float32(relax_rate)
    lanes_out[block, RELAX_RATE + 1, lane] = np.float32(relax_scale)
    lanes_out[block, RELAX_RATE + 2, lane] = np.float32(relax_impulse_scale)
    lanes_out[block, SPEED, lane] = np.float32(row.speed)
    lanes_out[block, LOWEST, lane] = np.float32(0.0 if row.law == LIMIT else -most)
    lanes_out[block, HIGHEST, lane] = np.float32(most)
    lanes_out[block, IS_LIMIT, lane] = np.float32(1.0 if row.law == LIMIT else 0.0)


@inner
def click(joint: Record, row: Record, bodies: Table) -> None:
    """Let a ratchet catch: its tooth is the last one that A has passed."""
    angle = bodies[row.row_a].angle
    if row.row_b >= 0:
        angle -= bodies[row.row_b].angle
    tooth = joint.angle + math.floor((angle - joint.angle) / joint.step) * joint.step
    if joint.step > 0.0:  # of the last step: floor(x / step) step is below x whatever its sign
        joint.click = tooth if math.isnan(joint.click) else max(joint.click, tooth)
        row.lower = joint.click
    else:
        joint.click = tooth if math.isnan(joint.click) else min(joint.click, tooth)
        row.upper = joint.click


@kernel(
    types.void(integer, integer, table(ROW), table(BODY), reals32_2, integers32_3, reals32_3),
    feature="joints",
)
def refresh_rows(
    first_block: int,
    last_block: int,
    rows: Table,
    bodies: Table,
    copies: Reals32,
    solver_rows: Integers32,
    lanes_out: Reals32,
) -> None:
    """Jacobians and gaps for where the bodies are now, of blocks first_block to last_block - 1.

    `copies` say how far the bodies `solver_rows` have moved in this substep.
    """
    refresh_range(first_block, last_block, rows, bodies, copies, solver_rows, lanes_out)


@inner
def refresh_range(
    first_block: int,
    last_block: int,
    rows: Table,
    bodies: Table,
    copies: Reals32,
    solver_rows: Integers32,
    lanes_out: Reals32,
) -> None:
    """The same, from other kernels."""
    for block in range(first_block, last_block):
        if lanes_out[block, KIND, 0] > _ZERO:
            follow_swings(block, copies, solver_rows, lanes_out)
            write_swings(block, lanes_out)
            continue
        for lane in range(LANES):
            row = rows[LANES * block + lane]
            if row.joint >= 0:
                refresh(row, block, lane, bodies, lanes_out)


@inlined
def refresh(row: Record, block: int, lane: int, bodies: Table, lanes_out: Reals32) -> None:
    """Jacobian and gap of one row."""
    angle_b = bodies[row.row_b].angle if row.row_b >= 0 else 0.0
    measure = row.measure
    if measure == ANGLE or measure == GEARED_ANGLE:
        ratio = row.ratio if measure == GEARED_ANGLE else 1.0
        value = bodies[row.row_a].angle - ratio * angle_b
        if row.law == LIMIT and min(value - row.lower, row.upper - value) > FAR:
            rest(block, lane, lanes_out)
        elif row.is_pinned:
            refresh_pinned_angle(row, value, block, lane, bodies, lanes_out)
        else:
            write_row(row, value, 0.0, 0.0, 1.0, 0.0, 0.0, -ratio, block, lane, lanes_out)
    elif measure == PULLEY_LENGTH:
        refresh_pulley(row, block, lane, bodies, lanes_out)
    else:
        refresh_line(row, block, lane, bodies, lanes_out)


@inlined
def rest(block: int, lane: int, lanes_out: Reals32) -> None:
    """A limit that is far away: nothing to solve, and nothing worth working out."""
    lanes_out[block, MASS, lane] = _ZERO
    lanes_out[block, IMPULSE, lane] = _ZERO
    lanes_out[block, GAP, lane] = _ZERO
    lanes_out[block, SIDE, lane] = _ZERO


@inlined
def turned_axes(body: Record) -> tuple[float, float]:
    """Cosine and sine of a body's angle as it is now."""
    if body.angle == body.start_angle:
        return body.cos, body.sin
    return cos_sin(body.angle)


@inlined
def turned_arm(x: float, y: float, body: Record) -> tuple[float, float]:
    """From the centre of mass to a point of the shape's coordinates, in the world's axes, m."""
    cos, sin = turned_axes(body)
    x -= body.center_x
    y -= body.center_y
    return cos * x - sin * y, sin * x + cos * y


@inner
def refresh_pinned_angle(
    row: Record, value: float, block: int, lane: int, bodies: Table, lanes_out: Reals32
) -> None:
    """An angle at a rigid pin among other rows; for the method see joint_swings.py."""
    arm_ax, arm_ay = turned_arm(row.ax, row.ay, bodies[row.row_a])
    arm_bx = 0.0
    arm_by = 0.0
    if row.row_b >= 0:
        arm_bx, arm_by = turned_arm(row.bx, row.by, bodies[row.row_b])
    inertia_a = np.float64(lanes_out[block, INERTIA_A, lane])
    inertia_b = np.float64(lanes_out[block, INERTIA_B, lane])
    mass_x = np.float64(lanes_out[block, MASS_AX, lane]) + np.float64(
        lanes_out[block, MASS_BX, lane]
    )
    mass_y = np.float64(lanes_out[block, MASS_AY, lane]) + np.float64(
        lanes_out[block, MASS_BY, lane]
    )
    k11 = mass_x + inertia_a * arm_ay * arm_ay + inertia_b * arm_by * arm_by
    k12 = -inertia_a * arm_ax * arm_ay - inertia_b * arm_bx * arm_by
    k22 = mass_y + inertia_a * arm_ax * arm_ax + inertia_b * arm_bx * arm_bx
    parted_x = -inertia_a * arm_ay - inertia_b * arm_by
    parted_y = inertia_a * arm_ax + inertia_b * arm_bx
    determinant = k11 * k22 - k12 * k12
    x = 0.0
    y = 0.0
    if determinant > 0.0:
        inverse = 1.0 / determinant
        x = (k12 * parted_y - k22 * parted_x) * inverse
        y = (k12 * parted_x - k11 * parted_y) * inverse
    turn_a = 1.0 + arm_ax * y - arm_ay * x
    turn_b = -1.0 - arm_bx * y + arm_by * x
    write_row(row, value, x, y, turn_a, -x, -y, turn_b, block, lane, lanes_out)


@inlined
def refresh_line(row: Record, block: int, lane: int, bodies: Table, lanes_out: Reals32) -> None:
    """What lies between the two anchors: its length, or its part along or across the axis."""
    body_a = bodies[row.row_a]
    arm_ax, arm_ay = turned_arm(row.ax, row.ay, body_a)
    arm_bx = 0.0
    arm_by = 0.0
    x = body_a.x + arm_ax - row.bx
    y = body_a.y + arm_ay - row.by
    cos_b = 1.0
    sin_b = 0.0
    if row.row_b >= 0:
        body_b = bodies[row.row_b]
        arm_bx, arm_by = turned_arm(row.bx, row.by, body_b)
        x = body_a.x + arm_ax - (body_b.x + arm_bx)
        y = body_a.y + arm_ay - (body_b.y + arm_by)
        cos_b, sin_b = turned_axes(body_b)
    if row.measure == LENGTH:
        normal_x, normal_y, value = direction(x, y)
    else:
        normal_x = cos_b * row.axis_x - sin_b * row.axis_y
        normal_y = sin_b * row.axis_x + cos_b * row.axis_y
        if row.measure == ACROSS:
            normal_x, normal_y = -normal_y, normal_x
        value = x * normal_x + y * normal_y
        arm_bx += x
        arm_by += y
    turn_a = arm_ax * normal_y - arm_ay * normal_x
    turn_b = arm_by * normal_x - arm_bx * normal_y
    write_row(
        row, value, normal_x, normal_y, turn_a, -normal_x, -normal_y, turn_b, block, lane, lanes_out
    )


@inlined
def refresh_pulley(row: Record, block: int, lane: int, bodies: Table, lanes_out: Reals32) -> None:
    """The rope from A over both grounds to B."""
    body_a = bodies[row.row_a]
    arm_ax, arm_ay = turned_arm(row.ax, row.ay, body_a)
    arm_bx = 0.0
    arm_by = 0.0
    bx = row.bx
    by = row.by
    if row.row_b >= 0:
        body_b = bodies[row.row_b]
        arm_bx, arm_by = turned_arm(row.bx, row.by, body_b)
        bx = body_b.x + arm_bx
        by = body_b.y + arm_by
    ax, ay, length_a = direction(
        body_a.x + arm_ax - row.ground_ax, body_a.y + arm_ay - row.ground_ay
    )
    bx, by, length_b = direction(bx - row.ground_bx, by - row.ground_by)
    bx *= row.ratio
    by *= row.ratio
    turn_a = arm_ax * ay - arm_ay * ax
    turn_b = arm_bx * by - arm_by * bx
    value = length_a + row.ratio * length_b
    write_row(row, value, ax, ay, turn_a, bx, by, turn_b, block, lane, lanes_out)


@inlined
def direction(x: float, y: float) -> tuple[float, float, float]:
    """Unit vector and length; without a length any direction is as good."""
    length = math.sqrt(x * x + y * y)
    if length < _SHORT:
        return 1.0, 0.0, length
    return x / length, y / length, length


@inlined
def write_row(
    row: Record,
    value: float,
    j_ax: float,
    j_ay: float,
    j_wa: float,
    j_bx: float,
    j_by: float,
    j_wb: float,
    block: int,
    lane: int,
    lanes_out: Reals32,
) -> None:
    """A measure and its Jacobian; of a limit, from the side that is nearer."""
    write_gap(row, value, block, lane, lanes_out)
    sign = -1.0 if lanes_out[block, SIDE, lane] < _ZERO else 1.0
    inverse = np.float64(lanes_out[block, MASS_AX, lane]) * j_ax * j_ax
    inverse += np.float64(lanes_out[block, MASS_AY, lane]) * j_ay * j_ay
    inverse += np.float64(lanes_out[block, INERTIA_A, lane]) * j_wa * j_wa
    inverse += np.float64(lanes_out[block, MASS_BX, lane]) * j_bx * j_bx
    inverse += np.float64(lanes_out[block, MASS_BY, lane]) * j_by * j_by
    inverse += np.float64(lanes_out[block, INERTIA_B, lane]) * j_wb * j_wb
    lanes_out[block, JACOBIAN, lane] = np.float32(sign * j_ax)
    lanes_out[block, JACOBIAN + 1, lane] = np.float32(sign * j_ay)
    lanes_out[block, JACOBIAN + 2, lane] = np.float32(sign * j_wa)
    lanes_out[block, JACOBIAN + 3, lane] = np.float32(sign * j_bx)
    lanes_out[block, JACOBIAN + 4, lane] = np.float32(sign * j_by)
    lanes_out[block, JACOBIAN + 5, lane] = np.float32(sign * j_wb)
    lanes_out[block, MASS, lane] = np.float32(1.0 / inverse if inverse > 0.0 else 0.0)


@inlined
def write_gap(row: Record, value: float, block: int, lane: int, lanes_out: Reals32) -> None:
    """A measure less what it should be, as much of it as is closed, and the side that counts.

    The side is 0, for limits 1 or -1. No gap closes faster than JOINT_PULL_SPEED.
    """
    gap = value - row.rest
    if row.law == LIMIT:
        lower = value - row.lower
        upper = row.upper - value
        gap = min(lower, upper)
        side = -_ONE if upper < lower else _ONE
        if side != lanes_out[block, SIDE, lane]:
            turn_round(side, block, lane, lanes_out)
    if row.law == HOLD or row.law == LIMIT:
        pull = np.float64(lanes_out[block, RATE, lane]) * gap
        if pull < -JOINT_PULL_SPEED or (row.law == HOLD and pull > JOINT_PULL_SPEED):
            gap *= JOINT_PULL_SPEED / abs(pull)
    lanes_out[block, GAP, lane] = np.float32(gap)


@inlined
def turn_round(side: Any, block: int, lane: int, lanes_out: Reals32) -> None:
    """Let a limit be the other one: what it did belongs to the one it was.

    An impulse that was kept over a change of the lists has a sign: below zero is the upper limit's.
    """
    if lanes_out[block, SIDE, lane] == _ZERO:
        impulse = lanes_out[block, IMPULSE, lane] * side
        lanes_out[block, IMPULSE, lane] = impulse if impulse > _ZERO else _ZERO
    else:
        lanes_out[block, IMPULSE, lane] = _ZERO
        lanes_out[block, TOTAL, lane] = -lanes_out[block, TOTAL, lane]
    lanes_out[block, SIDE, lane] = side


@kernel(types.void(integer, real, table(ROW), reals32_3, reals2), feature="joints")
def add_row_forces(
    block_count: int, dt: float, rows: Table, lanes: Reals32, forces_out: Reals
) -> None:
    """Add each row's mean force on A over the step, N, to `forces_out[joint]`: x, y, torque.

    The torque is that about A's anchor, to which only rows that measure angles contribute; those of
    a pinned joint push at the anchor as well.
    """
    for place in range(block_count * LANES):
        row = rows[place]
        if row.joint < 0:
            continue
        block = place // LANES
        lane = place % LANES
        mean = np.float64(lanes[block, TOTAL, lane]) / dt
        forces_out[row.joint, 0] += mean * np.float64(lanes[block, JACOBIAN, lane])
        forces_out[row.joint, 1] += mean * np.float64(lanes[block, JACOBIAN + 1, lane])
        if row.measure == ANGLE or row.measure == GEARED_ANGLE:
            forces_out[row.joint, 2] += -mean if lanes[block, SIDE, lane] < _ZERO else mean
