"""The solver's float32 copies: there and back without losing a bit of what was not touched."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.solver_bodies import (
    EXTENT,
    MOTION_ROWS,
    MOVES,
    follow_motion,
    give_velocities,
    start_copies,
    take_velocities,
)
from ecs_physics.tables import DYNAMIC, KINEMATIC
from tests.kernels.tables import random_bodies

warm_up()

ROWS = 10
AT_REST = [0] * 8
few = settings(max_examples=25, deadline=None)


def started(seed: int) -> tuple[dict, np.ndarray, np.ndarray, np.ndarray]:
    """Tables, poses, motions and copies at a step's beginning."""
    tables = random_bodies(seed, ROWS)
    poses, copies = np.zeros((ROWS, 3)), np.full((ROWS + 3, 8), np.nan, np.float32)
    start_copies(ROWS, tables["bodies"], poses, copies, np.zeros_like(copies))
    return tables, poses, np.zeros((MOTION_ROWS * ROWS, 4)), copies


def test_a_step_begins_without_motion() -> None:
    tables, poses, _, copies = started(0)
    assert copies[:ROWS].tolist() == [AT_REST] * ROWS
    assert copies[-1].tolist() == AT_REST, "the row of no body"
    for column, field in enumerate(("x", "y", "angle")):
        assert (poses[:, column] == tables["bodies"][field]).all()


def test_only_what_is_dynamic_has_a_mass() -> None:
    bodies, masses = random_bodies(1, 40)["bodies"], np.full((41, 8), np.nan, np.float32)
    bodies["extent"] = np.linspace(0.5, 2.0, 40)
    start_copies(40, bodies, np.zeros((40, 3)), np.zeros((41, 8), np.float32), masses)
    moves = bodies["kind"] == DYNAMIC
    fields = ("inverse_mass_x", "inverse_mass_y", "inverse_inertia", "extent")
    wanted = np.stack([bodies[field] for field in fields], axis=1).astype(np.float32)
    assert (masses[:-1][moves, :4] == wanted[moves]).all()
    assert (masses[:-1][moves, MOVES] == 1.0).all()
    assert (masses[:-1][~moves][:, [0, 1, 2, MOVES]] == 0.0).all()
    assert (masses[:-1][~moves, EXTENT] > 1e6).all()
    assert masses[-1].tolist() == AT_REST, "nobody"


@few
@given(seed=st.integers(0, 10_000))
def test_what_the_solver_does_not_touch_keeps_all_its_bits(seed: int) -> None:
    tables, _, motions, copies = started(seed)
    before = tables["velocities"].copy()
    take_velocities(ROWS, tables["bodies"], tables["velocities"], motions, copies)
    give_velocities(ROWS, tables["bodies"], motions, copies, tables["velocities"])
    assert tables["velocities"].tobytes() == before.tobytes()


@few
@given(seed=st.integers(0, 10_000), change=st.floats(-5, 5, width=32))
def test_what_the_solver_adds_is_added_to_dynamic_bodies(seed: int, change: float) -> None:
    tables, _, motions, copies = started(seed)
    before = tables["velocities"].copy()
    take_velocities(ROWS, tables["bodies"], tables["velocities"], motions, copies)
    moves = tables["bodies"]["kind"] == DYNAMIC
    copies[:ROWS, :3][moves] += np.float32(change)
    give_velocities(ROWS, tables["bodies"], motions, copies, tables["velocities"])
    for field in ("x", "y", "omega"):
        wanted = np.where(moves, before[field] + change, before[field])
        np.testing.assert_allclose(tables["velocities"][field], wanted, rtol=0, atol=2e-6)
        assert (tables["velocities"][field][~moves] == before[field][~moves]).all()


@few
@given(seed=st.integers(0, 10_000), far=st.sampled_from([0.0, 1e5]))
def test_copies_follow_the_motion_of_each_substep_also_far_away(seed: int, far: float) -> None:
    rng = np.random.default_rng(seed)
    tables = random_bodies(seed, ROWS)
    bodies = tables["bodies"]
    bodies["x"] += far
    poses, copies = np.zeros((ROWS, 3)), np.zeros((ROWS + 1, 8), np.float32)
    motions = np.zeros((MOTION_ROWS * ROWS, 4))
    start_copies(ROWS, bodies, poses, copies, np.zeros_like(copies))
    for column, field in enumerate(("start_x", "start_y", "start_angle")):
        bodies[field] = poses[:, column]
    moves = (bodies["kind"] == DYNAMIC) | (bodies["kind"] == KINEMATIC)
    for _ in range(4):
        before = bodies.copy()
        for field in ("x", "y", "angle"):
            bodies[field] += rng.uniform(-0.05, 0.05, ROWS)
        follow_motion(ROWS, bodies, tables["velocities"], poses, motions, copies)
        seen = copies[:ROWS][moves]
        turned = (bodies["angle"] - before["angle"])[moves]
        assert seen[:, 4] == pytest.approx((bodies["x"] - before["x"])[moves], abs=1e-8)
        assert seen[:, 5] == pytest.approx((bodies["y"] - before["y"])[moves], abs=1e-8)
        assert seen[:, 6] == pytest.approx(np.cos(turned) - 1.0, abs=1e-7)
        assert seen[:, 7] == pytest.approx(np.sin(turned), abs=1e-7)
        for column, field in enumerate(("x", "y", "omega")):
            assert (seen[:, column] == tables["velocities"][field][moves].astype(np.float32)).all()
    assert copies[:ROWS][~moves].tolist() == [AT_REST] * int((~moves).sum())
    for column, field in enumerate(("x", "y", "angle")):
        assert (poses[:, column] == bodies[field])[moves].all()


@pytest.mark.parametrize("turns", [(0.5, 0.2), (-5.0, -1.2), (3.0, -3.0), (0.1, 2.0 * np.pi - 0.2)])
def test_what_turns_too_far_counts_as_not_moving_also_if_it_comes_back(turns: tuple) -> None:
    tables = random_bodies(3, ROWS)
    bodies = tables["bodies"]
    poses, copies = np.zeros((ROWS, 3)), np.zeros((ROWS + 1, 8), np.float32)
    start_copies(ROWS, bodies, poses, copies, np.zeros_like(copies))
    bodies["start_angle"] = bodies["angle"]
    for turn in turns:
        bodies["angle"] += turn
        bodies["x"] += 0.01
        follow_motion(
            ROWS, bodies, tables["velocities"], poses, np.zeros((MOTION_ROWS * ROWS, 4)), copies
        )
    assert not copies[:, 4:].any()
