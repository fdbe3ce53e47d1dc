"""Pairs from the grid against all pairs compared one by one."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics.kernels import hash_grid
from ecs_physics.kernels.compile import JIT_OFF, warm_up
from ecs_physics.kernels.few_moved import FEW_MOVED, MORE_NEAR
from ecs_physics.kernels.hash_grid import end_search, find_pairs
from ecs_physics.tables import BODY, DYNAMIC, KINEMATIC, PART, STATIC, TRAITS
from ecs_physics.traits import NO_TRAITS

ROOT = Path(__file__).parents[2]
FAT = ["fat_lower_x", "fat_lower_y", "fat_upper_x", "fat_upper_y"]


@pytest.fixture(autouse=True, scope="module")
def _ready():
    warm_up()
    with np.errstate(all="ignore"):
        yield


class Scene:
    """Boxes (n, 4) as parts of bodies, all dynamic and moved unless said otherwise.

    Those that have moved were never searched for before, unless `old` (n, 4) says where.
    """

    def __init__(self, boxes, *, bodies_of=None, kinds=None, moved=True, old=np.nan):
        boxes = np.atleast_2d(np.asarray(boxes, float))
        n = len(boxes)
        self.n = n
        self.bodies = np.zeros(max(n, 1), BODY)
        self.bodies["kind"] = DYNAMIC
        if kinds is not None:
            self.bodies["kind"][:n] = kinds
        self.traits = np.repeat(np.array([NO_TRAITS.row(0)], TRAITS), len(self.bodies))
        self.excluded = np.zeros(0, np.int64)
        self.parts = np.zeros(n, PART)
        self.parts["body"] = np.arange(n) if bodies_of is None else bodies_of
        self.parts["moved"] = moved
        for k, name in enumerate(FAT):
            self.parts[name] = boxes[:, k]
        self.old = np.broadcast_to(np.asarray(old, np.float32), (n, 4))

    def searched(self):
        """The boxes that each part was last searched with."""
        is_new = self.parts["moved"] | (self.parts["body"] < 0)
        boxes = np.column_stack([self.parts[name] for name in FAT])
        return np.ascontiguousarray(np.where(is_new[:, None], self.old, boxes))

    def find(self, *, room=50_000, bucket_count=None):
        """Pairs found, in their order, and how many there are."""
        if bucket_count is None:
            bucket_count = max(1 << max(0, self.n - 1).bit_length(), hash_grid.FEWEST_BUCKETS)
        pairs = np.full((room + 1, 2), -7, np.int32)
        near = np.full(self.n + MORE_NEAR + 20, -7, np.int32)
        found = find_pairs(
            self.n,
            self.bodies,
            self.traits,
            self.excluded,
            self.parts,
            self.searched(),
            np.full(bucket_count + 1, 99, np.int32),
            np.zeros(self.n, hash_grid.PLACE),
            np.zeros(self.n, hash_grid.BOX),
            np.zeros(hash_grid.LEVELS, hash_grid.LEVEL),
            np.zeros(self.n, np.int32),
            near,
            pairs[:room],
        )
        assert (near[self.n + MORE_NEAR :] == -7).all()
        assert (pairs[min(found, room) :] == -7).all()  # nothing behind the pairs is touched
        return pairs[: min(found, room)], found

    def all_pairs(self):
        """The same by comparing all with all."""
        meet = overlaps(np.column_stack([self.parts[name] for name in FAT]))
        meet &= ~overlaps(self.searched())
        body, moved = self.parts["body"], self.parts["moved"]
        meet &= (body >= 0) & (body >= 0)[:, None] & (body[:, None] != body)
        dynamic = self.bodies["kind"][body] == DYNAMIC
        meet &= dynamic[:, None] | dynamic
        meet &= moved[:, None] | moved
        group = self.traits["group"][body]
        meet &= ~((group < 0) & (group[:, None] == group))
        return {(int(a), int(b)) for a, b in np.argwhere(meet) if a < b}


def overlaps(boxes):
    """(n, n), which of the boxes overlap or touch which."""
    lower, upper = boxes[:, :2], boxes[:, 2:]
    meet = (lower[:, None] <= upper) & (lower <= upper[:, None])
    return meet.all(axis=2)


def check(scene):
    pairs, found = scene.find()
    as_tuples = [(int(a), int(b)) for a, b in pairs]
    assert len(as_tuples) == found
    assert len(set(as_tuples)) == found, "a pair came twice"
    assert set(as_tuples) == scene.all_pairs()
    return sorted(as_tuples)


def squares(centers, half):
    centers = np.asarray(centers, float)
    half = np.broadcast_to(np.reshape(half, (-1, 1)), (len(centers), 1))
    return np.hstack([centers - half, centers + half])


def grains(rng, n):
    """Like sizes, close together."""
    return squares(rng.uniform(0, np.sqrt(n), (n, 2)), rng.uniform(0.4, 0.7, n))


def all_sizes(rng, n):
    """1 mm to 100 km, thin ones too."""
    half = 10.0 ** rng.uniform(-3.3, 4.7, (n, 2))
    centers = rng.uniform(-1, 1, (n, 2)) * 10.0 ** rng.uniform(-2, 5.5, (n, 1))
    return np.hstack([centers - half, centers + half])


def clusters(rng, n):
    """Heaps of boxes far from the origin and from each other, with one floor below."""
    heaps = rng.uniform(-1e7, 1e7, (4, 2))
    centers = heaps[rng.integers(4, size=n)] + rng.normal(0, 2, (n, 2))
    boxes = squares(centers, 10.0 ** rng.uniform(-2, 0.5, n))
    boxes[0] = [-2e7, heaps[0, 1] - 1, 2e7, heaps[0, 1]]
    return boxes


def lattice(rng, n):
    """Boxes that touch in edges and corners, their numbers exact."""
    size = 2.0 ** rng.integers(-3, 3, n)
    lower = rng.integers(-4, 4, (n, 2)) * size[:, None]
    return np.hstack([lower, lower + size[:, None]])


def one_spot(rng, n):
    return squares(rng.normal(0, 1e-3, (n, 2)), rng.uniform(0.1, 3, n))


def world_of_grains_and_planks(rng, n):
    """Many small ones and some planks thousands of them long."""
    boxes = squares(rng.uniform(0, 300, (n, 2)), 0.3)
    plank = rng.random(n) < 0.2
    boxes[plank, 2] += rng.uniform(10, 300, plank.sum())
    return boxes


SCENES = [grains, all_sizes, clusters, lattice, one_spot, world_of_grains_and_planks]


def random_scene(make, seed, n):
    """Boxes in compounds and free rows, of all kinds, of which some, few or all have moved."""
    rng = np.random.default_rng(seed)
    bodies_of = np.where(rng.random(n) < 0.3, rng.integers(n, size=n), np.arange(n))
    bodies_of = np.where(rng.random(n) < 0.1, -1, bodies_of)
    kinds = rng.choice([STATIC, KINEMATIC, DYNAMIC], n, p=[0.2, 0.1, 0.7])
    moved = rng.random(n) < rng.choice([0.0, 0.02, 0.3, 0.7, 1.0])
    boxes = make(rng, n)
    shift = rng.normal(0.0, 1.0, (n, 1)) * (boxes[:, 2:] - boxes[:, :2])
    old = np.where(rng.random((n, 1)) < 0.5, np.nan, boxes + np.hstack([shift, shift]))
    return Scene(boxes, bodies_of=bodies_of, kinds=kinds, moved=moved, old=old)


@pytest.mark.parametrize("make", SCENES)
@settings(deadline=None, max_examples=12 if JIT_OFF else 60)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 60 if JIT_OFF else 300))
def test_it_finds_what_comparing_all_with_all_finds(make, seed, n):
    check(random_scene(make, seed, n))


@given(
    seed=st.integers(0, 2**32 - 1),
    make=st.sampled_from(SCENES),
    groups=st.sampled_from([[-1], [-2, -1], [-1, 0], [-1, -1, -1, -1, -1, 1]]),
)
@settings(deadline=None, max_examples=8 if JIT_OFF else 80)
def test_bodies_of_one_negative_group_make_no_pair(seed, make, groups):
    scene = random_scene(make, seed, 60)
    size = scene.parts["fat_upper_x"] - scene.parts["fat_lower_x"]
    by_size = np.argsort(size)[np.arange(60) // 10 * 10]  # so that whole levels are of one group
    scene.traits["group"] = np.resize(groups, 60)[by_size]
    check(scene)


@given(seed=st.integers(0, 2**32 - 1), make=st.sampled_from(SCENES))
@settings(deadline=None, max_examples=8 if JIT_OFF else 40)
def test_pairs_do_not_depend_on_the_number_of_buckets_or_on_old_contents(seed, make):
    n = 60 if JIT_OFF else 200
    scene = random_scene(make, seed, n)
    pairs, _ = scene.find(bucket_count=256)
    for bucket_count in (512, 4096):
        again, _ = scene.find(bucket_count=bucket_count)
        assert sorted(again.tolist()) == sorted(pairs.tolist())


@given(seed=st.integers(0, 2**32 - 1), make=st.sampled_from(SCENES), few=st.integers(0, 20))
@settings(deadline=None, max_examples=8 if JIT_OFF else 80)
def test_a_few_that_have_moved(seed, make, few):
    """Those that are compared with all, and a few more."""
    scene = random_scene(make, seed, 60)
    rng = np.random.default_rng(seed)
    scene.parts["moved"] = np.isin(np.arange(60), rng.choice(60, few, replace=False))
    check(scene)


def test_a_few_that_have_moved_where_all_are_near_all():
    """Those that have moved are twice in the list of what is near, and it must be long enough."""
    boxes = np.tile([0.0, 0.0, 1.0, 1.0], (64, 1))
    for few in range(FEW_MOVED + 3):
        check(Scene(boxes, moved=np.arange(64) < few, old=[0, 0, 1, 1]))


def test_a_pair_that_overlapped_before_is_not_found_again():
    box, far = [0.0, 0.0, 1.0, 1.0], [5.0, 0.0, 6.0, 1.0]
    assert check(Scene([box, box], old=[box, box])) == []
    assert check(Scene([box, box], old=[box, far])) == [(0, 1)]
    assert check(Scene([box, box], old=[far, box], moved=[True, False])) == [(0, 1)]


def test_end_search_notes_the_boxes_of_those_that_have_moved():
    """A free row's old box must not be taken for that of the next part in it."""
    boxes = [[0, 0, 1, 1], [2, 0, 3, 1], [4, 0, 5, 1]]
    scene = Scene(boxes, moved=[True, False, True], bodies_of=[0, 1, -1])
    searched = np.full((3, 4), 7, np.float32)
    end_search(3, scene.parts, searched)
    assert searched.tolist() == [[0, 0, 1, 1], [7, 7, 7, 7], [7, 7, 7, 7]]
    assert not scene.parts["moved"][:2].any()


@pytest.mark.parametrize("moved", [True, False])
def test_a_row_of_cells_that_goes_round_the_end_of_the_buckets(moved):
    """64 boxes side by side in 64 buckets: some row begins in the last one."""
    x = np.arange(64.0)
    boxes = np.column_stack([x, 0 * x, x + 0.99, 0 * x + 0.99])
    for shift in range(70):
        scene = Scene(np.roll(boxes + shift * np.array([1, 0, 1, 0]), 5, axis=0))
        scene.parts["fat_upper_x"] += 0.5
        scene.parts["moved"] = moved | (np.arange(64) % 3 == 0)
        check(scene)


def test_a_search_that_is_wider_than_all_buckets_finds_no_pair_twice():
    """A thin plank that moves over grains in one row of about 75 cells, which 64 buckets hold."""
    x = 0.6 * np.arange(43)
    grains = np.column_stack([x, 0 * x + 0.1, x + 0.4, 0 * x + 0.5])
    dust = squares(np.column_stack([np.arange(20.0), np.full(20, -50.0)]), 0.01)
    for shift in range(8):
        plank = [shift, 0.45, shift + 18.0, 0.48]
        moved = np.arange(64) >= 43
        assert check(Scene(np.vstack([grains, plank, dust]), moved=moved))


def test_touching_counts_and_a_gap_does_not():
    assert check(Scene([[0, 0, 1, 1], [1, 1, 2, 2]])) == [(0, 1)]
    assert check(Scene([[0, 0, 1, 1], [np.nextafter(np.float32(1), 2), 0, 2, 1]])) == []


def test_boxes_that_touch_though_their_size_is_rounded_down():
    """The second box is a hair wider than its width as a float says."""
    check(Scene([[1, 0, 2, 1], [-1e-20, 0, 1, 1]] + [[50 + k, 0, 51 + k, 1] for k in range(9)]))


def test_who_makes_no_pair():
    box = [0.0, 0.0, 1.0, 1.0]
    assert check(Scene([box, box], bodies_of=[0, 0])) == []
    assert check(Scene([box, box], bodies_of=[0, -1])) == []
    assert check(Scene([box, box], kinds=[STATIC, KINEMATIC])) == []
    assert check(Scene([box, box], kinds=[STATIC, DYNAMIC])) == [(0, 1)]
    assert check(Scene([box, box], kinds=[DYNAMIC, KINEMATIC])) == [(0, 1)]
    assert check(Scene([box, box], moved=False)) == []
    assert check(Scene([box, box], moved=[False, True])) == [(0, 1)]


def test_no_parts_at_all():
    pairs, found = Scene(np.empty((0, 4))).find()
    assert found == 0
    assert len(pairs) == 0


@pytest.mark.parametrize("floor_moved", [True, False])
def test_a_floor_200_km_wide_at_100_km(floor_moved):
    x = 1e5 + np.arange(100) * 1.5
    boxes = np.column_stack([x, 0 * x, x + 1, 0 * x + 1])
    floor = [0.0, -1.0, 2e5, 0.0]
    moved = np.append(np.full(100, not floor_moved), floor_moved)
    scene = Scene(np.vstack([boxes, floor]), moved=moved)
    assert check(scene) == [(k, 100) for k in range(100)]


