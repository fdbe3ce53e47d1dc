"""Polygons: generators, and area, centroid and inertia against the reference and closed forms."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_physics import Shape, polygons
from tests.founding.founding import reference


@pytest.mark.parametrize("case", reference("polygon_mass"), ids=lambda case: case["name"])
def test_every_polygon_of_the_reference(case: dict[str, Any]) -> None:
    vertices = case.get("vertices")
    if vertices is None:
        count, side = case["regular"]["sides"], case["regular"]["side"]
        vertices = polygons.regular(count, side)
        wanted = 2.5 * case["inertia_over_mass"]
        assert polygons.inertia_regular(2.5, count, side) == pytest.approx(wanted, rel=1e-9)
    assert polygons.area(vertices) == pytest.approx(case["area"], rel=1e-9)
    assert polygons.centroid(vertices) == pytest.approx(case["centroid"], rel=1e-9, abs=1e-9)
    inertia = polygons.inertia(vertices, mass=2.5)
    assert inertia == pytest.approx(2.5 * case["inertia_over_mass"], rel=1e-9)
    assert polygons.inertia(vertices[::-1], case["area"]) == pytest.approx(
        case["inertia_per_density"], rel=1e-9
    )


def test_rectangles_and_squares() -> None:
    corners = polygons.rectangle(2, 1)
    assert corners.tolist() == [[-1, -0.5], [1, -0.5], [1, 0.5], [-1, 0.5]]
    assert polygons.inertia(corners, 3) == pytest.approx(polygons.inertia_rectangle(3, 2, 1))
    assert polygons.square(2).tolist() == polygons.rectangle(2, 2).tolist()


@pytest.mark.parametrize("count", [3, 4, 5, 6, 17])
def test_regular_polygons(count: int) -> None:
    corners = polygons.regular(count, 0.7)
    sides = np.hypot(*(np.roll(corners, -1, axis=0) - corners).T)
    assert sides == pytest.approx(np.full(count, 0.7))
    assert corners[0, 1] == pytest.approx(corners[1, 1])  # stands on a side
    assert corners[0, 1] == pytest.approx(corners[:, 1].min())
    assert polygons.centroid(corners) == pytest.approx((0, 0), abs=1e-12)
    wanted = polygons.inertia_regular(2, count, 0.7)
    assert polygons.inertia(corners, 2) == pytest.approx(wanted)


@given(st.floats(0.1, 5), st.floats(0.1, 5), st.floats(0.1, 3.0))
def test_triangles_by_two_sides_and_their_angle(a: float, b: float, angle: float) -> None:
    corners = polygons.triangle(a, b, angle)
    assert polygons.area(corners) == pytest.approx(0.5 * a * b * math.sin(angle))
    assert math.dist(corners[0], corners[1]) == pytest.approx(a)
    assert math.dist(corners[0], corners[2]) == pytest.approx(b)
    assert corners.mean(axis=0) == pytest.approx((0, 0), abs=1e-12)


@given(st.integers(0, 10_000), st.floats(0, 0.95))
def test_random_polygons_are_simple_and_repeat(seed: int, roughness: float) -> None:
    corners = polygons.random_simple(seed, radius=2.0, roughness=roughness)
    assert (corners == polygons.random_simple(seed, radius=2.0, roughness=roughness)).all()
    shape = Shape.polygon(corners.tolist())  # refuses what crosses itself
    assert shape.mass_properties().center == pytest.approx((0, 0), abs=1e-9)
    assert 3 <= len(corners) <= 10
    assert len(polygons.random_simple(seed, 7)) == 7


def test_a_general_polygon_keeps_its_place_and_its_first_corner() -> None:
    clockwise = [(5, 5), (5, 7), (6, 7), (6, 5)]
    assert polygons.general(clockwise).tolist() == [[5, 5], [6, 5], [6, 7], [5, 7]]
    assert polygons.centered(clockwise).mean(axis=0).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: polygons.rectangle(0, 1), "width = 0"),
        (lambda: polygons.square(-1), "side = -1"),
        (lambda: polygons.triangle(1, 1, 4), "angle = 4"),
        (lambda: polygons.regular(2, 1), "count = 2"),
        (lambda: polygons.random_simple(-1), "seed = -1"),
        (lambda: polygons.random_simple(1, roughness=2), "roughness = 2"),
        (lambda: polygons.area([(0, 0), (1, 1)]), "2 different points"),
        (lambda: polygons.area([(0, 0), (1, 1), (1, 0), (0, 1)]), "crosses or touches"),
        (lambda: polygons.centroid([(0, 0), (1, 1), (2, 2)]), "zero area"),
        (lambda: polygons.inertia([(0, 0), (1, math.nan), (2, 0)], 1), "nan"),
        (lambda: polygons.inertia(polygons.square(1), 0), "mass = 0"),
        (
            lambda: polygons.minimum_push_vector([(0, 0), (2, 0), (1, 0.5), (1, 2)], [(0, 0)] * 3),
            "a = .* is concave",
        ),
    ],
)
def test_bad_values_are_refused_by_name(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
