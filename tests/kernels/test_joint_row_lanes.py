"""Rows of joints between two steps: which of their fields follow the bodies, and when."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from ecs_physics.kernels import joint_row_fields as of
from ecs_physics.kernels.blocks import LANES
from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.joint_lists import ANGLE, HOLD, JOINT, LENGTH, LIMIT, REVOLUTE, ROW
from ecs_physics.kernels.joint_row_lanes import fill_rows, frame_rows, refresh_rows
from ecs_physics.kernels.solver_bodies import start_copies
from ecs_physics.tables import BODY, DYNAMIC

H = 1 / 240
NOBODY = 2
ALL = slice(of.JACOBIAN, of.JACOBIAN + 6)


@dataclass
class Hinge:
    """Two bodies on a pin, whose angle has limits or is held.

    Alone in its block, or beside a row of another measure: then it is not worked out with lanes.
    """

    law: int = LIMIT
    is_alone: bool = True
    bodies: Any = field(default_factory=lambda: np.zeros(2, BODY))
    rows: Any = field(default_factory=lambda: np.zeros(LANES, ROW))
    joints: Any = field(default_factory=lambda: np.zeros(1, JOINT))
    blocks: Any = field(default_factory=lambda: np.zeros((1, of.ROW_FIELDS, LANES), np.float32))
    solver_rows: Any = field(default_factory=lambda: np.zeros((1, 2, LANES), np.int32))

    def __post_init__(self) -> None:
        warm_up("joints")
        self.joints["type"] = REVOLUTE
        self.rows["joint"] = -1
        for name, value in (
            ("joint", 0),
            ("measure", ANGLE),
            ("law", self.law),
            ("row_b", 1),
            ("is_pinned", True),
            ("lower", -0.3),
            ("upper", 0.4),
            ("most", np.inf),
            ("ax", 0.2),
            ("ay", 0.5),
            ("bx", -0.1),
            ("by", -0.6),
        ):
            self.rows[name][0] = value
        if not self.is_alone:
            self.rows["joint"][1], self.rows["measure"][1] = 0, LENGTH
        self.bodies["kind"] = DYNAMIC
        for name, values in (
            ("inverse_mass_x", (1.0, 0.5)),
            ("inverse_mass_y", (1.0, 0.5)),
            ("inverse_inertia", (6.0, 2.0)),
        ):
            self.bodies[name] = values

    def begin(self, angle_a: float, angle_b: float) -> None:
        """Begin a step at these angles (rad)."""
        for name, values in (
            ("angle", (angle_a, angle_b)),
            ("start_angle", (angle_a, angle_b)),
            ("cos", np.cos((angle_a, angle_b))),
            ("sin", np.sin((angle_a, angle_b))),
        ):
            self.bodies[name] = values
        frame_rows(1, H, NOBODY, self.rows, self.bodies, self.solver_rows, self.blocks)
        poses, copies = np.zeros((2, 3)), np.zeros((NOBODY + 1, 8), np.float32)
        masses = np.zeros((NOBODY + 1, 8), np.float32)
        start_copies(2, self.bodies, poses, copies, masses)
        fill_rows(1, self.joints, self.rows, self.bodies, masses, self.solver_rows, self.blocks)

    def turn(self, angle_a: float, angle_b: float) -> None:
        """Turn the bodies on within the step, in a substep."""
        turns = np.array((angle_a, angle_b))
        self.bodies["angle"] += turns
        copies = np.zeros((NOBODY + 1, 8), np.float32)
        copies[:2, 6], copies[:2, 7] = np.cos(turns) - 1.0, np.sin(turns)
        refresh_rows(0, 1, self.rows, self.bodies, copies, self.solver_rows, self.blocks)

    def lane(self, which: int | slice) -> Any:
        return self.blocks[0, which, 0]


@pytest.mark.parametrize(("law", "gap"), [(LIMIT, 0.3), (HOLD, 0.0)])
def test_the_gap_follows_every_turn(law: int, gap: float) -> None:
    hinge = Hinge(law)
    hinge.begin(0.1, 0.2)
    assert hinge.lane(of.GAP) == pytest.approx(gap - 0.1)
    for turns in range(1, 7):
        hinge.turn(0.003, -0.004)
        assert hinge.lane(of.GAP) == pytest.approx(gap - 0.1 + 0.007 * turns, abs=1e-6)


@pytest.mark.parametrize("law", [LIMIT, HOLD])
def test_all_follows_every_turn_as_if_the_step_began_there(law: int) -> None:
    hinge, other, mixed = Hinge(law), Hinge(law), Hinge(law, is_alone=False)
    for each in (hinge, other, mixed):
        each.rows["lower"], each.rows["upper"] = -0.2, 0.2
    hinge.begin(0.1, 0.2)
    mixed.begin(0.1, 0.2)
    assert hinge.lane(of.KIND) == 1.0
    assert mixed.lane(of.KIND) == 0.0, "the same, but one by one"
    for turns in range(1, 5):
        hinge.turn(0.05, -0.03)
        mixed.turn(0.05, -0.03)
        other.begin(0.1 + 0.05 * turns, 0.2 - 0.03 * turns)
        for which in (of.MASS, of.GAP, of.SIDE, *range(of.JACOBIAN, of.JACOBIAN + 6)):
            wanted = pytest.approx(other.lane(which), rel=1e-5, abs=2e-6)
            assert hinge.lane(which) == wanted
            assert mixed.lane(which) == wanted


@pytest.mark.parametrize("is_alone", [True, False])
def test_the_nearer_limit_takes_over_without_an_impulse(is_alone: bool) -> None:
    hinge = Hinge(is_alone=is_alone)
    hinge.rows["lower"], hinge.rows["upper"] = -0.02, 0.03
    hinge.begin(0.0, 0.0)
    assert (hinge.lane(of.SIDE), hinge.lane(of.GAP)) == (1.0, pytest.approx(0.02))
    lower = hinge.lane(ALL).copy()
    hinge.blocks[0, [of.IMPULSE, of.TOTAL], 0] = 0.7, 1.5
    hinge.turn(0.004, 0.0)
    assert hinge.lane(of.IMPULSE) == np.float32(0.7), "it is still the lower one"
    hinge.turn(0.004, 0.0)
    assert (hinge.lane(of.SIDE), hinge.lane(of.GAP)) == (-1.0, pytest.approx(0.022))
    assert (hinge.lane(of.IMPULSE), hinge.lane(of.TOTAL)) == (0.0, -1.5)
    assert hinge.lane(ALL) == pytest.approx(-lower, abs=0.02)


def test_the_jacobian_is_made_anew_in_every_step() -> None:
    hinge, other = Hinge(), Hinge()
    hinge.begin(0.1, 0.2)
    hinge.begin(0.11, 0.2)
    other.begin(0.11, 0.2)
    assert (hinge.lane(ALL) == other.lane(ALL)).all()


def test_a_limit_that_comes_near_within_a_step_gets_its_jacobian() -> None:
    hinge, other = Hinge(), Hinge()
    hinge.rows["lower"] = other.rows["lower"] = -0.5
    hinge.rows["upper"] = other.rows["upper"] = 0.5
    hinge.begin(0.1, -0.14)  # .26 rad from the upper limit
    assert hinge.lane(of.MASS) == 0.0
    hinge.turn(0.0, -0.015)
    other.begin(0.1, -0.155)
    assert hinge.lane(of.MASS) == pytest.approx(other.lane(of.MASS), rel=1e-6)
    assert hinge.lane(ALL) == pytest.approx(other.lane(ALL), rel=1e-6)
    assert hinge.lane(of.GAP) == pytest.approx(0.245)


def test_an_impulse_along_the_jacobian_leaves_the_pin_closed() -> None:
    hinge = Hinge()
    hinge.begin(0.1, 0.2)
    j = hinge.lane(ALL).astype(float)
    masses = np.array([1.0, 1.0, 6.0, 0.5, 0.5, 2.0])
    v_ax, v_ay, omega_a, v_bx, v_by, omega_b = masses * j
    cos, sin = np.cos((0.1, 0.2)), np.sin((0.1, 0.2))
    ax, ay = 0.2 * cos[0] - 0.5 * sin[0], 0.2 * sin[0] + 0.5 * cos[0]
    bx, by = -0.1 * cos[1] + 0.6 * sin[1], -0.1 * sin[1] - 0.6 * cos[1]
    assert v_ax - omega_a * ay == pytest.approx(v_bx - omega_b * by, abs=1e-5)
    assert v_ay + omega_a * ax == pytest.approx(v_by + omega_b * bx, abs=1e-5)
    assert hinge.lane(of.MASS) == pytest.approx(1.0 / (omega_a - omega_b), rel=1e-5)
