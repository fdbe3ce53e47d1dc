"""Manifolds against an independent library's distances, a naive twin and closed forms."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ecs_physics.kernels.manifold import TOLERANCE
from ecs_physics.shapes import Shape
from tests.kernels.naive_manifold import (
    Manifold,
    NaivePart,
    Points,
    box,
    capsule,
    chain,
    circle,
    collide,
    gap,
    turned,
)

DATA = Path(__file__).parents[1] / "data"
PAIRS = json.loads((DATA / "shape_queries.json").read_text())["pairs"]
SINK = 0.005


# ---------------------------------------------------------------------------------------------
# Against an independent geometry library
# ---------------------------------------------------------------------------------------------


def shape_of(entry: dict[str, Any]) -> Shape:
    kind = entry["kind"]
    if kind == "circle":
        return Shape.circle(entry["radius"])
    if kind == "capsule":
        return Shape.capsule(entry["p"], entry["q"], entry["radius"])
    if kind == "box":
        return Shape.box(entry["width"], entry["height"])
    return Shape.polygon(entry["vertices"], entry.get("radius", 0.0))


def placed(entry: dict[str, Any], pose: list[float]) -> tuple[Points, list[NaivePart]]:
    """Where the centre of mass is, and the turned parts about it."""
    shape = shape_of(entry)
    center = np.array(shape.mass_properties().center)
    parts = [
        NaivePart(turned(each.vertices - center, pose[2]), each.radius) for each in shape.parts
    ]
    return np.array(pose[:2]) + turned(center, pose[2]), parts


def test_all_reference_pairs_agree() -> None:
    for number, pair in enumerate(PAIRS):
        position_a, parts_a = placed(pair["a"], pair["pose_a"])
        position_b, parts_b = placed(pair["b"], pair["pose_b"])
        d = position_b - position_a
        least = min(collide(a, b, d).least for a in parts_a for b in parts_b)
        assert (least < 0) == pair["overlap"], number
        if "distance" in pair:
            assert least == pytest.approx(pair["distance"], abs=1e-9), number
        if "penetration" in pair:
            assert -least == pytest.approx(pair["penetration"], abs=1e-9), number


# ---------------------------------------------------------------------------------------------
# Against the naive twin
# ---------------------------------------------------------------------------------------------


@st.composite
def parts(draw: st.DrawFn) -> NaivePart:
    """Circles, segments, capsules, sharp and rounded convex polygons, of about a metre."""
    count = draw(st.sampled_from([1, 2, 3, 4, 4, 5, 8]))
    radius = draw(st.sampled_from([0.0, 0.0, 0.05, 0.4]))
    angle = draw(st.floats(0.0, 2.0 * math.pi))
    if count == 1:
        middle = draw(st.tuples(st.floats(-0.3, 0.3), st.floats(-0.3, 0.3)))
        return NaivePart(np.array([middle]), radius or 0.5)
    # Corners on an ellipse, apart from each other by construction.
    shares = [draw(st.floats(0.2, 1.0)) for _ in range(count)]
    angles = np.cumsum(shares) / sum(shares) * 2.0 * math.pi
    height = draw(st.sampled_from([1.0, 0.5, 0.1]))
    corners = np.column_stack([0.6 * np.cos(angles), 0.6 * height * np.sin(angles)])
    return NaivePart(turned(corners, angle), radius)


ways = st.tuples(st.floats(0.0, 2.0 * math.pi), st.floats(0.0, 2.5))


def displaced(way: tuple[float, float]) -> Points:
    angle, distance = way
    return distance * np.array([math.cos(angle), math.sin(angle)])


@settings(deadline=None, max_examples=400)
@given(parts(), parts(), ways)
def test_distance_and_depth_are_those_of_the_twin(
    a: NaivePart, b: NaivePart, way: tuple[float, float]
) -> None:
    d = displaced(way)
    assert collide(a, b, d).least == pytest.approx(gap(a, b, d), abs=1.01 * TOLERANCE)


@pytest.mark.parametrize("shape", [box(1.0, 1.0), capsule(1.0, 0.2), box(300.0, 1.0)])
def test_edges_that_end_together_keep_their_features_whatever_the_rounding(
    shape: NaivePart,
) -> None:
    above = np.array([0.0, np.ptp(shape.vertices[:, 1]) + 2.0 * shape.radius])
    exact = collide(shape, shape, above).features
    assert len(set(exact)) == 2
    for away in (1e-16, -1e-12, 1e-9, -1e-6):
        assert collide(shape, shape, above + np.array([away, 0.0])).features == exact
    assert collide(shape, shape, above + np.array([0.01, 0.0])).features != exact


def test_preference_for_one_face_rarely_costs_accuracy() -> None:
    random = np.random.default_rng(4)
    errors = []
    for _ in range(500):
        a = box(*random.uniform(0.2, 2.0, 2)).turned(random.uniform(0, 7))
        b = box(*random.uniform(0.2, 2.0, 2)).turned(random.uniform(0, 7))
        d = random.uniform(-1.5, 1.5, 2)
        errors.append(abs(collide(a, b, d).least - gap(a, b, d)))
    assert np.mean(np.array(errors) < 1e-12) > 0.99


@settings(deadline=None, max_examples=200)
@given(parts(), parts(), ways)
def test_the_nearest_point_is_midway_between_both_surfaces(
    a: NaivePart, b: NaivePart, way: tuple[float, float]
) -> None:
    d = displaced(way)
    found = collide(a, b, d)
    assert math.hypot(*found.normal) == pytest.approx(1.0, abs=1e-12)
    nearest = int(np.argmin(found.separations))
    half = 0.5 * found.separations[nearest] * found.normal
    spot = NaivePart(np.zeros((1, 2)))
    on_a = found.points[nearest] - half
    on_b = found.points[nearest] + half - d
    assert gap(a, spot, on_a) == pytest.approx(0.0, abs=2 * TOLERANCE)
    assert gap(b, spot, on_b) == pytest.approx(0.0, abs=2 * TOLERANCE)


@settings(deadline=None, max_examples=200)
@given(parts(), parts(), ways)
def test_moving_b_along_the_normal_by_the_depth_parts_them(
    a: NaivePart, b: NaivePart, way: tuple[float, float]
) -> None:
    d = displaced(way)
    found = collide(a, b, d)
    assert gap(a, b, d - found.least * found.normal) == pytest.approx(0.0, abs=2 * TOLERANCE)


@settings(deadline=None, max_examples=200)
@given(parts(), parts(), ways)
def test_exchanging_the_two_negates_the_normal(
    a: NaivePart, b: NaivePart, way: tuple[float, float]
) -> None:
    d = displaced(way)
    found = collide(a, b, d)
    back = collide(b, a, -d)
    assert back.least == pytest.approx(found.least, abs=1.01 * TOLERANCE)
    if np.allclose(back.normal, -found.normal, atol=1e-9):  # not so where two axes are even
        assert back.count == found.count
        order = np.argsort(found.separations)
        order_back = np.argsort(back.separations)
        assert back.separations[order_back] == pytest.approx(found.separations[order], abs=1e-8)


@settings(deadline=None, max_examples=100)
@given(parts(), parts(), ways, st.floats(0.0, 6.0), st.floats(-5.0, 5.0))
def test_turning_and_shifting_the_whole_changes_nothing(
    a: NaivePart, b: NaivePart, way: tuple[float, float], angle: float, shift: float
) -> None:
    d = displaced(way)
    found = collide(a, b, d)
    moved_a = NaivePart(turned(a.vertices, angle) + shift, a.radius)
    moved_b = NaivePart(turned(b.vertices, angle) - shift, b.radius)
    moved = collide(moved_a, moved_b, turned(d, angle) + 2 * shift)
    assert moved.least == pytest.approx(found.least, abs=1.01 * TOLERANCE)
    if np.allclose(moved.normal, turned(found.normal, angle), atol=1e-9):
        assert moved.count == found.count
        assert moved.points == pytest.approx(turned(found.points, angle) + shift, abs=1e-6)


@settings(deadline=None, max_examples=200)
@given(parts(), parts(), ways, st.sampled_from([0.0, 0.02, 0.3]))
def test_only_what_is_within_the_limit_is_found(
    a: NaivePart, b: NaivePart, way: tuple[float, float], limit: float
) -> None:
    d = displaced(way)
    exact = gap(a, b, d)
    assume(abs(exact - limit) > 2 * TOLERANCE)
    assert (collide(a, b, d, limit).count > 0) == (exact < limit)


# ---------------------------------------------------------------------------------------------
# Closed forms
# ---------------------------------------------------------------------------------------------


def test_two_circles() -> None:
    found = collide(circle(1.0), circle(2.0), (3.0, 4.0))
    assert found.count == 1
    assert found.normal == pytest.approx([0.6, 0.8])
    assert found.separations == pytest.approx([2.0])
    assert found.points[0] == pytest.approx([1.2, 1.6])


def test_concentric_circles_are_parted_upwards() -> None:
    found = collide(circle(1.0), circle(2.0), (0.0, 0.0))
    assert found.normal == pytest.approx([0.0, 1.0])
    assert found.separations == pytest.approx([-3.0])


def test_a_circle_inside_a_box_leaves_by_the_nearest_side() -> None:
    found = collide(box(4.0, 2.0), circle(0.25), (1.9, 0.3))
    assert found.normal == pytest.approx([1.0, 0.0])
    assert found.separations == pytest.approx([-0.35])
    assert collide(circle(0.25), box(4.0, 2.0), (-1.9, -0.3)).normal == pytest.approx([-1.0, 0.0])


@pytest.mark.parametrize("height", [-0.004, 0.0, 0.015])
@pytest.mark.parametrize("radius", [0.0, 0.1])
def test_stacked_boxes_have_two_points(height: float, radius: float) -> None:
    found = collide(box(2.0, 1.0, radius), box(1.0, 1.0, radius), (0.7, 1.0 + 2 * radius + height))
    assert found.normal == pytest.approx([0.0, 1.0], abs=1e-12)
    assert found.separations == pytest.approx([height, height])
    middle = 0.5 + radius + height / 2
    expected = [(0.2, middle), (1.0, middle)]
    assert sorted(map(tuple, found.points)) == pytest.approx(np.array(expected))


def test_lying_capsules_have_two_points() -> None:
    found = collide(capsule(2.0, 0.3), capsule(1.0, 0.2), (1.2, 0.51))
    assert found.normal == pytest.approx([0.0, 1.0], abs=1e-12)
    assert found.separations == pytest.approx([0.01, 0.01])
    assert sorted(found.points[:, 0]) == pytest.approx([0.7, 1.0])


def test_capsules_end_to_end_have_one_point() -> None:
    found = collide(capsule(2.0, 0.3), capsule(2.0, 0.3), (2.61, 0.0))
    assert found.count == 1
    assert found.normal == pytest.approx([1.0, 0.0], abs=1e-9)
    assert found.separations == pytest.approx([0.01])


def test_boxes_corner_to_corner_have_one_point_between_the_corners() -> None:
    found = collide(box(1.0, 1.0), box(1.0, 1.0), (1.003, 1.004))
    assert found.count == 1
    assert found.normal == pytest.approx([0.6, 0.8])
    assert found.separations == pytest.approx([0.005])
    assert found.points[0] == pytest.approx([0.5015, 0.502])


def test_a_tilted_box_has_its_lower_corner_at_its_true_depth() -> None:
    tilted = box(1.0, 1.0).turned(0.01)
    lowest = tilted.vertices[:, 1].min()
    found = collide(box(3.0, 1.0), tilted, (0.0, 0.5 - lowest - 0.002))
    assert found.normal == pytest.approx([0.0, 1.0])
    assert sorted(found.separations) == pytest.approx([-0.002, math.sin(0.01) - 0.002])


# ---------------------------------------------------------------------------------------------
# From step to step
# ---------------------------------------------------------------------------------------------


def test_the_face_does_not_change_with_a_trembling_tilt() -> None:
    random = np.random.default_rng(1)
    below = box(1.0, 1.0)
    for _ in range(200):
        tilt, x = random.normal(0.0, 2e-5), random.uniform(-0.5, 0.5)
        found = collide(below, box(1.0, 1.0).turned(tilt), (x, 0.999 + random.normal(0.0, 1e-5)))
        assert found.count == 2
        assert found.normal == pytest.approx([0.0, 1.0], abs=1e-15)


def test_features_stay_while_the_same_ones_touch() -> None:
    below = box(2.0, 1.0)
    seen = {
        collide(below, box(1.0, 1.0).turned(tilt), (x, 0.998)).features
        for x in np.linspace(-0.45, 0.45, 19)
        for tilt in (-1e-3, 0.0, 1e-3)
    }
    assert len(seen) == 1
    (features,) = seen
    assert features[0] != features[1]


def test_a_feature_changes_only_where_another_one_takes_over() -> None:
    below, above = box(2.0, 1.0), box(1.0, 1.0)
    inside = collide(below, above, (0.4, 0.998)).features
    overhanging = collide(below, above, (0.6, 0.998)).features
    assert len({*inside, *overhanging}) == 3


def test_features_are_the_same_whichever_face_is_asked() -> None:
    a, b = box(1.0, 1.0), box(1.0, 1.0).turned(2e-3)
    from_a = collide(a, b, (0.1, 0.999)).features
    from_b = collide(a.turned(2e-3), b.turned(-2e-3), (0.1, 0.999)).features
    assert set(from_a) == set(from_b)


def test_a_circle_keeps_its_feature_around_a_corner() -> None:
    along = [collide(box(1, 1), circle(0.5), (x, 0.9)).features for x in (0.0, 0.49, 0.51, 0.7)]
    assert len(set(along)) == 1


# ---------------------------------------------------------------------------------------------
# Chains
# ---------------------------------------------------------------------------------------------

STICK = NaivePart(np.array([(-0.002, -0.5), (0.002, -0.5), (0.002, 0.5), (-0.002, 0.5)]))
WEDGE = NaivePart(np.array([(0.0, -0.5), (0.5, 0.4), (-0.3, 0.4)]))
RIDERS = {
    "box": box(1.0, 1.0),
    "small box": box(0.05, 0.05),
    "stick": STICK,
    "wedge": WEDGE,
    "rounded box": box(0.6, 0.6, 0.2),
    "lying capsule": capsule(0.8, 0.25),
    "standing capsule": capsule(0.8, 0.25).turned(math.pi / 2),
    "circle": circle(0.5),
    "small circle": circle(0.02),
}


def touching(edges: list[NaivePart], body: NaivePart, d: Any, limit: float) -> list[Manifold]:
    found = [collide(edge, body, d, limit) for edge in edges]
    return [each for each in found if each.count and each.least <= limit]


@pytest.mark.parametrize("slope", [0.0, 0.37])
@pytest.mark.parametrize("name", RIDERS)
def test_flat_chain_is_one_smooth_surface(name: str, slope: float) -> None:
    """Wherever it is, whatever it sinks, each normal is the ground's and the depth is right."""
    random = np.random.default_rng(7)
    inner = np.sort(np.round(random.uniform(-1.0, 1.0, 12), 2))
    places = np.array([-9.0, *np.unique(inner), 9.0])
    edges = chain(turned(np.column_stack([places, np.zeros(len(places))]), slope))
    normal = turned([0.0, 1.0], slope)
    for _ in range(150):
        rider = RIDERS[name].turned(math.radians(random.uniform(-1.0, 1.0)))
        bottom = rider.vertices[:, 1].min() - rider.radius
        height = random.uniform(-SINK, 0.015)
        x = random.choice([random.uniform(-1.5, 1.5), random.choice(places[1:-1])])
        # Vertices exactly under a corner, too.
        x -= random.choice([0.0, *rider.vertices[:, 0]])
        body = rider.turned(slope)
        limit = random.choice([0.02, 0.3])
        found = touching(edges, body, turned([x, height - bottom], slope), limit)
        assert found
        for each in found:
            assert each.normal == pytest.approx(normal, abs=1e-12)
        assert min(each.least for each in found) == pytest.approx(height, abs=1e-7)


