"""The plain contact solver on single contacts, against closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics.constants import CONTACT_CYCLES_PER_SUBSTEP, PUSH_SPEED
from ecs_physics.kernels.blocks import (
    ARM_AX,
    ARM_AY,
    ARM_BX,
    ARM_BY,
    COLORS,
    FIELDS,
    LANES,
    NORMAL_X,
    NORMAL_Y,
    POINT_0,
    SEPARATION,
    SHARE_B,
)
from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.fill_blocks import SIDES
from ecs_physics.kernels.prepare_contacts import prepare_contacts
from ecs_physics.kernels.soft_contact import solve_contacts, warm_start
from ecs_physics.kernels.store_impulses import store_impulses
from ecs_physics.tables import DYNAMIC, STATIC
from tests.kernels.tables import contact_of, in_lanes, two_bodies

warm_up()

H = 1.0 / 240.0
few = settings(max_examples=25, deadline=None)


DISCS = (1, 0.5), (1, 0.5)
BOXES = (4, 0.0), (4, 0.0)


class OneContact:
    """A disc B on a disc A (static where mass_a is None), and the solver's arrays for the two.

    `shapes` are vertices and radius of the two parts, where they are other than discs.
    """

    def __init__(
        self,
        mass_a: float | None,
        mass_b: float,
        shapes: tuple[tuple[int, float], ...] = DISCS,
        **fields: float,
    ) -> None:
        kind_a = STATIC if mass_a is None else DYNAMIC
        bodies, parts, _ = two_bodies(kind_a, DYNAMIC, mass_a or 1.0, mass_b)
        for row, (count, radius) in enumerate(shapes):
            parts["count"][row], parts["radius"][row] = count, radius
        anchors = {"anchor_ay_0": 0.5, "anchor_by_0": -0.5}
        self.contacts = contact_of(**(anchors | fields))
        self.active = np.zeros(1, np.int32)
        self.lanes = np.zeros((1, LANES), np.int32)
        self.rows = np.zeros((1, SIDES, LANES), np.int32)
        self.blocks = np.full((1, FIELDS, LANES), np.nan, np.float32)
        self.copies = np.zeros((3, 8), np.float32)
        prepare_contacts(
            2,
            1,
            self.active,
            -1,
            False,
            H,
            CONTACT_CYCLES_PER_SUBSTEP / H,
            bodies,
            in_lanes(parts),
            self.contacts,
            np.zeros(2, np.uint32),
            np.zeros((1, 4), np.int32),
            np.zeros(1, np.int32),
            np.zeros(COLORS + 1, np.int32),
            np.zeros((2, COLORS), np.int32),
            self.lanes,
            np.zeros(1, np.int32),
            self.rows,
            self.blocks,
            np.zeros((2, 3)),
            self.copies,
            np.zeros((3, 8), np.float32),
        )
        self.lane = 0

    def solve(self, velocity_b: tuple[float, float, float], *, use_bias: bool) -> np.ndarray:
        """Solve once, B coming with `velocity_b`: x, y, omega of both after it."""
        self.copies[1, :3] = velocity_b
        solve_contacts(0, 1, use_bias, True, 1.0 / H, self.copies, self.rows, self.blocks)
        return self.copies[:2, :3]

    def field(self, *fields: int) -> list[float]:
        return [float(self.blocks[0, each, self.lane]) for each in fields]

    def arms(self) -> np.ndarray:
        """Where impulses act, from the centres of A and of B."""
        fields = [POINT_0 + each for each in (ARM_AX, ARM_AY, ARM_BX, ARM_BY)]
        return np.array(self.field(*fields)).reshape(2, 2)

    def separation(self) -> float:
        return self.field(POINT_0 + SEPARATION)[0]

    def move(self, row: int, x: float, y: float, angle: float) -> None:
        """Let a body have moved in this substep, and let the point follow."""
        self.copies[:, 4:] = 0.0
        self.copies[row, 4:] = x, y, math.cos(angle) - 1.0, math.sin(angle)
        solve_contacts(0, 1, False, True, 1.0 / H, self.copies, self.rows, self.blocks)

    def stored(self) -> np.void:
        store_impulses(1, self.lanes, self.rows, self.blocks, self.contacts)
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


# Where impulses act


@pytest.mark.parametrize(
    ("shapes", "share"),
    [
        (((1, 0.5), (1, 0.5)), 0.5),
        (((1, 0.6), (1, 0.2)), 0.75),  # on the line between the centres, between the surfaces
        (((1, 0.5), (4, 0.0)), 0.0),
        (((2, 0.3), (1, 0.5)), 1.0),
        (((4, 0.1), (2, 0.3)), 0.5),
    ],
)
def test_impulses_act_where_no_torque_is_made_up(shapes: tuple, share: float) -> None:
    """Between two surfaces that are `gap` apart, at B's by its share; right below a circle."""
    gap = 0.01
    anchors = {"anchor_ay_0": 0.5 + gap / 2, "anchor_by_0": -0.5 - gap / 2}
    both = OneContact(1.0, 1.0, shapes, separation_0=gap, **anchors)
    assert both.field(SHARE_B) == pytest.approx([share])
    arms = [[0.0, 0.5 + share * gap], [0.0, -0.5 - (1.0 - share) * gap]]
    assert both.arms() == pytest.approx(np.array(arms), abs=1e-7)
    only_b = OneContact(None, 1.0, shapes, separation_0=gap, **anchors)
    assert only_b.field(SHARE_B) == [1.0]
    assert only_b.arms()[1] == pytest.approx([0.0, -0.5], abs=1e-7)


