"""The plain contact solver on single contacts, against closed forms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics.constants import CONTACT_CYCLES_PER_SUBSTEP, PUSH_SPEED
from ecs_physics.kernels.blocks import FIELDS, LANES, fill_blocks, store_impulses
from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.soft_contact import solve_contacts, warm_start
from ecs_physics.tables import DYNAMIC, STATIC
from tests.kernels.tables import contact_of, two_bodies

warm_up()

H = 1.0 / 240.0
few = settings(max_examples=25, deadline=None)


class OneContact:
    """A disc B on a disc A (static where mass_a is None), and the solver's arrays for the two."""

    def __init__(self, mass_a: float | None, mass_b: float, **fields: float) -> None:
        kind_a = STATIC if mass_a is None else DYNAMIC
        bodies, parts, _ = two_bodies(kind_a, DYNAMIC, mass_a or 1.0, mass_b)
        anchors = {"anchor_ay_0": 0.5, "anchor_by_0": -0.5}
        self.contacts = contact_of(**(anchors | fields))
        self.lanes = np.full((1, LANES), -1, np.int32)
        self.lanes[0, 3] = 0
        self.rows = np.zeros((1, 2, LANES), np.int32)
        self.blocks = np.zeros((1, FIELDS, LANES), np.float32)
        hertz = CONTACT_CYCLES_PER_SUBSTEP / H
        arrays = (bodies, parts, self.contacts, self.lanes, self.rows, self.blocks)
        fill_blocks(1, H, hertz, 2, *arrays)
        self.copies = np.zeros((3, 8), np.float32)

    def solve(self, velocity_b: tuple[float, float, float], *, use_bias: bool) -> np.ndarray:
        """Solve once, B coming with `velocity_b`: x, y, omega of both after it."""
        self.copies[1, :3] = velocity_b
        solve_contacts(0, 1, use_bias, True, 1.0 / H, self.copies, self.rows, self.blocks)
        return self.copies[:2, :3]

    def stored(self) -> np.void:
        store_impulses(1, self.lanes, self.blocks, self.contacts)
        return self.contacts[0]


@few
@given(
    speed=st.floats(-20, -0.1),
    mass_a=st.one_of(st.none(), st.floats(0.1, 10)),
    mass_b=st.floats(0.1, 10),
)
def test_a_closing_contact_is_stopped_and_momentum_kept(
    speed: float, mass_a: float | None, mass_b: float
) -> None:
    contact = OneContact(mass_a, mass_b)
    a, b = contact.solve((0.0, speed, 0.0), use_bias=False)
    assert b[1] - a[1] == pytest.approx(0.0, abs=1e-4)
    total = mass_b / (mass_b + mass_a) * speed if mass_a else 0.0
    assert b[1] == pytest.approx(total, rel=1e-4, abs=1e-4)
    assert contact.stored()["normal_impulse_0"] == pytest.approx(mass_b * (b[1] - speed), rel=1e-4)


@few
@given(speed=st.floats(0.0, 20.0))
def test_a_parting_contact_never_pulls(speed: float) -> None:
    contact = OneContact(None, 1.0)
    _, b = contact.solve((0.0, speed, 0.0), use_bias=False)
    assert b[1] == np.float32(speed)
    assert contact.stored()["normal_impulse_0"] == 0.0


@few
@given(gap=st.floats(0.001, 0.05), speed=st.floats(-30.0, -0.01))
def test_across_a_gap_a_body_may_come_as_near_as_the_gap_allows(gap: float, speed: float) -> None:
    contact = OneContact(None, 1.0, separation_0=gap)
    _, b = contact.solve((0.0, speed, 0.0), use_bias=True)
    assert b[1] == pytest.approx(max(speed, -gap / H), rel=1e-4)


@pytest.mark.parametrize(("overlap", "capped"), [(0.01, False), (0.5, True)])
def test_overlap_is_pushed_out_with_limited_speed(overlap: float, capped: bool) -> None:
    contact = OneContact(None, 1.0, separation_0=-overlap)
    _, b = contact.solve((0.0, 0.0, 0.0), use_bias=True)
    assert 0.0 < b[1] <= PUSH_SPEED
    assert bool(b[1] > 0.9 * PUSH_SPEED) == capped
    relaxed = OneContact(None, 1.0, separation_0=-overlap)
    _, b = relaxed.solve((0.0, 0.0, 0.0), use_bias=False)
    assert b[1] == 0.0, "relaxing pushes nothing"


@few
@given(friction=st.floats(0.0, 1.0), slip=st.floats(-10, 10), surface=st.floats(-3, 3))
def test_friction_is_coulomb_s_relative_to_the_running_surface(
    friction: float, slip: float, surface: float
) -> None:
    contact = OneContact(None, 1.0, friction=friction, surface_speed=surface)
    _, b = contact.solve((slip, -2.0, 0.0), use_bias=False)
    stopping = (surface - slip) / (1.0 + 0.5**2 / 0.125)
    limit = friction * 2.0
    tangent = min(max(stopping, -limit), limit)
    assert b[0] == pytest.approx(slip + tangent, abs=1e-4)
    assert b[2] == pytest.approx(0.5 * tangent / 0.125, abs=1e-4)
    assert contact.stored()["tangent_impulse_0"] == pytest.approx(tangent, abs=1e-4)


@few
@given(resistance=st.floats(0.0, 0.5), omega=st.floats(-10, 10))
def test_rolling_resistance_is_limited_by_the_normal_impulse(
    resistance: float, omega: float
) -> None:
    contact = OneContact(None, 1.0, rolling_resistance=resistance)
    _, b = contact.solve((0.0, -2.0, omega), use_bias=False)
    stopping = -0.125 * omega
    limit = resistance * 2.0
    wanted = omega + min(max(stopping, -limit), limit) / 0.125
    assert b[2] == pytest.approx(wanted, abs=1e-4)


def test_a_warm_start_applies_what_the_last_substep_found() -> None:
    contact = OneContact(2.0, 4.0, normal_impulse_0=6.0, tangent_impulse_0=1.0)
    warm_start(0, 1, contact.copies, contact.rows, contact.blocks)
    a, b = contact.copies[:2, :3]
    assert a.tolist() == pytest.approx([-0.5, -3.0, 0.5 * 1.0 / 0.25], rel=1e-5)
    assert b.tolist() == pytest.approx([0.25, 1.5, 0.5 * 1.0 / 0.5], rel=1e-5)


def test_lanes_without_a_contact_touch_nobody() -> None:
    contact = OneContact(None, 1.0)
    contact.copies[2, :3] = 7.0  # the row of no body
    contact.solve((0.0, -1.0, 0.0), use_bias=False)
    assert contact.copies[2, :3].tolist() == [7.0, 7.0, 7.0]
