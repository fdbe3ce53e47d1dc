"""What implicit Euler needs of the derivative df/dx of the forces, given as blocks of 3 by 3.

Block n is the derivative of (force x, force y, torque) on body `rows[n]` by (x, y, angle) of body
`columns[n]`; blocks of one pair add up.
"""

from numba import types

from ecs_physics.kernels.compile import (
    Integers,
    Integers32,
    Reals,
    integer,
    integers,
    integers32,
    integers32_3,
    kernel,
    real,
    reals,
    reals2,
    reals3,
)


@kernel(types.void(integer, integers, integers, reals3, reals2, reals2))
def add_products(
    count: int,
    rows: Integers,
    columns: Integers,
    blocks: Reals,
    motions: Reals,
    products_out: Reals,
) -> None:
    """Add df/dx v, (bodies, 3), for velocities `motions` (bodies, 3)."""
    for n in range(count):
        i = rows[n]
        j = columns[n]
        x = motions[j, 0]
        y = motions[j, 1]
        turn = motions[j, 2]
        for axis in range(3):
            products_out[i, axis] += (
                blocks[n, axis, 0] * x + blocks[n, axis, 1] * y + blocks[n, axis, 2] * turn
            )


@kernel(types.void(integer, real, reals3, integers32_3, reals, integers32, reals))
def fill_matrix(
    count: int,
    h: float,
    blocks: Reals,
    places: Integers32,
    masses: Reals,
    diagonal: Integers32,
    values_out: Reals,
) -> None:
    """Write the values of M - h^2 df/dx.

    Args:
        count: blocks.
        h: s.
        blocks: (count, 3, 3).
        places: (count, 3, 3) of each value of a block in `values_out`; -1 leaves it out.
        masses: (unknowns,) of the diagonal M, kg and kg m^2.
        diagonal: (unknowns,) places of the diagonal.
        values_out: all that the matrix has.
    """
    for at in range(values_out.shape[0]):
        values_out[at] = 0.0
    square = h * h
    for n in range(count):
        for i in range(3):
            for j in range(3):
                place = places[n, i, j]
                if place >= 0:
                    values_out[place] -= square * blocks[n, i, j]
    for at in range(masses.shape[0]):
        values_out[diagonal[at]] += masses[at]
