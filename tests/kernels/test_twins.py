"""Twins: eight lanes at a time, all substeps in one call, and two threads give the same bits."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ecs_physics.constants import CONTACT_CYCLES_PER_SUBSTEP
from ecs_physics.kernels.barrier import SIZE
from ecs_physics.kernels.blocks import (
    COLORS,
    FIELDS,
    FRICTION,
    INERTIA_A,
    INERTIA_B,
    LANES,
    MASS_AX,
    MASS_BX,
    NORMAL_IMPULSE,
    POINT_0,
    POINT_1,
    ROLLING_MASS,
    ROLLING_RESISTANCE,
    SEPARATION,
)
from ecs_physics.kernels.compile import can_run_threads, warm_up
from ecs_physics.kernels.fill_blocks import SIDES
from ecs_physics.kernels.impacts import HIT, NO_HIT, hit, rebound
from ecs_physics.kernels.integration import integrate_positions, integrate_velocities
from ecs_physics.kernels.joint_lists import ROW
from ecs_physics.kernels.joint_pin_lanes import MOST, PIN_FIELDS
from ecs_physics.kernels.joint_pins import solve_pins, warm_start_pins
from ecs_physics.kernels.joint_pins_wide import solve_pins_wide, warm_start_pins_wide
from ecs_physics.kernels.joint_row_fields import GAP, HIGHEST, IS_LIMIT, LOWEST, MASS, ROW_FIELDS
from ecs_physics.kernels.joint_row_fields import INERTIA_B as ROW_INERTIA_B
from ecs_physics.kernels.joint_row_fields import MASS_AX as ROW_MASS_AX
from ecs_physics.kernels.joint_rows import solve_rows, warm_start_rows
from ecs_physics.kernels.joint_rows_wide import solve_rows_wide, warm_start_rows_wide
from ecs_physics.kernels.prepare_contacts import prepare_contacts
from ecs_physics.kernels.soft_contact import solve_contacts, warm_start
from ecs_physics.kernels.soft_step import soft_step
from ecs_physics.kernels.soft_step_with_joints import soft_step_with_joints
from ecs_physics.kernels.solver_bodies import (
    MOTION_ROWS,
    follow_motion,
    give_velocities,
    take_velocities,
)
from ecs_physics.kernels.store_impulses import store_impulses
from ecs_physics.kernels.two_threads import soft_step_on_two
from ecs_physics.kernels.wide_contact import solve_contacts_wide, warm_start_wide
from ecs_physics.tables import CONTACT, DYNAMIC, KINEMATIC, PART, STATIC
from tests.kernels.tables import in_lanes, random_bodies

warm_up("joints")

H = 1.0 / 240.0
BLOCKS = 3
BODIES = 40
NOBODY = BODIES
FIXED = BODIES + 1  # a body without masses, that many lanes share
few = settings(max_examples=20, deadline=None)


def bits(table: NDArray[Any]) -> bytes:
    """All that a table says, without its padding."""
    names = table.dtype.names
    return b"".join(table[name].tobytes() for name in names) if names else table.tobytes()


# ---------------------------------------------------------------------------------------------
# Eight lanes at a time
# ---------------------------------------------------------------------------------------------


def random_blocks(seed: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Solver bodies, rows and blocks of contacts that no scene would have: any numbers at all.

    Only what holds for every block is kept: the lanes of one share no body that has a mass.
    """
    rng = np.random.default_rng(seed)
    bodies = rng.normal(0.0, 2.0, (BODIES + 2, 8)).astype(np.float32)
    bodies[:, 3] = 0.0  # the one that is free
    bodies[:, 4:] *= np.float32(0.01)
    bodies[NOBODY] = 0.0
    blocks = rng.normal(0.0, 1.0, (BLOCKS, FIELDS, LANES)).astype(np.float32)
    rows = np.zeros((BLOCKS, 2, LANES), np.int32)
    for block in range(BLOCKS):
        rows[block] = rng.permutation(BODIES)[: 2 * LANES].reshape(2, LANES)
    for fields in ((MASS_AX, INERTIA_A), (MASS_BX, INERTIA_B)):
        masses = blocks[:, fields[0] : fields[1] + 1]
        np.abs(masses, out=masses)
    for field in (FRICTION, ROLLING_RESISTANCE, ROLLING_MASS):
        np.abs(blocks[:, field], out=blocks[:, field])
    for start in (POINT_0, POINT_1):
        gaps, pressing = blocks[:, start + SEPARATION], blocks[:, start + NORMAL_IMPULSE]
        gaps *= np.float32(0.01)
        gaps[rng.random(gaps.shape) < 0.2] = 0.0
        np.maximum(pressing, 0.0, out=pressing)
    for side, (first, last) in enumerate(((MASS_AX, INERTIA_A), (MASS_BX, INERTIA_B))):
        for row, share in ((FIXED, 0.15), (NOBODY, 0.15)):
            chosen = rng.random((BLOCKS, LANES)) < share
            rows[:, side][chosen] = row
            for field in range(first, last + 1):
                blocks[:, field][chosen] = 0.0
    return bodies, rows, blocks