def least_gap(edges: list[NaivePart], body: NaivePart, x: float, y: float) -> float:
    return min(gap(NaivePart(each.vertices), body, (x, y)) for each in edges)


def regular(count: int, size: float) -> Points:
    angles = np.arange(count) * 2.0 * math.pi / count + 0.1
    return size * np.column_stack([np.cos(angles), np.sin(angles)])


@st.composite
def islands(draw: st.DrawFn) -> Points:
    """Corners of a convex polygon, counter-clockwise, with turns from 10 to 150 degrees."""
    count = draw(st.sampled_from([3, 4, 6, 12, 30]))
    height = draw(st.sampled_from([1.0, 0.4]))
    corners = regular(count, draw(st.floats(0.7, 2.0)))
    return turned(corners * np.array([1.0, height]), draw(st.floats(0.0, 6.3)))


@settings(deadline=None, max_examples=200)
@given(
    islands(),
    parts(),
    st.floats(0.0, 2.0 * math.pi),
    st.sampled_from([-SINK, -0.001, 0.0005, 0.01, 0.019]),
)
def test_a_convex_island_of_edges_acts_as_one_solid(
    island: Points, body: NaivePart, angle: float, height: float
) -> None:
    """All edges together have the depth and normal that the solid polygon has."""
    solid = NaivePart(island)
    body = NaivePart(body.vertices - body.vertices.mean(axis=0), body.radius)
    way = np.array([math.cos(angle), math.sin(angle)])
    near, far = 0.0, 6.0
    for _ in range(60):
        middle = 0.5 * (near + far)
        near, far = (near, middle) if gap(solid, body, middle * way) > height else (middle, far)
    d = far * way
    assume(gap(solid, NaivePart(np.zeros((1, 2))), d) > 0.0)  # from behind, nothing touches
    edges = chain(island[::-1], closed=True)
    found = touching(edges, body, d, 0.02)
    assert found
    assert min(each.least for each in found) == pytest.approx(height, abs=2 * TOLERANCE)
    nearest = min(found, key=lambda each: each.least)
    assert gap(solid, body, d - nearest.least * nearest.normal) == pytest.approx(
        0.0, abs=4 * TOLERANCE
    )


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.floats(-0.8, 0.8), min_size=4, max_size=8),
    st.floats(0.05, 0.6),
    st.floats(0.0, 1.0),
    st.floats(-SINK, 0.019),
)
def test_a_ball_on_any_ground_touches_at_its_true_distance_once(
    heights: list[float], radius: float, share: float, height: float
) -> None:
    ground = np.column_stack([np.arange(len(heights)) * 0.7, heights])
    ground = np.vstack([ground[0] - (5.0, 0.0), ground, ground[-1] + (5.0, 0.0)])
    edges = chain(ground)
    ball = circle(radius)
    x = share * ground[-2, 0]
    low, high = float(np.interp(x, ground[:, 0], ground[:, 1])), 3.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        is_apart = least_gap(edges, ball, x, middle) > height
        low, high = (low, middle) if is_apart else (middle, high)
    d = np.array([x, high])
    found = touching(edges, ball, d, 0.02)
    assert min(each.least for each in found) == pytest.approx(height, abs=1e-9)
    for i, one in enumerate(found):  # a hill is touched by one edge, a valley by both
        for other in found[i + 1 :]:
            turn = one.normal[0] * other.normal[1] - one.normal[1] * other.normal[0]
            is_elsewhere = math.hypot(*(one.points[0] - other.points[0])) > 1e-6
            assert is_elsewhere or turn > -1e-9


