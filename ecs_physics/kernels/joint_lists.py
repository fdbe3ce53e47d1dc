"""The table of joints, and the constraints that they stand for, coloured and dealt to lanes.

A joint is solved as up to one *pin* (a point of A stays at a point of B) and up to five *rows* (one
number that is a function of the two poses is held, driven, sprung or limited: a row of the
Jacobian). All that a joint measures is the motion of A as B sees it, B being the world where it is
left out. Constraints of one colour share no dynamic body; as with contacts, eight of one colour
make a block, and those that find no colour have a block each. The lists stay from step to step,
until the set of joints changes.
"""

import math
from typing import Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from ecs_physics.kernels.blocks import COLORS, LANES
from ecs_physics.kernels.compile import (
    Integers32,
    Reals,
    Reals32,
    Record,
    Table,
    boolean,
    inlined,
    integer,
    integers32,
    integers32_2,
    kernel,
    reals2,
    reals32_3,
    table,
)
from ecs_physics.tables import BODY, DYNAMIC

# Types of joints: JOINT["type"].
DISTANCE: Final = 1
ROPE: Final = 2
REVOLUTE: Final = 3
PRISMATIC: Final = 4
WELD: Final = 5
WHEEL: Final = 6
TARGET: Final = 7
GEAR: Final = 8
RATCHET: Final = 9
PULLEY: Final = 10
MOTOR: Final = 11

JOINT: Final = np.dtype(
    [
        ("entity", "i8"),  # of the joint; 0 in a free row
        ("type", "i4"),
        ("row_a", "i4"),  # of the body, -1 while it is none
        ("row_b", "i4"),  # -1 for the world
        ("rests", "?"),  # a body of it takes no part at present
        ("collide_connected", "?"),
        ("body_a", "i8"),  # entity
        ("body_b", "i8"),  # entity, 0 for the world
        ("anchor_ax", "f8"),  # m, in the shape's coordinates
        ("anchor_ay", "f8"),
        ("anchor_bx", "f8"),  # m, in the shape's coordinates, or in the world
        ("anchor_by", "f8"),
        ("axis_x", "f8"),  # unit vector in B's axes, or in the world's
        ("axis_y", "f8"),
        ("ground_ax", "f8"),  # m, in the world: where a pulley's rope goes over
        ("ground_ay", "f8"),
        ("ground_bx", "f8"),
        ("ground_by", "f8"),
        ("length", "f8"),  # m; NaN until the joint has seen its bodies
        ("angle", "f8"),  # rad, angle of A less that of B that counts as zero; NaN as above
        ("lower", "f8"),  # m or rad, -inf for none
        ("upper", "f8"),
        ("hertz", "f8"),  # of the spring: 0 is none, or rigid
        ("damping_ratio", "f8"),
        ("angular_hertz", "f8"),
        ("angular_damping_ratio", "f8"),
        ("speed", "f8"),  # m/s or rad/s, of the motor
        ("velocity_x", "f8"),  # m/s, of a MotorJoint
        ("velocity_y", "f8"),
        ("max_force", "f8"),  # N; 0 is no motor
        ("max_torque", "f8"),  # N m; 0 is no motor
        ("ratio", "f8"),
        ("step", "f8"),  # rad, of a ratchet
        ("click", "f8"),  # rad, where a ratchet caught last; NaN before the first step
        ("break_force", "f8"),  # N
        ("break_torque", "f8"),  # N m
    ],
    align=True,
)

PIN: Final = np.dtype(
    [
        ("joint", "i4"),  # row of JOINT, -1 in an empty lane
        ("type", "i4"),
        ("row_a", "i4"),
        ("row_b", "i4"),
        ("ax", "f8"),  # m, in the shapes' coordinates
        ("ay", "f8"),
        ("bx", "f8"),
        ("by", "f8"),
        ("hertz", "f8"),  # 0: rigid
        ("damping_ratio", "f8"),
        ("most", "f8"),  # N, inf for no bound
        ("velocity_x", "f8"),  # m/s
        ("velocity_y", "f8"),
    ],
    align=True,
)
"""A point constraint, in the order of the lanes."""

