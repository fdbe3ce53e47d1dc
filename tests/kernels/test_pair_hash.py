"""Contacts that come, stay and go, against a dictionary that does the same."""

import hashlib
import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics.kernels.compile import JIT_OFF, warm_up
from ecs_physics.kernels.pair_hash import (
    EMPTY,
    LISTED,
    add_pairs,
    drop_pairs,
    drop_parts_of,
    rehash,
)
from ecs_physics.tables import BODY, CONTACT, PART, TRAITS

ROOT = Path(__file__).parents[2]
IDENTITY = ["part_a", "part_b", "body_a", "body_b", "entity_a", "entity_b"]


@pytest.fixture(autouse=True, scope="module")
def _ready():
    warm_up()


class World:
    """`n` parts, each the only one of its body, and the contacts between them."""

    def __init__(self, n, slots=64):
        self.n = n
        self.bodies = np.zeros(n, BODY)
        self.traits = np.zeros(n, TRAITS)
        self.bodies["entity"] = 1000 + np.arange(n)
        self.parts = np.zeros(n, PART)
        self.parts["body"] = np.arange(n)[::-1]
        self.searched = np.tile(np.float32([0, 0, 1, 1]), (n, 1))
        self.keys = np.full(slots, EMPTY, np.int64)
        self.rows = np.full(slots, -9, np.int32)
        self.contacts = np.full(slots // 2, 7, np.uint8).repeat(CONTACT.itemsize).view(CONTACT)
        self.count = 0

    def place(self, boxes):
        self.searched = np.array(boxes, np.float32)

    def add(self, pairs):
        pairs = np.array(pairs, np.int32).reshape(-1, 2)
        while self.count + len(pairs) > len(self.contacts):
            self.contacts = np.concatenate([self.contacts, self.contacts])
            self.keys = np.zeros(2 * len(self.keys), np.int64)
            self.rows = np.zeros(len(self.keys), np.int32)
            rehash(self.keys, self.rows, self.contacts, self.count)
        self.count = self.added(pairs)

    def added(self, pairs):
        return add_pairs(
            self.n,
            pairs,
            len(pairs),
            *self.scratch(len(pairs)),
            self.keys,
            self.rows,
            self.bodies,
            self.traits,
            self.parts,
            self.contacts,
            self.count,
        )

    def drop_apart(self):
        contacts = np.zeros_like(self.contacts)
        self.count = drop_pairs(
            self.n,
            self.parts,
            self.searched,
            *self.scratch(self.count),
            self.keys,
            self.rows,
            self.contacts,
            self.count,
            contacts,
        )
        self.contacts = contacts

    def scratch(self, size):
        """What sorting needs, with something left in it."""
        lists = np.full((2, size, 3), 5, np.int32)
        return np.full(self.n, 99, np.int32), *(each.view(LISTED)[:, 0] for each in lists)

    def drop_gone(self, gone):
        lost, lost_count = np.zeros((self.count, 2), np.int64), np.zeros(1, np.int64)
        chosen = np.full(self.count, 77, np.int32)
        self.count = drop_parts_of(
            gone, self.keys, self.rows, self.contacts, self.count, chosen, lost, lost_count
        )
        return lost[: lost_count[0]].tolist()

    @property
    def live(self):
        return self.contacts[: self.count]

    def pairs(self):
        return [(int(c["part_a"]), int(c["part_b"])) for c in self.live]

    def check_hash(self):
        """Each contact's key lies in one slot, reached from its home without a free one between."""
        filled = np.flatnonzero(self.keys != EMPTY)
        stored = {int(self.rows[s]): int(self.keys[s]) for s in filled}
        assert len(filled) == len(stored) == self.count
        assert stored == {row: a << 32 | b for row, (a, b) in enumerate(self.pairs())}
        known = np.array(self.pairs(), np.int32).reshape(-1, 2)
        assert self.added(known) == self.count, "a pair that is there was not found"


def overlapping(boxes):
    """All pairs (a < b) of boxes (n, 4) that overlap or touch."""
    return [
        (a, b)
        for a, b in combinations(range(len(boxes)), 2)
        if (boxes[a, :2] <= boxes[b, 2:]).all() and (boxes[b, :2] <= boxes[a, 2:]).all()
    ]


def squares(rng, n):
    centers = rng.uniform(0, 4, (n, 2))
    return np.hstack([centers - 0.5, centers + 0.5])


def test_a_new_contact_knows_its_parts_and_nothing_else():
    world = World(5)
    world.add([(1, 3), (0, 4)])
    first, second = world.live
    assert [int(first[name]) for name in IDENTITY] == [0, 4, 4, 0, 1004, 1000]
    assert [int(second[name]) for name in IDENTITY] == [1, 3, 3, 1, 1003, 1001]
    for name in CONTACT.names:
        if name not in IDENTITY:
            wanted = -1 if name.startswith("feature") else 0
            assert (world.live[name] == wanted).all(), name


def test_a_known_pair_keeps_its_contact():
    world = World(4)
    world.add([(0, 1), (1, 2)])
    world.contacts["normal_impulse_0"][:2] = [5.0, 6.0]
    world.add([(1, 2), (0, 2), (0, 1), (0, 2)])
    assert world.pairs() == [(0, 1), (1, 2), (0, 2)]
    assert world.live["normal_impulse_0"].tolist() == [5.0, 6.0, 0.0]


def test_new_contacts_are_in_order_whatever_the_order_of_the_pairs():
    pairs = list(combinations(range(12), 2))
    for seed in range(5):
        world = World(12, slots=256)
        world.add([(2, 7)])
        world.add(np.random.default_rng(seed).permutation(pairs))
        assert world.pairs() == [(2, 7), *(pair for pair in pairs if pair != (2, 7))]
        world.check_hash()


def test_contacts_that_stay_are_put_in_order():
    world = World(5)
    world.add([(3, 4)])
    world.add([(1, 2), (0, 4)])
    world.contacts["friction"][:3] = [34, 4, 12]
    world.drop_apart()
    assert world.pairs() == [(0, 4), (1, 2), (3, 4)]
    assert world.live["friction"].tolist() == [4, 12, 34]
    world.check_hash()


def test_only_the_first_n_pairs_are_added():
    world = World(4)
    pairs = np.array([(0, 1), (1, 2), (2, 3)], np.int32)
    rest = (world.keys, world.rows, world.bodies, world.traits, world.parts, world.contacts)
    world.count = add_pairs(4, pairs, 2, *world.scratch(2), *rest, 0)
    assert world.pairs() == [(0, 1), (1, 2)]


def test_touching_boxes_keep_their_contact_and_others_lose_it():
    world = World(3)
    world.add([(0, 1), (0, 2), (1, 2)])
    world.contacts["friction"][:3] = [1, 2, 3]
    world.place(np.array([[0, 0, 1, 1], [1, 1, 2, 2], [np.nextafter(np.float32(1), 2), 0, 2, 1]]))
    world.drop_apart()
    assert world.pairs() == [(0, 1), (1, 2)]
    assert world.live["friction"].tolist() == [1, 3]


@pytest.mark.parametrize("body", [-1, 2])
def test_a_part_that_left_its_body_loses_its_contacts(body):
    world = World(4)
    world.add([(0, 1), (0, 2), (2, 3)])
    world.parts["body"][0] = body
    world.drop_apart()
    assert world.pairs() == [(2, 3)]
    world.check_hash()


def test_the_last_contact_takes_the_place_of_one_that_goes():
    world = World(6)
    world.add([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)])
    world.live["is_touching"] = [True, True, False, True, True]
    gone = np.zeros(6, bool)
    gone[2] = True
    lost = world.drop_gone(gone)
    assert world.pairs() == [(0, 1), (3, 4), (4, 5)]
    assert lost == [[1003, 1004]]  # bodies are numbered backwards; 2 and 3 did not touch
    world.check_hash()
    world.drop_gone(np.ones(6, bool))
    assert world.count == 0
    assert (world.keys == EMPTY).all()


