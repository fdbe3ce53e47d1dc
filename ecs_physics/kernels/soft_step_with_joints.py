"""All substeps in one call for worlds with joints: soft_step.py, with joints before the contacts.

A file of its own, compiled when the first joint appears.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from ecs_physics.kernels.blocks import COLORS
from ecs_physics.kernels.compile import (
    Integers32,
    Reals,
    Reals32,
    Table,
    integer,
    integers32,
    integers32_3,
    kernel,
    real,
    reals2,
    reals32_2,
    reals32_3,
    table,
)
from ecs_physics.kernels.impacts import HIT, hit, rebound
from ecs_physics.kernels.joint_lists import ROW
from ecs_physics.kernels.joint_pin_lanes import joint_spring
from ecs_physics.kernels.joint_pins_wide import solve_pin_block, warm_start_pin_block
from ecs_physics.kernels.joint_row_lanes import refresh_range
from ecs_physics.kernels.joint_rows_wide import solve_row_block, warm_start_row_block
from ecs_physics.kernels.solver_bodies import give_poses, give_range, kick, move, start_motions
from ecs_physics.kernels.wide_contact import solve_contacts_wide, warm_start_wide
from ecs_physics.tables import BODY, CONTACT, DAMPING, FORCE, PART, VELOCITY


@kernel(
    types.void(
        integer,
        real,
        integer,
        table(FORCE),
        table(DAMPING),
        table(PART),
        table(BODY),
        table(VELOCITY),
        integer,
        integers32,
        table(CONTACT),
        table(HIT),
        integer,
        integers32_3,
        reals32_3,
        integers32,
        integers32_3,
        types.uint8[::1],
        reals32_3,
        integers32,
        integers32_3,
        reals32_3,
        table(ROW),
        reals2,
        reals32_2,
    ),
    feature="joints",
)
def soft_step_with_joints(
    substeps: int,
    h: float,
    rows: int,
    forces: Table,
    dampings: Table,
    parts: Table,
    bodies: Table,
    velocities: Table,
    bouncy_count: int,
    bouncy: Integers32,
    contacts: Table,
    hits: Table,
    block_count: int,
    block_rows: Integers32,
    blocks: Reals32,
    pin_starts: Integers32,
    pin_rows: Integers32,
    pin_is_soft: NDArray[np.uint8],
    pin_lanes: Reals32,
    row_starts: Integers32,
    row_rows: Integers32,
    row_lanes: Reals32,
    joint_rows: Table,
    motions: Reals,
    copies: Reals32,
) -> None:
    """Advance bodies and velocities by `substeps` times `h` seconds.

    Blocks and the lanes of joints have been filled and copies started (see
    systems/contact_resolution.py). `pin_starts` and `row_starts` hold the first block of each
    colour, and the number of blocks at the end.
    """
    inverse_h = np.float32(1.0 / h)
    spring = joint_spring(h)
    pin_count = pin_starts[COLORS]
    row_count = row_starts[COLORS]
    start_motions(0, rows, h, forces, dampings, bodies, velocities, motions, copies)
    for substep in range(substeps):
        in_order = substep % 2 == 0
        kick(0, rows, motions, copies)
        if bouncy_count > 0:
            give_range(0, rows, bodies, motions, copies, velocities)
            hit(
                bouncy_count,
                h,
                bouncy,
                bodies,
                parts,
                forces,
                contacts,
                velocities,
                motions,
                copies,
                hits,
            )
        for block in range(row_count):
            warm_start_row_block(block, copies, row_rows, row_lanes)
        for block in range(pin_count):
            warm_start_pin_block(block, copies, pin_rows, pin_lanes)
        warm_start_wide(0, block_count, copies, block_rows, blocks)
        for block in range(row_count):
            solve_row_block(block, True, inverse_h, copies, row_rows, row_lanes)
        for block in range(pin_count):
            solve_pin_block(block, True, spring, copies, pin_rows, pin_is_soft, pin_lanes)
        solve_contacts_wide(0, block_count, True, in_order, inverse_h, copies, block_rows, blocks)
        move(0, rows, h, motions, copies)
        if bouncy_count > 0 or row_count > 0:
            give_poses(0, rows, motions, bodies)
        if bouncy_count > 0:
            give_range(0, rows, bodies, motions, copies, velocities)
            rebound(
                bouncy_count, bouncy, bodies, parts, contacts, velocities, motions, copies, hits
            )
        refresh_range(0, row_count, joint_rows, bodies, copies, row_rows, row_lanes)
        for block in range(row_count):
            solve_row_block(block, False, inverse_h, copies, row_rows, row_lanes)
        for block in range(pin_count):
            solve_pin_block(block, False, spring, copies, pin_rows, pin_is_soft, pin_lanes)
        solve_contacts_wide(
            0, block_count, False, not in_order, inverse_h, copies, block_rows, blocks
        )
    give_poses(0, rows, motions, bodies)
    give_range(0, rows, bodies, motions, copies, velocities)
