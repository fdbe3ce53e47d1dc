"""How a row of a joint sees its bodies in the middle of a step."""

import math

import numpy as np
import pytest

from ecs_physics.kernels.joint_row_lanes import axes_now
from ecs_physics.tables import BODY


@pytest.mark.parametrize("turn", [0.0, 1e-9, -0.01, 0.1, -0.2499, 0.2501, -1.0, 7.0])
def test_axes_follow_what_a_body_has_turned_since_they_were_worked_out(turn):
    body = np.zeros(1, BODY).view(np.recarray)
    for seen in np.linspace(-4.0, 4.0, 33):
        body.seen_angle, body.cos, body.sin = seen, math.cos(seen), math.sin(seen)
        body.angle = seen + turn
        expected = math.cos(seen + turn), math.sin(seen + turn)
        assert axes_now(body[0]) == pytest.approx(expected, abs=1e-12)