@few
@given(seed=st.integers(0, 100_000), in_order=st.booleans())
def test_eight_lanes_at_a_time_give_the_bits_of_one_after_the_other(
    seed: int, in_order: bool
) -> None:
    plain, rows, plain_blocks = random_blocks(seed)
    wide, wide_blocks = plain.copy(), plain_blocks.copy()
    for _ in range(2):
        warm_start(0, BLOCKS, plain, rows, plain_blocks)
        warm_start_wide(0, BLOCKS, wide, rows, wide_blocks)
        assert wide.tobytes() == plain.tobytes()
        assert wide_blocks.tobytes() == plain_blocks.tobytes()
        for use_bias in (True, False):
            order = in_order == use_bias
            solve_contacts(0, BLOCKS, use_bias, order, 1 / H, plain, rows, plain_blocks)
            solve_contacts_wide(0, BLOCKS, use_bias, order, 1 / H, wide, rows, wide_blocks)
            assert wide.tobytes() == plain.tobytes()
            assert wide_blocks.tobytes() == plain_blocks.tobytes()
    assert np.isfinite(plain).all()


def random_lanes(seed: int, fields: int, first_mass: int) -> tuple[NDArray[Any], ...]:
    """Solver bodies, rows and lanes of joints: any numbers, but no lane shares a moving body."""
    rng = np.random.default_rng(seed)
    bodies, rows, _ = random_blocks(seed)
    lanes = rng.normal(0.0, 1.0, (BLOCKS, fields, LANES)).astype(np.float32)
    masses = lanes[:, first_mass : first_mass + 6]
    np.abs(masses, out=masses)
    for side in range(2):
        still = (rows[:, side] == NOBODY) | (rows[:, side] == FIXED)
        for field in range(first_mass + 3 * side, first_mass + 3 * side + 3):
            lanes[:, field][still] = 0.0
    return bodies, rows, lanes


@few
@given(seed=st.integers(0, 100_000))
def test_eight_pins_at_a_time_give_the_bits_of_one_after_the_other(seed: int) -> None:
    plain, rows, plain_lanes = random_lanes(seed, PIN_FIELDS, 0)
    np.abs(plain_lanes[:, MOST], out=plain_lanes[:, MOST])
    is_soft = np.array([0, 1, 1], np.uint8)
    wide, wide_lanes = plain.copy(), plain_lanes.copy()
    for _ in range(2):
        warm_start_pins(0, BLOCKS, plain, rows, plain_lanes)
        warm_start_pins_wide(0, BLOCKS, wide, rows, wide_lanes)
        for use_bias in (True, False):
            solve_pins(0, BLOCKS, use_bias, H, plain, rows, is_soft, plain_lanes)
            solve_pins_wide(0, BLOCKS, use_bias, H, wide, rows, is_soft, wide_lanes)
            assert wide.tobytes() == plain.tobytes()
            assert wide_lanes.tobytes() == plain_lanes.tobytes()
    assert np.isfinite(plain).all()