# What a row measures: ROW["measure"].
ANGLE: Final = 1  # angle of A less that of B
GEARED_ANGLE: Final = 2  # angle of A less ratio times that of B
ACROSS: Final = 3  # m, from B's anchor to A's, across the axis
ALONG: Final = 4  # m, the same along it
LENGTH: Final = 5  # m, between the anchors
PULLEY_LENGTH: Final = 6  # m, from A to its ground, plus ratio times that of B

# What a row wants of it: ROW["law"].
HOLD: Final = 1
SPRING: Final = 2
DRIVE: Final = 3
LIMIT: Final = 4

MOST_ROWS: Final = 5
"""Rows that one joint may have."""

ROW: Final = np.dtype(
    [
        ("joint", "i4"),  # row of JOINT, -1 in an empty lane
        ("slot", "i4"),  # which of the joint's rows
        ("measure", "i4"),
        ("law", "i4"),
        ("row_a", "i4"),
        ("row_b", "i4"),
        ("is_pinned", "?"),  # the joint has a rigid pin as well
        ("rest", "f8"),  # the measure that is wanted
        ("lower", "f8"),
        ("upper", "f8"),
        ("ratio", "f8"),
        ("hertz", "f8"),
        ("damping_ratio", "f8"),
        ("speed", "f8"),
        ("most", "f8"),  # N or N m, inf for no bound
        ("ax", "f8"),  # m, in the shapes' coordinates
        ("ay", "f8"),
        ("bx", "f8"),
        ("by", "f8"),
        ("axis_x", "f8"),
        ("axis_y", "f8"),
        ("ground_ax", "f8"),
        ("ground_ay", "f8"),
        ("ground_bx", "f8"),
        ("ground_by", "f8"),
    ],
    align=True,
)
"""A constraint of one dimension, in the order of the lanes."""

IMPULSES: Final = 2 + MOST_ROWS
"""Impulses of a joint that are kept: x and y of its pin, and one of each row."""


@kernel(boolean(integer, table(JOINT), table(BODY), types.uint8[::1]), feature="joints")
def renew_activity(count: int, joints: Table, bodies: Table, active_out: NDArray[np.uint8]) -> bool:
    """Note which joints have something to move, and which of their bodies; tell of a change.

    A joint of which nothing is dynamic and awake is left alone.
    """
    changed = False
    for at in range(count):
        joint = joints[at]
        code = 0
        if joint.entity != 0 and not joint.rests:
            if joint.row_a >= 0 and bodies[joint.row_a].kind == DYNAMIC:
                code += 1
            if joint.row_b >= 0 and bodies[joint.row_b].kind == DYNAMIC:
                code += 2
        if active_out[at] != code:
            active_out[at] = code
            changed = True
    return changed


@kernel(integer(integer, table(JOINT), types.uint8[::1], table(PIN)), feature="joints")
def list_pins(count: int, joints: Table, active: NDArray[np.uint8], pins_out: Table) -> int:
    """Write the pins of all active joints, in the order of joints; returns how many."""
    pins = 0
    for at in range(count):
        kind = joints[at].type
        is_pinned = kind == REVOLUTE or kind == WELD or kind == TARGET or kind == MOTOR
        if active[at] > 0 and is_pinned:
            write_pin(at, joints[at], pins_out[pins])
            pins += 1
    return pins


@kernel(integer(integer, table(JOINT), types.uint8[::1], table(ROW)), feature="joints")
def list_all_rows(count: int, joints: Table, active: NDArray[np.uint8], rows_out: Table) -> int:
    """Write the rows of all active joints, up to MOST_ROWS each; returns how many."""
    rows = 0
    for at in range(count):
        if active[at] > 0:
            rows = list_rows(at, joints[at].type, joints, rows, rows_out)
    return rows


