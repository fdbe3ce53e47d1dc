"""What joints that contradict each other may do at most.

Two rigid joints that want different things push against each other without end, and where their
bodies turn by more than about a radian in a substep, an impulse that is applied again acts in
another direction than it was found for: it adds energy. No solver makes sense of such joints, but
the world has to stay one of finite numbers. So after each step bodies of joints that are faster
than any machine are slowed to a highest speed, and their joints forget their impulses; and so do
joints that push against each other so hard that one alone would fling its bodies away. Where there
were any, the next step does so in each substep.
"""

import numpy as np

from ecs_physics.constants import JOINT_MOST_JOLT, JOINT_MOST_SPEED, JOINT_MOST_SPIN
from ecs_physics.kernels.blocks import LANES
from ecs_physics.kernels.compile import (
    Reals32,
    Record,
    Table,
    boolean,
    inlined,
    integer,
    kernel,
    reals32_3,
    table,
)
from ecs_physics.kernels.joint_lists import PIN, PIN_IMPULSE_X, ROW, ROW_IMPULSE
from ecs_physics.kernels.joint_pin_lanes import (
    IMPULSE_X,
    IMPULSE_Y,
    MASS_AX,
    MASS_AY,
    MASS_BX,
    MASS_BY,
)
from ecs_physics.kernels.joint_row_fields import MASS
from ecs_physics.tables import BODY, DYNAMIC, VELOCITY

_ZERO = np.float32(0.0)
_MOST_JOLT = np.float32(JOINT_MOST_JOLT)


@kernel(
    boolean(
        integer,
        integer,
        table(PIN),
        integer,
        table(ROW),
        table(BODY),
        table(VELOCITY),
        reals32_3,
        reals32_3,
    ),
    feature="joints",
)
def bound_speeds(
    rows_in_use: int,
    pin_blocks: int,
    pins: Table,
    row_blocks: int,
    rows: Table,
    bodies: Table,
    velocities_out: Table,
    pin_lanes_out: Reals32,
    row_lanes_out: Reals32,
) -> bool:
    """Slow what is too fast, and forget the impulses of its joints; tells whether there was any.

    Impulses that are too large themselves are forgotten as well.
    """
    found = forget_pin_jolts(pin_blocks, pin_lanes_out)
    found = forget_row_jolts(row_blocks, row_lanes_out) or found
    if not any_is_too_fast(rows_in_use, velocities_out):
        return found
    for place in range(pin_blocks * LANES):
        pin = pins[place]
        if pin.joint >= 0 and any_is_wild(pin, bodies, velocities_out):
            found = True
            for axis in range(2):
                pin_lanes_out[place // LANES, PIN_IMPULSE_X + axis, place % LANES] = 0.0
    for place in range(row_blocks * LANES):
        row = rows[place]
        if row.joint >= 0 and any_is_wild(row, bodies, velocities_out):
            found = True
            row_lanes_out[place // LANES, ROW_IMPULSE, place % LANES] = 0.0
    if found:
        for place in range(pin_blocks * LANES):
            if pins[place].joint >= 0:
                slow_down(pins[place].row_a, bodies, velocities_out)
                slow_down(pins[place].row_b, bodies, velocities_out)
        for place in range(row_blocks * LANES):
            if rows[place].joint >= 0:
                slow_down(rows[place].row_a, bodies, velocities_out)
                slow_down(rows[place].row_b, bodies, velocities_out)
    return found


@inlined
def forget_pin_jolts(blocks: int, lanes_out: Reals32) -> bool:
    """Forget impulses of pins above JOINT_MOST_JOLT; tells whether there was any.

    Without branches, so that LLVM looks at all lanes of a block at once.
    """
    found = False
    for block in range(blocks):
        for lane in range(LANES):
            mass_x = lanes_out[block, MASS_AX, lane] + lanes_out[block, MASS_BX, lane]
            mass_y = lanes_out[block, MASS_AY, lane] + lanes_out[block, MASS_BY, lane]
            x = lanes_out[block, IMPULSE_X, lane]
            y = lanes_out[block, IMPULSE_Y, lane]
            is_fine = abs(mass_x * x) + abs(mass_y * y) <= _MOST_JOLT
            lanes_out[block, IMPULSE_X, lane] = x if is_fine else _ZERO
            lanes_out[block, IMPULSE_Y, lane] = y if is_fine else _ZERO
            found = found | (not is_fine)
    return found


@inlined
def forget_row_jolts(blocks: int, lanes_out: Reals32) -> bool:
    """The same for rows. What cannot be pushed at all, of mass 0, has no bound."""
    found = False
    for block in range(blocks):
        for lane in range(LANES):
            most = _MOST_JOLT * lanes_out[block, MASS, lane]
            impulse = lanes_out[block, ROW_IMPULSE, lane]
            is_fine = (abs(impulse) <= most) | (most == _ZERO)
            lanes_out[block, ROW_IMPULSE, lane] = impulse if is_fine else _ZERO
            found = found | (not is_fine)
    return found


@inlined
def any_is_too_fast(rows_in_use: int, velocities: Table) -> bool:
    """Whether any body is, with joints or not: what is asked in every step, and hardly ever so."""
    for row in range(rows_in_use):
        velocity = velocities[row]
        if is_too_fast(velocity):
            return True
    return False


@inlined
def any_is_wild(constraint: Record, bodies: Table, velocities: Table) -> bool:
    """Whether one of the two bodies is too fast."""
    a = constraint.row_a
    b = constraint.row_b
    is_wild = a >= 0 and bodies[a].kind == DYNAMIC and is_too_fast(velocities[a])
    return bool(is_wild or (b >= 0 and bodies[b].kind == DYNAMIC and is_too_fast(velocities[b])))


@inlined
def is_too_fast(velocity: Record) -> bool:
    """Whether a velocity is above the bounds."""
    return not (
        abs(velocity.x) <= JOINT_MOST_SPEED
        and abs(velocity.y) <= JOINT_MOST_SPEED
        and abs(velocity.omega) <= JOINT_MOST_SPIN
    )


@inlined
def slow_down(row: int, bodies: Table, velocities_out: Table) -> None:
    """Bring a dynamic body's velocity within the bounds."""
    if row >= 0 and bodies[row].kind == DYNAMIC:
        velocity = velocities_out[row]
        velocity.x = min(max(velocity.x, -JOINT_MOST_SPEED), JOINT_MOST_SPEED)
        velocity.y = min(max(velocity.y, -JOINT_MOST_SPEED), JOINT_MOST_SPEED)
        velocity.omega = min(max(velocity.omega, -JOINT_MOST_SPIN), JOINT_MOST_SPIN)
