"""Pairs of bodies that touch, against sets and counters."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ecs_physics.constants import LINEAR_SLOP
from ecs_physics.kernels.contact_events import (
    BEGINS,
    ENDS,
    HITS,
    PAIR,
    find_changes,
    meeting_speed,
    merge_changes,
    recount,
    take_off,
    write_begins,
    write_hits,
)
from ecs_physics.kernels.contact_order import LISTED
from ecs_physics.tables import BODY, CONTACT, DYNAMIC, FORCE, STATIC

BODIES = 9
ROWS = 40


def random_contacts(rng: np.random.Generator) -> NDArray[Any]:
    """Rows between a few bodies, several to a pair, none of which touches yet."""
    contacts = np.zeros(ROWS, CONTACT)
    for contact in contacts:
        contact["entity_a"], contact["entity_b"] = rng.choice(BODIES, 2, replace=False) + 1
    stir(contacts, rng)
    return contacts


def stir(contacts: NDArray[Any], rng: np.random.Generator) -> None:
    """Another step's points."""
    rows = len(contacts)
    contacts["count"] = rng.integers(0, 3, rows)
    contacts["disabled"] = rng.choice([0, 0, 0, 1, 2], rows)
    for point in range(2):
        contacts[f"separation_{point}"] = rng.choice([-0.001, 0.5, 1.5], rows) * LINEAR_SLOP
        contacts[f"total_normal_{point}"] = rng.choice([0.0, 0.0, 1.0], rows)


def naive_touches(contact: Any, was: bool) -> bool:
    if contact["disabled"]:
        return False
    return any(
        contact[f"total_normal_{point}"] > 0.0
        or contact[f"separation_{point}"] <= (LINEAR_SLOP if was else 0.0)
        for point in range(contact["count"])
    )


def naive_pairs(contacts: NDArray[Any]) -> Counter[tuple[int, int]]:
    touching = contacts[contacts["is_touching"] & ~contacts["is_sensor"]]
    return Counter(
        (int(min(each)), int(max(each))) for each in touching[["entity_a", "entity_b"]].tolist()
    )


def renewed(
    contacts: NDArray[Any], pairs: NDArray[Any]
) -> tuple[NDArray[Any], list[tuple[int, int]], list[tuple[int, int]]]:
    """The pairs after a step, the new ones and the old ones, by the kernels."""
    rows = len(contacts)
    changed = np.zeros(rows, np.int32)
    counts = np.zeros(4, np.int64)
    count = find_changes(rows, 1.0, contacts, changed, np.zeros(rows, np.int32), counts)
    assert counts[0] == np.count_nonzero(contacts["is_touching"] & ~contacts["is_sensor"])
    if counts[0] != pairs["rows"].sum():
        recount(rows, contacts, len(pairs), pairs)
    new, ended = np.zeros(len(pairs) + rows, PAIR), np.zeros(len(pairs) + rows, ENDS)
    begun, listed = np.zeros(rows, np.int32), np.zeros(rows, LISTED)
    merge_changes(count, changed, contacts, len(pairs), pairs, listed, new, begun, ended, counts)
    assert counts[3] == new["rows"][: counts[0]].sum()
    begins = np.zeros(counts[1], BEGINS)
    write_begins(counts[1], begun, contacts, np.zeros(1, BODY), begins)
    fields = ["entity_a", "entity_b"]
    return new[: counts[0]], begins[fields].tolist(), ended[: counts[2]][fields].tolist()


@pytest.mark.parametrize("seed", range(8))
def test_pairs_begin_and_end_as_sets_of_them_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    contacts = random_contacts(rng)
    pairs = np.zeros(0, PAIR)
    told: set[tuple[int, int]] = set()
    for _ in range(30):
        stir(contacts, rng)
        if rng.random() < 0.4:  # rows go, and others come in their places
            for row in rng.choice(ROWS, 5, replace=False):
                contacts[row]["is_touching"] = False
                contacts[row]["entity_a"], contacts[row]["entity_b"] = (
                    rng.choice(BODIES, 2, replace=False) + 1
                )
        expected = [naive_touches(each, bool(each["is_touching"])) for each in contacts]
        pairs, begins, ends = renewed(contacts, pairs)
        assert contacts["is_touching"].tolist() == expected
        now = naive_pairs(contacts)
        assert [tuple(each) for each in pairs.tolist()] == [
            (*pair, rows) for pair, rows in sorted(now.items())
        ]
        assert begins == sorted(set(now) - told)
        assert ends == sorted(told - set(now))
        told = set(now)


