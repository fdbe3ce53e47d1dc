"""Colouring contacts, cutting them into blocks of eight, and soft constraints."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics.kernels.blocks import (
    COLORS,
    FIRST_AT_REST,
    LANES,
    POINTS,
    color_contacts,
    fill_lanes,
    number_of,
    softness,
)
from ecs_physics.kernels.compile import warm_up
from ecs_physics.tables import DYNAMIC, KINEMATIC, STATIC

warm_up()

few = settings(max_examples=25, deadline=None)


def colored(pairs: list[tuple[int, int]], kinds: list[int]) -> tuple[np.ndarray, ...]:
    """Colours, first blocks of the colours, and lanes, of contacts between bodies."""
    count = len(pairs)
    colors, starts = np.zeros(max(count, 1), np.int32), np.zeros(COLORS + 1, np.int32)
    used = np.ones(len(kinds), np.uint32)
    moving = [[body if kinds[body] == DYNAMIC else -1 for body in pair] for pair in pairs]
    rows = np.full((count, 4), 99, np.int32)
    rows[:, :2] = np.array(moving, np.int32).reshape(-1, 2)
    rows[:, POINTS] = 1 + np.arange(count) % 3 % 2
    blocks = color_contacts(count, rows, used, colors, starts)
    lanes = np.full((blocks + 1, LANES), 99, np.int32)
    taken = np.full((2, COLORS), 99, np.int32)
    fill_lanes(count, rows, colors, starts, taken, lanes)
    assert (lanes[blocks:] == 99).all()
    lanes = lanes[:blocks]
    assert sorted(lanes[lanes >= 0].tolist()) == list(range(count))
    assert blocks == starts[COLORS]
    return colors[:count], starts, lanes


@st.composite
def crowds(draw) -> tuple[list[tuple[int, int]], list[int]]:
    kinds = draw(
        st.lists(
            st.sampled_from([STATIC, KINEMATIC, DYNAMIC, DYNAMIC, DYNAMIC]), min_size=2, max_size=12
        )
    )
    body = st.integers(0, len(kinds) - 1)
    pairs = draw(st.lists(st.tuples(body, body).filter(lambda p: p[0] != p[1]), max_size=80))
    return pairs, kinds


@few
@given(crowd=crowds())
def test_contacts_of_a_block_share_no_dynamic_body_and_each_has_one_lane(crowd: tuple) -> None:
    pairs, kinds = crowd
    colors, starts, lanes = colored(pairs, kinds)
    assert sorted(lanes[lanes >= 0].tolist()) == list(range(len(pairs)))
    for color in range(COLORS):
        blocks = lanes[starts[color] : starts[color + 1]]
        members = blocks[blocks >= 0].tolist()
        wanted = [k for k in range(len(pairs)) if colors[k] == color]
        if color < COLORS - 1:
            wanted.sort(key=lambda k: k % 3 != 1)  # those with two points first
        assert members == wanted, "else in order"
        if color == COLORS - 1:
            assert all((block >= 0).sum() == 1 for block in blocks), "one after the other"
            continue
        moving = [body for k in members for body in pairs[k] if kinds[body] == DYNAMIC]
        assert len(moving) == len(set(moving))
        assert len(blocks) == math.ceil(len(members) / LANES)


@few
@given(crowd=crowds())
def test_each_contact_gets_the_first_colour_that_its_bodies_have_not_used(crowd: tuple) -> None:
    pairs, kinds = crowd
    used: dict[int, set[int]] = {body: set() for body in range(len(kinds))}
    wanted = []
    for pair in pairs:
        moving = [body for body in pair if kinds[body] == DYNAMIC]
        first = 0 if len(moving) == 2 else FIRST_AT_REST
        taken = set().union(*(used[body] for body in moving))
        color = min(set(range(first, COLORS - 1)) - taken, default=COLORS - 1)
        wanted.append(color)
        for body in moving:
            used[body].add(color)
    assert colored(pairs, kinds)[0].tolist() == wanted


def test_each_bit_has_its_number() -> None:
    assert [number_of(1 << number) for number in range(32)] == list(range(32))


def test_a_floor_under_many_bodies_needs_one_colour() -> None:
    colors, _, lanes = colored([(0, k) for k in range(1, 101)], [STATIC] + [DYNAMIC] * 100)
    assert set(colors.tolist()) == {FIRST_AT_REST}
    assert len(lanes) == 13


def test_contacts_with_what_is_not_dynamic_are_solved_last() -> None:
    """A column on a floor, from below: the floor has the last word, not the first."""
    column = [(k, k + 1) for k in range(10)]
    colors, _, _ = colored(column, [STATIC] + [DYNAMIC] * 10)
    assert colors[0] > colors[1:].max()
    assert colored(column, [KINEMATIC] + [DYNAMIC] * 10)[0][0] == colors[0]


def test_a_body_with_more_contacts_than_colours_still_has_them_all() -> None:
    pairs = [(0, k) for k in range(1, 41)]
    colors, _, lanes = colored(pairs, [DYNAMIC] * 41)
    assert sorted(lanes[lanes >= 0].tolist()) == list(range(40))
    assert (colors == COLORS - 1).sum() == 40 - (COLORS - 1)


@few
@given(hertz=st.floats(1.0, 120.0), ratio=st.floats(0.1, 20.0), h=st.floats(1e-4, 0.05))
def test_softness_is_implicit_euler_of_a_damped_spring(
    hertz: float, ratio: float, h: float
) -> None:
    """v' = v - h (w^2 x' + 2 z w v') and x' = x + h v' for a unit mass, solved for the impulse.

    Catto's form: impulse = -mass_scale (v + rate x) - impulse_scale accumulated.
    """
    rate, mass_scale, impulse_scale = softness(hertz, ratio, h)
    omega = 2.0 * math.pi * hertz
    x, v = -0.01, -0.3
    after = (v - h * omega**2 * x) / (1.0 + h * (2.0 * ratio * omega + h * omega**2))
    assert v - mass_scale * (v + rate * x) == pytest.approx(after, rel=1e-9, abs=1e-12)
    assert mass_scale + impulse_scale == pytest.approx(1.0)


def test_the_impulse_scale_makes_repeated_solving_agree_with_one() -> None:
    """Solved again from what it has, a soft constraint does not change any more."""
    rate, mass_scale, impulse_scale = softness(30.0, 5.0, 1.0 / 240.0)
    x, v, total = -0.02, -1.0, 0.0
    impulses = []
    for _ in range(5):
        impulse = -mass_scale * (v + rate * x) - impulse_scale * total
        total += impulse
        v += impulse
        impulses.append(impulse)
    assert impulses[1:] == pytest.approx([0.0] * 4, abs=1e-12)
