"""All substeps of the production step in one call: the method, read from top to bottom.

Substeps runs the same phases one by one where a user's system takes part; this saves some forty
calls a step, which in a small world are most of the time.
"""

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
from ecs_physics.kernels.impacts import hit, rebound
from ecs_physics.kernels.integration import integrate_positions, integrate_velocities
from ecs_physics.kernels.solver_bodies import follow_motion, give_velocities, take_velocities
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
        reals2,
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
    speeds: Reals,
    block_count: int,
    block_rows: Integers32,
    blocks: Reals32,
    origins: Reals,
    copies: Reals32,
) -> None:
    """Advance bodies and velocities by `substeps` times `h` seconds.

    Blocks have been filled and copies started (see systems/contact_resolution.py).
    """
    inverse_h = 1.0 / h
    for substep in range(substeps):
        in_order = substep % 2 == 0
        integrate_velocities(rows, h, forces, dampings, bodies, velocities)
        if bouncy_count > 0:
            hit(
                bouncy_count, h, bouncy, bodies, parts, forces, contacts, velocities, copies, speeds
            )
        if block_count > 0:
            take_velocities(rows, bodies, velocities, copies)
            warm_start_wide(0, block_count, copies, block_rows, blocks)
            solve_contacts_wide(
                0, block_count, True, in_order, inverse_h, copies, block_rows, blocks
            )
            give_velocities(rows, bodies, copies, velocities)
        integrate_positions(rows, h, velocities, bodies)
        if block_count > 0:
            follow_motion(rows, bodies, velocities, origins, copies)
            if bouncy_count > 0:
                rebound(bouncy_count, bouncy, bodies, parts, contacts, velocities, copies, speeds)
            solve_contacts_wide(
                0, block_count, False, not in_order, inverse_h, copies, block_rows, blocks
            )
            give_velocities(rows, bodies, copies, velocities)
