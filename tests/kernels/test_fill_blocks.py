"""What the solver is told of contacts: against the formulas, worked out one by one in float64."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics.constants import CONTACT_DAMPING_RATIO, STATIC_CONTACT_FACTOR
from ecs_physics.kernels import blocks as of
from ecs_physics.kernels.blocks import FIELDS, LANES, POINT_0, POINT_1, softness
from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.fill_blocks import ROW, SIDES, A, B, fill_blocks
from ecs_physics.kernels.solver_bodies import start_copies
from ecs_physics.tables import CONTACT, DYNAMIC, FREE, PART
from tests.kernels.tables import in_lanes, random_bodies

warm_up()

few = settings(max_examples=25, deadline=None)
BODIES, H, HERTZ = 12, 1.0 / 240.0, 36.0
NOBODY = BODIES


def filled(seed: int, count: int) -> tuple[Any, ...]:
    """Contacts in the lanes of two blocks, the first of them full: tables, rows and blocks."""
    rng = np.random.default_rng(seed)
    bodies, parts = random_bodies(seed, BODIES)["bodies"], np.zeros(BODIES, PART)
    bodies["extent"] = rng.uniform(0.2, 2.0, BODIES)
    parts["count"], parts["radius"] = rng.choice([1, 1, 2, 4], BODIES), rng.uniform(0, 1, BODIES)
    parts["radius"][parts["count"] == 1] += 0.1
    contacts = np.zeros(count + 3, CONTACT)
    for field in contacts.dtype.names or ():
        if contacts.dtype[field].kind == "f":
            contacts[field] = rng.uniform(-1.0, 1.0, len(contacts))
    angles = rng.uniform(0.0, 7.0, len(contacts))
    contacts["normal_x"], contacts["normal_y"] = np.cos(angles), np.sin(angles)
    contacts["count"] = rng.choice([1, 2], len(contacts))
    for side in "ab":
        contacts[f"body_{side}"] = rng.choice(np.flatnonzero(bodies["kind"] != FREE), len(contacts))
        contacts[f"part_{side}"] = rng.integers(0, BODIES, len(contacts))
    contacts["restitution"] = rng.choice([0.0, 0.5], len(contacts))
    active = rng.permutation(len(contacts))[:count].astype(np.int32)
    lanes = np.full((2, LANES), -1, np.int32)
    lanes.ravel()[:count] = np.arange(count)
    masses = np.zeros((BODIES + 1, 8), np.float32)
    start_copies(BODIES, bodies, np.zeros((BODIES, 3)), np.zeros_like(masses), masses)
    rows, blocks = np.full((2, SIDES, LANES), -9, np.int32), np.full((2, FIELDS, LANES), 9.0)
    blocks = blocks.astype(np.float32)
    arrays = (contacts, in_lanes(parts), masses, rows, blocks)
    bouncy = fill_blocks(2, active, lanes, H, HERTZ, NOBODY, *arrays)
    assert bouncy == (contacts["restitution"][active] > 0.0).sum()
    return contacts[active], bodies, parts, rows, blocks, active


def inverse_mass(along: np.ndarray, arms: np.ndarray, a: Any, b: Any) -> float:
    """1/kg, of a direction at a point: d^2 / m + (r x d)^2 / I of both bodies, if they give way."""
    total = 0.0
    for body, arm in zip((a, b), arms, strict=True):
        if body["kind"] == DYNAMIC:
            turned = arm[0] * along[1] - arm[1] * along[0]
            total += along[0] ** 2 * body["inverse_mass_x"] + along[1] ** 2 * body["inverse_mass_y"]
            total += turned**2 * body["inverse_inertia"]
    return total


def share_of(contact: Any, bodies: np.ndarray, parts: np.ndarray) -> float:
    """Where between A's surface (0) and B's (1) impulses act; see blocks.share_of_b."""
    moving = [bodies["kind"][contact[f"body_{side}"]] == DYNAMIC for side in "ab"]
    if moving != [True, True]:
        return 0.0 if moving[0] else 1.0
    a, b = parts[contact["part_a"]], parts[contact["part_b"]]
    if (a["count"] == 1) != (b["count"] == 1):
        return 1.0 if b["count"] == 1 else 0.0
    return a["radius"] / (a["radius"] + b["radius"]) if a["count"] == 1 else 0.5


@few
@given(seed=st.integers(0, 100_000), count=st.integers(LANES + 1, 2 * LANES))
def test_lanes_hold_what_the_formulas_say(seed: int, count: int) -> None:
    contacts, bodies, parts, rows, blocks, active = filled(seed, count)
    for k, contact in enumerate(contacts):
        block, lane = divmod(k, LANES)
        field = blocks[block, :, lane]
        a, b = bodies[contact["body_a"]], bodies[contact["body_b"]]
        assert rows[block, :ROW, lane].tolist() == [contact["body_a"], contact["body_b"]]
        assert rows[block, ROW, lane] == active[k]
        both = a["kind"] == DYNAMIC and b["kind"] == DYNAMIC
        spring = softness(
            HERTZ if both else STATIC_CONTACT_FACTOR * HERTZ, CONTACT_DAMPING_RATIO, H
        )
        assert field[[of.BIAS_RATE, of.MASS_SCALE, of.IMPULSE_SCALE]] == pytest.approx(spring)
        share = share_of(contact, bodies, parts)
        assert field[of.SHARE_B] == pytest.approx(share, abs=1e-6)
        extents = [body["extent"] for body in (a, b) if body["kind"] == DYNAMIC]
        if extents:
            assert field[of.REACH] == pytest.approx(of.WIDE_SLIDE * min(extents), rel=1e-6)
        for name in ("friction", "surface_speed", "normal_x", "rolling_impulse"):
            assert field[getattr(of, name.upper())] == np.float32(contact[name])
        normal = np.array([contact["normal_x"], contact["normal_y"]])
        for point, start in enumerate((POINT_0, POINT_1)):
            masses = field[[start + of.NORMAL_MASS, start + of.TANGENT_MASS]]
            impulses = field[[start + of.NORMAL_IMPULSE, start + of.TANGENT_IMPULSE]]
            if point >= contact["count"]:
                assert not masses.any(), "no such point"
                assert not impulses.any()
                continue
            gap = contact[f"separation_{point}"]
            arms = np.array(
                [[contact[f"anchor_{side}{axis}_{point}"] for axis in "xy"] for side in "ab"]
            )
            arms = arms + (share - 0.5) * gap * normal
            placed = field[start + of.ARM_AX : start + of.ARM_BY + 1].reshape(2, 2)
            assert placed == pytest.approx(arms, abs=1e-6)
            for mass, along in zip(masses, (normal, normal[::-1] * (1, -1)), strict=True):
                inverse = inverse_mass(along, arms, a, b)
                assert mass == pytest.approx(1.0 / inverse if inverse else 0.0, rel=1e-4)
            assert field[start + of.SEPARATION] == np.float32(gap)
            assert impulses[0] == np.float32(contact[f"normal_impulse_{point}"])
            assert impulses[1] == np.float32(contact[f"tangent_impulse_{point}"])


@few
@given(seed=st.integers(0, 100_000), count=st.integers(LANES + 1, 2 * LANES))
def test_empty_lanes_are_of_nobody_and_move_nothing(seed: int, count: int) -> None:
    *_, rows, blocks, _ = filled(seed, count)
    empty = np.arange(LANES) >= count - LANES
    assert (rows[1, [A, B]][:, empty] == NOBODY).all()
    assert (rows[1, ROW] >= 0).all()
    still = [*range(of.MASS_AX, of.INERTIA_B + 1), of.ROLLING_MASS, of.ROLLING_IMPULSE]
    points = [
        start + each for start in (POINT_0, POINT_1) for each in (of.NORMAL_MASS, of.TANGENT_MASS)
    ]
    assert not blocks[1][[*still, *points]][:, empty].any()
    assert np.isfinite(blocks).all()


@few
@given(
    seed=st.integers(0, 100_000),
    gap=st.floats(-0.9, 0.9),
    circles=st.tuples(st.booleans(), st.booleans()),
)
def test_only_the_normal_of_near_circles_turns_as_they_pass(
    seed: int, gap: float, circles: tuple[bool, bool]
) -> None:
    rng = np.random.default_rng(seed)
    bodies, parts = np.zeros(2, random_bodies(0, 1)["bodies"].dtype), np.zeros(2, PART)
    bodies["kind"], bodies["inverse_mass_x"], bodies["extent"] = DYNAMIC, 1.0, 1.0
    parts["count"], parts["radius"] = np.where(circles, 1, 2), rng.uniform(0.2, 1.0, 2)
    contacts = np.zeros(1, CONTACT)
    contacts["count"], contacts["normal_x"], contacts["part_b"] = 1, 1.0, 1
    contacts["body_b"], contacts["separation_0"] = 1, gap
    masses, lanes = np.zeros((3, 8), np.float32), np.full((1, LANES), -1, np.int32)
    lanes[0, 0] = 0
    start_copies(2, bodies, np.zeros((2, 3)), np.zeros_like(masses), masses)
    rows, blocks = np.zeros((1, SIDES, LANES), np.int32), np.zeros((1, FIELDS, LANES), np.float32)
    arrays = (contacts, in_lanes(parts), masses, rows, blocks)
    fill_blocks(1, np.zeros(1, np.int32), lanes, H, HERTZ, 2, *arrays)
    radii = parts["radius"].sum()
    near = all(circles) and -0.75 * radii < gap < 0.25 * radii
    wanted = 1.0 / (radii + gap) if near else 0.0
    assert blocks[0, of.PER_DISTANCE, 0] == pytest.approx(wanted, rel=1e-5)
