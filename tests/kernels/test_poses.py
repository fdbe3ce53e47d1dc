"""Keeping the poses that a view draws between."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.poses import blend_poses, keep_poses
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


@few
@given(seed=st.integers(0, 10_000), alpha=st.floats(0.0, 1.0))
def test_poses_lie_between_two_steps_unless_they_were_written_since(
    seed: int, alpha: float
) -> None:
    rng = np.random.default_rng(seed)
    transforms = random_bodies(seed, ROWS)["transforms"]
    kept_rows = ROWS - 2
    current = np.stack([transforms[field] for field in ("x", "y", "angle")], axis=1)[:kept_rows]
    previous = rng.uniform(-9, 9, (kept_rows, 3))
    owners = transforms["entity"][:kept_rows].copy()
    written, taken = rng.random((2, kept_rows)) < 0.3
    current[written, rng.integers(3)] += 1.0
    owners[taken] += 1
    poses = np.full((ROWS, 3), np.nan)
    blend_poses(ROWS, kept_rows, alpha, transforms, owners, previous, current, poses)
    for row, pose in enumerate(poses):
        if row < kept_rows and not (written[row] or taken[row]):
            np.testing.assert_allclose(pose, (1 - alpha) * previous[row] + alpha * current[row])
        else:
            assert pose.tolist() == [transforms[field][row] for field in ("x", "y", "angle")]