@inlined
def write_pin(at: int, joint: Record, pin_out: Record) -> None:
    """The pin of a joint."""
    pin_out.joint = at
    pin_out.type = joint.type
    pin_out.row_a = joint.row_a
    pin_out.row_b = joint.row_b
    pin_out.ax = joint.anchor_ax
    pin_out.ay = joint.anchor_ay
    pin_out.bx = joint.anchor_bx
    pin_out.by = joint.anchor_by
    pin_out.hertz = 0.0 if joint.type == REVOLUTE else joint.hertz
    pin_out.damping_ratio = joint.damping_ratio
    is_weak = joint.type == TARGET or joint.type == MOTOR
    pin_out.most = joint.max_force if is_weak else math.inf
    pin_out.velocity_x = joint.velocity_x if joint.type == MOTOR else 0.0
    pin_out.velocity_y = joint.velocity_y if joint.type == MOTOR else 0.0


@inlined
def list_rows(at: int, kind: int, joints: Table, rows: int, rows_out: Table) -> int:
    """Write the rows of a joint from row number `rows` on; returns the number behind them."""
    joint = joints[at]
    if kind == REVOLUTE:
        rows = list_spring(at, 0, ANGLE, 0.0, joints, rows, rows_out)
        rows = list_motor(at, 1, ANGLE, joint.max_torque, joints, rows, rows_out)
        rows = list_limit(at, 2, ANGLE, joints, rows, rows_out)
    elif kind == PRISMATIC:
        rows = list_row(at, 0, ANGLE, HOLD, joints, rows, rows_out)
        rows = list_row(at, 1, ACROSS, HOLD, joints, rows, rows_out)
        rows = list_spring(at, 2, ALONG, 0.0, joints, rows, rows_out)
        rows = list_motor(at, 3, ALONG, joint.max_force, joints, rows, rows_out)
        rows = list_limit(at, 4, ALONG, joints, rows, rows_out)
    elif kind == WHEEL:
        rows = list_row(at, 0, ACROSS, HOLD, joints, rows, rows_out)
        rows = list_spring(at, 1, ALONG, 0.0, joints, rows, rows_out)
        rows = list_motor(at, 2, ANGLE, joint.max_torque, joints, rows, rows_out)
        rows = list_limit(at, 3, ALONG, joints, rows, rows_out)
    elif kind == DISTANCE:
        if joint.hertz > 0.0:
            rows = list_spring(at, 0, LENGTH, joint.length, joints, rows, rows_out)
            rows = list_limit(at, 1, LENGTH, joints, rows, rows_out)
        else:
            rows = list_row(at, 0, LENGTH, HOLD, joints, rows, rows_out)
            rows_out[rows - 1].rest = joint.length
    elif kind == ROPE or kind == PULLEY:
        measure = LENGTH if kind == ROPE else PULLEY_LENGTH
        rows = list_row(at, 0, measure, LIMIT, joints, rows, rows_out)
        rows_out[rows - 1].upper = joint.length
    elif kind == RATCHET:
        rows = list_row(at, 0, ANGLE, LIMIT, joints, rows, rows_out)
    elif kind == GEAR:
        rows = list_row(at, 0, GEARED_ANGLE, HOLD, joints, rows, rows_out)
        rows_out[rows - 1].rest = joint.angle
    elif kind == WELD:
        is_soft = joint.angular_hertz > 0.0
        rows = list_row(at, 0, ANGLE, SPRING if is_soft else HOLD, joints, rows, rows_out)
        take_angular_spring(joint, rows_out[rows - 1])
    elif kind == MOTOR:
        is_soft = joint.angular_hertz > 0.0
        rows = list_row(at, 0, ANGLE, SPRING if is_soft else DRIVE, joints, rows, rows_out)
        take_angular_spring(joint, rows_out[rows - 1])
        rows_out[rows - 1].speed = joint.speed
        rows_out[rows - 1].most = joint.max_torque
    return rows