def in_a_cone(normal: Points, normals: Points, bends: Points) -> bool:
    """Whether a normal is that of an edge, or between two neighbours' at a hill."""
    if (np.abs(normals - normal).max(axis=1) < 1e-9).any():
        return True
    angles = np.arctan2(normals[:, 1], normals[:, 0])
    angle = math.atan2(normal[1], normal[0])
    return any(
        angles[i + 1] - 1e-9 <= angle <= angles[i] + 1e-9
        for i in range(len(bends))
        if bends[i] < 0.0
    )


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.floats(-0.4, 0.4), min_size=4, max_size=8),
    st.sampled_from(sorted(RIDERS)),
    st.floats(0.0, 1.0),
    st.floats(-0.3, 0.3),
    st.floats(-SINK, 0.019),
)
def test_normals_on_hills_and_valleys_are_those_of_the_ground(
    heights: list[float], name: str, share: float, tilt: float, height: float
) -> None:
    ground = np.column_stack([np.arange(len(heights)) * 0.7, heights])
    ground = np.vstack([ground[0] - (5.0, 0.0), ground, ground[-1] + (5.0, 0.0)])
    edges = chain(ground)
    along = np.diff(ground, axis=0)
    normals = np.column_stack([-along[:, 1], along[:, 0]])
    normals /= np.hypot(*normals.T)[:, None]
    bends = along[:-1, 0] * along[1:, 1] - along[:-1, 1] * along[1:, 0]
    body = RIDERS[name].turned(tilt)
    x = share * ground[-2, 0]
    height = max(height, -0.001)  # the stick is but 4 mm wide
    y = 2.0
    while (apart := least_gap(edges, body, x, y) - height) > 0.0:  # down from above
        y -= max(apart, 0.0005)
    found = touching(edges, body, (x, y), 0.02)
    assert found
    for each in found:
        assert in_a_cone(each.normal, normals, bends), each.normal
    if height > 0.0:
        least = min(each.least for each in found)
        assert least == pytest.approx(height + apart, abs=2 * TOLERANCE)


