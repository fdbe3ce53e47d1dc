"""ImplicitEuler: linearised, one solve a step; dense for a few unknowns, sparse for networks."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.band_cholesky import fill_band, solve_band
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

MOST_BAND_WORK: Final = 1.5e8
"""Unknowns times the squared width of the band up to which the matrix is solved as a band. More:
wide networks take longer than with the general sparse solver. Fewer: cloth takes three times as
long."""

_SYMMETRIC: Final = 1e-9
"""Ratio. Values of the matrix and of its mirror image that differ less are the same."""

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
        new = np.empty((store.step_rows, 3))
        blocks = self._gradients()
        if blocks is None:
            accelerations(store.step_rows, False, forces, v, store.bodies, store.dampings, new)
            new = v + h * new
        else:
            rows, columns, values = blocks
            products = np.zeros((store.step_rows, 3))
            add_products(len(rows), rows, columns, values, v, products)
            pushes = forces + h * products
            accelerations(store.step_rows, False, pushes, v, store.bodies, store.dampings, new)
            changes = h * new
            self._solve(rows, columns, values, h, pushes, changes)
            new = v + changes
        damp(store.step_rows, h, store.bodies, store.dampings, new)
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
        if not np.isfinite(values.sum() + wanted.sum()):
            flat[unknowns] = np.nan  # it has blown up: the next step refuses the columns by name
            return
        try:
            flat[unknowns] = structure.solve(wanted)
        except (np.linalg.LinAlgError, RuntimeError) as error:
            raise ValueError(
                f"implicit Euler cannot solve its linear system at a step of {h!r} s ({error}): "
                "give a smaller dt, or softer springs where some are pressed together"
            ) from error


@dataclass(frozen=True)
class _Structure:
    """Where the values of the matrix are, column by column, and for which blocks.

    `unknowns` are places in (bodies, 3), flat; `places` those of the blocks' values in `values`,
    `diagonal` and `mirror` those of the diagonal and of each value's mirror image; `indices` and
    `starts` the rows and the columns' beginnings. `order` sorts the unknowns such that all values
    are near the diagonal, in a band (unknowns, its width and 1); `in_band` are the values in its
    lower half, `band_places` their places there, flat. None where a band does not pay.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    moves: NDArray[np.bool_]
    unknowns: NDArray[np.int64]
    places: NDArray[np.int32]
    diagonal: NDArray[np.int32]
    mirror: NDArray[np.int64]
    indices: NDArray[np.int32]
    starts: NDArray[np.int32]
    values: NDArray[np.float64]
    order: NDArray[np.int32] | None
    band: NDArray[np.float64]
    in_band: NDArray[np.int64]
    band_places: NDArray[np.int64]

    def fits(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64], moves: NDArray[np.bool_]
    ) -> bool:
        """Whether it is the structure of these blocks and bodies."""
        return (
            np.array_equal(self.rows, rows)
            and np.array_equal(self.columns, columns)
            and np.array_equal(self.moves, moves)
        )

    def solve(self, wanted: NDArray[np.float64]) -> NDArray[np.float64]:
        """Solve with the present values; LinAlgError or RuntimeError where that cannot be."""
        if len(self.unknowns) <= MOST_DENSE:
            return self._solve_dense(wanted)
        if self.order is not None and self._is_symmetric():
            try:
                return self._solve_band(wanted, self.order)
            except np.linalg.LinAlgError:
                pass  # springs pressed together can make it indefinite
        return self._solve_sparse(wanted)

    def _is_symmetric(self) -> bool:
        difference = np.abs(self.values - self.values[self.mirror]).max()
        return bool(difference <= _SYMMETRIC * np.abs(self.values).max())

    def _solve_dense(self, wanted: NDArray[np.float64]) -> NDArray[np.float64]:
        count = len(self.unknowns)
        matrix = np.zeros((count, count))
        columns = np.repeat(np.arange(count), np.diff(self.starts))
        matrix[self.indices, columns] = self.values
        solved: NDArray[np.float64] = np.linalg.solve(matrix, wanted).astype(np.float64)
        return solved

    def _solve_band(
        self, wanted: NDArray[np.float64], order: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """By Cholesky's method; LinAlgError where the matrix is not positive definite."""
        fill_band(len(self.in_band), self.values, self.in_band, self.band_places, self.band)
        solved = np.empty_like(wanted)
        sorted_unknowns = wanted[order]
        if not solve_band(self.band.shape[1] - 1, self.band, sorted_unknowns):
            raise np.linalg.LinAlgError("not positive definite")
        solved[order] = sorted_unknowns
        return solved

    def _solve_sparse(self, wanted: NDArray[np.float64]) -> NDArray[np.float64]:
        """LU with partial pivoting, of any matrix."""
        from scipy.sparse.linalg import splu  # type: ignore[import-untyped]

        matrix = _matrix(self.values, self.indices, self.starts)
        solved: NDArray[np.float64] = splu(matrix, permc_spec="MMD_AT_PLUS_A").solve(wanted)
        return solved


def _matrix(
    values: NDArray[np.float64], indices: NDArray[np.int32], starts: NDArray[np.int32]
) -> Any:
    """The same as one of scipy's sparse matrices."""
    from scipy.sparse import csc_matrix  # type: ignore[import-untyped]

    count = len(starts) - 1
    return csc_matrix((values, indices, starts), shape=(count, count))


def _structure_of(
    rows: NDArray[np.int64], columns: NDArray[np.int64], moves: NDArray[np.bool_]
) -> _Structure:
    coupled = np.zeros_like(moves)
    coupled[rows] = True
    coupled[columns] = True
    unknowns = np.flatnonzero(coupled & moves)
    count = len(unknowns)
    flat = np.full(moves.size, -1, np.int64)
    flat[unknowns] = np.arange(count)
    number = flat.reshape(-1, 3)
    i = np.broadcast_to(number[rows][:, :, np.newaxis], (len(rows), 3, 3))
    j = np.broadcast_to(number[columns][:, np.newaxis, :], (len(rows), 3, 3))
    used = (i >= 0) & (j >= 0)
    everything = np.arange(count)
    i, j = np.concatenate([everything, i[used]]), np.concatenate([everything, j[used]])
    both = np.concatenate([j * count + i, i * count + j])  # every value and its mirror image
    keys, inverse = np.unique(both, return_inverse=True)
    inverse = inverse[: len(i)]
    places = np.full(used.shape, -1, np.int32)
    places[used] = inverse[count:]
    index_i, index_j = keys % max(count, 1), keys // max(count, 1)
    indices = index_i.astype(np.int32)
    starts = np.searchsorted(index_j, np.arange(count + 1)).astype(np.int32)
    order, band, in_band, band_places = _band_of(count, index_i, index_j, indices, starts)
    return _Structure(
        rows=rows.copy(),
        columns=columns.copy(),
        moves=moves,
        unknowns=unknowns,
        places=places,
        diagonal=inverse[:count].astype(np.int32),
        mirror=np.searchsorted(keys, index_i * count + index_j),
        indices=indices,
        starts=starts,
        values=np.zeros(len(keys)),
        order=order,
        band=band,
        in_band=in_band,
        band_places=band_places,
    )


def _band_of(
    count: int,
    index_i: NDArray[np.int64],
    index_j: NDArray[np.int64],
    indices: NDArray[np.int32],
    starts: NDArray[np.int32],
) -> tuple[NDArray[np.int32] | None, NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """An order of the unknowns that brings values near to the diagonal, if it pays."""
    nothing = None, np.zeros((0, 1)), np.zeros(0, np.int64), np.zeros(0, np.int64)
    if count <= MOST_DENSE:
        return nothing
    from scipy.sparse.csgraph import reverse_cuthill_mckee  # type: ignore[import-untyped]

    matrix = _matrix(np.ones(len(indices)), indices, starts)
    order: NDArray[np.int32] = reverse_cuthill_mckee(matrix, symmetric_mode=True)
    rank = np.empty(count, np.int64)
    rank[order] = np.arange(count)
    below = rank[index_i] - rank[index_j]
    width = int(below.max())
    if count * (width + 1) ** 2 > MOST_BAND_WORK:
        return nothing
    in_band = np.flatnonzero(below >= 0)
    places = rank[index_j[in_band]] * (width + 1) + below[in_band]
    return order, np.zeros((count, width + 1)), in_band, places
