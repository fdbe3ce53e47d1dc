"""Weight."""

from numba import types

from ecs_physics.kernels.compile import Table, integer, kernel, real, table
from ecs_physics.tables import BODY, DYNAMIC, FORCE, GRAVITY_SCALE, MASS


@kernel(
    types.void(integer, real, real, table(GRAVITY_SCALE), table(MASS), table(BODY), table(FORCE))
)
def add_gravity(
    rows: int,
    gravity_x: float,
    gravity_y: float,
    scales: Table,
    masses: Table,
    bodies: Table,
    forces_out: Table,
) -> None:
    """Add every dynamic body's weight, m g times its gravity scale, to its force (N)."""
    for row in range(rows):
        if bodies[row].kind == DYNAMIC:
            weight = masses[row].mass * scales[row].factor
            forces_out[row].x += weight * gravity_x
            forces_out[row].y += weight * gravity_y
