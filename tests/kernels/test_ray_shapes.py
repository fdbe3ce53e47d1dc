"""A ray meets a part where the distance from its core has come down to the radius, not before."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics.kernels.compile import JIT_OFF
from ecs_physics.kernels.ray_shapes import MISS, meet_part, nearest_of_part


def distances(points: Any, corners: Any) -> Any:
    """The distance of each point from a convex hull, 0 inside: plain NumPy."""
    ends = np.roll(corners, -1, axis=0)
    along, to = ends - corners, points[:, None] - corners
    length = np.maximum((along * along).sum(axis=1), 1e-300)
    share = np.clip((to * along).sum(axis=2) / length, 0.0, 1.0)
    least = np.linalg.norm(to - share[:, :, None] * along, axis=2).min(axis=1)
    left = along[:, 0] * to[:, :, 1] - along[:, 1] * to[:, :, 0]
    is_inside = (left >= 0.0).all(axis=1) & (len(corners) > 2)
    return np.where(is_inside, 0.0, least)


def random_part(rng: np.random.Generator) -> tuple[Any, float]:
    count = int(rng.integers(1, 7))
    radius = float(rng.uniform(0.05, 0.8)) if count < 3 or rng.random() < 0.5 else 0.0
    angles = np.sort(rng.uniform(0, 2 * math.pi, count))
    middle = rng.uniform(-1, 1, 2)
    return middle + 1.3 * np.column_stack([np.cos(angles), np.sin(angles)]), radius


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=5 if JIT_OFF else 40)
def test_rays_stop_where_the_distance_is_the_radius(seed: int) -> None:
    rng = np.random.default_rng(seed)
    corners, radius = random_part(rng)
    shares = np.linspace(0.0, 1.0, 400)
    for _ in range(15):
        start, end = rng.uniform(-4, 4, (2, 2))
        way = end - start
        gaps = distances(start + shares[:, None] * way, corners) - radius
        fraction, normal_x, normal_y = meet_part(
            *start, *way, corners, 0, len(corners), radius, False
        )
        if fraction == MISS:
            assert gaps.min() > 0.0 or abs(gaps.min()) < 1e-4
            continue
        met = start + fraction * way
        if gaps[0] <= 0.0:
            assert fraction == 0.0
        else:
            assert distances(met[None], corners)[0] == pytest.approx(radius, abs=1e-9)
            assert (gaps[shares < fraction - 1e-9] > 0.0).all()
            just_out = met + 1e-6 * np.array([normal_x, normal_y])
            assert distances(just_out[None], corners)[0] - radius > 0.5e-6
        assert math.hypot(normal_x, normal_y) == pytest.approx(1.0, abs=1e-12)
        assert way @ (normal_x, normal_y) <= 0.0


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=5 if JIT_OFF else 40)
def test_nearest_points_agree_with_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    corners, _ = random_part(rng)
    for point in rng.uniform(-3, 3, (10, 2)):
        distance, x, y = nearest_of_part(*point, corners, 0, len(corners))
        assert distance == pytest.approx(distances(point[None], corners)[0], abs=1e-12)
        assert math.dist(point, (x, y)) == pytest.approx(distance, abs=1e-12)
