"""Restitution inside a substep, against the parabola that it plays."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics.constants import RESTITUTION_THRESHOLD
from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.impacts import (
    HIT,
    NO_HIT,
    hit,
    hit_time,
    play_hit,
    rebound,
)
from ecs_physics.kernels.solver_bodies import MOTION_ROWS
from ecs_physics.tables import BODY, CONTACT, DYNAMIC, FORCE, PART, STATIC, VELOCITY
from tests.kernels.tables import contact_of, two_bodies

warm_up()

H = 1.0 / 240.0
few = settings(max_examples=25, deadline=None)


@few
@given(
    time=st.floats(0.0, H),
    speed=st.floats(-50.0, -0.6),
    pull=st.floats(-100.0, 100.0),
)
def test_the_time_of_a_hit_is_the_first_root_of_the_parabola(
    time: float, speed: float, pull: float
) -> None:
    gap = -(speed * time + 0.5 * pull * time * time)
    assert hit_time(gap, speed, pull, H) == pytest.approx(time, abs=1e-12)


@pytest.mark.parametrize("speed", [-1.0, -20.0])
@pytest.mark.parametrize("pull", [-9.81, 0.0, 9.81])
def test_surfaces_that_touch_hit_at_once(speed: float, pull: float) -> None:
    assert hit_time(0.0, speed, pull, H) == 0.0


@few
@given(
    restitution=st.floats(0.05, 1.0),
    speed=st.floats(-40.0, -1.0),
    pull=st.floats(-20.0, 0.0),
    share=st.floats(0.01, 0.99),
)
def test_a_hit_leads_to_where_the_true_parabolas_lead(
    restitution: float, speed: float, pull: float, share: float
) -> None:
    """Down to the surface, reversed there, and on for the rest of the substep, in closed form."""
    time = share * H
    start = speed - 0.5 * pull * H  # of the true parabola; speed is after the kick
    gap = -(start * time + 0.5 * pull * time * time)
    mean, left = play_hit(gap, speed, pull, restitution, H)

    parting = -restitution * (start + pull * time)
    rest = H - time
    assert gap + mean * H == pytest.approx(parting * rest + 0.5 * pull * rest**2, abs=1e-12)
    # The next substep kicks first: its true parabola must begin with the speed there.
    assert left + 0.5 * pull * H == pytest.approx(parting + pull * rest, abs=1e-12)


@few
@given(speed=st.floats(-0.9 * RESTITUTION_THRESHOLD, 3.0), restitution=st.floats(0.1, 1.0))
def test_what_meets_slowly_or_parts_does_not_bounce(speed: float, restitution: float) -> None:
    assert play_hit(0.0, speed, 0.0, restitution, H) == (NO_HIT, NO_HIT)


def bounce(
    gap: float, velocity: tuple, mass_a: float | None, mass_b: float, e: float, friction: float = 0
):
    """Play one hit of a disc B that comes down on a disc A (static where mass_a is None)."""
    kind_a = STATIC if mass_a is None else DYNAMIC
    bodies, parts, velocities = two_bodies(kind_a, DYNAMIC, mass_a or 1.0, mass_b)
    bodies["y"][1] = 1.0 + gap
    velocities[1] = (0, *velocity)
    contacts = contact_of(
        anchor_ay_0=0.5 + gap / 2,
        anchor_by_0=-0.5 - gap / 2,
        separation_0=gap,
        restitution=e,
        friction=friction,
    )
    return *play(bodies, parts, contacts, velocities)[:2], contacts


def play(bodies: np.ndarray, parts: np.ndarray, contacts: np.ndarray, velocities: np.ndarray):
    """Both impulses of a substep, the bodies staying where they are: velocities after each."""
    rows, count = len(bodies), len(contacts)
    motions, copies = np.zeros((MOTION_ROWS * rows, 4)), np.zeros((rows + 1, 8), np.float32)
    bodies["start_angle"] = bodies["angle"]
    bouncy, forces = np.arange(count, dtype=np.int32), np.zeros(rows, FORCE)
    hits = np.full(count, 77.0, HIT)
    hit(count, H, bouncy, bodies, parts, forces, contacts, velocities, motions, copies, hits)
    middle = velocities.copy()
    rebound(count, bouncy, bodies, parts, contacts, velocities, motions, copies, hits)
    for k, one in enumerate(hits):
        for point in range(contacts["count"][k]):
            if one[f"after_{point}"] == NO_HIT:
                assert contacts[f"total_normal_{point}"][k] == 0.0
                continue
            for way in ("normal", "tangent"):
                total = contacts[f"total_{way}_{point}"][k]
                assert one[f"{way}_{point}"] == pytest.approx(total, abs=1e-9)
    if (velocities != middle).any():  # the solver goes on from the new velocities
        for column, field in enumerate(("x", "y", "omega")):
            moves = bodies["kind"] == DYNAMIC
            seen = copies[:rows, column][moves]
            assert seen.tolist() == velocities[field][moves].astype(np.float32).tolist()
    return middle, velocities, hits


@few
@given(
    e=st.floats(0.1, 1.0),
    speed=st.floats(-30.0, -1.0),
    share=st.floats(0.0, 0.98),
    mass_a=st.one_of(st.none(), st.floats(0.1, 10.0)),
    mass_b=st.floats(0.1, 10.0),
)
def test_a_straight_hit_is_newton_s(
    e: float, speed: float, share: float, mass_a: float | None, mass_b: float
) -> None:
    gap = -speed * share * H
    middle, after, contacts = bounce(gap, (0.0, speed, 0.0), mass_a, mass_b, e)
    assert after["y"][1] - after["y"][0] == pytest.approx(-e * speed, rel=1e-9)
    # Half way, the mean speed leads to where the true path ends.
    rest = H * (1.0 - share)
    apart = gap + H * (middle["y"][1] - middle["y"][0])
    assert apart == pytest.approx(-e * speed * rest, abs=1e-9)
    if mass_a is None:
        assert after["y"][0] == 0.0
    else:
        momentum = mass_a * after["y"][0] + mass_b * after["y"][1]
        assert momentum == pytest.approx(mass_b * speed, rel=1e-9)
    impulse = contacts["total_normal_0"][0]
    assert impulse == pytest.approx(mass_b * (after["y"][1] - speed), rel=1e-9)
    assert after["omega"].tolist() == [0.0, 0.0]


def test_what_will_not_be_reached_in_this_substep_is_left_alone() -> None:
    middle, after, contacts = bounce(0.1, (1.0, -20.0, 2.0), None, 1.0, 1.0)
    assert middle[1].tolist() == after[1].tolist() == (0, 1.0, -20.0, 2.0)
    assert contacts["total_normal_0"][0] == 0.0


def test_a_hit_that_ends_exactly_with_the_substep_is_not_lost() -> None:
    """The gap is closed to the last bit at its end: then or at once in the next, it must bounce."""
    speed, e = -7.0, 1.0
    _, after, _ = bounce(-speed * H, (0.0, speed, 0.0), None, 1.0, e)
    if after["y"][1] < 0.0:  # not in this one
        _, after, _ = bounce(0.0, (0.0, speed, 0.0), None, 1.0, e)
    assert after["y"][1] == pytest.approx(7.0, rel=1e-9)


@few
@given(friction=st.floats(0.0, 1.0), slip=st.floats(-10.0, 10.0), speed=st.floats(-20.0, -1.0))
def test_friction_of_a_hit_is_coulomb_s(friction: float, slip: float, speed: float) -> None:
    """Along the surface: at most mu times the normal impulse, and never more than stops slip."""
    _, after, contacts = bounce(0.0, (slip, speed, 0.0), None, 1.0, 0.5, friction)
    normal, tangent = contacts["total_normal_0"][0], contacts["total_tangent_0"][0]
    assert normal == pytest.approx(-1.5 * speed, rel=1e-9)
    stopping = -slip / (1.0 + 0.5**2 / 0.125)
    limit = friction * normal
    assert abs(tangent) <= limit + 1e-9
    assert after["x"][1] == pytest.approx(slip + tangent, abs=1e-9)
    assert after["omega"][1] == pytest.approx(0.5 * tangent / 0.125, abs=1e-9)
    if abs(stopping) < 0.3 * limit:
        surface = after["x"][1] + 0.5 * after["omega"][1]
        assert surface == pytest.approx(0.0, abs=1e-9)
    if abs(stopping) > limit:
        assert abs(tangent) == pytest.approx(limit, abs=1e-9)
        assert math.copysign(1.0, tangent) == -math.copysign(1.0, slip) or limit == 0.0


def landing(
    places: tuple[float, ...], gaps: tuple[float, ...], e: float, friction: float = 0.0
) -> tuple[np.ndarray, ...]:
    """A crate of 1 m and 1 kg, in row 2, over the floors 0 and 1, which it touches at `places`.

    Two places are a contact with a floor each; with four, each floor has the two next ones.
    """
    bodies, parts, velocities = np.zeros(3, BODY), np.zeros(3, PART), np.zeros(3, VELOCITY)
    bodies["cos"] = 1.0
    bodies["kind"] = STATIC, STATIC, DYNAMIC
    bodies["x"], bodies["y"] = (-5.0, 5.0, 0.0), (-1.0, -1.0, 0.5)
    bodies["inverse_mass_x"][2] = bodies["inverse_mass_y"][2] = 1.0
    bodies["inverse_inertia"][2] = 6.0
    parts["count"], parts["body"] = 4, (0, 1, 2)
    contacts = np.zeros(2, CONTACT)
    for k in range(2):
        contacts["part_a"][k] = contacts["body_a"][k] = k
    contacts["part_b"] = contacts["body_b"] = 2
    contacts["normal_y"] = 1.0
    contacts["restitution"], contacts["friction"] = e, friction
    each = len(places) // 2
    contacts["count"] = each
    for k, (place, gap) in enumerate(zip(places, gaps, strict=True)):
        contact, point = contacts[k // each], k % each
        contact[f"anchor_bx_{point}"], contact[f"anchor_by_{point}"] = place, -0.5 - gap / 2
        for axis, anchor in (("x", place), ("y", -0.5 - gap / 2)):
            offset = bodies[axis][2] - bodies[axis][contact["body_a"]]
            contact[f"anchor_a{axis}_{point}"] = anchor + offset
        contact[f"separation_{point}"] = gap
    return bodies, parts, contacts, velocities


@pytest.mark.parametrize("places", [(-0.5, 0.5), (-0.5, 0.1), (-0.5, -0.1, -0.1, 0.5)])
@pytest.mark.parametrize("e", [0.3, 1.0])
def test_a_crate_across_a_joint_takes_off_as_flat_as_it_came(places: tuple, e: float) -> None:
    bodies, parts, contacts, velocities = landing(places, (0.0,) * len(places), e)
    velocities["y"][2] = -7.0
    middle, after, _ = play(bodies, parts, contacts, velocities)
    for each in (middle, after):
        assert each["y"][2] == pytest.approx(7.0 * e, rel=1e-4)
        assert each["omega"][2] == pytest.approx(0.0, abs=1e-3)
    assert all((after[field][:2] == 0.0).all() for field in ("x", "y", "omega"))
    normal = sum(float(contacts[f"total_normal_{point}"].sum()) for point in (0, 1))
    assert normal == pytest.approx(7.0 * (1.0 + e), rel=1e-4)


@few
@given(
    left=st.floats(-0.5, -0.2),
    right=st.floats(0.2, 0.5),
    shares=st.tuples(st.floats(0.0, 0.9), st.floats(0.0, 0.9)),
    speed=st.floats(-20.0, -5.0),
    omega=st.floats(-4.0, 4.0),
    e=st.floats(0.1, 1.0),
)
def test_contacts_that_hit_together_push_where_they_must_and_only_there(
    left: float, right: float, shares: tuple, speed: float, omega: float, e: float
) -> None:
    """Signorini: no point is slower than it should be, and only those that are not faster push."""
    places = (left, right)
    gaps = tuple(-share * H * (speed + omega * x) for share, x in zip(shares, places, strict=True))
    bodies, parts, contacts, velocities = landing(places, gaps, e)
    velocities["y"][2], velocities["omega"][2] = speed, omega
    _, after, hits = play(bodies, parts, contacts, velocities)
    for k, place in enumerate(places):
        faster = after["y"][2] + after["omega"][2] * place - hits["after_0"][k]
        impulse = contacts["total_normal_0"][k]
        assert impulse >= 0.0
        assert faster > -1e-5
        assert impulse * faster == pytest.approx(0.0, abs=1e-4)
    total = contacts["total_normal_0"]
    assert after["y"][2] == pytest.approx(speed + total.sum(), abs=1e-9)
    assert after["omega"][2] == pytest.approx(omega + 6.0 * (total * places).sum(), abs=1e-8)


@few
@given(friction=st.floats(0.0, 1.0), slip=st.floats(-10.0, 10.0))
def test_a_sliding_crate_rubs_at_all_points_within_coulomb_s_law(
    friction: float, slip: float
) -> None:
    bodies, parts, contacts, velocities = landing((-0.5, 0.5), (0.0, 0.0), 0.5, friction)
    velocities["x"][2], velocities["y"][2] = slip, -4.0
    _, after, _ = play(bodies, parts, contacts, velocities)
    for contact in contacts:
        assert abs(contact["total_tangent_0"]) <= friction * contact["total_normal_0"] + 1e-9
        assert contact["total_tangent_0"] * slip <= 1e-9
    total = contacts["total_tangent_0"].sum()
    assert after["x"][2] == pytest.approx(slip + total, abs=1e-9)
