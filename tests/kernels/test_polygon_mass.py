"""Area, centroid and second moment, against exact values and other ways to compute them."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_physics.kernels.polygon_mass import polygon_mass, rounded_polygon_mass

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "polygon_mass.json").read_text())


def regular(sides, circumradius):
    turns = 2.0 * np.pi * np.arange(sides) / sides
    return circumradius * np.column_stack([np.cos(turns), np.sin(turns)])


def vertices_of(case):
    if "regular" in case:
        return regular(case["regular"]["sides"], case["regular"]["circumradius"])
    return np.array(case["vertices"])


def assert_region(region, area, centroid, second_moment, rel=1e-9, size=1.0):
    assert region[0] == pytest.approx(area, rel=rel, abs=0.0)
    assert region[1:3] == pytest.approx(centroid, rel=rel, abs=1e-12 * size)
    assert region[3] == pytest.approx(second_moment, rel=rel, abs=0.0)


@pytest.mark.parametrize("case", REFERENCE, ids=lambda case: case["name"])
@pytest.mark.parametrize("winding", [1, -1])
def test_reference_values(case, winding):
    vertices = np.ascontiguousarray(vertices_of(case)[::winding])
    region = polygon_mass(vertices)
    assert_region(region, case["area"], case["centroid"], case["inertia_per_density"])
    assert region[3] / region[0] == pytest.approx(case["inertia_over_mass"], rel=1e-9, abs=0.0)


@pytest.mark.parametrize("sides", range(3, 40))
def test_regular_polygon_closed_form(sides):
    side = 0.7
    vertices = regular(sides, side / (2.0 * math.sin(math.pi / sides)))
    area = sides * side**2 / (4.0 * math.tan(math.pi / sides))
    over_mass = side**2 / 24.0 * (1.0 + 3.0 / math.tan(math.pi / sides) ** 2)
    assert_region(polygon_mass(vertices), area, (0.0, 0.0), area * over_mass, rel=1e-13)


def exact_region(points):
    """The same integrals in rational numbers, about the origin, then moved to the centroid."""
    area = x = y = second = Fraction(0)
    for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1], strict=True):
        cross = Fraction(ax) * Fraction(by) - Fraction(ay) * Fraction(bx)
        area += cross / 2
        x += cross * (Fraction(ax) + Fraction(bx)) / 6
        y += cross * (Fraction(ay) + Fraction(by)) / 6
        for a, b in ((Fraction(ax), Fraction(bx)), (Fraction(ay), Fraction(by))):
            second += cross * (a * a + a * b + b * b) / 12
    second -= (x * x + y * y) / area
    sign = 1 if area > 0 else -1
    return float(abs(area)), (float(x / area), float(y / area)), float(second * sign)


@given(
    radii=st.lists(st.floats(0.1, 3.0), min_size=3, max_size=12),
    shift=st.tuples(st.floats(-1e5, 1e5), st.floats(-1e5, 1e5)),
    clockwise=st.booleans(),
)
def test_star_polygons_anywhere_agree_with_rational_arithmetic(radii, shift, clockwise):
    vertices = regular(len(radii), 1.0) * np.array(radii)[:, np.newaxis] + np.array(shift)
    if clockwise:
        vertices = np.ascontiguousarray(vertices[::-1])
    expected = exact_region([tuple(vertex) for vertex in vertices.tolist()])
    assert_region(polygon_mass(vertices), *expected, rel=1e-11)


@pytest.mark.parametrize("vertices", [[(1.0, 1.0)] * 3, [(0.0, 0.0), (2.0, 2.0), (1.0, 1.0)]])
def test_no_area_gives_zeros_and_not_nan(vertices):
    assert polygon_mass(np.array(vertices)) == (0.0, 1.0, 1.0, 0.0)


def test_a_line_without_radius_gives_zeros():
    assert rounded_polygon_mass(np.array([(0.0, 0.0), (2.0, 4.0)]), 0.0) == (0.0, 1.0, 2.0, 0.0)


def test_disc():
    radius = 0.3
    area = math.pi * radius**2
    region = rounded_polygon_mass(np.array([(5.0, -2.0)]), radius)
    assert_region(region, area, (5.0, -2.0), 0.5 * area * radius**2, rel=1e-14)


@pytest.mark.parametrize("angle", [0.0, 0.3, 2.0, -1.2])
def test_capsule_closed_form(angle):
    length, radius = 1.7, 0.4
    end = 0.5 * length * np.array([math.cos(angle), math.sin(angle)])
    middle = np.array([3.0, -7.0])
    box, disc = 2.0 * radius * length, math.pi * radius**2
    half_disc_centroid = 4.0 * radius / (3.0 * math.pi)
    second_moment = box * (length**2 + 4.0 * radius**2) / 12.0
    second_moment += disc * (0.5 * radius**2 + 0.25 * length**2 + length * half_disc_centroid)
    region = rounded_polygon_mass(np.array([middle - end, middle + end]), radius)
    assert_region(region, box + disc, tuple(middle), second_moment, rel=1e-13)


def integrals_along_the_outline(vertices, radius):
    """Green's theorem with Gauss points along the offset edges and arcs: no cutting up."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    nodes, weights = 0.5 * (nodes + 1.0), 0.5 * weights
    sums = np.zeros(4)

    def add(x, y, dx, dy):
        integrands = (0.5 * (x * dy - y * dx), 0.5 * x**2 * dy, -0.5 * y**2 * dx)
        for i, integrand in enumerate((*integrands, (x**3 * dy - y**3 * dx) / 3.0)):
            sums[i] += (weights * integrand).sum()

    count = len(vertices)
    for i in range(count):
        start, end = vertices[i], vertices[(i + 1) % count]
        along = end - start
        heading = math.atan2(along[1], along[0]) - 0.5 * math.pi
        normal = np.array([math.cos(heading), math.sin(heading)])
        line = start + radius * normal + nodes[:, np.newaxis] * along
        add(line[:, 0], line[:, 1], along[0], along[1])
        onward = vertices[(i + 2) % count] - end
        turn = math.atan2(onward[1], onward[0]) - 0.5 * math.pi - heading
        turn %= 2.0 * math.pi
        phi = heading + nodes * turn
        cos, sin = np.cos(phi), np.sin(phi)
        x, y = end[0] + radius * cos, end[1] + radius * sin
        add(x, y, -radius * sin * turn, radius * cos * turn)
    area, x, y = sums[0], sums[1] / sums[0], sums[2] / sums[0]
    return area, (x, y), sums[3] - area * (x * x + y * y)


