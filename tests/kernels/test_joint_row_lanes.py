"""Rows of joints between two steps: which of their fields follow the bodies, and when."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from ecs_physics.kernels import joint_row_lanes as lanes
from ecs_physics.kernels.blocks import LANES
from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.joint_lists import ANGLE, HOLD, JOINT, LIMIT, REVOLUTE, ROW
from ecs_physics.tables import BODY, DYNAMIC

H = 1 / 240
NOBODY = 2
ALL = slice(lanes.JACOBIAN, lanes.JACOBIAN + 6)


@dataclass
class Hinge:
    """Two bodies on a pin, whose angle has limits or is held."""

    law: int = LIMIT
    bodies: Any = field(default_factory=lambda: np.zeros(2, BODY))
    rows: Any = field(default_factory=lambda: np.zeros(LANES, ROW))
    joints: Any = field(default_factory=lambda: np.zeros(1, JOINT))
    blocks: Any = field(default_factory=lambda: np.zeros((1, lanes.ROW_FIELDS, LANES), np.float32))

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
        rows = np.zeros((1, 2, LANES), np.int32)
        lanes.frame_rows(1, H, NOBODY, self.rows, self.bodies, rows, self.blocks)
        lanes.fill_rows(1, self.joints, self.rows, self.bodies, self.blocks)

    def turn(self, angle_a: float, angle_b: float) -> None:
        """Turn the bodies on within the step."""
        self.bodies["angle"] += (angle_a, angle_b)
        lanes.refresh_rows(0, 1, self.rows, self.bodies, self.blocks)

    def lane(self, which: int | slice) -> Any:
        return self.blocks[0, which, 0]


@pytest.mark.parametrize(("law", "gap"), [(LIMIT, 0.3), (HOLD, 0.0)])
def test_the_gap_follows_every_turn(law: int, gap: float) -> None:
    hinge = Hinge(law)
    hinge.begin(0.1, 0.2)
    assert hinge.lane(lanes.GAP) == pytest.approx(gap - 0.1)
    for turns in range(1, 7):
        hinge.turn(0.003, -0.004)
        assert hinge.lane(lanes.GAP) == pytest.approx(gap - 0.1 + 0.007 * turns, abs=1e-6)


def test_the_jacobian_is_made_anew_once_a_body_has_turned() -> None:
    hinge, other = Hinge(), Hinge()
    hinge.begin(0.1, 0.2)
    before = hinge.lane(ALL).copy()
    hinge.turn(0.015, 0.0)
    assert (hinge.lane(ALL) == before).all()
    other.begin(0.115, 0.2)
    assert hinge.lane(ALL) == pytest.approx(other.lane(ALL), abs=0.02 * float(np.abs(before).max()))
    assert hinge.lane(lanes.MASS) == pytest.approx(other.lane(lanes.MASS), rel=0.02)
    hinge.turn(0.015, 0.0)
    other.begin(0.13, 0.2)
    assert hinge.lane(ALL) == pytest.approx(other.lane(ALL), rel=1e-6)
    assert hinge.lane(lanes.MASS) == pytest.approx(other.lane(lanes.MASS), rel=1e-6)


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
    assert hinge.lane(lanes.MASS) == 0.0
    hinge.turn(0.0, -0.015)
    other.begin(0.1, -0.155)
    assert hinge.lane(lanes.MASS) == pytest.approx(other.lane(lanes.MASS), rel=1e-6)
    assert hinge.lane(ALL) == pytest.approx(other.lane(ALL), rel=1e-6)
    assert hinge.lane(lanes.GAP) == pytest.approx(0.245)


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
    assert hinge.lane(lanes.MASS) == pytest.approx(1.0 / (omega_a - omega_b), rel=1e-5)
