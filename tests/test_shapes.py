"""Shapes: what they are made of, what they weigh, and what is refused."""

import copy
import json
import math
import pickle
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ecs_physics.convex_parts import convex_parts
from ecs_physics.shapes import PARAMETER_NAMES, Shape

REFERENCE = json.loads((Path(__file__).parent / "data" / "polygon_mass.json").read_text())
SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]
L_SHAPE = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2)]
COMB = [(0, 0), (5, 0), (5, 2), (4, 2), (4, 1), (3, 1), (3, 2), (2, 2), (2, 1), (1, 1), (1, 2)]
EVERY_KIND = [
    Shape.circle(0.5, (1, 2)),
    Shape.capsule((0, 0), (1, 1), 0.2),
    Shape.box(2, 1, 0.1),
    Shape.polygon(SQUARE, 0.1),
    Shape.polygon(L_SHAPE),
    Shape.segment((0, 0), (2, 0)),
    Shape.segment((0, 0), (2, 0), 0.1),
    Shape.chain([(0, 0), (1, 0), (2, 1)]),
    Shape.chain(SQUARE, closed=True),
    Shape.compound([(Shape.box(1, 1), 1, 0, 0.5), (Shape.circle(1), 0, 2)]),
]
every_kind = pytest.mark.parametrize("shape", EVERY_KIND, ids=repr)


def signed_area(points):
    points = np.asarray(points)
    ends = np.roll(points, -1, axis=0)
    return 0.5 * float((points[:, 0] * ends[:, 1] - points[:, 1] * ends[:, 0]).sum())


# What a shape is


@every_kind
def test_parameters_make_the_shape_again(shape):
    again = getattr(Shape, shape.kind)(*shape.parameters)
    assert again == shape
    assert hash(again) == hash(shape)
    by_name = dict(zip(PARAMETER_NAMES[shape.kind], shape.parameters, strict=True))
    assert getattr(Shape, shape.kind)(**by_name) == shape


@every_kind
def test_copies_and_pickles_are_equal_and_read_only(shape):
    for twin in (copy.deepcopy(shape), copy.copy(shape), pickle.loads(pickle.dumps(shape))):
        assert twin == shape
        assert not any(part.vertices.flags.writeable for part in twin.parts)


@every_kind
def test_nothing_in_a_shape_can_be_written(shape):
    with pytest.raises(FrozenInstanceError):
        shape.kind = "other"
    for part in shape.parts:
        with pytest.raises(ValueError, match="read-only"):
            part.vertices[0, 0] = 7.0
        with pytest.raises(FrozenInstanceError):
            part.radius = 7.0
        assert part.vertices.dtype == np.float64
        assert part.vertices.flags.c_contiguous


@every_kind
def test_parts_are_convex_and_counter_clockwise(shape):
    for part in shape.parts:
        if len(part.vertices) > 2:
            assert_convex(part.vertices)


def assert_convex(vertices):
    along = np.roll(vertices, -1, axis=0) - vertices
    onward = np.roll(along, -1, axis=0)
    cross = along[:, 0] * onward[:, 1] - along[:, 1] * onward[:, 0]
    assert (cross > 0.0).all()
    turns = np.arctan2(cross, (along * onward).sum(axis=1))
    assert turns.sum() == pytest.approx(2.0 * math.pi)


def test_equal_means_the_same_kind_and_parameters():
    assert Shape.box(1, 2) == Shape.box(1.0, np.float64(2.0), radius=0)
    assert len({Shape.circle(1), Shape.circle(1.0), Shape.circle(2), Shape.box(1, 1)}) == 3
    assert Shape.polygon(SQUARE) == Shape.polygon(np.array(SQUARE))
    assert Shape.segment((0, 0), (1, 0), 0.1) != Shape.capsule((0, 0), (1, 0), 0.1)


def test_a_box_made_twice_is_weighed_once():
    assert Shape.box(2, 1) is Shape.box(2.0, 1.0)
    assert Shape.box(2, 1) is not Shape.box(2, 1, 0.1)
    assert Shape.circle(2) is Shape.circle(2.0, (0, -0.0))
    assert math.copysign(1, Shape.circle(2, (0, -0.0)).parameters[1][1]) == 1.0
    assert Shape.circle(2, (1, 0)) == Shape.circle(2, (1, 0))


