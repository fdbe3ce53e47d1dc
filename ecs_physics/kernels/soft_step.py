"""All substeps of the production step in one call: the method, read from top to bottom.

Substeps runs the same phases one by one where a user's system takes part; this saves some forty
calls a step, which in a small world are most of the time.
"""

import numpy as np
from numba import types

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
        reals2,
        reals32_2,
    )
)
def soft_step(
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
    motions: Reals,
    copies: Reals32,
) -> None:
    """Advance bodies and velocities by `substeps` times `h` seconds.

    Blocks have been filled and copies started (see systems/contact_resolution.py).
    """
    inverse_h = np.float32(1.0 / h)
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
        warm_start_wide(0, block_count, copies, block_rows, blocks)
        solve_contacts_wide(0, block_count, True, in_order, inverse_h, copies, block_rows, blocks)
        move(0, rows, h, motions, copies)
        if bouncy_count > 0:
            give_poses(0, rows, motions, bodies)
            give_range(0, rows, bodies, motions, copies, velocities)
            rebound(
                bouncy_count, bouncy, bodies, parts, contacts, velocities, motions, copies, hits
            )
        solve_contacts_wide(
            0, block_count, False, not in_order, inverse_h, copies, block_rows, blocks
        )
    give_poses(0, rows, motions, bodies)
    give_range(0, rows, bodies, motions, copies, velocities)
