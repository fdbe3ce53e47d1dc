"""What the solver needs of each pin, worked out in float64 and written into its lane.

A block is `lanes[block, field, lane]`, float32. Most pins are rigid; the fields behind TOTAL_Y are
read only where `is_soft` says that some lane of the block is not.
"""

import math
from typing import Any, Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from ecs_physics.constants import JOINT_CYCLES_PER_SUBSTEP, JOINT_DAMPING_RATIO, JOINT_PULL_SPEED
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
from ecs_physics.kernels.joint_lists import MOTOR, PIN, PIN_IMPULSE_X
from ecs_physics.kernels.lanes import splat, store
from ecs_physics.tables import BODY

MASS_AX: Final = 0  # inverse masses, 1/kg, and inertias
MASS_AY: Final = 1
INERTIA_A: Final = 2
MASS_BX: Final = 3
MASS_BY: Final = 4
INERTIA_B: Final = 5
ARM_AX: Final = 6  # m, from the centre of mass to the point; they turn with the bodies
ARM_AY: Final = 7
ARM_BX: Final = 8
ARM_BY: Final = 9
GAP_X: Final = 10  # m, from the point on B to that on A
GAP_Y: Final = 11
IMPULSE_X: Final = PIN_IMPULSE_X  # N s, on A
IMPULSE_Y: Final = 13
TOTAL_X: Final = 14  # N s, summed over the substeps
TOTAL_Y: Final = 15
RATE: Final = 16  # 1/s, how fast a gap is closed
SCALE: Final = 17
IMPULSE_SCALE: Final = 18
RELAX_RATE: Final = 19  # the same three while relaxing
RELAX_SCALE: Final = 20
RELAX_IMPULSE_SCALE: Final = 21
SPEED_X: Final = 22  # m/s, of A's point as wanted, seen from B's
SPEED_Y: Final = 23
MOST: Final = 24  # N s, the greatest impulse
PIN_FIELDS: Final = 25

_ZERO = np.float32(0.0)
_BIG = 1e18
"""N s. What stands for no bound: its square is still a float32."""


REGULARIZATION = np.float32(1e-6)
"""Ratio to the trace of a pin's matrix, that is added to its diagonal. More: joints on long arms
give way for more substeps. Less: float32 knows the inverse too badly, and impulses grow."""


@inlined
def joint_spring(h: float) -> tuple[Any, Any, Any]:
    """The softness of a rigid joint in substeps of h seconds: 1/s and two ratios, float32."""
    rate, scale, impulse_scale = softness(JOINT_CYCLES_PER_SUBSTEP / h, JOINT_DAMPING_RATIO, h)
    return np.float32(rate), np.float32(scale), np.float32(impulse_scale)


@inlined
def mended(gap: float, h: float) -> float:
    """As much of a gap as a rigid joint closes: no faster than JOINT_PULL_SPEED."""
    most = JOINT_PULL_SPEED / np.float64(joint_spring(h)[0])
    return min(max(gap, -most), most)


@inlined
def anchor_arm(x: float, y: float, body: Record) -> tuple[float, float]:
    """From the centre of mass to a point of the shape's coordinates, in the world's axes, m."""
    x -= body.center_x
    y -= body.center_y
    return body.cos * x - body.sin * y, body.sin * x + body.cos * y


