"""Eight lanes against plain float32: bit for bit, compiled and with the JIT off."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba import types

from ecs_physics.kernels.compile import (
    JIT_OFF,
    inner,
    integer,
    kernel,
    reals2,
    reals32_2,
    reals32_3,
    table,
    warm_up,
)
from ecs_physics.kernels.lane_rows import (
    gather_integers,
    gather_reals,
    gather_rows,
    scatter_reals,
    scatter_velocities,
)
from ecs_physics.kernels.lanes import (
    LANES,
    load,
    maximum,
    minimum,
    splat,
    sqrt,
    store,
    where_positive,
)

ROOT = Path(__file__).parents[2]
A, B, C, OUT = range(4)
HALF = np.float32(0.5)
compiled_only = pytest.mark.skipif(JIT_OFF, reason="there is nothing compiled to look at")

# Each operation: what a kernel writes, and what one float32 number means by it.
ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATE, MAXIMUM, MINIMUM, CHOOSE, ROOT_OF, SPLAT, TWO_ROUNDINGS = (
    range(11)
)
MEANING = {
    ADD: lambda a, b, _c: a + b,
    SUBTRACT: lambda a, b, _c: a - b,
    MULTIPLY: lambda a, b, _c: a * b,
    DIVIDE: lambda a, b, _c: a / b,
    NEGATE: lambda a, _b, _c: -a,
    MAXIMUM: lambda a, b, _c: max(b, a),  # a if a > b else b
    MINIMUM: lambda a, b, _c: min(b, a),  # a if a < b else b
    CHOOSE: lambda a, b, c: b if a > 0 else c,
    ROOT_OF: lambda a, _b, _c: np.sqrt(a),
    SPLAT: lambda a, _b, _c: a * HALF,
    TWO_ROUNDINGS: lambda a, b, c: np.float32(np.float32(a * b) + c),
}


@kernel(types.void(integer, reals32_3))
def apply(operation, table):
    for block in range(table.shape[0]):
        a = load(table, block, A)
        b = load(table, block, B)
        c = load(table, block, C)
        if operation == ADD:
            out = a + b
        elif operation == SUBTRACT:
            out = a - b
        elif operation == MULTIPLY:
            out = a * b
        elif operation == DIVIDE:
            out = a / b
        elif operation == NEGATE:
            out = -a
        elif operation == MAXIMUM:
            out = maximum(a, b)
        elif operation == MINIMUM:
            out = minimum(a, b)
        elif operation == CHOOSE:
            out = where_positive(a, b, c)
        elif operation == ROOT_OF:
            out = sqrt(a)
        elif operation == SPLAT:
            out = a * splat(HALF)
        else:
            out = a * b + c
        store(table, block, OUT, out)


@inner
def pushed(vx, vy, omega, push):
    return vx + push, vy - push, omega * push


@kernel(types.void(reals32_2, types.int32[:, :, ::1], reals32_3))
def push_rows(bodies, rows, columns):
    """Gather both sides of each block, keep the columns seen, push the velocities, scatter."""
    for block in range(rows.shape[0]):
        for side in range(2):
            vx, vy, omega, d, e, f, g, h = gather_rows(bodies, rows, block, side)
            field = 8 * side
            store(columns, block, field, vx)
            store(columns, block, field + 1, vy)
            store(columns, block, field + 2, omega)
            store(columns, block, field + 3, d)
            store(columns, block, field + 4, e)
            store(columns, block, field + 5, f)
            store(columns, block, field + 6, g)
            store(columns, block, field + 7, h)
            vx, vy, omega = pushed(vx, vy, omega, h)
            scatter_velocities(bodies, rows, block, side, vx, vy, omega)


@pytest.fixture(autouse=True, scope="module")
def _ready():
    warm_up()
    with np.errstate(all="ignore"):
        yield


def numbers() -> np.ndarray:
    """A table of every triple of special values, then random ones of all sizes."""
    special = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.1754944e-38, 3.4e38, 1e-20]
    triples = np.array(np.meshgrid(special, special, special)).reshape(3, -1)
    random = np.random.default_rng(3)
    wild = random.normal(size=(3, 8000)) * 10.0 ** random.uniform(-30, 30, (3, 8000))
    tame = random.normal(size=(3, 8000))
    values = np.concatenate([triples, wild, tame], axis=1).astype(np.float32)
    table = np.zeros((values.shape[1] // LANES, 4, LANES), np.float32)
    table[:, :3] = values.reshape(3, -1, LANES).transpose(1, 0, 2)
    return table


def bits(values: np.ndarray) -> np.ndarray:
    """The bits of float32 numbers, with all NaNs alike."""
    return np.where(np.isnan(values), np.float32(np.nan), values).view(np.int32)


@pytest.mark.parametrize("operation", MEANING)
def test_an_operation_gives_in_each_lane_the_bits_of_float32(operation):
    table = numbers()
    apply(operation, table)
    flat = table.transpose(1, 0, 2).reshape(4, -1)
    expected = [MEANING[operation](a, b, c) for a, b, c in flat[:3].T]
    np.testing.assert_array_equal(bits(flat[OUT]), bits(np.array(expected, np.float32)))


def test_rows_are_gathered_as_columns_and_only_velocities_are_scattered():
    random = np.random.default_rng(4)
    before = random.normal(size=(200, 8)).astype(np.float32)
    rows = random.permutation(160).astype(np.int32).reshape(10, 2, LANES)
    bodies, columns = before.copy(), np.zeros((10, 16, LANES), np.float32)
    push_rows(bodies, rows, columns)

    np.testing.assert_array_equal(
        columns.reshape(10, 2, 8, LANES), before[rows].transpose(0, 1, 3, 2)
    )
    expected = before.copy()
    moved = rows.ravel()
    push = before[moved, 7]
    expected[moved, 0] += push
    expected[moved, 1] -= push
    expected[moved, 2] *= push
    expected[moved, 3] = 0  # nobody uses it
    np.testing.assert_array_equal(bits(bodies), bits(expected))


@kernel(types.void(reals2, types.int32[:, :, ::1], integer, reals32_3))
def gather_all(numbers, rows, column, columns):
    for block in range(rows.shape[0]):
        a, b, c, d = gather_reals(numbers, rows, block, 1, column)
        store(columns, block, 0, a)
        store(columns, block, 1, b)
        store(columns, block, 2, c)
        store(columns, block, 3, d)


def test_four_float64_columns_are_gathered_and_rounded():
    random = np.random.default_rng(5)
    numbers = random.normal(size=(50, 7)) * 10.0 ** random.uniform(-30, 30, (50, 7))
    rows = random.integers(0, 50, (6, 2, LANES)).astype(np.int32)
    for column in range(4):
        columns = np.zeros((6, 4, LANES), np.float32)
        gather_all(numbers, rows, column, columns)
        wanted = numbers[rows[:, 1], column : column + 4].transpose(0, 2, 1).astype(np.float32)
        np.testing.assert_array_equal(bits(columns), bits(wanted))


FIELDED = np.dtype(
    [("kind", "i4"), ("points", "i4"), ("a", "f8"), ("b", "f8"), ("c", "f8"), ("d", "f8")],
    align=True,
)
POINTS = 1  # column of four bytes


@kernel(types.void(table(FIELDED), types.int32[:, :, ::1], reals32_3))
def turn_round(rows_of_fields, rows, columns):
    """Put the four numbers of rows into the opposite order, and keep the points seen."""
    for block in range(rows.shape[0]):
        a, b, c, d = gather_reals(rows_of_fields, rows, block, 1, 1)
        scatter_reals(rows_of_fields, rows, block, 1, 1, d, c, b, a)
        store(columns, block, 0, gather_integers(rows_of_fields, rows, block, 1, POINTS))


def test_columns_of_a_table_of_fields_are_gathered_and_scattered():
    random = np.random.default_rng(6)
    before = np.zeros(60, FIELDED)
    for name in "abcd":
        before[name] = random.normal(size=60)
    before["kind"], before["points"] = 7, random.integers(-(2**31), 2**31, 60)
    rows = random.permutation(48).astype(np.int32).reshape(3, 2, LANES)
    after, columns = before.copy(), np.zeros((3, 1, LANES), np.float32)
    turn_round(after, rows, columns)
    expected = before.copy()
    turned = rows[:, 1].ravel()
    for name, other in zip("abcd", "dcba", strict=True):
        expected[name][turned] = before[other][turned].astype(np.float32)
    assert (after == expected).all(), "the other rows and fields are as they were"
    assert (columns[:, 0] == before["points"][rows[:, 1]].astype(np.float32)).all()


def test_the_last_of_lanes_that_name_the_same_row_counts():
    bodies = np.zeros((9, 8), np.float32)
    bodies[:, 0] = np.arange(9)
    bodies[:, 7] = 1
    rows = np.full((1, 2, LANES), 8, np.int32)
    rows[0, 0, 2:5] = [0, 1, 2]
    push_rows(bodies, rows, np.zeros((1, 16, LANES), np.float32))
    assert bodies[:, 0].tolist() == [1, 2, 3, 3, 4, 5, 6, 7, 10]


def test_arrays_are_read_where_they_are_not_aligned_to_a_vector():
    memory = np.arange(4 * LANES + 1, dtype=np.float32)
    table = memory[1:].reshape(1, 4, LANES)
    apply(ADD, table)
    assert table[0, OUT].tolist() == [1 + k + 9 + k for k in range(LANES)]


@compiled_only
@pytest.mark.parametrize(
    "array",
    [
        np.zeros((2, 4, LANES)),
        np.zeros((2, 4, 2 * LANES), np.float32)[:, :, ::2],
        np.zeros((8, LANES), np.float32),
    ],
    ids=["float64", "strided", "two dimensions"],
)
def test_arrays_that_cannot_hold_lanes_are_refused_when_compiling(array):
    with pytest.raises(numba.errors.TypingError, match="load"):
        numba.njit(lambda given: store(given, 0, 0, load(given, 0, 1)))(array)


def test_numbers_do_not_mix_with_lanes_unless_they_are_splat():
    table = np.ones((1, 4, LANES), np.float32)
    halve = inner(lambda given: store(given, 0, OUT, load(given, 0, A) * splat(0.5)))
    halve(table)
    assert table[0, OUT].tolist() == [0.5] * LANES


def in_another_process(code: str, **environment: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip().splitlines()[-1]


LOADED_AS_A_MODULE = f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location("test_lanes", {str(Path(__file__))!r})
tests = importlib.util.module_from_spec(spec)
sys.modules["test_lanes"] = tests
spec.loader.exec_module(tests)
import numpy as np
from ecs_physics.kernels.compile import compile_module
compile_module("test_lanes")
"""


