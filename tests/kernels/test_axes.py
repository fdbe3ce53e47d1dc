"""Cosine and sine against libm's, and against what must hold of them exactly."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics.kernels.axes import FARTHEST, HIGH, LOW, MIDDLE, cos_sin
from ecs_physics.kernels.compile import kernel, reals, warm_up

LAST_BITS = 2.5e-16


@kernel(reals(reals), feature="test axes")
def turned(numbers):
    """Cosine and sine of the first number, in its place and in the next."""
    numbers[0], numbers[1] = cos_sin(numbers[0])
    return numbers


def compiled(angle: float) -> tuple[float, float]:
    numbers = np.array([angle, 0.0])
    turned(numbers)
    return float(numbers[0]), float(numbers[1])


@pytest.fixture(autouse=True, scope="module")
def _ready() -> None:
    warm_up("test axes")


@settings(max_examples=400, deadline=None)
@given(angle=st.one_of(st.floats(-10, 10), st.floats(-FARTHEST, FARTHEST), st.floats(-1e-9, 1e-9)))
def test_both_are_right_to_the_last_bits(angle: float) -> None:
    cos, sin = compiled(angle)
    assert abs(cos - math.cos(angle)) <= LAST_BITS
    assert abs(sin - math.sin(angle)) <= LAST_BITS
    assert abs(math.hypot(cos, sin) - 1.0) <= 4.5e-16
    assert compiled(-angle) == (cos, -sin)


@pytest.mark.parametrize("eighths", range(-40, 41))
def test_eighths_of_a_turn_on_both_sides_of_a_change_of_quarter(eighths: int) -> None:
    for angle in (eighths * math.pi / 4, math.nextafter(eighths * math.pi / 4, math.inf)):
        expected = math.cos(angle), math.sin(angle)
        assert compiled(angle) == pytest.approx(expected, rel=0, abs=LAST_BITS)


def test_no_angle_has_no_turn() -> None:
    assert compiled(0.0) == (1.0, 0.0)


def test_far_angles_and_what_is_none_are_libm_s() -> None:
    assert compiled(3e8) == (math.cos(3e8), math.sin(3e8))
    assert all(math.isnan(each) for each in compiled(math.nan))


def test_a_quarter_turn_is_the_sum_of_its_parts() -> None:
    assert math.pi / 2 == HIGH + MIDDLE
    assert 0.0 < LOW < MIDDLE * 2**-30