@pytest.mark.parametrize("slope", [0.1, 1.0, 1.4, 1.55])
def test_an_even_peak_is_touched_by_one_edge(slope: float) -> None:
    run, rise = 2.0 * math.cos(slope), 2.0 * math.sin(slope)
    edges = chain([(-run - 9, -rise), (-run, -rise), (0, 0), (run, -rise), (run + 9, -rise)])
    for body, bottom in ((circle(0.5), 0.5), (box(1.0, 1.0), 0.5), (capsule(0.8, 0.25), 0.25)):
        for height in (-0.004, 0.01):
            for x in (0.0, 0.05):  # also with the centre beyond one edge's line
                found = touching(edges, body, (x if bottom != 0.5 else 0.0, bottom + height), 0.02)
                assert len(found) == 1
                assert found[0].normal == pytest.approx([0.0, 1.0], abs=1e-12)
                assert found[0].least == pytest.approx(height, abs=1e-12)


def test_a_wide_box_on_a_spike_is_held_though_its_centre_is_beyond_one_side() -> None:
    edges = chain([(-9.0, -3.0), (-0.3, -3.0), (0.0, 0.0), (0.3, -3.0), (9.0, -3.0)])
    for x in np.linspace(-0.45, 0.45, 19):
        found = touching(edges, box(1.0, 1.0), (x, 0.498), 0.02)
        assert len(found) == 1
        assert found[0].normal == pytest.approx([0.0, 1.0], abs=1e-12)
        assert found[0].least == pytest.approx(-0.002)


