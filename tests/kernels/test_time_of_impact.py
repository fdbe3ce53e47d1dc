"""The time of impact against samples of the whole motion, and against closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.time_of_impact import NEVER, TOLERANCE, impact_time
from ecs_physics.part_pool import prepare
from ecs_physics.shapes import Shape

SHAPES = (
    Shape.circle(0.3),
    Shape.circle(0.2, (0.4, 0.1)),
    Shape.box(1.0, 0.4),
    Shape.box(2.0, 0.02),
    Shape.box(0.5, 0.5, 0.1),
    Shape.capsule((-0.5, 0.0), (0.5, 0.2), 0.15),
    Shape.segment((0.0, -1.0), (0.0, 1.0)),
    Shape.polygon([(0.0, 0.0), (1.0, 0.0), (0.2, 0.7)]),
)

_numbers = st.floats(-2.5, 2.5)
_turns = st.one_of(st.just(0.0), st.floats(-3.0, 3.0))


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    warm_up("impact_time")


class Sweep:
    """Two parts of a shape each, B displaced and moving, both turning."""

    def __init__(self, shape_a, shape_b, way, move=(0.0, 0.0), turns=(0.0, 0.0), angles=(0.0, 0.0)):
        self.parts = [prepare(shape, 0.0, 0.0).parts[0] for shape in (shape_a, shape_b)]
        self.way, self.move, self.turns, self.angles = way, move, turns, angles

    def time(self, gap=0.0):
        a, b = self.parts
        starts = [1 if a.one_sided else 0, len(a.vertices) + (1 if b.one_sided else 0)]
        return impact_time(
            np.vstack([a.vertices, b.vertices]),
            starts[0],
            a.count,
            a.radius,
            a.one_sided,
            starts[1],
            b.count,
            b.radius,
            b.one_sided,
            *self.way,
            *self.angles,
            *self.move,
            *self.turns,
            gap,
        )

    def separation(self, time):
        """m, by another way: corners against edges, or the axes of both where they overlap."""
        hulls = []
        for part, angle, turn, side in zip(
            self.parts, self.angles, self.turns, (0, 1), strict=True
        ):
            cos, sin = math.cos(angle + turn * time), math.sin(angle + turn * time)
            turned = part.vertices[:, :2] @ np.array([[cos, sin], [-sin, cos]])
            shift = np.array(self.way) + time * np.array(self.move)
            hulls.append(turned + side * shift)
        cores = naive_separation(*hulls)
        return cores - self.parts[0].radius - self.parts[1].radius


def naive_separation(one, other):
    """Distance of two hulls, or minus the least shift along a normal that parts them."""
    overlap = -math.inf
    for hull, against in ((one, other), (other, one)):
        for k in range(len(hull) if len(hull) > 1 else 0):
            along = hull[(k + 1) % len(hull)] - hull[k]
            normal = np.array([along[1], -along[0]]) / np.hypot(*along)
            overlap = max(overlap, float(((against - hull[k]) @ normal).min()))
    if -math.inf < overlap < 0.0:
        return overlap
    return min(
        edge_distance(corner, hull[k], hull[(k + 1) % len(hull)])
        for hull, corners in ((one, other), (other, one))
        for k in range(len(hull))
        for corner in corners
    )


def edge_distance(point, start, end):
    along = end - start
    square = float(along @ along)
    share = 0.0 if square == 0.0 else min(max(float((point - start) @ along) / square, 0.0), 1.0)
    return float(np.hypot(*(start + share * along - point)))


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(SHAPES),
    st.sampled_from(SHAPES),
    st.tuples(_numbers, _numbers),
    st.tuples(_numbers, _numbers),
    st.tuples(_turns, _turns),
    st.tuples(_numbers, _numbers),
)
def test_no_sample_before_it_is_nearer_and_at_it_they_meet(a, b, way, move, turns, angles):
    sweep = Sweep(a, b, way, move, turns, angles)
    time = sweep.time()
    for sample in np.linspace(0.0, min(time, 1.0), 40)[:-1]:
        assert time == 0.0 or sweep.separation(sample) >= -1e-9
    if time == NEVER:
        assert sweep.separation(1.0) >= -1e-9
    else:
        assert sweep.separation(time) <= TOLERANCE + 1e-9


@settings(deadline=None, max_examples=25)
@given(st.floats(0.0, 6.0), st.floats(-2.0, 2.0), st.floats(0.5, 30.0))
def test_finds_the_first_touch_that_bisection_finds(angle, turn, speed):
    sweep = Sweep(
        SHAPES[2], SHAPES[4], (3.0, 0.2), (-speed, 0.0), (turn, -0.5 * turn), (angle, 1.0)
    )
    samples = np.linspace(0.0, 1.0, 100)
    apart = np.array([sweep.separation(sample) for sample in samples])
    if sweep.time() == NEVER:
        assert (apart > 0.0).all()
        return
    assert first_time(sweep, TOLERANCE) - 1e-9 <= sweep.time() <= first_time(sweep, 0.0) + 1e-9
    assert (apart[samples < sweep.time()] > 0.0).all()


def first_time(sweep, gap):
    """The time near the found one at which the separation comes down to `gap`."""
    low, high = 0.0, min(sweep.time() + 2e-3, 1.0)
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if sweep.separation(middle) <= gap else (middle, high)
    return high


def test_two_circles_meet_when_their_centres_are_two_radii_apart():
    sweep = Sweep(Shape.circle(0.5), Shape.circle(0.5), (5.0, 0.6), (-10.0, 0.0))
    assert sweep.time() == pytest.approx((5.0 - 0.8) / 10.0, abs=1e-4)


def test_a_circle_just_misses_a_corner():
    box, ball = Shape.box(2.0, 2.0), Shape.circle(0.5)
    assert Sweep(box, ball, (-5.0, 1.501), (10.0, 0.0)).time() == NEVER
    assert Sweep(box, ball, (-5.0, 1.499), (10.0, 0.0)).time() < 0.5


def test_a_turning_rod_reaches_a_wall_at_the_angle_of_its_length():
    wall, rod = Shape.box(1.0, 10.0), Shape.box(2.0, 0.0002)
    sweep = Sweep(wall, rod, (1.0, 0.0), turns=(0.0, math.pi / 2), angles=(0.0, math.pi / 2))
    assert sweep.time() == pytest.approx(1.0 / 3.0, abs=2e-3)


@pytest.mark.parametrize("speed", [1e2, 1e4, 1e6])
def test_speed_costs_no_accuracy(speed):
    sweep = Sweep(Shape.box(0.1, 4.0), Shape.box(0.2, 0.2), (-0.6 * speed, 0.0), (speed, 0.0))
    at = -0.6 * speed + sweep.time() * speed
    assert at == pytest.approx(-0.15, abs=1.01 * TOLERANCE + 1e-9)


def test_an_overlap_may_be_asked_for_and_thinner_parts_never_have_it():
    sweep = Sweep(Shape.box(0.1, 4.0), Shape.box(0.2, 0.2), (-1.0, 0.0), (2.0, 0.0))
    assert sweep.time(-0.1) == pytest.approx((1.0 - 0.15 + 0.1) / 2.0, abs=1e-3)
    assert sweep.time(-0.2) == NEVER


def test_what_touches_to_begin_with_meets_at_once():
    assert Sweep(SHAPES[2], SHAPES[2], (0.9, 0.0), (1.0, 0.0)).time() == 0.0


def test_what_parts_never_meets():
    assert Sweep(SHAPES[2], SHAPES[2], (1.1, 0.0), (1.0, 0.0)).time() == NEVER
    assert Sweep(SHAPES[0], SHAPES[0], (1.0, 0.0), (0.0, 0.0), (5.0, 9.0)).time() == NEVER