def test_the_text_of_a_shape_is_the_call_that_makes_it():
    assert repr(Shape.box(2, 1)) == "Shape.box(width=2.0, height=1.0, radius=0.0)"
    assert repr(EVERY_KIND[-1]).startswith("Shape.compound(parts=((Shape.box(width=1.0")
    many = [(math.cos(k), math.sin(k)) for k in np.linspace(0, 6, 50)]
    assert "<50 of them, from (1.0, 0.0) to " in repr(Shape.polygon(many))


def test_a_box_is_centred_and_counter_clockwise():
    (part,) = Shape.box(2, 1).parts
    assert part.vertices.tolist() == [[-1, -0.5], [1, -0.5], [1, 0.5], [-1, 0.5]]
    assert (part.radius, part.one_sided, part.before, part.after) == (0.0, False, None, None)


def test_bounds_and_extent_include_the_rounding():
    assert Shape.box(2, 1, 0.25).bounds() == (-1.25, -0.75, 1.25, 0.75)
    assert Shape.box(6, 8, 0.5).extent() == pytest.approx(5.5)
    assert Shape.circle(0.5, (3, 4)).extent() == pytest.approx(5.5)
    assert Shape.circle(0.5, (3, 4)).extent((3, 4)) == 0.5
    assert Shape.capsule((0, 0), (2, 0), 0.5).bounds() == (-0.5, -0.5, 2.5, 0.5)
    assert Shape.chain([(0, 0), (1, 2), (3, 1)]).bounds() == (0, 0, 3, 2)
    assert Shape.polygon(L_SHAPE).extent((0, 0)) == pytest.approx(math.hypot(3, 1))


# Polygons


@pytest.mark.parametrize(
    "vertices",
    [
        [(0, 0), (0, 1), (1, 1), (1, 0)],
        [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)],
        [(0, 0), (0, 0), (1, 0), (1, 0), (1, 0), (1, 1), (0, 1)],
        [(0, 0), (0.3, 0), (0.6, 0), (1, 0), (1, 0.7), (1, 1), (0.1, 1), (0, 1), (0, 0.9)],
    ],
    ids=["clockwise", "closed", "repeated", "collinear"],
)
def test_any_way_to_list_a_square(vertices):
    (part,) = Shape.polygon(vertices).parts
    assert part.vertices.tolist() == [[0, 0], [1, 0], [1, 1], [0, 1]]
    assert Shape.polygon(vertices).area == pytest.approx(1.0, rel=1e-15)


def test_collinear_points_are_found_on_turned_and_far_polygons():
    turn = np.array([[math.cos(0.7), -math.sin(0.7)], [math.sin(0.7), math.cos(0.7)]])
    inner = [(0, 0), (0.1, 0), (0.2, 0), (0.3, 0), (0.3, 0.1), (0.3, 0.2), (0, 0.2)]
    for shift in (0.0, 1e5):
        (part,) = Shape.polygon(np.array(inner) @ turn.T + shift).parts
        assert len(part.vertices) == 4


def test_a_fine_circle_keeps_all_its_corners():
    turns = 2.0 * math.pi * np.arange(5000) / 5000
    (part,) = Shape.polygon(np.column_stack([np.cos(turns), np.sin(turns)])).parts
    assert len(part.vertices) == 5000


@pytest.mark.parametrize(("vertices", "most"), [(L_SHAPE, 2), (COMB, 4)], ids=["l", "comb"])
def test_few_parts(vertices, most):
    shape = Shape.polygon(vertices)
    assert len(shape.parts) <= most
    assert sum(signed_area(part.vertices) for part in shape.parts) == pytest.approx(
        abs(signed_area(vertices))
    )


def star(radii, gaps):
    turns = 2.0 * math.pi * np.cumsum(gaps) / np.sum(gaps)
    return np.array(radii)[:, np.newaxis] * np.column_stack([np.cos(turns), np.sin(turns)])


