"""Velocities within a step: their mean is what was asked for, and they go over evenly."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.kinematic_ramps import RAMP, begin_ramps, end_ramps
from ecs_physics.tables import BODY, FORCE, KINEMATIC, VELOCITY

warm_up()
FIELDS = ("x", "y", "omega")
ACCELERATIONS = ("x", "y", "torque")


class Carrier:
    """One kinematic body, driven through steps as the step's kernels do it."""

    def __init__(self, substeps: int, dt: float) -> None:
        self.substeps, self.h = substeps, dt / substeps
        self.bodies, self.ramps = np.zeros(1, BODY), np.zeros(1, RAMP)
        self.forces, self.velocities = np.zeros(1, FORCE), np.zeros(1, VELOCITY)
        self.bodies["kind"], self.bodies["entity"] = KINEMATIC, 7
        self.rows = np.zeros(1, np.int64)

    def step(self, asked: tuple[float, float, float]) -> list[tuple[float, ...]]:
        """The velocities in the substeps of a step with this velocity."""
        for field, value in zip(FIELDS, asked, strict=True):
            self.velocities[field] = value
        begin_ramps(
            1,
            self.rows,
            self.h,
            self.substeps,
            self.bodies,
            self.ramps,
            self.forces,
            self.velocities,
        )
        seen = []
        for _ in range(self.substeps):
            for field, acceleration in zip(FIELDS, ACCELERATIONS, strict=True):
                self.velocities[field] += self.h * self.forces[acceleration]
            seen.append(tuple(float(self.velocities[field][0]) for field in FIELDS))
        end_ramps(1, self.rows, self.bodies, self.ramps, self.velocities)
        assert tuple(float(self.velocities[field][0]) for field in FIELDS) == asked
        return seen


def naive_rise(values: list[float]) -> float:
    """By how much a velocity goes over in the last of some steps."""
    if len(values) < 3:
        return 0.0
    last, before = values[-1] - values[-2], values[-2] - values[-3]
    return min((last, before), key=abs) if last * before > 0.0 else 0.0


@given(
    st.lists(st.tuples(*[st.floats(-50.0, 50.0)] * 3), min_size=1, max_size=8), st.integers(1, 8)
)
def test_the_mean_is_what_was_asked_for(path: list[tuple[float, float, float]], n: int) -> None:
    carrier = Carrier(n, 1.0 / 60.0)
    for k, asked in enumerate(path):
        seen = carrier.step(asked)
        for axis in range(3):
            substeps = [each[axis] for each in seen]
            assert math.isclose(sum(substeps) / n, asked[axis], abs_tol=1e-10)
            rise = naive_rise([each[axis] for each in path[: k + 1]])
            assert np.allclose(np.diff(substeps), rise / n, rtol=0.0, atol=1e-10)


@pytest.mark.parametrize("n", [1, 4, 7])
def test_along_a_parabola_it_goes_over_without_a_jump(n: int) -> None:
    carrier = Carrier(n, 1.0 / 60.0)
    seen = [each[0] for k in range(9) for each in carrier.step((0.25 * k, 0.0, 0.0))][2 * n :]
    assert np.allclose(np.diff(seen), 0.25 / n, rtol=0.0, atol=1e-12)


def test_a_row_that_another_body_has_got_begins_anew() -> None:
    carrier = Carrier(4, 1.0 / 60.0)
    for k in range(3):
        carrier.step((1.0 * k, 0.0, 0.0))
    carrier.bodies["entity"] = 8
    assert {each[0] for each in carrier.step((3.0, 0.0, 0.0))} == {3.0}


def test_a_velocity_that_is_written_within_the_step_stays() -> None:
    carrier = Carrier(4, 1.0 / 60.0)
    for k in range(3):
        carrier.step((1.0 * k, 0.0, 0.0))
    carrier.velocities["x"] = 9.0
    end_ramps(1, carrier.rows, carrier.bodies, carrier.ramps, carrier.velocities)
    assert carrier.velocities["x"] == 9.0
