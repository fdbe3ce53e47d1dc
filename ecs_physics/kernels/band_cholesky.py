"""Cholesky's method for symmetric positive definite band matrices, in one thread and float64.

LAPACK has the same; its threads wait for each other on a busy machine for longer than the work
takes, and their number decides the last bits.
"""

import math

import numpy as np
from numba import types

from ecs_physics.kernels.compile import (
    Integers,
    Reals,
    boolean,
    inner,
    integer,
    kernel,
    reals,
    reals2,
)


@kernel(boolean(integer, reals2, reals))
def solve_band(width: int, band_out: Reals, unknowns_out: Reals) -> bool:
    """Solve A x = b; False where A is not positive definite.

    L L^T = A column by column, each taken out of the columns to its right as soon as it is known,
    four at a time; then L y = b and L^T x = y [Golub and Van Loan, "Matrix Computations", 4.3].

    Args:
        width: of the band: A[i, j] = 0 for i - j > width.
        band_out: (n, width + 1 or more), A[k + d, k] at [k, d]; holds L in the end.
        unknowns_out: (n,) b in, x out.
    """
    count = band_out.shape[0]
    first = 0
    while first < count:
        last = min(first + 4, count)
        for k in range(first, last):
            if not _finish_column(k, width, band_out):
                return False
            for j in range(k + 1, min(last, k + width + 1)):
                _take_out(k, j, width, band_out)
        if last - first == 4 and width >= 4:
            for j in range(last, min(first + width + 1, count)):
                _take_out_four(first, j, width, band_out)
            for k in range(first + 1, last):
                for j in range(max(last, first + width + 1), min(k + width + 1, count)):
                    _take_out(k, j, width, band_out)
        else:
            for k in range(first, last):
                for j in range(last, min(k + width + 1, count)):
                    _take_out(k, j, width, band_out)
        first = last
    _substitute(count, width, band_out, unknowns_out)
    return True


@inner
def _finish_column(k: int, width: int, band: Reals) -> bool:
    """Divide a column by the root of its pivot; False where that is not above zero."""
    pivot = band[k, 0]
    if not pivot > 0.0:
        return False
    root = math.sqrt(pivot)
    band[k, 0] = root
    for d in range(1, width + 1):
        band[k, d] /= root
    return True


@inner
def _take_out(k: int, j: int, width: int, band: Reals) -> None:
    """Column j less column k times its value in row j."""
    shift = j - k
    factor = band[k, shift]
    if factor == 0.0:
        return
    target = band[j]
    source = band[k, shift:]
    for d in range(width + 1 - shift):
        target[d] -= factor * source[d]


@inner
def _take_out_four(k: int, j: int, width: int, band: Reals) -> None:
    """The same for the columns k to k + 3 at once, of which row j is in the band of each."""
    shift = j - k
    factor_0 = band[k, shift]
    factor_1 = band[k + 1, shift - 1]
    factor_2 = band[k + 2, shift - 2]
    factor_3 = band[k + 3, shift - 3]
    if factor_0 == 0.0 and factor_1 == 0.0 and factor_2 == 0.0 and factor_3 == 0.0:
        return
    target = band[j]
    source_0 = band[k, shift:]
    source_1 = band[k + 1, shift - 1 :]
    source_2 = band[k + 2, shift - 2 :]
    source_3 = band[k + 3, shift - 3 :]
    common = width + 1 - shift
    for d in range(common):
        target[d] -= (factor_0 * source_0[d] + factor_1 * source_1[d]) + (
            factor_2 * source_2[d] + factor_3 * source_3[d]
        )
    for d in range(common, width + 2 - shift):
        target[d] -= (factor_1 * source_1[d] + factor_2 * source_2[d]) + factor_3 * source_3[d]
    for d in range(width + 2 - shift, width + 3 - shift):
        target[d] -= factor_2 * source_2[d] + factor_3 * source_3[d]
    for d in range(width + 3 - shift, width + 4 - shift):
        target[d] -= factor_3 * source_3[d]


@inner
def _substitute(count: int, width: int, band: Reals, unknowns: Reals) -> None:
    """Forwards through L, backwards through its transpose."""
    for k in range(count):
        value = unknowns[k] / band[k, 0]
        unknowns[k] = value
        for d in range(1, min(width, count - 1 - k) + 1):
            unknowns[k + d] -= value * band[k, d]
    for k in range(count - 1, -1, -1):
        value = unknowns[k]
        for d in range(1, min(width, count - 1 - k) + 1):
            value -= band[k, d] * unknowns[k + d]
        unknowns[k] = value / band[k, 0]


@kernel(types.void(integer, reals, types.int64[::1], types.int64[::1], reals2))
def fill_band(
    count: int, values: Reals, chosen: Integers, places: Integers, band_out: Reals
) -> None:
    """Write `values[chosen]` to their flat `places` in a band that is zero elsewhere."""
    for row in range(band_out.shape[0]):
        for column in range(band_out.shape[1]):
            band_out[row, column] = 0.0
    columns = np.int64(band_out.shape[1])
    for at in range(count):
        band_out[places[at] // columns, places[at] % columns] = values[chosen[at]]
