"""Poses for drawing."""

from numba import types

from ecs_physics.kernels.compile import (
    Integers,
    Reals,
    Record,
    Table,
    inlined,
    integer,
    integers,
    kernel,
    real,
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


@kernel(types.void(integer, integer, real, table(TRANSFORM), integers, reals2, reals2, reals2))
def blend_poses(
    rows: int,
    kept_rows: int,
    alpha: float,
    transforms: Table,
    owners: Integers,
    previous: Reals,
    current: Reals,
    poses_out: Reals,
) -> None:
    """Write poses between the last two of `keep_poses`: 0 is the one before, 1 the last.

    New bodies, and those that were written since, are where their Transform says. `kept_rows` is
    how many rows `owners`, `previous` and `current` have.
    """
    for row in range(rows):
        pose = transforms[row]
        if row < kept_rows and is_kept(row, pose, owners, current):
            for k in range(3):
                step = current[row, k] - previous[row, k]
                poses_out[row, k] = step * alpha + previous[row, k]
        else:
            poses_out[row, 0] = pose.x
            poses_out[row, 1] = pose.y
            poses_out[row, 2] = pose.angle


@inlined
def is_kept(row: int, pose: Record, owners: Integers, current: Reals) -> bool:
    """Whether a Transform is still that of the last step."""
    return bool(
        (owners[row] == pose.entity)
        & (current[row, 0] == pose.x)
        & (current[row, 1] == pose.y)
        & (current[row, 2] == pose.angle)
    )