@st.composite
def stars(draw):
    """Simple polygons around the origin: no gap between two corners reaches half a turn."""
    count = draw(st.integers(4, 24))
    gaps = draw(st.lists(st.floats(1.0, 2.5), min_size=count, max_size=count))
    radii = draw(st.lists(st.floats(0.1, 1.0), min_size=count, max_size=count))
    return star(radii, gaps)


def inside(points, outline):
    """Even-odd rule."""
    crossings = np.zeros(len(points), dtype=int)
    x, y = points[:, 0], points[:, 1]
    for (ax, ay), (bx, by) in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        spans = (ay > y) != (by > y)
        at = ax + (y - ay) * (bx - ax) / (by - ay) if by != ay else np.full_like(x, np.inf)
        crossings += spans & (x < at)
    return crossings % 2 == 1


def distance_to_edges(points, outline):
    nearest = np.full(len(points), np.inf)
    for start, end in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        along = end - start
        ahead = np.clip(((points - start) @ along) / (along @ along), 0.0, 1.0)
        gap = points - start - ahead[:, np.newaxis] * along
        nearest = np.minimum(nearest, np.hypot(gap[:, 0], gap[:, 1]))
    return nearest


def assert_covers(parts, outline):
    """Every sampled point lies in exactly one part where it is inside, in none elsewhere."""
    areas = [signed_area(part) for part in parts]
    assert min(areas) > 0.0
    assert sum(areas) == pytest.approx(abs(signed_area(outline)), rel=1e-11)
    lower, upper = outline.min(axis=0), outline.max(axis=0)
    points = np.random.default_rng(5).uniform(lower, upper, (2000, 2))
    clear = distance_to_edges(points, outline) > 1e-9
    for part in parts:
        assert_convex(part)
        clear &= distance_to_edges(points, part) > 1e-9
    covered = sum(inside(points, part).astype(int) for part in parts)
    assert (covered == inside(points, outline))[clear].all()


@given(outline=stars(), angle=st.floats(0.0, 6.3), clockwise=st.booleans())
def test_parts_cover_a_star_exactly(outline, angle, clockwise):
    cos, sin = math.cos(angle), math.sin(angle)
    outline = outline @ np.array([[cos, sin], [-sin, cos]]) + np.array([3.0, -4.0])
    shape = Shape.polygon(outline[::-1] if clockwise else outline)
    assert_covers([part.vertices for part in shape.parts], outline)


def grid_polygon(seed, count):
    """A simple polygon on a coarse grid, by untangling a random tour: many collinear corners."""
    rng = np.random.default_rng(seed)
    points = np.unique(rng.integers(0, 9, (count, 2)), axis=0)
    tour = rng.permutation(points).tolist()
    for _ in range(400):
        pair = meeting_edges(tour)
        if pair is None:
            return np.array(tour, dtype=float)
        i, j = pair
        tour[i + 1 : j + 1] = tour[i + 1 : j + 1][::-1]
    return None


