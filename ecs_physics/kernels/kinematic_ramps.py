"""How the velocity of a kinematic body goes over from that of one step to that of the next.

A body that is moved along a path has another velocity in each step. If it took it in one jump,
friction would have to take its riders along within one substep, for which it may be too weak, and
they would lag behind a little in each step. So within a step the velocity rises or falls evenly,
and its mean over the substeps is what was asked for: the body is where it should be after each
step.

How much it rises is taken from how it changed from step to step, of the last two changes the
smaller one, and not at all where their signs differ: a body that starts or stops in one step does
it at once. (In the numerics of flows this is the minmod limiter.)
"""

import math
from typing import Final

import numpy as np
from numba import types

from ecs_physics.kernels.compile import (
    Integers,
    Table,
    inlined,
    inner,
    integer,
    integers,
    kernel,
    real,
    table,
)
from ecs_physics.tables import BODY, FORCE, KINEMATIC, VELOCITY

RAMP: Final = np.dtype(
    [
        ("entity", "i8"),  # whose the rest is
        ("x", "f8"),  # m/s, asked for in this step
        ("y", "f8"),  # m/s
        ("omega", "f8"),  # rad/s
        ("change_x", "f8"),  # m/s, from the step before to this one; NaN where there was none
        ("change_y", "f8"),
        ("change_omega", "f8"),
        ("end_x", "f8"),  # m/s, after the last substep
        ("end_y", "f8"),
        ("end_omega", "f8"),
    ],
    align=True,
)


@kernel(
    types.void(
        integer,
        integers,
        real,
        integer,
        table(BODY),
        table(RAMP),
        table(FORCE),
        table(VELOCITY),
    )
)
def begin_ramps(
    count: int,
    rows: Integers,
    h: float,
    substeps: int,
    bodies: Table,
    ramps: Table,
    accelerations_out: Table,
    velocities: Table,
) -> None:
    """Let `count` kinematic bodies begin a step of `substeps` times `h` seconds.

    Args:
        count: of `rows` in use.
        rows: of kinematic bodies.
        h: s.
        substeps: number.
        bodies: whose.
        ramps: by row of a body.
        accelerations_out: by row of a body: m/s^2 and rad/s^2 for each substep to add before
            bodies move. (The table of forces, which mean nothing to kinematic bodies.)
        velocities: of the step in, of before the first substep out.
    """
    for k in range(count):
        row = rows[k]
        if bodies[row].kind != KINEMATIC:
            continue
        ramp = ramps[row]
        velocity = velocities[row]
        if ramp.entity != bodies[row].entity:
            ramp.entity = bodies[row].entity
            ramp.x = ramp.y = ramp.omega = math.nan
            ramp.change_x = ramp.change_y = ramp.change_omega = math.nan
        change_x = velocity.x - ramp.x
        change_y = velocity.y - ramp.y
        change_omega = velocity.omega - ramp.omega
        per_step = 1.0 / (h * substeps)
        acceleration = accelerations_out[row]
        acceleration.x = smaller(change_x, ramp.change_x) * per_step
        acceleration.y = smaller(change_y, ramp.change_y) * per_step
        acceleration.torque = smaller(change_omega, ramp.change_omega) * per_step
        ramp.x = velocity.x
        ramp.y = velocity.y
        ramp.omega = velocity.omega
        ramp.change_x = change_x
        ramp.change_y = change_y
        ramp.change_omega = change_omega
        half = 0.5 * (substeps + 1) * h
        velocity.x -= half * acceleration.x
        velocity.y -= half * acceleration.y
        velocity.omega -= half * acceleration.torque
        ramp.end_x = velocity.x
        ramp.end_y = velocity.y
        ramp.end_omega = velocity.omega
        for _ in range(substeps):
            ramp.end_x += h * acceleration.x
            ramp.end_y += h * acceleration.y
            ramp.end_omega += h * acceleration.torque


@kernel(types.void(integer, integers, table(BODY), table(RAMP), table(VELOCITY)))
def end_ramps(
    count: int, rows: Integers, bodies: Table, ramps: Table, velocities_out: Table
) -> None:
    """Give back the velocities that were asked for, where nobody has written others meanwhile."""
    for k in range(count):
        row = rows[k]
        ramp = ramps[row]
        if bodies[row].kind != KINEMATIC or ramp.entity != bodies[row].entity:
            continue
        velocity = velocities_out[row]
        if velocity.x == ramp.end_x:
            velocity.x = ramp.x
        if velocity.y == ramp.end_y:
            velocity.y = ramp.y
        if velocity.omega == ramp.end_omega:
            velocity.omega = ramp.omega


@inner
def smaller(change: float, before: float) -> float:
    """Of two changes the smaller one, 0 where their signs differ or there was none before."""
    if not change * before > 0.0:
        return 0.0
    return change if abs(change) < abs(before) else before


@inlined
def go_on(row: int, h: float, accelerations: Table, velocities_out: Table) -> None:
    """Let a kinematic body's velocity change for `h` seconds."""
    acceleration = accelerations[row]
    velocity = velocities_out[row]
    velocity.x += h * acceleration.x
    velocity.y += h * acceleration.y
    velocity.omega += h * acceleration.torque
