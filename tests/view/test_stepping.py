"""Fixed steps out of uneven frames."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics.view.stepping import FixedStep


def steps_of(stepping: FixedStep, elapsed: float) -> list[float]:
    made: list[float] = []
    stepping.advance(elapsed, made.append)
    return made


def test_a_frame_of_one_step_makes_one_step() -> None:
    stepping = FixedStep(0.01)
    assert steps_of(stepping, 0.01) == [0.01]
    assert stepping.alpha == pytest.approx(0.0)


def test_time_is_saved_until_it_is_enough() -> None:
    stepping = FixedStep(0.01)
    assert steps_of(stepping, 0.004) == []
    assert stepping.alpha == pytest.approx(0.4)
    assert steps_of(stepping, 0.004) == []
    assert steps_of(stepping, 0.004) == [0.01]
    assert stepping.alpha == pytest.approx(0.2)


def test_sixty_frames_a_second_are_sixty_steps_a_second() -> None:
    stepping = FixedStep(1.0 / 60.0)
    assert sum(stepping.advance(1.0 / 60.0, lambda dt: None) for _ in range(6000)) == 6000


@pytest.mark.parametrize("rate", [30, 60, 75, 144, 240])
def test_any_frame_rate_makes_as_many_steps_a_second(rate: int) -> None:
    stepping = FixedStep(1.0 / 60.0)
    made = sum(stepping.advance(1.0 / rate, lambda dt: None) for _ in range(10 * rate))
    assert abs(made - 600) <= 1


def test_a_stall_is_not_caught_up_with() -> None:
    stepping = FixedStep(0.01, max_steps=5)
    assert len(steps_of(stepping, 1.0)) == 5
    assert stepping.dropped == pytest.approx(0.95)
    assert len(steps_of(stepping, 0.01)) <= 2


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(0.0, 0.3), max_size=30), st.floats(0.001, 0.1), st.integers(1, 8))
def test_no_time_is_made_or_lost(frames: list[float], dt: float, max_steps: int) -> None:
    stepping = FixedStep(dt, max_steps)
    made = 0
    for elapsed in frames:
        count = stepping.advance(elapsed, lambda dt: None)
        assert count <= max_steps
        assert 0.0 <= stepping.alpha <= 1.0
        made += count
    total = made * dt + stepping.alpha * dt + stepping.dropped
    assert total == pytest.approx(sum(frames), abs=1e-9)


def test_paused_time_does_not_count() -> None:
    stepping = FixedStep(0.01)
    stepping.advance(0.005, lambda dt: None)
    stepping.paused = True
    assert steps_of(stepping, 3.0) == []
    assert stepping.alpha == pytest.approx(0.5)
    stepping.paused = False
    assert steps_of(stepping, 0.005) == [0.01]


def test_single_steps_while_paused() -> None:
    stepping = FixedStep(0.01)
    stepping.paused = True
    stepping.single_step()
    stepping.single_step()
    assert steps_of(stepping, 0.0) == [0.01, 0.01]
    assert stepping.alpha == 1.0
    assert steps_of(stepping, 1.0) == []


def test_dt_may_change_while_running() -> None:
    stepping = FixedStep(0.01)
    stepping.advance(0.005, lambda dt: None)
    stepping.dt = 0.02
    assert stepping.alpha == pytest.approx(0.5)
    assert steps_of(stepping, 0.01) == [0.02]


def test_a_broken_clock_is_ignored() -> None:
    stepping = FixedStep(0.01)
    for elapsed in (math.nan, math.inf, -1.0):
        assert steps_of(stepping, elapsed) == []
    assert steps_of(stepping, 0.01) == [0.01]


@pytest.mark.parametrize("dt", [0.0, -0.01, math.nan, math.inf])
def test_refused_time_steps(dt: float) -> None:
    with pytest.raises(ValueError, match="dt = "):
        FixedStep(dt)
    stepping = FixedStep(0.01)
    with pytest.raises(ValueError, match="dt = "):
        stepping.dt = dt
    assert stepping.dt == 0.01


def test_refused_backlogs() -> None:
    with pytest.raises(ValueError, match="max_steps = 0"):
        FixedStep(0.01, max_steps=0)