def cross(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def segments_meet(a, b, c, d):
    """In whole numbers, so exact: do the closed segments a-b and c-d share a point."""
    sides = [np.sign(cross(*three)) for three in ((a, b, c), (a, b, d), (c, d, a), (c, d, b))]
    if sides[0] * sides[1] < 0 and sides[2] * sides[3] < 0:
        return True
    ends = ((a, b, c, sides[0]), (a, b, d, sides[1]), (c, d, a, sides[2]), (c, d, b, sides[3]))
    return any(
        side == 0
        and min(p[0], q[0]) <= r[0] <= max(p[0], q[0])
        and min(p[1], q[1]) <= r[1] <= max(p[1], q[1])
        for p, q, r, side in ends
    )


def meeting_edges(ring):
    count = len(ring)
    for i in range(count):
        for j in range(i + 2, count):
            if i == 0 and j == count - 1:
                continue
            if segments_meet(ring[i], ring[i + 1], ring[j], ring[(j + 1) % count]):
                return i, j
    return None


def folds_back(ring):
    return any(
        cross(a, b, c) == 0 and (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) < 0
        for a, b, c in zip(ring[-2:] + ring[:-2], ring[-1:] + ring[:-1], ring, strict=True)
    )


@given(seed=st.integers(0, 10**6), count=st.integers(5, 20))
def test_parts_cover_a_polygon_on_a_grid_exactly(seed, count):
    outline = grid_polygon(seed, count)
    assume(outline is not None and not folds_back(outline.tolist()))
    assume(abs(signed_area(outline)) > 0.0)
    shape = Shape.polygon(outline)
    assert_covers([part.vertices for part in shape.parts], outline)
    turned = np.array([[0.6, -0.8], [0.8, 0.6]])
    assert len(Shape.polygon(0.1 * outline @ turned.T).parts) <= len(outline)


@given(
    ring=st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=4, max_size=8, unique=True
    )
)
def test_a_polygon_is_refused_just_where_whole_numbers_say_that_it_meets_itself(ring):
    corners = list(ring)
    while True:
        straight = [
            b
            for a, b, c in zip(
                corners[-1:] + corners[:-1], corners, corners[1:] + corners[:1], strict=True
            )
            if cross(a, b, c) == 0
            and (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) > 0
        ]
        if not straight or len(corners) < 3:
            break
        corners = [corner for corner in corners if corner not in straight]
    simple = len(corners) > 2 and meeting_edges(corners) is None and not folds_back(corners)
    if simple:
        assert Shape.polygon(ring).area == pytest.approx(abs(signed_area(ring)))
    else:
        with pytest.raises(ValueError, match=r"crosses or touches|zero area"):
            Shape.polygon(ring)


def test_the_parts_come_in_the_same_order_every_time():
    outline = star(np.random.default_rng(3).uniform(0.2, 1.0, 30), np.ones(30))
    first, second = convex_parts(outline), convex_parts(outline.copy())
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


# Mass


@pytest.mark.parametrize(
    "case", [c for c in REFERENCE if "vertices" in c], ids=lambda case: case["name"]
)
def test_mass_of_the_reference_polygons(case):
    shape = Shape.polygon(case["vertices"])
    mass = shape.mass_properties(density=3.0)
    assert shape.area == pytest.approx(case["area"], rel=1e-9, abs=0.0)
    assert mass.mass == pytest.approx(3.0 * case["area"], rel=1e-9, abs=0.0)
    assert mass.center == pytest.approx(case["centroid"], rel=1e-9, abs=1e-15)
    assert mass.inertia == pytest.approx(3.0 * case["inertia_per_density"], rel=1e-9, abs=0.0)


def test_mass_of_simple_shapes():
    box = Shape.box(3, 2).mass_properties(0.5)
    assert (box.mass, box.center) == (3.0, (0.0, 0.0))
    assert box.inertia == pytest.approx(3.0 * (9.0 + 4.0) / 12.0)
    disc = Shape.circle(0.5, (1, 2)).mass_properties()
    assert (disc.mass, disc.center) == (pytest.approx(math.pi / 4.0), (1.0, 2.0))
    assert disc.inertia == pytest.approx(0.5 * disc.mass * 0.25)
    rounded = Shape.box(2, 1, 0.5)
    assert rounded.area == pytest.approx(2.0 + 6.0 * 0.5 + math.pi * 0.25)
    thick = Shape.segment((0, 0), (2, 0), 0.5)
    assert thick.mass_properties() == Shape.capsule((0, 0), (2, 0), 0.5).mass_properties()


@given(outline=stars())
def test_a_concave_polygon_weighs_what_its_parts_weigh(outline):
    whole = Shape.polygon(outline).mass_properties(2.0)
    pieces = [Shape.polygon(part.vertices) for part in Shape.polygon(outline).parts]
    together = Shape.compound([(piece, 0, 0, 0) for piece in pieces]).mass_properties(2.0)
    assert together.mass == pytest.approx(whole.mass, rel=1e-11)
    assert together.center == pytest.approx(whole.center, abs=1e-11)
    assert together.inertia == pytest.approx(whole.inertia, rel=1e-10)