@compiled_only
def test_another_process_takes_the_kernels_from_the_cache():
    code = LOADED_AS_A_MODULE + "print(sum(tests.push_rows.stats.cache_hits.values()))"
    assert in_another_process(code) == "1"


@compiled_only
def test_under_the_debug_switch_a_wrong_row_raises():
    code = LOADED_AS_A_MODULE + (
        "rows = np.full((1, 2, 8), 3, np.int32)\n"
        "rows[0, 1, 7] = 9\n"
        "try: tests.push_rows(np.zeros((9, 8), np.float32), rows, np.zeros((1, 16, 8), 'f4'))\n"
        "except IndexError as error: print('refused:', error)"
    )
    assert in_another_process(code, ECS_PHYSICS_BOUNDSCHECK="1").startswith("refused:")


@compiled_only
@pytest.mark.parametrize("wrong", ["rows[0, 1, 7] = 9", "rows[0, 1, 7] = -1"])
def test_under_the_debug_switch_a_wrong_row_of_fields_raises(wrong):
    code = LOADED_AS_A_MODULE + (
        "rows = np.full((1, 2, 8), 3, np.int32)\n"
        f"{wrong}\n"
        "given = np.zeros(9, tests.FIELDED).view(np.recarray)\n"
        "try: tests.turn_round(given, rows, np.zeros((1, 1, 8), 'f4'))\n"
        "except IndexError as error: print('refused:', error)"
    )
    assert in_another_process(code, ECS_PHYSICS_BOUNDSCHECK="1").startswith("refused:")


@compiled_only
def test_all_of_this_holds_with_the_jit_off():
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(Path(__file__))],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout
