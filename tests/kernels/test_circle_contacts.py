"""Contacts of circles, eight pairs at once: against closed forms and against one pair at a time."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ecs_physics import Shape
from ecs_physics.constants import LINEAR_SLOP, SPECULATIVE_DISTANCE
from ecs_physics.kernels.lanes import LANES
from ecs_physics.kernels.manifold import ROUND
from ecs_physics.part_pool import prepare
from ecs_physics.tables import CIRCLE, OTHER
from tests.kernels.contact_scene import DT, Scene, scene
from tests.kernels.naive_manifold import NaivePart, box, circle

few = settings(max_examples=50, deadline=None)
ROUNDING = 1e-6  # of float32 for circles of a metre


def ring(away: tuple[float, float], radius: float) -> NaivePart:
    """A circle whose middle is away from its body's centre of mass."""
    return NaivePart(np.array([away]), radius)


def test_two_circles_that_meet_askew() -> None:
    """3-4-5: their middles are 1 m apart along (.6, .8), their radii are .4 and .65."""
    made = scene([(circle(0.4), 1e5, -2e4), (ring((0.1, 0.2), 0.65), 1e5 + 0.5, -2e4 + 0.6)])
    made.velocities[0]["omega"], made.velocities[1]["omega"] = 2.0, -3.0
    made.velocities[1]["x"] = -5.0
    made.bodies["friction"], made.bodies["restitution"] = [0.4, 0.9], [0.25, 0.5]
    made.bodies["rolling_resistance"], made.bodies["surface_speed"] = [0.125, 0.0], [1.5, -0.25]
    assert made.step() == [0]
    assert made.acting_afar == []
    (contact,) = made.contacts
    assert (contact["count"], contact["feature_0"]) == (1, ROUND)
    assert (contact["normal_x"], contact["normal_y"]) == pytest.approx((0.6, 0.8), abs=ROUNDING)
    assert contact["separation_0"] == pytest.approx(-0.05, abs=ROUNDING)
    middle = 0.4 - 0.025  # along the normal, midway between the surfaces
    assert contact["anchor_ax_0"] == pytest.approx(0.6 * middle, abs=ROUNDING)
    assert contact["anchor_ay_0"] == pytest.approx(0.8 * middle, abs=ROUNDING)
    assert contact["anchor_bx_0"] == pytest.approx(0.6 * middle - 0.5, abs=ROUNDING)
    assert contact["anchor_by_0"] == pytest.approx(0.8 * middle - 0.6, abs=ROUNDING)
    # B closes in by 5 * .6, and its turn moves its middle, (.1, .2) from its centre, by (.6, -.3).
    assert contact["approach_0"] == pytest.approx(5.0 * 0.6 - (0.6 * 0.6 - 0.3 * 0.8), abs=1e-5)
    assert contact["friction"] == pytest.approx(0.6)
    assert contact["restitution"] == 0.5
    assert contact["rolling_resistance"] == pytest.approx(0.125 * 0.65)
    assert contact["surface_speed"] == 1.25


def test_concentric_circles_are_parted_upwards() -> None:
    made = scene([(circle(0.5), 3.0, 4.0), (circle(0.25), 3.0, 4.0)])
    assert made.step() == [0]
    (contact,) = made.contacts
    assert (contact["normal_x"], contact["normal_y"]) == (0.0, 1.0)
    assert contact["separation_0"] == -0.75


def test_impulses_are_kept_as_long_as_circles_stay_near() -> None:
    made = scene([(circle(0.5), 0.0, 0.0), (circle(0.5), 0.0, 0.999)])
    made.step()
    given = {"normal_impulse_0": 2.0, "tangent_impulse_0": -0.5, "rolling_impulse": 0.25}
    for field, impulse in given.items():
        made.contacts[field] = impulse
    made.contacts["total_normal_0"] = made.contacts["total_tangent_0"] = 9.0
    made.bodies["x"][1] = 0.1
    assert made.step() == [0]
    assert {field: made.contacts[field][0] for field in given} == given
    assert made.contacts["total_normal_0"] == made.contacts["total_tangent_0"] == 0.0
    made.bodies["x"][1] = 2.0
    assert made.step() == []
    made.bodies["x"][1] = 0.0
    assert made.step() == [0]
    assert not any(made.contacts[field][0] for field in given), "they were apart"


@pytest.mark.parametrize("gap", [SPECULATIVE_DISTANCE - 1e-4, 0.3, 0.6])
def test_a_gap_counts_as_far_as_it_closes_within_the_step(gap: float) -> None:
    made = scene([(circle(0.5), 0.0, 0.0), (circle(0.5), 1.0 + gap, 0.0)])
    made.velocities[1]["x"] = -0.4 / DT  # .4 m in the step
    assert made.step() == ([0] if gap < 0.5 else [])
    assert made.acting_afar == ([0] if gap < 0.4 else [])