@few
@given(seed=st.integers(0, 100_000))
def test_eight_rows_at_a_time_give_the_bits_of_one_after_the_other(seed: int) -> None:
    assert ROW_INERTIA_B - ROW_MASS_AX == 5
    plain, rows, plain_lanes = random_lanes(seed, ROW_FIELDS, ROW_MASS_AX)
    rng = np.random.default_rng(seed)
    plain_lanes[:, MASS] = np.abs(plain_lanes[:, MASS])
    plain_lanes[:, IS_LIMIT] = rng.random((BLOCKS, LANES)) < 0.5
    plain_lanes[:, GAP] *= np.float32(0.01)
    plain_lanes[:, LOWEST] = np.where(plain_lanes[:, IS_LIMIT] > 0, 0.0, -1.0)
    plain_lanes[:, HIGHEST] = rng.choice([0.5, 1e18], (BLOCKS, LANES))
    wide, wide_lanes = plain.copy(), plain_lanes.copy()
    for _ in range(2):
        warm_start_rows(0, BLOCKS, plain, rows, plain_lanes)
        warm_start_rows_wide(0, BLOCKS, wide, rows, wide_lanes)
        for use_bias in (True, False):
            solve_rows(0, BLOCKS, use_bias, 1 / H, plain, rows, plain_lanes)
            solve_rows_wide(0, BLOCKS, use_bias, 1 / H, wide, rows, wide_lanes)
            assert wide.tobytes() == plain.tobytes()
            assert wide_lanes.tobytes() == plain_lanes.tobytes()
    assert np.isfinite(plain).all()


@pytest.mark.parametrize("solve", [solve_contacts, solve_contacts_wide])
def test_only_the_blocks_asked_for_are_solved(solve: Any) -> None:
    bodies, rows, blocks = random_blocks(1)
    before = blocks.copy()
    solve(1, 2, True, True, 1 / H, bodies, rows, blocks)
    assert blocks[[0, 2]].tobytes() == before[[0, 2]].tobytes()
    assert blocks[1].tobytes() != before[1].tobytes()


# ---------------------------------------------------------------------------------------------
# All substeps in one call
# ---------------------------------------------------------------------------------------------


def no_joints() -> tuple[Any, ...]:
    """Lanes without a joint; tests/scenes/test_determinism.py has joints of all kinds."""
    rows = np.zeros((1, 2, LANES), np.int32)
    starts = np.zeros(COLORS + 1, np.int32)
    pins = (starts, rows, np.zeros(1, np.uint8), np.zeros((1, PIN_FIELDS, LANES), np.float32))
    axes = (starts, rows, np.zeros((1, ROW_FIELDS, LANES), np.float32), np.zeros(LANES, ROW))
    return *pins, *axes


