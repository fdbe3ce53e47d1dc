"""The two bodies of a pin or of a row, as its lane names them."""

from ecs_physics.kernels.compile import Integers32, Reals32, Record, Table, inlined
from ecs_physics.kernels.lane_rows import gather_velocities
from ecs_physics.kernels.lanes import store
from ecs_physics.tables import DYNAMIC, KINEMATIC


@inlined
def write_solver_rows(
    constraint: Record, nobody: int, block: int, lane: int, bodies: Table, rows_out: Integers32
) -> None:
    """Write whom the solver moves: `rows_out[block, side, lane]` for A (0) and B (1).

    `nobody` is its row for all that does not move, for the world and for empty lanes.
    """
    is_there = constraint.joint >= 0
    a = solver_row(constraint.row_a, nobody, bodies) if is_there else nobody
    b = solver_row(constraint.row_b, nobody, bodies) if is_there else nobody
    rows_out[block, 0, lane] = a
    rows_out[block, 1, lane] = b


@inlined
def solver_row(row: int, nobody: int, bodies: Table) -> int:
    """A body's row in the solver; -1 is the world."""
    moves = row >= 0 and (bodies[row].kind == DYNAMIC or bodies[row].kind == KINEMATIC)
    return row if moves else nobody


@inlined
def write_masses(
    block: int, field: int, masses: Reals32, solver_rows: Integers32, lanes_out: Reals32
) -> None:
    """Write six inverse masses and inertias from `field` on: x, y, turning, of A and then of B."""
    for side in range(2):
        start = field + 3 * side
        mass_x, mass_y, inertia = gather_velocities(masses, solver_rows, block, side)
        store(lanes_out, block, start, mass_x)
        store(lanes_out, block, start + 1, mass_y)
        store(lanes_out, block, start + 2, inertia)