@st.composite
def crowds(draw: st.DrawFn) -> Scene:
    """Circles in a heap, and the pairs of some of them, up to two batches and more."""
    count = draw(st.integers(2, 9))
    places = st.tuples(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5))
    away = st.sampled_from([(0.0, 0.0), (0.0, 0.0), (0.1, -0.2)])
    bodies = [
        (ring(draw(away), draw(st.floats(0.1, 0.8))), 30.0 + x, 70.0 + y)
        for x, y in draw(st.lists(places, min_size=count, max_size=count))
    ]
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    made = scene(bodies, draw(st.permutations(pairs))[: 2 * LANES + 3])
    rng = np.random.default_rng(draw(st.integers(0, 9999)))
    for axis, most in (("x", 10.0), ("y", 10.0), ("omega", 5.0)):
        made.velocities[axis] = rng.uniform(-most, most, count)
    for field in ("friction", "restitution", "rolling_resistance", "surface_speed"):
        made.bodies[field] = rng.uniform(0.0, 1.0, count)
    made.contacts["count"] = rng.integers(0, 2, len(made.contacts))
    made.contacts["feature_0"] = ROUND
    for field in ("normal_impulse_0", "tangent_impulse_0", "rolling_impulse"):
        made.contacts[field] = rng.uniform(-1.0, 1.0, len(made.contacts)).astype(np.float32)
    return made


def copied(made: Scene) -> Scene:
    return Scene(**{name: array.copy() for name, array in vars(made).items()})


def gap_and_approach(made: Scene, contact: Any) -> tuple[float, float]:
    """m and m/s, worked out from where the middles are and how they and the surfaces move."""
    middles, velocities, radii = [], [], []
    for side in "ab":
        body, part = made.bodies[contact[f"body_{side}"]], made.parts[contact[f"part_{side}"]]
        speed = made.velocities[contact[f"body_{side}"]]
        x, y = made.vertices[part["first_vertex"], :2]
        middles.append(np.array([body["x"] + x, body["y"] + y]))
        velocities.append(
            np.array([speed["x"] - speed["omega"] * y, speed["y"] + speed["omega"] * x])
        )
        radii.append(part["radius"])
    way = middles[1] - middles[0]
    distance = float(np.hypot(*way))
    assume(distance > 1e-3)
    return distance - sum(radii), -float((velocities[1] - velocities[0]) @ way) / distance


@few
@given(made=crowds())
def test_eight_at_once_find_what_one_by_one_find(made: Scene) -> None:
    expected, far = [], []
    for row, contact in enumerate(made.contacts):
        gap, approach = gap_and_approach(made, contact)
        reach = SPECULATIVE_DISTANCE + DT * max(approach, 0.0)
        for limit in (reach, DT * approach, LINEAR_SLOP):
            assume(abs(gap - limit) > 1e-4)
        expected += [row] if gap < reach else []
        far += [row] if LINEAR_SLOP < gap < DT * approach else []
    other = copied(made)
    other.parts["form"] = OTHER
    assert made.step() == other.step() == expected
    assert made.acting_afar == other.acting_afar == far
    for row in expected:
        for field in made.contacts.dtype.names or ():
            got, want = made.contacts[row][field], other.contacts[row][field]
            if not field.endswith("_1"):  # there is no second point
                assert got == pytest.approx(want, rel=1e-5, abs=2e-5), field


@few
@given(made=crowds())
def test_the_company_in_a_batch_makes_no_difference(made: Scene) -> None:
    """So that two threads, which cut the table elsewhere, find the same bits."""
    alone = copied(made)
    made.step()
    for row in range(len(alone.contacts)):
        single = copied(alone)
        single.contacts = alone.contacts[row : row + 1].copy()
        single.step()
        assert single.contacts[0].tobytes() == made.contacts[row].tobytes()


def test_forms_that_do_not_go_together_come_one_by_one() -> None:
    """Circles on a box among circles on circles: every contact is the one that it is alone."""
    bodies: Any = [(box(20.0, 1.0), 0.0, -0.5)]
    bodies += [(circle(0.5), k - 5.0, 0.499) for k in range(10)]
    pairs = [(0, k) for k in range(1, 11)] + [(k, k + 1) for k in range(1, 10)]
    made = scene(bodies, [pairs[k * 7 % 19] for k in range(19)])
    assert made.step() == list(range(19))
    for contact in made.contacts:
        on_box = contact["part_a"] == 0
        normal = (contact["normal_x"], contact["normal_y"])
        assert normal == pytest.approx((0.0, 1.0) if on_box else (1.0, 0.0), abs=ROUNDING)
        assert contact["separation_0"] == pytest.approx(-0.001 if on_box else 0.0, abs=ROUNDING)


def test_only_circles_that_are_not_too_large_are_met_by_eight_at_once() -> None:
    def form(shape: Shape, center_x: float = 0.0) -> int:
        return prepare(shape, center_x, 0.0).parts[0].form

    assert form(Shape.circle(0.5)) == CIRCLE
    assert form(Shape.circle(100.0)) == CIRCLE
    assert form(Shape.circle(200.0)) == OTHER
    assert form(Shape.circle(1.0), 300.0) == OTHER