@kernel(
    types.void(
        integer,
        real,
        integer,
        table(PIN),
        table(BODY),
        integers32_3,
        types.uint8[::1],
        reals32_3,
    ),
    feature="joints",
)
def frame_pins(
    block_count: int,
    h: float,
    nobody: int,
    pins: Table,
    bodies: Table,
    rows_out: Integers32,
    is_soft_out: NDArray[np.uint8],
    lanes_out: Reals32,
) -> None:
    """Write what stays from step to step as long as pins, kinds of bodies and `h` do.

    Impulses are left as they are. For `rows_out` and `nobody` see joint_bodies.py.
    """
    is_soft_out[:block_count] = 0
    for place in range(block_count * LANES):
        block = place // LANES
        lane = place % LANES
        pin = pins[place]
        write_solver_rows(pin, nobody, block, lane, bodies, rows_out)
        for field in range(PIN_FIELDS):
            if field != IMPULSE_X and field != IMPULSE_Y:
                lanes_out[block, field, lane] = _ZERO
        if pin.joint >= 0 and is_soft(pin):
            is_soft_out[block] = 1
    for place in range(block_count * LANES):
        if is_soft_out[place // LANES] > 0:
            write_softness(pins[place], h, place // LANES, place % LANES, lanes_out)


@inlined
def is_soft(pin: Record) -> bool:
    """Whether a pin needs more than a rigid one."""
    return bool(pin.hertz > 0.0 or pin.type == MOTOR or pin.most < math.inf)


@kernel(
    types.void(integer, real, table(PIN), table(BODY), reals32_2, integers32_3, reals32_3),
    feature="joints",
)
def fill_pins(
    block_count: int,
    h: float,
    pins: Table,
    bodies: Table,
    masses: Reals32,
    solver_rows: Integers32,
    lanes_out: Reals32,
) -> None:
    """Write what is new in each step: masses, arms and gaps; nothing is summed up yet.

    `masses` are those of the solver's rows (solver_bodies.py).
    """
    for block in range(block_count):
        write_masses(block, MASS_AX, masses, solver_rows, lanes_out)
        store(lanes_out, block, TOTAL_X, splat(_ZERO))
        store(lanes_out, block, TOTAL_Y, splat(_ZERO))
        for lane in range(LANES):
            pin = pins[LANES * block + lane]
            if pin.joint >= 0:
                fill_pin(pin, h, block, lane, bodies, lanes_out)


@inlined
def fill_pin(
    pin: Record, h: float, block: int, lane: int, bodies: Table, lanes_out: Reals32
) -> None:
    """Arms and gap of one pin."""
    body_a = bodies[pin.row_a]
    arm_ax, arm_ay = anchor_arm(pin.ax, pin.ay, body_a)
    point_bx = pin.bx
    point_by = pin.by
    arm_bx = 0.0
    arm_by = 0.0
    if pin.row_b >= 0:
        body_b = bodies[pin.row_b]
        arm_bx, arm_by = anchor_arm(pin.bx, pin.by, body_b)
        point_bx = body_b.x + arm_bx
        point_by = body_b.y + arm_by
    gap_x = body_a.x + arm_ax - point_bx
    gap_y = body_a.y + arm_ay - point_by
    if pin.hertz == 0.0:
        gap_x = mended(gap_x, h)
        gap_y = mended(gap_y, h)
    lanes_out[block, ARM_AX, lane] = np.float32(arm_ax)
    lanes_out[block, ARM_AY, lane] = np.float32(arm_ay)
    lanes_out[block, ARM_BX, lane] = np.float32(arm_bx)
    lanes_out[block, ARM_BY, lane] = np.float32(arm_by)
    lanes_out[block, GAP_X, lane] = np.float32(gap_x)
    lanes_out[block, GAP_Y, lane] = np.float32(gap_y)
    if pin.type == MOTOR:
        fill_motor(pin, body_a.x + arm_ax, body_a.y + arm_ay, block, lane, bodies, lanes_out)


@inlined
def fill_motor(
    pin: Record, x: float, y: float, block: int, lane: int, bodies: Table, lanes_out: Reals32
) -> None:
    """A motor at (x, y): both are pushed at one point, however far it has to go."""
    speed_x = pin.velocity_x
    speed_y = pin.velocity_y
    if pin.row_b >= 0:
        body_b = bodies[pin.row_b]
        lanes_out[block, ARM_BX, lane] = np.float32(x - body_b.x)
        lanes_out[block, ARM_BY, lane] = np.float32(y - body_b.y)
        speed_x = body_b.cos * pin.velocity_x - body_b.sin * pin.velocity_y
        speed_y = body_b.sin * pin.velocity_x + body_b.cos * pin.velocity_y
    lanes_out[block, SPEED_X, lane] = np.float32(speed_x)
    lanes_out[block, SPEED_Y, lane] = np.float32(speed_y)


@inner
def write_softness(pin: Record, h: float, block: int, lane: int, lanes_out: Reals32) -> None:
    """What a block needs in which some pin is soft, driven or weak."""
    rate, scale, impulse_scale = softness(JOINT_CYCLES_PER_SUBSTEP / h, JOINT_DAMPING_RATIO, h)
    relax_rate, relax_scale, relax_impulse_scale = 0.0, 1.0, 0.0
    most = _BIG
    if pin.joint >= 0:
        most = min(pin.most * h, _BIG)
        if pin.hertz > 0.0:
            rate, scale, impulse_scale = softness(pin.hertz, pin.damping_ratio, h)
            relax_rate, relax_scale, relax_impulse_scale = rate, scale, impulse_scale
        elif pin.type == MOTOR:
            rate, scale, impulse_scale = 0.0, 1.0, 0.0
    lanes_out[block, RATE, lane] = np.float32(rate)
    lanes_out[block, RATE + 1, lane] = np.float32(scale)
    lanes_out[block, RATE + 2, lane] = np.float32(impulse_scale)
    lanes_out[block, RELAX_RATE, lane] = np.float32(relax_rate)
    lanes_out[block, RELAX_SCALE, lane] = np.float32(relax_scale)
    lanes_out[block, RELAX_IMPULSE_SCALE, lane] = np.float32(relax_impulse_scale)
    lanes_out[block, MOST, lane] = np.float32(most)


@kernel(types.void(integer, real, table(PIN), reals32_3, reals2), feature="joints")
def add_pin_forces(
    block_count: int, dt: float, pins: Table, lanes: Reals32, forces_out: Reals
) -> None:
    """Add each pin's mean force on A over the step, N, to `forces_out[joint]`: x, y, torque."""
    for place in range(block_count * LANES):
        at = pins[place].joint
        if at >= 0:
            block = place // LANES
            forces_out[at, 0] += np.float64(lanes[block, TOTAL_X, place % LANES]) / dt
            forces_out[at, 1] += np.float64(lanes[block, TOTAL_Y, place % LANES]) / dt