places = st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.floats(-7, 7))


@given(first=places, second=places, moved=places)
def test_parallel_axis_theorem(first, second, moved):
    box, disc = Shape.box(2, 1), Shape.circle(0.7, (0.2, 0.1))
    compound = Shape.compound([(box, *first), (disc, *second)])
    masses = [box.mass_properties(), disc.mass_properties()]
    centers = [
        np.array(place[:2]) + turned(mass.center, place[2])
        for mass, place in zip(masses, (first, second), strict=True)
    ]
    total = masses[0].mass + masses[1].mass
    reduced = masses[0].mass * masses[1].mass / total
    apart = centers[1] - centers[0]
    inertia = masses[0].inertia + masses[1].inertia + reduced * float(apart @ apart)
    got = compound.mass_properties()
    assert got.mass == pytest.approx(total)
    assert got.inertia == pytest.approx(inertia)
    assert got.center == pytest.approx(
        tuple((masses[0].mass * centers[0] + masses[1].mass * centers[1]) / total), abs=1e-12
    )
    nested = Shape.compound([(compound, *moved)]).mass_properties()
    assert (nested.mass, nested.inertia) == pytest.approx((got.mass, got.inertia))
    assert nested.center == pytest.approx(
        tuple(np.array(moved[:2]) + turned(got.center, moved[2])), abs=1e-11
    )


def turned(point, angle):
    x, y = point
    return np.array(
        [math.cos(angle) * x - math.sin(angle) * y, math.sin(angle) * x + math.cos(angle) * y]
    )


# Chains and compounds


def test_an_open_chain_repeats_its_end_points_as_neighbours():
    parts = Shape.chain([(0, 0), (1, 0), (2, 1)]).parts
    assert [part.vertices.tolist() for part in parts] == [[[0, 0], [1, 0]], [[1, 0], [2, 1]]]
    assert [(part.before, part.after) for part in parts] == [((0, 0), (2, 1)), ((0, 0), (2, 1))]
    assert all(part.one_sided and part.radius == 0.0 for part in parts)
    (single,) = Shape.chain([(0, 0), (1, 0)]).parts
    assert (single.before, single.after) == ((0, 0), (1, 0))


def test_a_closed_chain_goes_around():
    parts = Shape.chain(SQUARE, closed=True).parts
    assert [part.vertices[0].tolist() for part in parts] == [list(map(float, p)) for p in SQUARE]
    assert parts[-1].vertices.tolist() == [[0, 1], [0, 0]]
    assert (parts[0].before, parts[0].after) == ((0, 1), (1, 1))
    assert (parts[-1].before, parts[-1].after) == ((1, 1), (1, 0))


def test_a_chain_in_a_compound_is_moved_with_its_neighbours():
    chain = Shape.chain([(0, 0), (1, 0), (2, 1)])
    shape = Shape.compound([(chain, 5, 0, math.pi / 2), (Shape.box(1, 1), 0, 0)])
    first = shape.parts[0]
    assert first.one_sided
    assert first.vertices == pytest.approx(np.array([(5, 0), (5, 1)]))
    assert first.before == pytest.approx((5, 0))
    assert first.after == pytest.approx((4, 2))
    assert shape.mass_properties().center == (0.0, 0.0)
    assert shape.area == pytest.approx(1.0)


def test_a_compound_in_a_compound_counts_as_its_own_shapes():
    inner = Shape.compound([(Shape.box(2, 1), 1, 0, 0.25)])
    outer = Shape.compound([(inner, 0, 3, math.pi / 2), (Shape.circle(1), 4, 4)])
    assert [part[0] for part in outer.parameters[0]] == [Shape.box(2, 1), Shape.circle(1)]
    assert outer.parameters[0][0][1:] == pytest.approx((0, 4, math.pi / 2 + 0.25))
    twice = Shape.compound([(Shape.box(2, 1), 0, 4, math.pi / 2 + 0.25)])
    assert outer.parts[0].vertices == pytest.approx(twice.parts[0].vertices)


# What is refused

