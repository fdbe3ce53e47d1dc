"""Poses for drawing."""

from numba import types

from ecs_physics.kernels.compile import (
    Integers,
    Reals,
    Table,
    integer,
    integers,
    kernel,
    reals2,
    table,
)
from ecs_physics.tables import BODY, FREE, TRANSFORM


@kernel(types.void(integer, table(TRANSFORM), table(BODY), integers, reals2, reals2))
def keep_poses(
    rows: int,
    transforms: Table,
    bodies: Table,
    owners: Integers,
    previous_out: Reals,
    current_out: Reals,
) -> None:
    """Write the poses of this step; where a body is new or was teleported, also as the last one's.

    `owners` holds the entity that each row had when it was last written, and is kept up.
    """
    for row in range(rows):
        if bodies[row].kind == FREE:
            owners[row] = 0
            continue
        pose = transforms[row]
        current_out[row, 0] = pose.x
        current_out[row, 1] = pose.y
        current_out[row, 2] = pose.angle
        if bodies[row].teleported or owners[row] != bodies[row].entity:
            owners[row] = bodies[row].entity
            previous_out[row, 0] = pose.x
            previous_out[row, 1] = pose.y
            previous_out[row, 2] = pose.angle