@inlined
def take_angular_spring(joint: Record, row_out: Record) -> None:
    """A spring that turns, of a joint that has one that pulls as well."""
    row_out.hertz = joint.angular_hertz
    row_out.damping_ratio = joint.angular_damping_ratio


@inlined
def list_spring(
    at: int, slot: int, measure: int, rest: float, joints: Table, rows: int, rows_out: Table
) -> int:
    """A row that pulls to `rest`, if the joint has a spring."""
    if joints[at].hertz > 0.0:
        rows = list_row(at, slot, measure, SPRING, joints, rows, rows_out)
        rows_out[rows - 1].rest = zero_of(measure, joints[at]) + rest
    return rows


@inlined
def list_motor(
    at: int, slot: int, measure: int, most: float, joints: Table, rows: int, rows_out: Table
) -> int:
    """A row that drives at the motor's speed, if there is a motor."""
    if most > 0.0:
        rows = list_row(at, slot, measure, DRIVE, joints, rows, rows_out)
        rows_out[rows - 1].speed = joints[at].speed
        rows_out[rows - 1].most = most
    return rows


@inlined
def list_limit(at: int, slot: int, measure: int, joints: Table, rows: int, rows_out: Table) -> int:
    """A row that keeps between the limits, if there are any; where they are one, it holds."""
    joint = joints[at]
    if joint.lower == -math.inf and joint.upper == math.inf:
        return rows
    law = HOLD if joint.lower == joint.upper else LIMIT
    rows = list_row(at, slot, measure, law, joints, rows, rows_out)
    if law == HOLD:
        rows_out[rows - 1].rest += joint.lower
    return rows


@inlined
def zero_of(measure: int, joint: Record) -> float:
    """What of a measure counts as zero."""
    return joint.angle if measure == ANGLE else 0.0


@inlined
def list_row(
    at: int, slot: int, measure: int, law: int, joints: Table, rows: int, rows_out: Table
) -> int:
    """One row, with the joint's own values."""
    joint = joints[at]
    row = rows_out[rows]
    zero = zero_of(measure, joint)
    row.joint = at
    row.slot = slot
    row.measure = measure
    row.law = law
    row.row_a = joint.row_a
    row.row_b = joint.row_b
    row.is_pinned = joint.type == REVOLUTE or (joint.type == WELD and joint.hertz == 0.0)
    row.rest = zero
    row.lower = zero + joint.lower
    row.upper = zero + joint.upper
    row.ratio = joint.ratio
    row.hertz = joint.hertz
    row.damping_ratio = joint.damping_ratio
    row.speed = 0.0
    row.most = math.inf
    row.ax = joint.anchor_ax
    row.ay = joint.anchor_ay
    row.bx = joint.anchor_bx
    row.by = joint.anchor_by
    row.axis_x = joint.axis_x
    row.axis_y = joint.axis_y
    row.ground_ax = joint.ground_ax
    row.ground_ay = joint.ground_ay
    row.ground_bx = joint.ground_bx
    row.ground_by = joint.ground_by
    return rows + 1


@kernel(integer(integer, integers32_2, types.uint32[::1], integers32, integers32), feature="joints")
def color_pairs(
    count: int,
    pairs: Integers32,
    used: NDArray[np.uint32],
    colors_out: Integers32,
    starts_out: Integers32,
) -> int:
    """Give each pair of body rows the first colour that neither row has; -1 is nobody.

    What blocks.color_contacts does for contacts: `starts_out` (COLORS + 1) becomes the first block
    of each colour, and the number of blocks, which is returned.
    """
    used[:] = 0
    starts_out[:] = 0
    last = COLORS - 1
    for k in range(count):
        a = pairs[k, 0]
        b = pairs[k, 1]
        taken = np.uint32(0)
        if a >= 0:
            taken |= used[a]
        if b >= 0:
            taken |= used[b]
        color = 0
        while color < last and (taken >> np.uint32(color)) & np.uint32(1):
            color += 1
        if color < last:
            bit = np.uint32(np.uint32(1) << np.uint32(color))
            if a >= 0:
                used[a] |= bit
            if b >= 0:
                used[b] |= bit
        colors_out[k] = color
        starts_out[color] += 1
    block = 0
    for color in range(COLORS):
        in_color = starts_out[color]
        starts_out[color] = block
        block += in_color if color == last else (in_color + LANES - 1) // LANES
    starts_out[COLORS] = block
    return block


