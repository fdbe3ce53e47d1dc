"""Four numbers as one against plain float64: bit for bit, compiled and with the JIT off."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numba import types

from ecs_physics.kernels.compile import integer, kernel, reals2, reals32_2, table, warm_up
from ecs_physics.kernels.lanes import maximum, minimum
from ecs_physics.kernels.quads import (
    box_of,
    boxes_meet,
    four,
    number,
    read_four,
    swapped,
    write_four,
)
from ecs_physics.tables import BODY, PART, column_of

ROOT = Path(__file__).parents[2]
POSE = column_of(BODY, "x")
BOX = column_of(PART, "swept_lower_x")
few = settings(max_examples=40, deadline=None)
quads_of = arrays(np.float64, (2, 4), elements=st.floats(-1e150, 1e150))
corners = st.floats(-3.0, 3.0) | st.sampled_from([0.0, 1.0, np.nan, np.inf])

# Each operation: what a kernel writes, and what one float64 number means by it.
MEANING = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: max(b, a),  # a if a > b else b
    lambda a, b: min(b, a),
    lambda a, b: a * b + a,  # two roundings
]


@kernel(types.void(integer, reals2))
def apply(operation, numbers):
    a = read_four(numbers, 0, 0)
    b = read_four(numbers, 1, 0)
    if operation == 0:
        out = a + b
    elif operation == 1:
        out = a - b
    elif operation == 2:
        out = a * b
    elif operation == 3:
        out = maximum(a, b)
    elif operation == 4:
        out = minimum(a, b)
    else:
        out = a * b + a
    write_four(numbers, 2, 0, out)


@kernel(types.void(reals2, reals32_2))
def mix(numbers, floats):
    write_four(floats, 0, 3, read_four(numbers, 0, 1))
    write_four(numbers, 1, 0, read_four(floats, 0, 3))
    own = swapped(read_four(numbers, 0, 0))
    write_four(numbers, 2, 2, four(number(own, 3), number(own, 2), 0.5, 2))
    write_four(floats, 1, 1, box_of(read_four(numbers, 0, 0), own))


@kernel(types.void(table(BODY)))
def turn_round(bodies):
    for row in range(bodies.shape[0]):
        pose = read_four(bodies, row, POSE)
        write_four(bodies, row, POSE, pose + four(1.0, 2.0, 3.0, 0.0))


@kernel(types.boolean(table(PART)))
def meet(parts):
    return boxes_meet(read_four(parts, 0, BOX), read_four(parts, 1, BOX))


warm_up()


@few
@given(numbers=quads_of, operation=st.integers(0, len(MEANING) - 1))
def test_each_place_is_what_one_number_would_be(numbers: np.ndarray, operation: int) -> None:
    held = np.vstack([numbers, np.zeros(4)])
    apply(operation, held)
    with np.errstate(over="ignore", invalid="ignore"):
        wanted = [MEANING[operation](a, b) for a, b in numbers.T]
    assert held[2].tobytes() == np.array(wanted).tobytes()


def test_numbers_are_read_and_written_where_they_lie() -> None:
    numbers = np.arange(18.0).reshape(3, 6) + 1e-9
    floats = np.full((2, 8), -1.0, np.float32)
    mix(numbers, floats)
    rounded = np.array([1, 2, 3, 4], np.float32)
    corners = np.array([1e-9, 1, 1, 1e-9], np.float32)  # the second one is at (1, 0)
    assert floats.tolist() == [[-1, -1, -1, 1, 2, 3, 4, -1], [-1, *corners, -1, -1, -1]]
    assert numbers[1, :4].tolist() == rounded.tolist()
    assert numbers[1, 4:].tolist() == [10 + 1e-9, 11 + 1e-9]
    assert numbers[2].tolist() == [12 + 1e-9, 13 + 1e-9, 2 + 1e-9, 3 + 1e-9, 0.5, 2.0]


def test_a_table_with_fields_is_seen_as_numbers() -> None:
    bodies = np.zeros(3, BODY)
    bodies["x"], bodies["y"], bodies["angle"] = [1, 2, 3], [4, 5, 6], [7, 8, 9]
    bodies["start_angle"], bodies["entity"], bodies["inverse_mass_x"] = 0.5, 77, 0.25
    wanted = bodies.copy()
    wanted["x"] += 1.0
    wanted["y"] += 2.0
    wanted["angle"] += 3.0
    turn_round(bodies)
    assert bodies.tolist() == wanted.tolist()


@few
@given(box=st.tuples(*[corners] * 8))
def test_boxes_meet_where_both_their_sides_do(box: tuple) -> None:
    parts = np.zeros(2, PART)
    names = ("lower_x", "lower_y", "upper_x", "upper_y")
    for k, name in enumerate(names):
        parts[f"swept_{name}"] = box[k], box[4 + k]
    a, b = (dict(zip(names, box[4 * k :], strict=False)) for k in (0, 1))
    wanted = all(
        one[f"lower_{axis}"] <= other[f"upper_{axis}"]
        for axis in "xy"
        for one, other in ((a, b), (b, a))
    )
    assert meet(parts) == wanted


@pytest.mark.parametrize("switch", ["NUMBA_DISABLE_JIT", "ECS_PHYSICS_BOUNDSCHECK"])
def test_a_debug_switch_changes_nothing(switch: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-k", "not debug_switch", __file__],
        env={**os.environ, switch: "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-2000:]


def test_with_the_debug_switch_four_numbers_outside_a_table_are_refused() -> None:
    program = """
import numpy as np
from tests.kernels.test_quads import *
try:
    mix(np.zeros((3, 5)), np.zeros((2, 8), np.float32))
except IndexError as error:
    print(error)
"""
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "ECS_PHYSICS_BOUNDSCHECK": "1", "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "outside their table" in run.stdout, run.stderr