class Heap:
    """Bodies of all kinds and contacts between them, some bouncy; body 0 has more than colours."""

    def __init__(self, seed: int, rows: int = 60, count: int = 150) -> None:
        rng = np.random.default_rng(seed)
        self.rows = rows
        self.tables = random_bodies(seed, rows)
        bodies = self.tables["bodies"]
        bodies["kind"][0] = DYNAMIC
        bodies["inverse_mass_x"][0] = bodies["inverse_mass_y"][0] = 0.2
        bodies["inverse_inertia"][0] = 0.1
        self.parts = np.zeros(rows, PART)
        self.parts["body"] = np.arange(rows)
        self.parts["count"] = rng.choice([1, 2, 4], rows)
        self.parts["radius"] = rng.choice([0.0, 0.3], rows) + 0.5 * (self.parts["count"] == 1)
        self.contacts = np.zeros(count, CONTACT)
        moving = np.flatnonzero(bodies["kind"] == DYNAMIC)
        solid = np.flatnonzero(np.isin(bodies["kind"], [STATIC, KINEMATIC, DYNAMIC]))
        for k, contact in enumerate(self.contacts):
            a, b = (0 if k % 3 == 0 else rng.choice(moving)), rng.choice(solid)
            while a == b:
                b = rng.choice(solid)
            self._touch(rng, contact, *((a, b) if rng.random() < 0.5 else (b, a)))
        self.active = np.arange(count, dtype=np.int32)
        self.bouncy, self.hits = np.zeros(count, np.int32), np.zeros(count, HIT)
        self.poses, self.motions = np.zeros((rows, 3)), np.zeros((MOTION_ROWS * rows, 4))
        self.copies = np.zeros((rows + 1, 8), np.float32)
        for pose in ("x", "y", "angle"):
            bodies[f"start_{pose}"] = bodies[pose]
        self.starts = np.zeros(COLORS + 1, np.int32)
        self.lanes = np.full((count, LANES), -1, np.int32)
        self.block_rows = np.zeros((count, SIDES, LANES), np.int32)
        self.blocks = np.zeros((count, FIELDS, LANES), np.float32)
        self.kept = np.zeros((count, 4), np.int32)
        self.hits_played = 0
        self.begin()

    def _touch(self, rng: np.random.Generator, contact: Any, a: int, b: int) -> None:
        bodies = self.tables["bodies"]
        contact["part_a"] = contact["body_a"] = a
        contact["part_b"] = contact["body_b"] = b
        angle = rng.uniform(0.0, 7.0)
        contact["normal_x"], contact["normal_y"] = np.cos(angle), np.sin(angle)
        is_round = 1 in (self.parts["count"][a], self.parts["count"][b])
        contact["count"] = 1 if is_round else rng.choice([1, 2])
        for name, most in (("friction", 1.0), ("surface_speed", 0.5), ("rolling_resistance", 0.1)):
            contact[name] = rng.uniform(0.0, most)
        contact["restitution"] = rng.choice([0.0, 0.5])
        contact["rolling_impulse"] = rng.uniform(-0.01, 0.01)
        for point in range(contact["count"]):
            for axis in ("x", "y"):
                arm = rng.uniform(-0.7, 0.7)
                contact[f"anchor_a{axis}_{point}"] = arm
                contact[f"anchor_b{axis}_{point}"] = arm - (bodies[axis][b] - bodies[axis][a])
            contact[f"separation_{point}"] = rng.uniform(-0.01, 0.015)
            contact[f"normal_impulse_{point}"] = rng.choice([0.0, rng.uniform(0.0, 0.1)])
            contact[f"tangent_impulse_{point}"] = rng.uniform(-0.01, 0.01)

    def begin(self, kept_count: int = -1) -> None:
        """What ContactResolution.begin does."""
        bodies, count = self.tables["bodies"], len(self.active)
        self.colors = np.full(count, -1, np.int32)
        self.bouncy_count = prepare_contacts(
            self.rows,
            count,
            self.active,
            kept_count,
            False,
            H,
            CONTACT_CYCLES_PER_SUBSTEP / H,
            bodies,
            in_lanes(self.parts),
            self.contacts,
            np.zeros(self.rows, np.uint32),
            self.kept,
            self.colors,
            self.starts,
            np.zeros((2, COLORS), np.int32),
            self.lanes,
            self.bouncy,
            self.block_rows,
            self.blocks,
            self.poses,
            self.copies,
            np.zeros_like(self.copies),
        )
        self.block_count = int(self.starts[COLORS])

    def in_one_call(self, substeps: int, *, with_joints: bool = False) -> "Heap":
        step = soft_step_with_joints if with_joints else soft_step
        step(
            *self._first_arguments(substeps),
            self.block_count,
            self.block_rows,
            self.blocks,
            *(no_joints() if with_joints else ()),
            self.motions,
            self.copies,
        )
        return self

    def on_two_threads(self, substeps: int) -> "Heap":
        soft_step_on_two(
            *self._first_arguments(substeps),
            self.starts,
            self.block_rows,
            self.blocks,
            *no_joints(),
            self.motions,
            self.copies,
            np.zeros(SIZE, np.int64),
        )
        return self

    def _first_arguments(self, substeps: int) -> tuple[Any, ...]:
        tables = self.tables
        return (
            substeps,
            H,
            self.rows,
            tables["forces"],
            tables["dampings"],
            self.parts,
            tables["bodies"],
            tables["velocities"],
            self.bouncy_count,
            self.bouncy,
            self.contacts,
            self.hits,
        )

    def phase_by_phase(self, substeps: int, *, wide: bool) -> "Heap":
        """The method as Substeps runs it where a user's system takes part."""
        bodies, velocities = self.tables["bodies"], self.tables["velocities"]
        start = warm_start_wide if wide else warm_start
        solve = solve_contacts_wide if wide else solve_contacts
        solved = (self.copies, self.block_rows, self.blocks)
        split = (self.motions, self.copies)
        bouncing = (self.contacts, velocities, *split, self.hits)
        for substep in range(substeps):
            in_order = substep % 2 == 0
            forces, dampings = self.tables["forces"], self.tables["dampings"]
            integrate_velocities(self.rows, H, forces, dampings, bodies, velocities)
            bouncy = (self.bouncy_count, self.bouncy, bodies, self.parts)
            hit(self.bouncy_count, H, *bouncy[1:], forces, *bouncing)
            self.hits_played += int((self.hits["after_0"][: self.bouncy_count] != NO_HIT).sum())
            take_velocities(self.rows, bodies, velocities, *split)
            start(0, self.block_count, *solved)
            solve(0, self.block_count, True, in_order, 1 / H, *solved)
            give_velocities(self.rows, bodies, *split, velocities)
            integrate_positions(self.rows, H, velocities, bodies)
            follow_motion(self.rows, bodies, velocities, self.poses, *split)
            rebound(*bouncy, *bouncing)
            solve(0, self.block_count, False, not in_order, 1 / H, *solved)
            give_velocities(self.rows, bodies, *split, velocities)
        return self

    def state(self) -> dict[str, bytes]:
        store_impulses(self.block_count, self.lanes, self.block_rows, self.blocks, self.contacts)
        return {
            "bodies": bits(self.tables["bodies"]),
            "velocities": bits(self.tables["velocities"]),
            "contacts": bits(self.contacts),
            "blocks": self.blocks[: self.block_count].tobytes(),
            "hits": bits(self.hits),
        }


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("substeps", [1, 4])
def test_one_call_gives_the_bits_of_its_phases(seed: int, substeps: int) -> None:
    phases = Heap(seed).phase_by_phase(substeps, wide=True)
    assert phases.starts[COLORS] > phases.starts[COLORS - 1], "some contact found no colour"
    assert phases.hits_played > 3
    state = phases.state()
    assert Heap(seed).in_one_call(substeps).state() == state
    assert Heap(seed).in_one_call(substeps, with_joints=True).state() == state
    assert Heap(seed).phase_by_phase(substeps, wide=False).state() == state
    for table in ("velocities", "bodies"):
        assert state[table] != bits(Heap(seed).tables[table])