def test_a_box_in_a_corner_touches_floor_and_wall() -> None:
    edges = chain([(-9.0, 0.0), (0.0, 0.0), (0.0, 9.0)])
    found = touching(edges, box(1.0, 1.0), (-0.498, 0.497), 0.02)
    assert [tuple(np.round(each.normal, 12)) for each in found] == [(0.0, 1.0), (-1.0, 0.0)]
    assert [each.least for each in found] == pytest.approx([-0.003, -0.002])


@pytest.mark.parametrize("name", RIDERS)
def test_nothing_touches_from_behind(name: str) -> None:
    edges = chain([(-3.0, 0.0), (0.0, 0.1), (3.0, 0.0)])
    body = RIDERS[name]
    top = body.vertices[:, 1].max() + body.radius
    for x in np.linspace(-2.5, 2.5, 21):
        for height in (-0.01, 0.0, 0.2 * top, 0.8 * top):
            assert not touching(edges, body, (x, height - top), 0.02)


def test_the_end_of_an_open_chain_is_a_corner() -> None:
    (edge,) = chain([(-1.0, 0.0), (1.0, 0.0)])
    found = collide(edge, circle(0.5), (1.3, 0.4), 0.1)
    assert found.normal == pytest.approx([0.6, 0.8])
    assert found.least == pytest.approx(0.0)
    beside = collide(edge, box(1.0, 1.0), (1.49, 0.2), 0.02)
    assert beside.normal == pytest.approx([1.0, 0.0])
    assert beside.least == pytest.approx(-0.01)
    assert collide(edge, box(1.0, 1.0), (1.49, -0.2), 0.02).count == 0
    leaning = collide(edge, box(1.0, 1.0).turned(math.pi / 4), (-1.3, 0.4), 0.02)
    assert leaning.normal == pytest.approx([-math.sqrt(0.5), math.sqrt(0.5)])
    assert leaning.least == pytest.approx(0.7 * math.sqrt(0.5) - 0.5)


def test_a_two_sided_wall_of_one_line_there_and_back() -> None:
    edges = chain([(0.0, 0.0), (2.0, 0.0)], closed=True)
    for d, normal in (((1.0, 0.45), (0, 1)), ((1.0, -0.45), (0, -1)), ((2.45, 0.0), (1, 0))):
        found = touching(edges, circle(0.5), d, 0.02)
        assert found
        assert found[0].normal == pytest.approx(normal, abs=1e-12)
        assert found[0].least == pytest.approx(-0.05)


def test_two_chains_never_touch() -> None:
    (edge,) = chain([(-1.0, 0.0), (1.0, 0.0)])
    assert collide(edge, edge, (0.0, 0.001)).count == 0