@few
@given(
    moves=st.lists(
        st.tuples(
            st.sampled_from([0, 1]),
            st.floats(-0.01, 0.01),
            st.floats(-0.01, 0.01),
            st.floats(-0.1, 0.1),
        ),
        max_size=6,
    ),
    shapes=st.sampled_from([BOXES, ((4, 0.1), (2, 0.2)), ((4, 0.0), (1, 0.5))]),
)
def test_both_arms_lead_to_one_point_wherever_the_bodies_go(moves: list, shapes: tuple) -> None:
    """Or the angular momentum of the two would not be kept."""
    gap = 0.004
    fields = {"anchor_ax_0": 0.2, "anchor_ay_0": 0.5, "anchor_bx_0": -0.1, "anchor_by_0": -0.4}
    contact = OneContact(1.0, 2.0, shapes, separation_0=gap, **fields)
    centers = np.array([[0.0, 0.0], [0.3, 0.9]])
    for row, x, y, angle in moves:
        contact.move(row, x, y, angle)
        centers[row] += x, y
    on_a, on_b = centers + contact.arms()
    assert on_a == pytest.approx(on_b, abs=1e-6)


@few
@given(x=st.floats(-0.02, 0.02), y=st.floats(-0.02, 0.02), angle=st.floats(-0.2, 0.2))
def test_the_gap_under_a_corner_is_that_of_the_corner(x: float, y: float, angle: float) -> None:
    fields = {"anchor_ax_0": 0.5, "anchor_ay_0": 0.55, "anchor_bx_0": 0.5, "anchor_by_0": -0.45}
    contact = OneContact(None, 1.0, BOXES, separation_0=0.1, **fields)
    contact.move(1, x, y, angle)
    corner = 0.5 * math.sin(angle) - 0.4 * math.cos(angle)  # the core's: half the gap higher
    assert contact.separation() == pytest.approx(0.1 + y + corner + 0.4, abs=1e-6)
    turned = [0.5 * math.cos(angle) + 0.4 * math.sin(angle), corner]
    assert contact.arms()[1] == pytest.approx(turned, abs=1e-6)


def test_a_rolling_disc_is_touched_below_its_centre_all_the_time() -> None:
    fields = {"anchor_ay_0": 0.499, "anchor_by_0": -0.499, "separation_0": -0.002}
    contact = OneContact(None, 1.0, ((4, 0.0), (1, 0.5)), **fields)
    start = contact.arms()
    for _ in range(10):
        contact.move(1, -0.5 * 0.1, 0.0, 0.1)
    assert contact.separation() == pytest.approx(-0.002, abs=1e-6)
    assert contact.arms()[1] == pytest.approx(start[1], abs=1e-6)
    assert contact.arms()[0] == pytest.approx(start[0] - [0.5, 0.0], abs=1e-6)


@few
@given(
    moves=st.lists(
        st.tuples(st.sampled_from([0, 1]), st.floats(-0.01, 0.01), st.floats(-0.01, 0.01)),
        min_size=1,
        max_size=4,
    ),
    turn=st.floats(-0.2, 0.2),
)
def test_two_discs_touch_between_their_centres_wherever_they_go(moves: list, turn: float) -> None:
    """But for the product of how they move sideways and nearer: the distance stays the first."""
    contact = OneContact(1.0, 1.0, ((1, 0.6), (1, 0.4)), anchor_ay_0=0.6, anchor_by_0=-0.4)
    centers = np.array([[0.0, 0.0], [0.0, 1.0]])
    for row, x, y in moves:
        contact.move(row, x, y, turn)
        centers[row] += x, y
    way = centers[1] - centers[0]
    distance = float(np.hypot(*way))
    assert contact.separation() == pytest.approx(distance - 1.0, abs=1e-4)
    assert contact.field(NORMAL_X, NORMAL_Y) == pytest.approx(way / distance, abs=1e-3)
    on_a, on_b = centers + contact.arms()
    assert on_a == pytest.approx(on_b, abs=1e-6)
