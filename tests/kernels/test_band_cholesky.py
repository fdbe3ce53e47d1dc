"""Band solutions against dense ones."""

import numpy as np
import pytest

from ecs_physics.kernels.band_cholesky import fill_band, solve_band


def band_of(matrix: np.ndarray, width: int) -> np.ndarray:
    count = len(matrix)
    band = np.zeros((count, width + 1))
    for k in range(count):
        for d in range(min(width, count - 1 - k) + 1):
            band[k, d] = matrix[k + d, k]
    return band


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 23])
@pytest.mark.parametrize("width", [0, 1, 2, 3, 4, 5, 9, 22])
def test_solution_is_that_of_the_dense_matrix(count: int, width: int) -> None:
    random = np.random.default_rng(100 * count + width)
    i, j = np.indices((count, count))
    half = np.where(abs(i - j) <= width, random.uniform(-1, 1, (count, count)), 0.0)
    half[random.random((count, count)) < 0.3] = 0.0
    matrix = half + half.T + 4.0 * (width + 1) * np.eye(count)
    wanted = random.uniform(-1, 1, count)
    found = wanted.copy()
    assert solve_band(width, band_of(matrix, width), found)
    assert found == pytest.approx(np.linalg.solve(matrix, wanted), rel=1e-12, abs=1e-14)


def test_a_matrix_that_is_not_positive_definite_is_noticed() -> None:
    for diagonal in (-1.0, 0.0, np.nan):
        band = np.array([[4.0, 1.0], [diagonal, 1.0], [4.0, 0.0]])
        assert not solve_band(1, band, np.ones(3))


def test_values_go_to_their_places() -> None:
    band = np.ones((3, 2))
    chosen, places = np.array([2, 0]), np.array([1, 4])
    fill_band(2, np.array([5.0, 6.0, 7.0]), chosen, places, band)
    assert band.tolist() == [[0, 7], [0, 0], [5, 0]]