NOT_NUMBERS = [math.nan, math.inf, -math.inf, True, np.True_, "1", 1j, None, [1.0], 10**400]
BOWTIE = [(0, 0), (1, 1), (1, 0), (0, 1)]


@pytest.mark.parametrize("bad", NOT_NUMBERS, ids=repr)
@pytest.mark.parametrize(
    ("make", "name"),
    [
        (Shape.circle, "Shape.circle.radius"),
        (lambda bad: Shape.circle(1, (0, bad)), "Shape.circle.center[1]"),
        (lambda bad: Shape.capsule((bad, 0), (1, 0), 1), "Shape.capsule.p[0]"),
        (lambda bad: Shape.capsule((0, 0), (1, bad), 1), "Shape.capsule.q[1]"),
        (lambda bad: Shape.capsule((0, 0), (1, 0), bad), "Shape.capsule.radius"),
        (lambda bad: Shape.box(bad, 1), "Shape.box.width"),
        (lambda bad: Shape.box(1, bad), "Shape.box.height"),
        (lambda bad: Shape.box(1, 1, bad), "Shape.box.radius"),
        (lambda bad: Shape.polygon([(0, 0), (1, bad), (0, 1)]), "Shape.polygon.vertices[1][1]"),
        (lambda bad: Shape.polygon(SQUARE, bad), "Shape.polygon.radius"),
        (lambda bad: Shape.segment((0, bad), (1, 0)), "Shape.segment.p[1]"),
        (lambda bad: Shape.segment((0, 0), (1, 0), bad), "Shape.segment.radius"),
        (lambda bad: Shape.chain([(0, 0), (bad, 1)]), "Shape.chain.vertices[1][0]"),
        (lambda bad: Shape.compound([(Shape.circle(1), bad, 0, 0)]), "parts[0].position[0]"),
        (lambda bad: Shape.compound([(Shape.circle(1), 0, 0, bad)]), "parts[0].angle"),
    ],
)
def test_what_is_no_number_is_refused_by_name(make, name, bad):
    with pytest.raises(ValueError, match=re.escape(name)) as caught:
        make(bad)
    assert "give" in str(caught.value)
    assert repr(bad)[:20] in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Shape.circle(0), "Shape.circle.radius = 0: give a number above 0"),
        (lambda: Shape.circle(-1), "Shape.circle.radius = -1: give a number above 0"),
        (lambda: Shape.circle(1e-10), "radius = 1e-10: give metres from 1e-09 to 1e+09"),
        (lambda: Shape.circle(1, (2e9, 0)), "center = (2000000000.0, 0): give metres, each at"),
        (lambda: Shape.circle(1, 3), "Shape.circle.center = 3: give two numbers (x, y)"),
        (lambda: Shape.circle(1, (1, 2, 3)), "center = (1, 2, 3): give two numbers (x, y)"),
        (lambda: Shape.capsule((0, 0), (1, 0), 0), "Shape.capsule.radius = 0: give"),
        (lambda: Shape.capsule((1, 0), (1, 0), 1), "give two different points (Shape.circle"),
        (lambda: Shape.box(0, 1), "Shape.box.width = 0: give a number above 0"),
        (lambda: Shape.box(1, -2), "Shape.box.height = -2: give a number above 0"),
        (lambda: Shape.box(1, 1, -0.1), "Shape.box.radius = -0.1: give a number of at least 0"),
        (lambda: Shape.box(1e12, 1), "Shape.box.width = 1000000000000.0: give metres from"),
        (lambda: Shape.segment((0, 0), (0, 0)), "is the same point as Shape.segment.p"),
        (lambda: Shape.segment((0, 0), (1, 0), -1), "Shape.segment.radius = -1: give"),
        (lambda: Shape.polygon(SQUARE, -1), "Shape.polygon.radius = -1: give"),
        (lambda: Shape.polygon([]), "has 0 different points: give at least 3"),
        (lambda: Shape.polygon([(0, 0), (1, 0), (0, 0)]), "has 2 different points: give at least"),
        (lambda: Shape.polygon("abc"), "Shape.polygon.vertices = 'abc': give a list"),
        (lambda: Shape.polygon(7), "Shape.polygon.vertices = 7: give a list"),
        (lambda: Shape.polygon({(0, 0), (1, 0), (0, 1)}), "give a list"),
        (lambda: Shape.polygon([0, 0, 1, 0, 1, 1]), "vertices[0] = 0: give two numbers (x, y)"),
        (lambda: Shape.polygon([SQUARE]), "vertices[0] = [(0, 0), (1, 0)"),
        (lambda: Shape.polygon([(0, 0, 0)] * 3), "vertices[0] = (0, 0, 0): give two numbers"),
        (lambda: Shape.polygon([(0, 0), (1, 1), (2, 2)]), "has zero area: give corners that"),
        (lambda: Shape.polygon([(0, 0), (2, 0), (1, 0), (3, 0)]), "has zero area"),
        (lambda: Shape.polygon([(0.1, 0.1), (0.2, 0.2), (0.3, 0.3)]), "has zero area"),
        (lambda: Shape.polygon([(0, 0), (1e-10, 0), (0, 1e-10)]), "m in size: give corners"),
        (lambda: Shape.polygon([(0, 0), (1e-200, 0), (0, 1e-200)]), "zero area"),
        (
            lambda: Shape.polygon(BOWTIE),
            "the edge from [0] (0.0, 0.0) to [1] (1.0, 1.0) crosses or touches the edge from "
            "[2] (1.0, 0.0) to [3] (0.0, 1.0): give the corners in order around",
        ),
        (lambda: Shape.polygon([(0, 0), (2, 0), (2, 2), (1, 0), (0, 2)]), "crosses or touches"),
        (lambda: Shape.polygon([(0, 0), (3, 0), (2, 0), (2, 1)]), "crosses or touches"),
        (lambda: Shape.polygon(L_SHAPE, 0.1), "radius = 0.1 for a concave polygon: only convex"),
        (lambda: Shape.chain([(0, 0)]), "has 1 different points: give at least 2"),
        (lambda: Shape.chain([(0, 0), (1, 0)], closed=True), "give at least 3"),
        (lambda: Shape.chain([(0, 0), (1, 0), (1, 0)]), "vertices[2] = (1.0, 0.0) repeats the"),
        (lambda: Shape.chain([*SQUARE, (0, 0)], closed=True), "vertices[4] = (0.0, 0.0) repeats"),
        (lambda: Shape.chain(SQUARE, closed=1), "Shape.chain.closed = 1: give True or False"),
        (lambda: Shape.compound([]), "Shape.compound.parts is empty: give at least one"),
        (lambda: Shape.compound(Shape.circle(1)), "give a list"),
        (lambda: Shape.compound([Shape.circle(1)]), "parts[0] = Shape.circle(radius=1.0"),
        (lambda: Shape.compound([("circle", 0, 0)]), "with a Shape first"),
        (lambda: Shape.compound([(Shape.circle(1), 0)]), "give (shape, x, y, angle)"),
        (lambda: Shape.compound([(Shape.circle(1), 0, 5e9)]), "parts[0].position = "),
        (lambda: Shape.circle(1).mass_properties(0), "density = 0: give a number above 0"),
        (lambda: Shape.circle(1).mass_properties(True), "density = True: give one finite"),
        (lambda: Shape.circle(1e-9).mass_properties(1e-300), "give a density for which both"),
        (lambda: Shape.segment((0, 0), (1, 0)).mass_properties(), "has no area"),
        (lambda: Shape.chain(SQUARE).mass_properties(2), "give Mass(mass=..., inertia=..., cen"),
        (lambda: Shape.compound([(Shape.chain(SQUARE), 0, 0)]).mass_properties(), "has no area"),
        (lambda: Shape.box(1, 1).extent("ab"), "center = 'ab': give two numbers (x, y)"),
    ],
)
def test_bad_input_is_refused_with_value_field_and_fix(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_importing_shapes_loads_neither_the_splitter_nor_a_window():
    code = (
        "import sys, ecs_physics.shapes\n"
        "print([m for m in ('mapbox_earcut', 'arcade', 'pyglet') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
