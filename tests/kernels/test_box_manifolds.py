"""Eight pairs of boxes at once against the method for any polygons, and against closed forms."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics import Shape
from ecs_physics.constants import SPECULATIVE_DISTANCE
from ecs_physics.kernels.box_manifolds import (
    ANSWER,
    APART_X,
    APART_Y,
    FIELDS,
    NO_POINTS,
    TWO_POINTS,
    UNCLEAR,
    collide_boxes,
    manifold_of,
    write_box,
)
from ecs_physics.kernels.lanes import LANES
from ecs_physics.kernels.manifold import TOLERANCE
from ecs_physics.kernels.manifold_lanes import NAMES
from ecs_physics.part_pool import prepare
from ecs_physics.tables import BOX, PART
from tests.kernels.naive_manifold import (
    Manifold,
    NaivePart,
    as_manifold,
    box,
    collide,
    gap,
    rows_of,
)

LIMIT = 0.5
ROUNDING = 3e-6  # m, of float32 for boxes of some metres

Pair = tuple[NaivePart, NaivePart, Any]


def answers(pairs: list[Pair], limit: float = LIMIT) -> list[tuple[float, Manifold]]:
    """What the lanes say of up to eight pairs: the answer, and the manifold."""
    batch = np.zeros((2, FIELDS, LANES), np.float32)
    rows = np.zeros((2, NAMES, LANES), np.int32)
    boxes = np.zeros((2 * LANES, 8), np.float32)
    for lane, (a, b, d) in enumerate(pairs):
        for side, part in enumerate((a, b)):
            record = np.zeros(1, PART).view(np.recarray)[0]
            record.radius = part.radius
            way = 0.5 * (limit - SPECULATIVE_DISTANCE)
            write_box(2 * lane + side, rows_of(part)[0], record, way, boxes)
            rows[1, side, lane] = 2 * lane + side
        batch[1, [APART_X, APART_Y], lane] = d
    collide_boxes(1, boxes, rows, batch)
    assert not batch[0].any()
    return [
        (float(batch[1, ANSWER, lane]), as_manifold(manifold_of(1, lane, batch)))
        for lane in range(len(pairs))
    ]


@st.composite
def boxes(draw: st.DrawFn) -> NaivePart:
    """Boxes of some metres, often in line with the axes, their middle off the centre of mass."""
    sizes = st.sampled_from([0.2, 0.5, 1.0, 1.0, 3.0])
    made = box(draw(sizes), draw(sizes), draw(st.sampled_from([0.0, 0.0, 0.1])))
    away = np.array(draw(st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))))
    quarter = draw(st.integers(0, 3)) * 0.5 * math.pi
    turn = draw(st.sampled_from([0.0, 1e-4, 0.3, 0.25 * math.pi]) | st.floats(0.0, 6.0))
    return NaivePart(made.vertices + away, made.radius).turned(quarter + turn)


def near(a: NaivePart, b: NaivePart, way: tuple[float, float]) -> Any:
    """How B has to be displaced to lie a little beside A, or in it."""
    size = 0.5 * (np.ptp(a.vertices, axis=0) + np.ptp(b.vertices, axis=0))
    return a.vertices.mean(axis=0) - b.vertices.mean(axis=0) + np.array(way) * size


ways = st.tuples(st.floats(-1.3, 1.3), st.floats(-1.3, 1.3))


@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(boxes(), boxes(), ways), min_size=1, max_size=LANES))
def test_lanes_say_what_the_method_for_polygons_says(
    drawn: list[tuple[NaivePart, NaivePart, tuple[float, float]]],
) -> None:
    pairs = [(a, b, near(a, b, way)) for a, b, way in drawn]
    for (a, b, d), (answer, found) in zip(pairs, answers(pairs), strict=True):
        distance = gap(a, b, d)
        if answer == NO_POINTS:
            assert distance > LIMIT - ROUNDING
        if answer != TWO_POINTS:
            continue
        right = collide(a, b, d)
        assert found.least == pytest.approx(distance, abs=1.1 * TOLERANCE)
        assert math.hypot(*found.normal) == pytest.approx(1.0, abs=1e-6)
        if found.features != right.features:
            continue  # two edges are about equally good, or facing: either is right
        assert found.normal == pytest.approx(right.normal, abs=1e-6)
        assert found.points == pytest.approx(right.points, abs=ROUNDING)
        assert found.separations == pytest.approx(right.separations, abs=ROUNDING)


def random_pairs(count: int) -> list[Pair]:
    random = np.random.default_rng(11)
    made = []
    for _ in range(count):
        a = box(*random.uniform(0.2, 2.0, 2), random.choice([0.0, 0.1]))
        b = box(*random.uniform(0.2, 2.0, 2), random.choice([0.0, 0.1]))
        a = a.turned(random.choice([0.0, random.uniform(0.0, 7.0)]))
        b = b.turned(random.choice([0.0, 0.5 * math.pi, random.uniform(0.0, 7.0)]))
        made.append((a, b, random.uniform(-1.6, 1.6, 2)))
    return made


def test_features_are_those_of_the_method_for_polygons_and_most_pairs_are_clear() -> None:
    clear = equal = 0
    pairs = random_pairs(800)
    for first in range(0, len(pairs), LANES):
        eight = pairs[first : first + LANES]
        for (a, b, d), (answer, found) in zip(eight, answers(eight, 0.02), strict=True):
            right = collide(a, b, d, 0.02)
            if answer == UNCLEAR:
                continue
            clear += 1
            assert (answer == TWO_POINTS) == (right.count > 0) or abs(gap(a, b, d) - 0.02) < 1e-5
            if answer == TWO_POINTS and np.allclose(found.normal, right.normal, atol=1e-6):
                assert found.features == right.features
                equal += 1
    assert clear > 700
    assert equal > 350


def test_exchanged_boxes_have_the_same_contact() -> None:
    pairs = [(box(1.0, 0.5).turned(0.1), box(0.7, 0.9).turned(-0.4), (0.2, 0.75))] * 2
    pairs[1] = (pairs[0][1], pairs[0][0], (-0.2, -0.75))
    (answer, one), (back, other) = answers(pairs)
    assert answer == back == TWO_POINTS
    assert one.normal == pytest.approx(-other.normal, abs=1e-6)
    assert sorted(one.separations) == pytest.approx(sorted(other.separations), abs=ROUNDING)
    there = sorted(map(tuple, one.points - np.array(pairs[0][2])))
    assert there == pytest.approx(np.array(sorted(map(tuple, other.points))), abs=ROUNDING)


def test_a_box_on_a_wide_floor_is_as_exact_as_it_is_far_from_its_middle() -> None:
    ground, crate = box(100.0, 1.0), box(1.0, 1.0)
    ((answer, found),) = answers([(ground, crate, (40.25, 0.998))])
    assert answer == TWO_POINTS
    assert found.normal.tolist() == [0.0, 1.0]
    assert found.separations == pytest.approx([-0.002, -0.002], abs=1e-7)
    assert sorted(found.points[:, 0]) == pytest.approx([39.75, 40.75], abs=4e-6)
    assert found.points[:, 1] == pytest.approx([0.499, 0.499], abs=1e-7)


def test_corner_to_corner_is_left_to_the_method_for_polygons() -> None:
    ((answer, _),) = answers([(box(1.0, 1.0), box(1.0, 1.0), (1.2, 1.3))])
    assert answer == UNCLEAR


def test_only_rectangles_that_are_not_too_long_are_boxes() -> None:
    def is_box(shape: Shape, center_x: float = 0.0) -> bool:
        return prepare(shape, center_x, 0.0).parts[0].form == BOX

    def of(corners: Any) -> bool:
        return is_box(Shape.polygon(corners))

    upright = np.array([(-0.5, -0.2), (0.5, -0.2), (0.5, 0.2), (-0.5, 0.2)])
    cos, sin = math.cos(0.7), math.sin(0.7)
    assert of(upright)
    assert of(upright @ np.array([(cos, sin), (-sin, cos)]) + 3.0)
    assert not of([(0.0, 0.0), (1.0, 0.0), (1.5, 0.7), (0.5, 0.7)])
    assert not of([(0.0, 0.0), (2.0, 0.0), (1.5, 0.7), (0.5, 0.7)])
    assert not of(upright[:3])
    assert is_box(Shape.box(1.0, 0.3, 0.1))
    assert is_box(Shape.box(200.0, 1.0))
    assert not is_box(Shape.box(400.0, 1.0))
    assert not is_box(Shape.box(2.0, 1.0), -300.0)
    assert not is_box(Shape.capsule((0, 0), (1, 0), 0.1))
