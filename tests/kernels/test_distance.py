"""How far convex parts are apart, against closed forms, a geometry library and brute force."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ecs_physics import Shape
from ecs_physics.kernels.compile import JIT_OFF
from ecs_physics.kernels.distance import distance_of_parts

Points = NDArray[np.float64]
DATA = Path(__file__).parents[1] / "data"
PAIRS = json.loads((DATA / "shape_queries.json").read_text())["pairs"]
SQUARE = np.array([(-1.0, -1), (1, -1), (1, 1), (-1, 1)])


def distance(a: Any, b: Any, dx: float = 0.0, dy: float = 0.0) -> tuple[float, ...]:
    a, b = (np.ascontiguousarray(each, np.float64).reshape(-1, 2) for each in (a, b))
    return tuple(distance_of_parts(a, 0, len(a), b, 0, len(b), dx, dy))


def placed(points: Any, pose: list[float]) -> Points:
    cos, sin = math.cos(pose[2]), math.sin(pose[2])
    return np.asarray(points) @ np.array([[cos, sin], [-sin, cos]]) + pose[:2]


def shape_of(entry: dict[str, Any]) -> Shape:
    if entry["kind"] == "circle":
        return Shape.circle(entry["radius"])
    if entry["kind"] == "capsule":
        return Shape.capsule(entry["p"], entry["q"], entry["radius"])
    if entry["kind"] == "box":
        return Shape.box(entry["width"], entry["height"])
    return Shape.polygon(entry["vertices"], entry.get("radius", 0.0))


def to_segments(points: Points, outline: Points) -> float:
    """The least distance of points from the edges of an outline."""
    ends = np.roll(outline, -1, axis=0)
    along, to = ends - outline, points[:, None] - outline
    length = np.maximum((along * along).sum(axis=1), 1e-300)
    share = np.clip((to * along).sum(axis=2) / length, 0.0, 1.0)
    return float(np.linalg.norm(to - share[:, :, None] * along, axis=2).min())


def naive_distance(a: Points, b: Points) -> float:
    """0 where no edge, seen along it or square to it, keeps the hulls apart."""
    for mine, other in ((a, b), (b, a)):
        along = np.roll(mine, -1, axis=0) - mine
        axes = np.vstack([np.column_stack([along[:, 1], -along[:, 0]]), along])
        if ((other @ axes.T).min(axis=0) > (mine @ axes.T).max(axis=0)).any():
            return min(to_segments(a, b), to_segments(b, a))
    return to_segments(a, b) if len(a) == len(b) == 1 else 0.0


def hull(rng: np.random.Generator, count: int) -> Points:
    angles = np.sort(rng.uniform(0, 2 * math.pi, count))
    return rng.uniform(0.2, 2.0, 2) * np.column_stack([np.cos(angles), np.sin(angles)])


def test_all_reference_pairs_agree() -> None:
    for number, pair in enumerate(PAIRS):
        shapes = [(shape_of(pair[k]), pair[f"pose_{k}"]) for k in "ab"]
        parts_a, parts_b = (
            [(placed(p.vertices, at), p.radius) for p in s.parts] for s, at in shapes
        )
        least = min(distance(a, b)[0] - r - s for a, r in parts_a for b, s in parts_b)
        assert (least <= 0.0) == pair["overlap"], number
        if "distance" in pair:
            assert least == pytest.approx(pair["distance"], abs=1e-12), number


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([(0, 0)], [(3, 4)], (5, 0, 0, 3, 4)),
        ([(0, 0)], [(0, 0)], (0, 0, 0, 0, 0)),
        (SQUARE, [(3, 0.5)], (2, 1, 0.5, 3, 0.5)),
        (SQUARE, [(2, 2)], (math.sqrt(2), 1, 1, 2, 2)),
        ([(-1, 0), (1, 0)], [(0.25, 1), (0.25, 5)], (1, 0.25, 0, 0.25, 1)),
        ([(-1, 0), (1, 0)], [(2, 0), (5, 0)], (1, 1, 0, 2, 0)),
        ([(-1, 0), (1, 0)], [(0, -1), (0, 3)], (0, 0, 0, 0, 0)),
        ([(-1, -1), (1, 1)], [(-1, 1), (1, -1)], (0, 0, 0, 0, 0)),
    ],
)
def test_closed_forms(a: Any, b: Any, expected: tuple[float, ...]) -> None:
    assert distance(a, b) == pytest.approx(expected, abs=1e-15)


def test_parallel_edges_are_as_far_apart_as_their_lines() -> None:
    apart, _, ay, _, by = distance(SQUARE, SQUARE, 0.7, 2.25)
    assert (apart, ay, by) == (0.25, 1.0, 1.25)


def test_touching_counts_as_0_and_inside_gives_a_common_point() -> None:
    assert distance(SQUARE, SQUARE, 2.0, 0.5)[0] == 0.0
    assert distance(SQUARE, SQUARE, 2.0, 2.0)[0] == 0.0
    inside, ax, ay, bx, by = distance(SQUARE, 0.5 * SQUARE, 0.3, -0.2)
    assert (inside, ax, ay) == (0.0, bx, by)
    assert max(abs(ax - 0.3), abs(ay + 0.2)) <= 0.5 + 1e-15


def test_a_displacement_moves_b_and_its_point() -> None:
    assert distance(SQUARE, SQUARE + np.array([7, 0])) == distance(SQUARE, SQUARE, 7.0, 0.0)


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=5 if JIT_OFF else 60)
def test_random_hulls_agree_with_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(20):
        a, b = hull(rng, rng.integers(1, 9)), hull(rng, rng.integers(1, 9))
        away = rng.uniform(-4, 4, 2)
        found, ax, ay, bx, by = distance(a, b, *away)
        assert found == pytest.approx(naive_distance(a, b + away), abs=1e-12)
        assert math.hypot(bx - ax, by - ay) == pytest.approx(found, abs=1e-12)
        if found > 0.0:
            normal = np.array([bx - ax, by - ay]) / found
            assert (a @ normal).max() == pytest.approx(normal @ (ax, ay), abs=1e-9)
            assert ((b + away) @ normal).min() == pytest.approx(normal @ (bx, by), abs=1e-9)


def test_many_corners_and_needles_end_too() -> None:
    angles = np.linspace(0, 2 * math.pi, 400, endpoint=False)
    wheel = np.column_stack([np.cos(angles), np.sin(angles)])
    apart = distance(wheel, wheel, 3.0, 0.0)[0]
    assert apart == pytest.approx(1.0, abs=1e-12)
    needle = [(0, 0), (1e6, 1e-6), (1e6, 2e-6)]
    assert distance(needle, [(5e5, 1.0)])[0] == pytest.approx(1.0 - 1e-6, abs=1e-12)
