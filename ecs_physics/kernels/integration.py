"""Symplectic Euler on the tables, one substep of h seconds at a time, in float64."""

from numba import types

from ecs_physics.kernels.compile import Table, inlined, integer, kernel, real, table
from ecs_physics.kernels.kinematic_ramps import go_on
from ecs_physics.tables import BODY, DAMPING, DYNAMIC, FORCE, KINEMATIC, VELOCITY


@kernel(types.void(integer, real, table(FORCE), table(DAMPING), table(BODY), table(VELOCITY)))
def integrate_velocities(
    rows: int, h: float, forces: Table, dampings: Table, bodies: Table, velocities_out: Table
) -> None:
    """Let forces and damping act on the velocities of dynamic bodies for `h` seconds.

    In the rows of kinematic bodies `forces` holds accelerations, see kinematic_ramps.py.
    """
    for row in range(rows):
        if bodies[row].kind == DYNAMIC:
            integrate_velocity(row, h, forces, dampings, bodies, velocities_out)
        elif bodies[row].kind == KINEMATIC:
            go_on(row, h, forces, velocities_out)


@kernel(types.void(integer, real, table(VELOCITY), table(BODY)))
def integrate_positions(rows: int, h: float, velocities: Table, bodies_out: Table) -> None:
    """Move dynamic and kinematic bodies for `h` seconds."""
    for row in range(rows):
        if bodies_out[row].kind == DYNAMIC or bodies_out[row].kind == KINEMATIC:
            integrate_position(row, h, velocities, bodies_out)


@inlined
def integrate_velocity(
    row: int, h: float, forces: Table, dampings: Table, bodies: Table, velocities_out: Table
) -> None:
    """v += h f / m, omega += h torque / I, then damping by 1 / (1 + h c).

    The damping factor is implicit Euler's, so that no coefficient, however great, can turn the
    motion around.
    """
    body = bodies[row]
    velocity = velocities_out[row]
    force = forces[row]
    velocity.x += h * force.x * body.inverse_mass_x
    velocity.y += h * force.y * body.inverse_mass_y
    velocity.omega += h * force.torque * body.inverse_inertia
    damping = dampings[row]
    if damping.linear > 0.0:
        factor = 1.0 / (1.0 + h * damping.linear)
        velocity.x *= factor
        velocity.y *= factor
    if damping.angular > 0.0:
        velocity.omega *= 1.0 / (1.0 + h * damping.angular)


@inlined
def integrate_position(row: int, h: float, velocities: Table, bodies_out: Table) -> None:
    """x += h v, angle += h omega."""
    body = bodies_out[row]
    velocity = velocities[row]
    body.x += h * velocity.x
    body.y += h * velocity.y
    body.angle += h * velocity.omega
