"""Velocities of kinematic bodies that are on their way to a place."""

import math
from typing import Final

import numpy as np

from ecs_physics.kernels.compile import Record, Table, inner, integer, kernel, real, table
from ecs_physics.tables import BODY, KINEMATIC, TRANSFORM, VELOCITY

TARGET: Final = np.dtype(
    [
        ("entity", "i8"),
        ("row", "i8"),  # of its body
        ("x", "f8"),  # m, where its Transform is to be
        ("y", "f8"),  # m
        ("angle", "f8"),  # rad, NaN: its turning is left alone
        ("time", "f8"),  # s, left until it is to be there; 0: it has arrived
        ("is_moving", "?"),  # the velocity below was given to it
        ("velocity_x", "f8"),  # m/s
        ("velocity_y", "f8"),  # m/s
        ("omega", "f8"),  # rad/s
    ],
    align=True,
)

SLACK: Final = 1e-9
"""Ratio. A time longer than whole steps by this part of one takes no step more."""


@kernel(integer(integer, real, table(TARGET), table(TRANSFORM), table(BODY), table(VELOCITY)))
def steer(
    count: int,
    dt: float,
    targets: Table,
    transforms: Table,
    bodies: Table,
    velocities_out: Table,
) -> int:
    """Give each body the velocity that brings it to its target in time, in steps of `dt` seconds.

    A target goes when its body is there, and has been stopped; when it is no kinematic body any
    more; or when somebody else has written its velocity. Returns how many are left, in order, in
    the first rows of `targets`.
    """
    kept = 0
    for k in range(count):
        target = targets[k]
        row = target.row
        if bodies[row].entity != target.entity or bodies[row].kind != KINEMATIC:
            continue
        velocity = velocities_out[row]
        if target.is_moving and is_other(target, velocity):
            continue
        turns = not math.isnan(target.angle)
        if target.time <= 0.0:
            velocity.x = 0.0
            velocity.y = 0.0
            if turns:
                velocity.omega = 0.0
            continue
        steps = max(math.ceil(target.time / dt - SLACK), 1.0)
        per_time = 1.0 / (steps * dt)
        pose = transforms[row]
        velocity.x = (target.x - pose.x) * per_time
        velocity.y = (target.y - pose.y) * per_time
        if turns:
            velocity.omega = (target.angle - pose.angle) * per_time
        target.time = target.time - dt if steps > 1.0 else 0.0
        target.is_moving = True
        target.velocity_x = velocity.x
        target.velocity_y = velocity.y
        target.omega = velocity.omega
        if kept != k:
            targets[kept] = target
        kept += 1
    return kept


@inner
def is_other(target: Record, velocity: Record) -> bool:
    """Whether a velocity is not the one that the target's body was given."""
    return (
        velocity.x != target.velocity_x
        or velocity.y != target.velocity_y
        or (velocity.omega != target.omega and not math.isnan(target.angle))
    )