def test_boxes_that_are_no_boxes_overlap_nothing_and_harm_nobody():
    nan, inf = np.nan, np.inf
    odd = [
        [nan, 0, 1, 1],
        [0, 0, nan, 1],
        [0, 0, 1, nan],
        [inf, inf, -inf, -inf],
        [1, 0, 0, 1],
        [inf, 0, inf, 1],
    ]
    good = [[0, 0, 1, 1], [0.5, 0.5, 2, 2]]
    assert check_found(Scene(odd + good)) == [(6, 7)]
    endless = [[-inf, -inf, inf, inf], [1e300, 0, 1.1e300, 1], [-1e19, 0, -1e19 + 4096, 1]]
    check(Scene(endless + good + [[1e19, 0, 1e19 + 4096, 1], [1e19, 0, 1e19 + 8192, 2]]))


def check_found(scene):
    pairs, found = scene.find()
    assert found == len(pairs)
    return sorted((int(a), int(b)) for a, b in pairs)


def test_too_little_room_tells_how_much_is_needed_and_loses_nothing():
    scene = Scene(squares(np.zeros((30, 2)), 1.0))
    whole, found = scene.find()
    assert found == 30 * 29 // 2
    for room in (0, 1, 434):
        part, told = scene.find(room=room)
        assert told == found
        np.testing.assert_array_equal(part, whole[:room])
    again, _ = scene.find(room=found)
    np.testing.assert_array_equal(again, whole)


def test_two_levels_where_those_that_lie_still_must_search():
    """Many moved planks over many grains: neither may miss the other, whoever searches."""
    rng = np.random.default_rng(5)
    small = squares(rng.uniform(0, 40, (60, 2)), 0.2)
    large = squares(rng.uniform(0, 40, (60, 2)), 6.0)
    for share in (0.0, 0.1, 0.9):
        moved = np.append(rng.random(60) < share, np.ones(60, bool))
        assert check(Scene(np.vstack([small, large]), moved=moved))


def digest():
    total = hashlib.sha256()
    for make in SCENES:
        for seed in range(2):
            total.update(random_scene(make, seed, 60).find()[0].tobytes())
    return total.hexdigest()


@pytest.mark.skipif(JIT_OFF, reason="this process has the JIT off already")
def test_the_same_pairs_in_the_same_order_with_the_jit_off():
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