@pytest.mark.skipif(not can_run_threads(), reason="needs two threads that run at the same time")
@pytest.mark.parametrize("rows", [1, 7, 300])
def test_two_threads_give_the_bits_of_one(rows: int) -> None:
    warm_up(parallel=True)
    for seed in range(2):
        heaps = [Heap(seed, max(rows, 3), 2 * rows) for _ in range(2)]
        assert heaps[0].in_one_call(3).state() == heaps[1].on_two_threads(3).state()


def test_without_contacts_bodies_move_all_the_same() -> None:
    heap, twin = Heap(5, 10, 0), random_bodies(5, 10)
    twin["bodies"][0] = heap.tables["bodies"][0]
    for pose in ("start_x", "start_y", "start_angle"):
        twin["bodies"][pose] = heap.tables["bodies"][pose]
    heap.in_one_call(2)
    for _ in range(2):
        forces, dampings = twin["forces"], twin["dampings"]
        integrate_velocities(10, H, forces, dampings, twin["bodies"], twin["velocities"])
        integrate_positions(10, H, twin["velocities"], twin["bodies"])
    for table in ("bodies", "velocities"):
        assert bits(heap.tables[table]) == bits(twin[table])


@pytest.mark.parametrize("change", ["rows", "a body", "a kind", "nothing"])
def test_kept_colours_are_those_that_would_be_made_anew(change: str) -> None:
    heaps = Heap(4), Heap(4)
    for heap, kept_count in zip(heaps, (len(heaps[0].contacts), -1), strict=True):
        kinds, contacts = heap.tables["bodies"]["kind"], heap.contacts
        if change == "rows":  # other contacts of the same bodies, in other rows
            heap.contacts = np.concatenate([contacts[:1], contacts])
            heap.active = heap.active + np.int32(1)
        elif change == "a body":
            contacts["body_a"][0], contacts["body_b"][0] = np.flatnonzero(kinds == DYNAMIC)[-2:]
        elif change == "a kind":
            kinds[np.flatnonzero(kinds == DYNAMIC)[-1]] = STATIC
        heap.begin(kept_count)
    kept, anew = heaps
    if change in {"rows", "nothing"}:
        assert (kept.colors < 0).all(), "they were kept"
    assert kept.starts.tolist() == anew.starts.tolist()
    assert kept.blocks.tobytes() == anew.blocks.tobytes()