BOX = [(-1.0, -0.5), (1.0, -0.5), (1.0, 0.5), (-1.0, 0.5)]
TRIANGLE = [(0.0, 0.0), (3.0, 0.2), (0.4, 1.1)]
HEXAGON = [(0.0, 0.0), (2.0, -0.5), (3.5, 1.0), (3.0, 2.5), (1.0, 3.0), (-0.5, 1.5)]
NEEDLE = [(0.0, 0.0), (10.0, 0.0), (0.0, 0.01)]
LINE = [(0.3, 0.1), (1.4, -0.8)]


@pytest.mark.parametrize("vertices", [BOX, TRIANGLE, HEXAGON, NEEDLE, LINE])
@pytest.mark.parametrize("radius", [1e-6, 0.05, 0.5, 2.0, 20.0])
def test_rounded_shapes_agree_with_an_integral_along_the_outline(vertices, radius):
    vertices = np.array(vertices)
    expected = integrals_along_the_outline(vertices, radius)
    rel = 1e-8 if vertices is LINE or radius < 1e-3 else 1e-11
    assert_region(rounded_polygon_mass(vertices, radius), *expected, rel=rel, size=100.0)


@given(
    radii=st.lists(st.floats(0.95, 1.05), min_size=3, max_size=7),
    radius=st.floats(0.01, 5.0),
    shift=st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)),
)
def test_any_rounded_polygon(radii, radius, shift):
    vertices = regular(len(radii), 1.0) * np.array(radii)[:, np.newaxis]
    area, (x, y), second_moment = integrals_along_the_outline(vertices, radius)
    region = rounded_polygon_mass(vertices + np.array(shift), radius)
    expected = (x + shift[0], y + shift[1])
    assert_region(region, area, expected, second_moment, rel=1e-9, size=1.0)


@pytest.mark.parametrize("vertices", [BOX, TRIANGLE, HEXAGON])
def test_without_radius_it_is_the_polygon(vertices):
    vertices = np.array(vertices)
    area, x, y, second_moment = polygon_mass(vertices)
    assert_region(rounded_polygon_mass(vertices, 0.0), area, (x, y), second_moment, rel=1e-14)


def test_a_rounding_much_larger_than_the_polygon_is_a_disc():
    area, _, _, second_moment = rounded_polygon_mass(1e-6 * np.array(BOX), 1.0)
    assert area == pytest.approx(math.pi, rel=1e-5)
    assert second_moment == pytest.approx(0.5 * math.pi, rel=1e-5)


@pytest.mark.parametrize("radius", [0.0, 0.1, 3.3])
def test_the_centroid_of_a_centred_box_is_zero_to_the_last_bit(radius):
    vertices = np.array([(-0.15, -0.35), (0.15, -0.35), (0.15, 0.35), (-0.15, 0.35)])
    assert rounded_polygon_mass(vertices, radius)[1:3] == (0.0, 0.0)
