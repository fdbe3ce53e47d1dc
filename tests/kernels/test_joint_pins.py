"""Pins whose matrix float32 can hardly hold: arms of kilometres on bodies a metre wide."""

from typing import Any

import numpy as np
import pytest

from ecs_physics.kernels import joint_pin_lanes as lanes
from ecs_physics.kernels.blocks import LANES
from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.joint_pins import solve_pins
from ecs_physics.kernels.joint_pins_wide import solve_pins_wide

FIELDS = lanes.MOST + 1


def pin(arm: tuple[float, float], velocity: tuple[float, float, float]) -> tuple[np.ndarray, ...]:
    """A body of 1 kg and .2 kg m^2 that hangs on a point of the world by an arm (m)."""
    bodies = np.zeros((2, 8), np.float32)
    bodies[0, :3] = velocity
    pins = np.zeros((1, FIELDS, LANES), np.float32)
    for field, value in (
        (lanes.MASS_AX, 1.0),
        (lanes.MASS_AY, 1.0),
        (lanes.INERTIA_A, 5.0),
        (lanes.ARM_AX, arm[0]),
        (lanes.ARM_AY, arm[1]),
    ):
        pins[0, field, 0] = value
    rows = np.ones((1, 2, LANES), np.int32)
    rows[0, 0, 0] = 0
    return bodies, pins, rows


@pytest.mark.parametrize("solve", [solve_pins, solve_pins_wide])
@pytest.mark.parametrize("length", [0.5, 30.0, 2e3, 3e4, 1e6])
@pytest.mark.parametrize("angle", [0.0, 0.6, 2.1])
def test_a_pin_on_a_long_arm_only_ever_slows_its_point(
    solve: Any, length: float, angle: float
) -> None:
    warm_up("joints")
    arm = length * np.array([np.cos(angle), np.sin(angle)])
    bodies, pins, rows = pin((arm[0], arm[1]), (700.0, -300.0, 90.0))

    def energy() -> float:
        x, y, omega = bodies[0, :3].astype(float)
        return 0.5 * (x * x + y * y + 0.2 * omega * omega)

    before = energy()
    for _ in range(50):
        solve(0, 1, False, 1 / 240, bodies, rows, np.zeros(1, np.uint8), pins)
        assert energy() <= before * (1 + 1e-5)
        before = energy()
    if length < 100.0:  # the point stands still, as well as float32 can tell
        x, y, omega = bodies[0, :3].astype(float)
        rounding = 760.0 * 1e-7 * (1.0 + 5.0 * length**2)
        assert np.hypot(x - omega * arm[1], y + omega * arm[0]) < rounding