def test_sensors_are_left_alone_and_what_sleeps_keeps_its_state() -> None:
    contacts = np.zeros(3, CONTACT)
    contacts["entity_a"], contacts["entity_b"] = [1, 1, 2], [2, 3, 3]
    contacts["is_touching"] = True
    contacts["is_sensor"] = [True, False, False]
    contacts["is_asleep"] = [False, True, False]
    counts, changed = np.zeros(3, np.int64), np.zeros(3, np.int32)
    assert find_changes(3, 1.0, contacts, changed, np.zeros(3, np.int32), counts) == 1
    assert changed[0] == 2
    assert counts[0] == 2


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_begin_lies_on_the_surface_of_what_stands_still(is_turned: bool) -> None:
    bodies = np.zeros(2, BODY)
    bodies["kind"] = [STATIC, DYNAMIC]
    bodies["entity"] = [5, 6]
    bodies["y"] = [-1.0, 0.9]  # it has come down by .1 since the gap of .4 was found
    contacts = np.zeros(1, CONTACT)
    a, b = (1, 0) if is_turned else (0, 1)
    contacts["body_a"], contacts["body_b"] = a, b
    contacts["entity_a"], contacts["entity_b"] = bodies["entity"][[a, b]]
    contacts["count"] = 1
    contacts["normal_y"] = -1.0 if is_turned else 1.0
    contacts["separation_0"] = 0.4
    on_floor, on_ball = 1.2, -0.8  # half-way between the surfaces, at heights 0 and .4
    contacts["anchor_ay_0"], contacts["anchor_by_0"] = (
        (on_ball, on_floor) if is_turned else (on_floor, on_ball)
    )
    begins = np.zeros(1, BEGINS)
    write_begins(1, np.zeros(1, np.int32), contacts, bodies, begins)
    assert begins[0]["y"] == pytest.approx(0.0)
    assert begins[0]["normal_y"] == 1.0
    assert begins[["entity_a", "entity_b"]].tolist() == [(5, 6)]


def test_a_begin_shows_the_point_with_the_greater_impulse() -> None:
    contacts = np.zeros(1, CONTACT)
    contacts["count"] = 2
    contacts["anchor_ax_0"], contacts["anchor_bx_0"] = 1.0, 1.0
    contacts["anchor_ax_1"], contacts["anchor_bx_1"] = 2.0, 2.0
    contacts["total_normal_0"], contacts["total_normal_1"] = 0.1, 0.3
    begins = np.zeros(1, BEGINS)
    write_begins(1, np.zeros(1, np.int32), contacts, np.zeros(1, BODY), begins)
    assert begins[0]["x"] == 2.0


def test_what_may_hit_got_an_impulse_at_a_point_that_was_fast() -> None:
    contacts = np.zeros(6, CONTACT)
    contacts["count"] = [1, 1, 2, 2, 2, 1]
    contacts["approach_0"] = [3.0, 3.0, 3.0, 0.1, 0.1, 3.0]
    contacts["total_normal_0"] = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    contacts["approach_1"] = [0.0, 3.0, 0.1, 3.0, 3.0, 0.0]
    contacts["total_normal_1"] = [0.0, 1.0, 1.0, 1.0, 0.0, 0.0]
    contacts["disabled"] = [0, 0, 0, 0, 0, 1]
    counts, changed = np.zeros(3, np.int64), np.zeros(6, np.int32)
    hitting = np.zeros(6, np.int32)
    find_changes(6, 1.0, contacts, changed, hitting, counts)
    assert hitting[: counts[1]].tolist() == [0, 3]


def test_the_contacts_of_two_bodies_make_one_hit_and_slow_ones_none() -> None:
    contacts = np.zeros(4, CONTACT)
    contacts["entity_a"], contacts["entity_b"] = [1, 2, 1, 3], [2, 1, 3, 2]
    contacts["normal_x"] = 1.0
    contacts["count"] = [1, 2, 1, 1]
    contacts["approach_0"] = [2.0, 3.0, 0.9, 1.5]
    contacts["approach_1"] = [0.0, 5.0, 0.0, 0.0]
    contacts["total_normal_0"] = [0.5, 0.25, 1.0, 4.0]
    contacts["total_normal_1"] = [9.0, 0.125, 9.0, 9.0]
    contacts["anchor_ax_1"] = contacts["anchor_bx_1"] = 7.0
    hits = np.zeros(4, HITS)
    bodies, forces = np.zeros(1, BODY), np.zeros(1, FORCE)
    rows = np.arange(4, dtype=np.int32)
    listed = np.zeros(4, LISTED)
    assert write_hits(4, rows, 1.0, 0.01, contacts, bodies, forces, listed, hits) == 2
    first, second = hits[:2]
    assert first[["entity_a", "entity_b"]].tolist() == (1, 2)
    assert (first["speed"], first["impulse"]) == (5.0, 0.875)
    assert (first["x"], first["normal_x"]) == (7.0, -1.0)
    assert second[["entity_a", "entity_b", "speed", "impulse"]].tolist() == (2, 3, 1.5, 4.0)


@pytest.mark.parametrize("pull", [-9.81, 0.0, 9.81])
@pytest.mark.parametrize("gap", [0.0, 0.001, 0.12])
def test_the_speed_of_a_hit_is_that_at_the_end_of_the_gap(gap: float, pull: float) -> None:
    h, closing, left = 1e-5, 3.0, gap
    speed = closing
    while left > 0.0:  # symplectic Euler, as the step does it, in small steps
        speed += h * pull
        left -= h * speed
    assert meeting_speed(gap, closing, pull, h) == pytest.approx(speed, rel=1e-4)


def test_rows_that_are_lost_are_taken_off_their_pairs() -> None:
    pairs = np.zeros(3, PAIR)
    pairs["entity_a"], pairs["entity_b"] = [11, 12, 13], [14, 15, 15]
    pairs["rows"] = [2, 1, 1]
    take_off(3, np.array([[11, 14], [12, 15], [99, 100], [13, 15]]), 3, pairs)
    assert pairs["rows"].tolist() == [1, 0, 1]
