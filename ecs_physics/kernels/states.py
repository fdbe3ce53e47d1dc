"""States that an integrator tries: poses and velocities as plain arrays, to the tables and back.

Arrays, all owned by the caller: `poses` and `motions` (rows, 3) float64 hold x, y (m) and angle
(rad) of the centre of mass, and their rates.
"""

import math

from numba import types

from ecs_physics.kernels.compile import (
    Reals,
    Table,
    boolean,
    integer,
    kernel,
    real,
    reals2,
    table,
)
from ecs_physics.tables import BODY, DAMPING, DYNAMIC, FORCE, KINEMATIC, TRANSFORM, VELOCITY


@kernel(types.void(integer, table(BODY), table(VELOCITY), reals2, reals2))
def read_state(
    rows: int, bodies: Table, velocities: Table, poses_out: Reals, motions_out: Reals
) -> None:
    """Copy poses and velocities of all bodies; what stands still has velocity 0."""
    for row in range(rows):
        body = bodies[row]
        velocity = velocities[row]
        moves = body.kind == DYNAMIC or body.kind == KINEMATIC
        poses_out[row, 0] = body.x
        poses_out[row, 1] = body.y
        poses_out[row, 2] = body.angle
        motions_out[row, 0] = velocity.x if moves else 0.0
        motions_out[row, 1] = velocity.y if moves else 0.0
        motions_out[row, 2] = velocity.omega if moves else 0.0


@kernel(types.void(integer, reals2, reals2, table(BODY), table(VELOCITY), table(TRANSFORM)))
def write_state(
    rows: int,
    poses: Reals,
    motions: Reals,
    bodies_out: Table,
    velocities_out: Table,
    transforms_out: Table,
) -> None:
    """Put moving bodies where `poses` say, with the velocities of `motions`, in all tables."""
    for row in range(rows):
        body = bodies_out[row]
        if body.kind != DYNAMIC and body.kind != KINEMATIC:
            continue
        velocity = velocities_out[row]
        pose = transforms_out[row]
        body.x = poses[row, 0]
        body.y = poses[row, 1]
        body.angle = poses[row, 2]
        body.cos = math.cos(body.angle)
        body.sin = math.sin(body.angle)
        velocity.x = motions[row, 0]
        velocity.y = motions[row, 1]
        velocity.omega = motions[row, 2]
        pose.x = body.x - (body.cos * body.center_x - body.sin * body.center_y)
        pose.y = body.y - (body.sin * body.center_x + body.cos * body.center_y)
        pose.angle = body.angle


@kernel(types.void(integer, table(FORCE), reals2))
def read_forces(rows: int, forces: Table, forces_out: Reals) -> None:
    """Copy forces (N) and torques (N m) to a plain array (rows, 3)."""
    for row in range(rows):
        force = forces[row]
        forces_out[row, 0] = force.x
        forces_out[row, 1] = force.y
        forces_out[row, 2] = force.torque


@kernel(types.void(integer, reals2, table(FORCE)))
def write_forces(rows: int, forces: Reals, forces_out: Table) -> None:
    """The way back."""
    for row in range(rows):
        force = forces_out[row]
        force.x = forces[row, 0]
        force.y = forces[row, 1]
        force.torque = forces[row, 2]


@kernel(types.void(integer, boolean, reals2, reals2, table(BODY), table(DAMPING), reals2))
def accelerations(
    rows: int,
    with_damping: bool,
    forces: Reals,
    motions: Reals,
    bodies: Table,
    dampings: Table,
    rates_out: Reals,
) -> None:
    """f / m and torque / I of dynamic bodies (m/s^2, rad/s^2), less their Damping; 0 of others."""
    for row in range(rows):
        body = bodies[row]
        if body.kind != DYNAMIC:
            rates_out[row, 0] = rates_out[row, 1] = rates_out[row, 2] = 0.0
            continue
        rates_out[row, 0] = forces[row, 0] * body.inverse_mass_x
        rates_out[row, 1] = forces[row, 1] * body.inverse_mass_y
        rates_out[row, 2] = forces[row, 2] * body.inverse_inertia
        if with_damping:
            rates_out[row, 0] -= dampings[row].linear * motions[row, 0]
            rates_out[row, 1] -= dampings[row].linear * motions[row, 1]
            rates_out[row, 2] -= dampings[row].angular * motions[row, 2]


@kernel(types.void(integer, real, table(BODY), table(DAMPING), reals2))
def damp(rows: int, h: float, bodies: Table, dampings: Table, motions_out: Reals) -> None:
    """Damping by 1 / (1 + h c), the implicit factor, on the velocities of dynamic bodies."""
    for row in range(rows):
        if bodies[row].kind != DYNAMIC:
            continue
        if dampings[row].linear > 0.0:
            factor = 1.0 / (1.0 + h * dampings[row].linear)
            motions_out[row, 0] *= factor
            motions_out[row, 1] *= factor
        if dampings[row].angular > 0.0:
            motions_out[row, 2] *= 1.0 / (1.0 + h * dampings[row].angular)


@kernel(types.void(integer, reals2, table(BODY), table(VELOCITY)))
def give_motions(rows: int, motions: Reals, bodies: Table, velocities_out: Table) -> None:
    """Write the velocities of dynamic bodies."""
    for row in range(rows):
        if bodies[row].kind == DYNAMIC:
            velocities_out[row].x = motions[row, 0]
            velocities_out[row].y = motions[row, 1]
            velocities_out[row].omega = motions[row, 2]


@kernel(types.void(integer, real, reals2, reals2, table(VELOCITY), table(BODY)))
def move_bodies(
    rows: int, h: float, steps: Reals, motions: Reals, velocities: Table, bodies_out: Table
) -> None:
    """Move dynamic bodies by `steps` (rows, 3), and all whose velocity was changed since by h v.

    `motions` are the velocities that the integration has led to: where a contact has changed one
    since, the body goes where the contact lets it, x += h v. Kinematic bodies go with h v.
    """
    for row in range(rows):
        body = bodies_out[row]
        if body.kind != DYNAMIC and body.kind != KINEMATIC:
            continue
        velocity = velocities[row]
        if (
            body.kind == DYNAMIC
            and velocity.x == motions[row, 0]
            and velocity.y == motions[row, 1]
            and velocity.omega == motions[row, 2]
        ):
            body.x += steps[row, 0]
            body.y += steps[row, 1]
            body.angle += steps[row, 2]
        else:
            body.x += h * velocity.x
            body.y += h * velocity.y
            body.angle += h * velocity.omega