def test_a_full_run_of_slots_at_the_end_of_the_table():
    """Half the slots are filled over and over, so that runs wrap round the table's end."""
    rng = np.random.default_rng(3)
    world = World(2000, slots=16)
    for _ in range(150):
        starts = rng.choice(1000, 8, replace=False)
        world.add([(int(a), int(a) + int(rng.integers(1, 999))) for a in starts[: 8 - world.count]])
        world.check_hash()
        world.drop_gone(rng.random(2000) < 0.3)
        world.check_hash()
    assert len(world.keys) == 16


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 20))
@settings(deadline=None, max_examples=6 if JIT_OFF else 30)
def test_many_steps_agree_with_a_dictionary(seed, n):
    rng = np.random.default_rng(seed)
    world = World(n, slots=4)
    known = {}  # pair -> the mark that its contact carries
    mark = 0.0
    boxes = squares(rng, n)
    for _ in range(12):
        moved = rng.random(n) < 0.4
        boxes[moved] = squares(rng, n)[moved]
        world.place(boxes)
        world.drop_apart()
        meeting = overlapping(boxes)
        known = {pair: kept for pair, kept in known.items() if pair in meeting}
        rng.shuffle(meeting)
        world.add(meeting)
        for contact in world.live:
            pair = (int(contact["part_a"]), int(contact["part_b"]))
            if pair not in known:
                assert contact["rolling_impulse"] == 0
                mark += 1
                known[pair] = contact["rolling_impulse"] = mark
        if rng.random() < 0.3:
            gone = rng.random(n) < 0.2
            world.drop_gone(gone)
            known = {p: kept for p, kept in known.items() if not gone[list(p)].any()}
        found = dict(zip(world.pairs(), world.live["rolling_impulse"].tolist(), strict=True))
        assert len(found) == world.count
        assert found == known
        world.check_hash()


def story(slots):
    """A world after some steps of coming and going."""
    rng = np.random.default_rng(11)
    world = World(40, slots)
    for _ in range(10):
        boxes = squares(rng, 40)
        world.place(boxes)
        world.drop_apart()
        world.add(overlapping(boxes))
        world.drop_gone(rng.random(40) < 0.1)
    return world


def test_the_order_of_contacts_does_not_depend_on_the_table():
    assert story(64).pairs() == story(4096).pairs()


def test_neighbours_in_number_do_not_crowd_in_the_table():
    """Bodies that meet were often made one after the other: looking one up stays short."""
    side = 100
    number = np.arange(side * side).reshape(side, side)
    beside = np.column_stack([number[:, :-1].ravel(), number[:, 1:].ravel()])
    above = np.column_stack([number[:-1].ravel(), number[1:].ravel()])
    floor = np.column_stack([number[0], np.full(side, side * side)])
    world = World(side * side + 1, slots=1 << 16)
    world.add(np.vstack([beside, above, floor]))
    filled = world.keys != EMPTY
    edges = np.flatnonzero(np.diff(np.concatenate([[0], filled, [0]])))
    assert (edges[1::2] - edges[::2]).max() < 60  # longest run of filled slots


def digest():
    total = hashlib.sha256(repr(story(64).pairs()).encode())
    total.update(story(64).keys.tobytes())
    return total.hexdigest()


@pytest.mark.skipif(JIT_OFF, reason="this process has the JIT off already")
def test_the_same_contacts_in_the_same_slots_with_the_jit_off():
    run = subprocess.run(
        [sys.executable, __file__],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == digest()


if __name__ == "__main__":
    print(digest())
