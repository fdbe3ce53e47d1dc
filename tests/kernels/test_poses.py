"""Keeping the poses that a view draws between."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.poses import keep_poses
from ecs_physics.tables import FREE
from tests.kernels.tables import random_bodies

warm_up()

ROWS = 10
few = settings(max_examples=25, deadline=None)


@few
@given(seed=st.integers(0, 10_000))
def test_new_and_teleported_bodies_have_one_pose_and_others_two(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tables = random_bodies(seed, ROWS)
    bodies, transforms = tables["bodies"], tables["transforms"]
    bodies["teleported"] = rng.random(ROWS) < 0.3
    owners = np.where(rng.random(ROWS) < 0.3, 0, bodies["entity"])
    known = owners.copy()
    previous = rng.uniform(-9, 9, (ROWS, 3))
    kept, current = previous.copy(), np.full((ROWS, 3), np.nan)
    keep_poses(ROWS, transforms, bodies, owners, previous, current)
    for row, body in enumerate(bodies):
        pose = [transforms[field][row] for field in ("x", "y", "angle")]
        if body["kind"] == FREE:
            assert owners[row] == 0
            continue
        assert owners[row] == body["entity"]
        assert current[row].tolist() == pose
        is_new = body["teleported"] or known[row] != body["entity"]
        assert previous[row].tolist() == (pose if is_new else kept[row].tolist())
