"""ImplicitEuler: linearised, one solve a step; dense for a few unknowns, sparse for networks."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.states import accelerations, damp
from ecs_physics.kernels.stiffness_matrix import add_products, fill_matrix
from ecs_physics.stages import Stage
from ecs_physics.systems.integrators import MethodIntegrator
from ecs_physics.systems.simulation import Simulation
from ecs_physics.systems.trial_states import Rows

MOST_DENSE: Final = 24
"""Unknowns up to which the matrix is solved dense. More: cubic time. Fewer: scipy is loaded, and
its set-up costs more than the solution."""

Blocks = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


class ImplicitEuler(MethodIntegrator):
    """(M - h^2 df/dx) dv = h (f + h df/dx v), v += dv, x += h v(new): first order, and damps.

    Stands with springs of any stiffness [Baraff and Witkin 1998, "Large steps in cloth
    simulation"]. df/dx is what the systems of Stage.FORCES offer by a method `force_gradient()`,
    as `Springs` does; forces of other systems, and all damping, count as they are at the state
    (explicit). Damping components act by the factor 1 / (1 + h c).

    The structure of the matrix is found once and used until the springs, or what can move,
    change.
    """

    def __init__(self, simulation: Simulation) -> None:
        super().__init__(simulation)
        self._structure: _Structure | None = None
        warm_up()

    def advance(self, q: Rows, v: Rows, h: float) -> tuple[Rows, Rows]:
        """One evaluation, and one solution of a linear system."""
        store = self.simulation.store
        forces = self.states.forces(q, v, h)
        new = np.empty((store.rows, 3))
        blocks = self._gradients()
        if blocks is None:
            accelerations(store.rows, False, forces, v, store.bodies, store.dampings, new)
            new = v + h * new
        else:
            rows, columns, values = blocks
            products = np.zeros((store.rows, 3))
            add_products(len(rows), rows, columns, values, v, products)
            pushes = forces + h * products
            accelerations(store.rows, False, pushes, v, store.bodies, store.dampings, new)
            changes = h * new
            self._solve(rows, columns, values, h, pushes, changes)
            new = v + changes
        damp(store.rows, h, store.bodies, store.dampings, new)
        return h * new, new

    def _gradients(self) -> Blocks | None:
        """The blocks of all systems that offer them."""
        found = [
            system.force_gradient()
            for system in self.simulation.systems(Stage.FORCES)
            if callable(getattr(system, "force_gradient", None))
        ]
        found = [blocks for blocks in found if len(blocks[0])]
        if len(found) < 2:
            return found[0] if found else None
        rows, columns, values = zip(*found, strict=True)
        return np.concatenate(rows), np.concatenate(columns), np.concatenate(values)

    def _solve(
        self,
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        blocks: NDArray[np.float64],
        h: float,
        pushes: Rows,
        changes_out: Rows,
    ) -> None:
        """Write the change of velocity of everything that the blocks couple."""
        bodies: Any = self.simulation.store.bodies[: len(pushes)]
        inverse = np.stack(
            [bodies["inverse_mass_x"], bodies["inverse_mass_y"], bodies["inverse_inertia"]], axis=1
        )
        moves = inverse > 0.0
        structure = self._structure
        if structure is None or not structure.fits(rows, columns, moves):
            structure = _structure_of(rows, columns, moves)
            self._structure = structure
        unknowns = structure.unknowns
        if not len(unknowns):
            return
        flat = changes_out.reshape(-1)
        masses = 1.0 / inverse.reshape(-1)[unknowns]
        values = structure.values
        fill_matrix(len(rows), h, blocks, structure.places, masses, structure.diagonal, values)
        wanted = h * pushes.reshape(-1)[unknowns]
        if len(unknowns) <= MOST_DENSE:
            flat[unknowns] = _solve_dense(structure, wanted)
        else:
            flat[unknowns] = _solve_sparse(structure, wanted)


@dataclass(frozen=True)
class _Structure:
    """Where the values of the matrix are, column by column, and for which blocks."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    moves: NDArray[np.bool_]
    unknowns: NDArray[np.int64]
    """Of each unknown its place in (bodies, 3), flat."""

    places: NDArray[np.int32]
    diagonal: NDArray[np.int32]
    indices: NDArray[np.int32]
    starts: NDArray[np.int32]
    values: NDArray[np.float64]

    def fits(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64], moves: NDArray[np.bool_]
    ) -> bool:
        """Whether it is the structure of these blocks and bodies."""
        return (
            np.array_equal(self.rows, rows)
            and np.array_equal(self.columns, columns)
            and np.array_equal(self.moves, moves)
        )


def _structure_of(
    rows: NDArray[np.int64], columns: NDArray[np.int64], moves: NDArray[np.bool_]
) -> _Structure:
    coupled = np.zeros_like(moves)
    coupled[rows] = True
    coupled[columns] = True
    unknowns = np.flatnonzero(coupled & moves)
    count = len(unknowns)
    number = np.full(moves.size, -1, np.int64)
    number[unknowns] = np.arange(count)
    number = number.reshape(-1, 3)
    i = np.broadcast_to(number[rows][:, :, np.newaxis], (len(rows), 3, 3))
    j = np.broadcast_to(number[columns][:, np.newaxis, :], (len(rows), 3, 3))
    used = (i >= 0) & (j >= 0)
    everything = np.arange(count)
    keys, inverse = np.unique(
        np.concatenate([everything * count + everything, (j * count + i)[used]]),
        return_inverse=True,
    )
    places = np.full(used.shape, -1, np.int32)
    places[used] = inverse[count:]
    starts = np.searchsorted(keys, np.arange(count + 1) * count).astype(np.int32)
    return _Structure(
        rows.copy(),
        columns.copy(),
        moves,
        unknowns,
        places,
        inverse[:count].astype(np.int32),
        (keys % max(count, 1)).astype(np.int32),
        starts,
        np.zeros(len(keys)),
    )


def _solve_dense(structure: _Structure, wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    count = len(structure.unknowns)
    matrix = np.zeros((count, count))
    columns = np.repeat(np.arange(count), np.diff(structure.starts))
    matrix[structure.indices, columns] = structure.values
    solved: NDArray[np.float64] = np.linalg.solve(matrix, wanted)
    return solved


def _solve_sparse(structure: _Structure, wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.sparse import csc_matrix  # type: ignore[import-untyped]
    from scipy.sparse.linalg import splu  # type: ignore[import-untyped]

    count = len(structure.unknowns)
    matrix = csc_matrix(
        (structure.values, structure.indices, structure.starts), shape=(count, count)
    )
    solved: NDArray[np.float64] = splu(matrix).solve(wanted)
    return solved