@kernel(types.void(integer, integers32, integers32, integers32, integers32), feature="joints")
def deal_lanes(
    count: int, colors: Integers32, starts: Integers32, taken: Integers32, places_out: Integers32
) -> None:
    """The lane of each constraint, counted through all blocks; `taken` (COLORS) is scratch."""
    taken[:] = 0
    for k in range(count):
        color = colors[k]
        place = taken[color]
        taken[color] += 1
        if color == COLORS - 1:
            places_out[k] = (starts[color] + place) * LANES
        else:
            places_out[k] = starts[color] * LANES + place


@kernel(
    types.void(integer, table(PIN), reals32_3, integer, table(ROW), reals32_3, reals2),
    feature="joints",
)
def save_impulses(
    pin_blocks: int,
    pins: Table,
    pin_lanes: Reals32,
    row_blocks: int,
    rows: Table,
    row_lanes: Reals32,
    impulses_out: Reals,
) -> None:
    """Write the impulses of the last substep, N s or N m s, from the lanes to (joint, which)."""
    for lane in range(pin_blocks * LANES):
        at = pins[lane].joint
        if at >= 0:
            block = lane // LANES
            impulses_out[at, 0] = pin_lanes[block, PIN_IMPULSE_X, lane % LANES]
            impulses_out[at, 1] = pin_lanes[block, PIN_IMPULSE_X + 1, lane % LANES]
    for lane in range(row_blocks * LANES):
        row = rows[lane]
        if row.joint >= 0:
            impulse = row_lanes[lane // LANES, ROW_IMPULSE, lane % LANES]
            is_upper = row_lanes[lane // LANES, ROW_SIDE, lane % LANES] < 0.0
            impulses_out[row.joint, 2 + row.slot] = np.float64(-impulse if is_upper else impulse)


@kernel(
    types.void(integer, table(PIN), reals32_3, integer, table(ROW), reals32_3, reals2),
    feature="joints",
)
def load_impulses(
    pin_blocks: int,
    pins: Table,
    pin_lanes_out: Reals32,
    row_blocks: int,
    rows: Table,
    row_lanes_out: Reals32,
    impulses: Reals,
) -> None:
    """The way back, into lanes that have been dealt anew; those of a limit still have a sign."""
    for lane in range(pin_blocks * LANES):
        at = pins[lane].joint
        for axis in range(2):
            impulse = impulses[at, axis] if at >= 0 else 0.0
            pin_lanes_out[lane // LANES, PIN_IMPULSE_X + axis, lane % LANES] = np.float32(impulse)
    for lane in range(row_blocks * LANES):
        row = rows[lane]
        impulse = impulses[row.joint, 2 + row.slot] if row.joint >= 0 else 0.0
        row_lanes_out[lane // LANES, ROW_IMPULSE, lane % LANES] = np.float32(impulse)
        row_lanes_out[lane // LANES, ROW_SIDE, lane % LANES] = np.float32(0.0)


PIN_IMPULSE_X: Final = 12
"""Field of a block of pins: N s (joint_pins.py). The next one is y."""
ROW_IMPULSE: Final = 14
"""Field of a block of rows: N s or N m s (joint_row_fields.py)."""
ROW_SIDE: Final = 26
"""The side of a limit there: 1 lower, -1 upper, 0 not known."""
