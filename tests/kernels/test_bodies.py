"""Placing bodies before a step and writing their poses after it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics.constants import SPECULATIVE_DISTANCE
from ecs_physics.kernels.bodies import (
    clear_forces,
    find_bad_force,
    place_bodies,
    refresh_parts,
    write_poses,
)
from ecs_physics.kernels.compile import warm_up
from ecs_physics.tables import DYNAMIC, FREE, KINEMATIC, PART, STATIC
from tests.kernels.tables import one_part_each, random_bodies

warm_up()

DT = 1.0 / 60.0
ROWS = 12
few = settings(max_examples=25, deadline=None)


def place(tables: dict, parts, local, world, dt: float = DT) -> tuple[int, int, int]:
    """The row that is not finite, and the numbers of moved parts and of static ones of them."""
    counts = np.full(2, -7, np.int64)
    bad_row = place_bodies(
        len(tables["bodies"]),
        dt,
        tables["transforms"],
        tables["velocities"],
        tables["masses"],
        tables["locked_axes"],
        tables["dampings"],
        tables["gravity_scales"],
        tables["bodies"],
        parts,
        local,
        world,
        np.zeros((len(parts), 8), np.float32),
        counts,
    )
    return bad_row, *counts.tolist()


WATCHED = [
    *[("transforms", field) for field in ("x", "y", "angle")],
    *[("velocities", field) for field in ("x", "y", "omega")],
    *[("masses", field) for field in ("mass", "inertia", "center_x", "center_y")],
    *[("dampings", field) for field in ("linear", "angular")],
    ("gravity_scales", "factor"),
]
NOT_FINITE = st.sampled_from([np.nan, np.inf, -np.inf])
SOME_ROW = st.integers(0, ROWS - 1)


@few
@given(
    seed=st.integers(0, 1000),
    spoilt=st.lists(st.tuples(st.sampled_from(WATCHED), SOME_ROW, NOT_FINITE), max_size=4),
)
def test_the_first_row_that_is_not_finite_is_named_instead_of_placed(
    seed: int, spoilt: list
) -> None:
    tables = random_bodies(seed, ROWS)
    parts = one_part_each(seed, tables["bodies"])
    for (name, field), row, value in spoilt:
        tables[name][field][row] = value
    rows = sorted(row for _, row, _ in spoilt if tables["bodies"]["kind"][row] != FREE)
    tables["bodies"]["changed"] = True
    before = tables["bodies"].copy()
    with np.errstate(invalid="ignore"):  # without the JIT, inf - inf warns
        bad_row, moved, _ = place(tables, *parts)
    if not rows:
        assert bad_row == -1
        assert moved >= 0
        return
    first = rows[0]
    assert bad_row == first
    assert tables["bodies"][first:].tolist() == before[first:].tolist()
    placed = before["kind"][:first] != FREE
    assert (tables["bodies"]["changed"][:first] == ~placed).all()


@few
@given(spoilt=st.dictionaries(SOME_ROW, st.tuples(st.sampled_from(["x", "torque"]), NOT_FINITE)))
def test_the_first_force_that_is_not_finite_is_found(spoilt: dict) -> None:
    forces = random_bodies(1, ROWS)["forces"]
    for row, (field, value) in spoilt.items():
        forces[field][row] = value
    assert find_bad_force(ROWS, forces) == min(spoilt, default=-1)


def test_infinities_that_cancel_are_found() -> None:
    tables = random_bodies(0, ROWS)
    tables["bodies"]["kind"] = DYNAMIC
    tables["velocities"]["x"][3], tables["velocities"]["y"][3] = np.inf, -np.inf
    tables["forces"]["x"][5], tables["forces"]["y"][5] = np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        assert place(tables, *one_part_each(0, tables["bodies"]))[0] == 3
        assert find_bad_force(ROWS, tables["forces"]) == 5


@few
@given(seed=st.integers(0, 10_000))
def test_bodies_stand_where_their_transforms_say(seed: int) -> None:
    tables = random_bodies(seed, ROWS)
    parts, local, world = one_part_each(seed, tables["bodies"])
    tables["bodies"]["changed"] = True
    place(tables, parts, local, world)
    for row, body in enumerate(tables["bodies"]):
        if body["kind"] == FREE:
            continue
        pose = tables["transforms"][row]
        turn = np.array(
            [
                [np.cos(pose["angle"]), -np.sin(pose["angle"])],
                [np.sin(pose["angle"]), np.cos(pose["angle"])],
            ]
        )
        centre = np.array([pose["x"], pose["y"]]) + turn @ [body["center_x"], body["center_y"]]
        assert [body["x"], body["y"]] == pytest.approx(centre, abs=1e-12)
        assert body["teleported"]
        assert not body["changed"]
        if body["first_part"] < 0:
            continue
        part = parts[body["first_part"]]
        rows = slice(part["first_vertex"], part["first_vertex"] + part["count"])
        np.testing.assert_allclose(world[rows, :2], local[rows, :2] @ turn.T, atol=1e-12)
        np.testing.assert_allclose(world[rows, 2:], local[rows, 2:] @ turn.T, atol=1e-12)
        lower = centre + world[rows, :2].min(axis=0) - part["radius"]
        upper = centre + world[rows, :2].max(axis=0) + part["radius"]
        assert [part["lower_x"], part["lower_y"]] == pytest.approx(lower, abs=1e-12)
        assert [part["upper_x"], part["upper_y"]] == pytest.approx(upper, abs=1e-12)
        # The fat box holds the part all through the step, and the margin that contacts need.
        velocity = tables["velocities"][row]
        step = np.array([velocity["x"], velocity["y"]]) * DT
        margin = SPECULATIVE_DISTANCE
        assert (
            [part["fat_lower_x"], part["fat_lower_y"]] <= np.minimum(lower, lower + step) - margin
        ).all()
        assert (
            [part["fat_upper_x"], part["fat_upper_y"]] >= np.maximum(upper, upper + step) + margin
        ).all()


@few
@given(seed=st.integers(0, 10_000))
def test_inverse_masses_follow_columns_kinds_and_locks(seed: int) -> None:
    tables = random_bodies(seed, ROWS)
    before = tables["velocities"].copy()
    place(tables, *one_part_each(seed, tables["bodies"]))
    axes = (
        ("x", "inverse_mass_x", "mass", "x"),
        ("y", "inverse_mass_y", "mass", "y"),
        ("angle", "inverse_inertia", "inertia", "omega"),
    )
    for row, body in enumerate(tables["bodies"]):
        if body["kind"] == FREE:
            continue
        for axis, inverse, amount, speed in axes:
            locked = bool(tables["locked_axes"][axis][row])
            moves = body["kind"] == DYNAMIC and not locked
            wanted = 1.0 / tables["masses"][amount][row] if moves else 0.0
            assert body[inverse] == wanted
            kept = not (body["kind"] == DYNAMIC and locked)
            assert tables["velocities"][speed][row] == (before[speed][row] if kept else 0.0)


def three_at_rest() -> tuple[dict, np.ndarray, np.ndarray, np.ndarray]:
    """A dynamic, a static and a kinematic body in the rows 0, 2 and 4, all of them new."""
    tables = random_bodies(3, ROWS)
    bodies = tables["bodies"]
    bodies["kind"][:6] = [DYNAMIC, FREE, STATIC, FREE, KINEMATIC, FREE]
    bodies["kind"][6:] = FREE
    bodies["changed"] = True
    for field in ("x", "y", "omega"):
        tables["velocities"][field] = 0.0
    return tables, *one_part_each(3, bodies)


def test_only_what_leaves_its_fat_box_is_searched_again() -> None:
    tables, parts, local, world = three_at_rest()
    bodies = tables["bodies"]

    def moved() -> list[int]:
        _, count, _ = place(tables, parts, local, world)
        rows = np.flatnonzero(parts["moved"]).tolist()
        assert count == len(rows)
        parts["moved"] = False  # as the search for pairs does
        return rows

    assert moved() == [0, 2, 4]
    assert moved() == []
    assert not bodies["teleported"][:5:2].any()

    tables["transforms"]["x"][0] += 0.01
    assert moved() == [], "within the margin"
    assert bodies["teleported"][0]
    tables["transforms"]["x"][2] += 5.0
    assert moved() == [2]
    tables["velocities"]["x"][4] = 100.0
    assert moved() == [4]


def test_what_moves_stays_to_be_searched_until_somebody_has() -> None:
    tables, parts, local, world = three_at_rest()
    tables["bodies"]["kind"][2] = FREE
    assert place(tables, parts, local, world)[1] == 2
    assert place(tables, parts, local, world)[1] == 2
    parts["moved"][0] = False
    assert place(tables, parts, local, world)[1] == 1


def test_a_static_body_too_stays_to_be_searched_until_somebody_has() -> None:
    tables, parts, local, world = three_at_rest()
    static = int((tables["bodies"]["kind"] == STATIC).sum())
    assert static == 1
    assert place(tables, parts, local, world) == (-1, 3, static)
    parts["moved"][[0, 4]] = False
    assert place(tables, parts, local, world) == (-1, 1, static)
    parts["moved"][2] = False
    assert place(tables, parts, local, world) == (-1, 0, 0)


@few
@given(seed=st.integers(0, 10_000), dt=st.floats(0.001, 0.1))
def test_swept_boxes_hold_what_a_step_may_touch(seed: int, dt: float) -> None:
    """The turning and moving part, sampled, and the half gap below which it has contacts."""
    tables = random_bodies(seed, ROWS)
    parts, local, world = one_part_each(seed, tables["bodies"])
    tables["bodies"]["changed"] = True
    place(tables, parts, local, world, dt)
    for row, body in enumerate(tables["bodies"]):
        if body["kind"] == FREE or body["first_part"] < 0:
            continue
        part = parts[body["first_part"]]
        velocity = tables["velocities"][row]
        corners = world[part["first_vertex"] : part["first_vertex"] + part["count"], :2]
        grown = part["radius"] + 0.5 * SPECULATIVE_DISTANCE - 1e-12
        for time in np.linspace(0.0, dt, 7):
            turn = time * velocity["omega"]
            cos, sin = np.cos(turn), np.sin(turn)
            there = corners @ np.array([[cos, sin], [-sin, cos]])
            there += [body["x"] + time * velocity["x"], body["y"] + time * velocity["y"]]
            lower, upper = there.min(axis=0) - grown, there.max(axis=0) + grown
            assert (lower >= [part["swept_lower_x"], part["swept_lower_y"]]).all()
            assert (upper <= [part["swept_upper_x"], part["swept_upper_y"]]).all()
        for side, sign in (("lower", 1.0), ("upper", -1.0)):
            for axis in ("x", "y"):
                inside = part[f"swept_{side}_{axis}"] - part[f"fat_{side}_{axis}"]
                assert sign * inside >= 0.0


@few
@given(
    seed=st.integers(0, 10_000),
    away=st.tuples(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5)),
)
def test_a_written_centre_of_mass_moves_the_centre_and_not_the_shape(
    seed: int, away: tuple[float, float]
) -> None:
    tables = random_bodies(seed, ROWS)
    bodies = tables["bodies"]
    parts, local, world = one_part_each(seed, bodies)
    bodies["changed"] = True
    place(tables, parts, local, world)
    before, corners, boxes = bodies.copy(), world.copy(), parts.copy()
    normals = local[:, 2:].copy()
    tables["masses"]["center_x"] += away[0]
    tables["masses"]["center_y"] += away[1]
    place(tables, parts, local, world)
    assert (local[:, 2:] == normals).all()
    for row, body in enumerate(bodies):
        if body["kind"] == FREE:
            continue
        cos, sin = np.cos(body["angle"]), np.sin(body["angle"])
        step = np.array([cos * away[0] - sin * away[1], sin * away[0] + cos * away[1]])
        old = np.array([before["x"][row], before["y"][row]])
        assert (body["center_x"], body["center_y"]) == (
            tables["masses"]["center_x"][row],
            tables["masses"]["center_y"][row],
        )
        assert [body["x"], body["y"]] == pytest.approx(old + step, abs=1e-12)
        if body["first_part"] < 0:
            continue
        part = parts[body["first_part"]]
        rows = slice(part["first_vertex"], part["first_vertex"] + part["count"])
        assert world[rows, :2] + step == pytest.approx(corners[rows, :2], abs=1e-12)
        farthest = np.hypot(*world[rows, :2].T).max() + part["radius"]
        assert body["extent"] == pytest.approx(farthest if any(away) else before["extent"][row])
        for field in ("lower_x", "lower_y", "upper_x", "upper_y"):
            assert part[field] == pytest.approx(boxes[field][body["first_part"]], abs=1e-12)


def test_the_neighbours_of_a_chain_s_edge_follow_a_written_centre_too() -> None:
    tables = random_bodies(0, 1)
    bodies = tables["bodies"]
    bodies["kind"], bodies["changed"], bodies["first_part"] = DYNAMIC, True, 0
    parts = np.zeros(1, PART)
    parts["next"], parts["first_vertex"], parts["count"], parts["one_sided"] = -1, 1, 2, True
    local = np.zeros((4, 4))
    local[:, 0] = -1.0, -1.0, 1.0, 1.0  # an open chain of one edge
    tables["masses"]["center_x"] += 0.25
    tables["masses"]["center_y"] -= 0.5
    place(tables, parts, local, np.zeros_like(local))
    assert local[:, 0].tolist() == [-1.25, -1.25, 0.75, 0.75]
    assert local[:, 1].tolist() == [0.5] * 4
    assert bodies["extent"][0] == pytest.approx(np.hypot(1.25, 0.5))


@few
@given(seed=st.integers(0, 10_000), written=st.sets(st.integers(0, ROWS - 1)))
def test_refreshed_parts_stand_where_placing_would_put_them(seed: int, written: set) -> None:
    tables = random_bodies(seed, ROWS)
    bodies, transforms = tables["bodies"], tables["transforms"]
    parts, local, world = one_part_each(seed, bodies)
    bodies["changed"] = True
    place(tables, parts, local, world)
    for row in written:
        transforms["x"][row] += 3.0
        transforms["angle"][row] += 1.0
    fat = parts["fat_lower_x"].copy()
    refresh_parts(ROWS, transforms, bodies, parts, local, world)
    assert parts["fat_lower_x"].tobytes() == fat.tobytes()
    refreshed, turned = parts.copy(), world.copy()
    place(tables, parts, local, world)
    assert turned.tobytes() == world.tobytes()
    for field in ("lower_x", "lower_y", "upper_x", "upper_y"):
        assert refreshed[field].tobytes() == parts[field].tobytes()
    for row, body in enumerate(bodies):  # the step has noticed what was written all the same
        assert body["kind"] == FREE or body["teleported"] == (row in written)


@few
@given(seed=st.integers(0, 10_000), written=st.sets(st.integers(0, ROWS - 1)))
def test_poses_come_back_as_they_were_and_written_ones_stay(seed: int, written: set) -> None:
    tables = random_bodies(seed, ROWS)
    bodies, transforms = tables["bodies"], tables["transforms"]
    bodies["changed"] = True
    place(tables, *one_part_each(seed, bodies))
    before = transforms.copy()
    bodies["x"] += 1.0
    bodies["angle"] += 0.5
    for row in written:
        transforms["y"][row] = 77.0
    write_poses(ROWS, bodies, transforms)
    for row, body in enumerate(bodies):
        pose = transforms[row]
        if body["kind"] in {FREE, STATIC} or row in written:
            assert pose["x"] == before["x"][row]
            assert pose["y"] == (77.0 if row in written else before["y"][row])
            continue
        cos, sin = np.cos(pose["angle"]), np.sin(pose["angle"])
        assert pose["angle"] == before["angle"][row] + 0.5
        x = pose["x"] + cos * body["center_x"] - sin * body["center_y"]
        y = pose["y"] + sin * body["center_x"] + cos * body["center_y"]
        assert (x, y) == pytest.approx((body["x"], body["y"]), abs=1e-12)
        assert (body["seen_x"], body["seen_y"]) == (pose["x"], pose["y"])


def test_poses_that_nobody_touched_are_not_rounded_away() -> None:
    """Placing and writing back, a hundred times at 100 km: not a bit may creep."""
    tables = random_bodies(5, ROWS)
    bodies, transforms = tables["bodies"], tables["transforms"]
    bodies["kind"] = DYNAMIC
    bodies["changed"] = True
    transforms["x"] += 1e5
    parts = one_part_each(5, bodies)
    place(tables, *parts)
    write_poses(ROWS, bodies, transforms)
    before = transforms.copy()
    for _ in range(100):
        place(tables, *parts)
        write_poses(ROWS, bodies, transforms)
    assert transforms.tobytes() == before.tobytes()


def test_forces_are_cleared_in_the_rows_in_use() -> None:
    forces = random_bodies(1, ROWS)["forces"]
    kept = forces[8:].copy()
    clear_forces(8, forces)
    assert all((forces[field][:8] == 0.0).all() for field in ("x", "y", "torque"))
    assert forces[8:].tobytes() == kept.tobytes()
