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
    inlined,
    integer,
    integers32,
    integers32_3,
    kernel,
    real,
    reals3,
    reals32_2,
    reals32_3,
    table,
)
from ecs_physics.kernels.impacts import HIT, hit, rebound
from ecs_physics.kernels.integration import integrate_position, integrate_velocity
from ecs_physics.kernels.kinematic_ramps import go_on
from ecs_physics.kernels.solver_bodies import (
    follow_body,
    give_velocities,
    give_velocity,
    take_velocities,
    take_velocity,
)
from ecs_physics.kernels.wide_contact import solve_contacts_wide, warm_start_wide
from ecs_physics.tables import BODY, CONTACT, DAMPING, DYNAMIC, FORCE, KINEMATIC, PART, VELOCITY


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
        reals3,
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
    origins: Reals,
    copies: Reals32,
) -> None:
    """Advance bodies and velocities by `substeps` times `h` seconds.

    Blocks have been filled and copies started (see systems/contact_resolution.py).
    """
    inverse_h = np.float32(1.0 / h)
    take_velocities(rows, bodies, velocities, copies)
    for substep in range(substeps):
        in_order = substep % 2 == 0
        kick(0, rows, h, forces, dampings, bodies, velocities, copies)
        if bouncy_count > 0:
            hit(
                bouncy_count,
                h,
                bouncy,
                bodies,
                parts,
                forces,
                contacts,
                velocities,
                origins,
                copies,
                hits,
            )
        warm_start_wide(0, block_count, copies, block_rows, blocks)
        solve_contacts_wide(0, block_count, True, in_order, inverse_h, copies, block_rows, blocks)
        move(0, rows, h, bodies, velocities, origins, copies)
        if bouncy_count > 0:
            rebound(
                bouncy_count, bouncy, bodies, parts, contacts, velocities, origins, copies, hits
            )
        solve_contacts_wide(
            0, block_count, False, not in_order, inverse_h, copies, block_rows, blocks
        )
    give_velocities(rows, bodies, copies, velocities)


@inlined
def kick(
    first: int,
    last: int,
    h: float,
    forces: Table,
    dampings: Table,
    bodies: Table,
    velocities: Table,
    copies: Reals32,
) -> None:
    """Take over what the solver has changed, then let forces act: rows first to last - 1."""
    for row in range(first, last):
        if bodies[row].kind == DYNAMIC:
            give_velocity(row, copies, velocities)
            integrate_velocity(row, h, forces, dampings, bodies, velocities)
            take_velocity(row, velocities, copies)
        elif bodies[row].kind == KINEMATIC:
            go_on(row, h, forces, velocities)
            take_velocity(row, velocities, copies)


@inlined
def move(
    first: int,
    last: int,
    h: float,
    bodies: Table,
    velocities: Table,
    origins: Reals,
    copies: Reals32,
) -> None:
    """Take over what the solver has changed, then let bodies move: rows first to last - 1."""
    for row in range(first, last):
        kind = bodies[row].kind
        if kind == DYNAMIC:
            give_velocity(row, copies, velocities)
            take_velocity(row, velocities, copies)
        elif kind != KINEMATIC:
            continue
        integrate_position(row, h, velocities, bodies)
        follow_body(row, bodies, origins, copies)
