"""Which bodies cover a point and which parts lie in a box, against plain geometry."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics.kernels.compile import JIT_OFF, warm_up
from ecs_physics.kernels.queries import points_in_parts
from ecs_physics.tables import BODY, DYNAMIC, PART

ROOT = Path(__file__).parents[2]
SQUARE = [(-1, -1), (1, -1), (1, 1), (-1, 1)]


@pytest.fixture(autouse=True, scope="module")
def _ready():
    warm_up()


class Scene:
    """Bodies made of parts; vertices are given relative to the centre of mass, in world axes."""

    def __init__(self):
        self.bodies = np.zeros(64, BODY)
        self.parts = np.zeros(64, PART)
        self.parts["body"] = -1
        self.vertices = np.full((512, 4), 1e9)
        self.body_rows = self.part_rows = self.vertex_rows = 0

    def body(self, x=0.0, y=0.0):
        body = self.bodies[self.body_rows]
        body["kind"] = DYNAMIC
        body["x"], body["y"] = x, y
        body["first_part"] = -1
        self.body_rows += 1
        return self.body_rows - 1

    def part(self, body, vertices, radius=0.0, one_sided=False):
        corners = np.array(vertices, float).reshape(-1, 2)
        first = self.vertex_rows + 1  # a row before and one behind stay as they are
        rows = self.vertices[first : first + len(corners)]
        rows[:, :2] = corners
        along = np.roll(corners, -1, axis=0) - corners
        length = np.maximum(np.hypot(*along.T), 1e-300)
        rows[:, 2] = along[:, 1] / length
        rows[:, 3] = -along[:, 0] / length
        self.vertex_rows = first + len(corners) + 1
        part = self.parts[self.part_rows]
        part["body"] = body
        part["next"] = self.bodies["first_part"][body]
        part["first_vertex"] = first
        part["count"] = len(corners)
        part["radius"] = radius
        part["one_sided"] = one_sided
        self.bodies["first_part"][body] = self.part_rows
        extent = np.hypot(*corners.T).max() + radius
        self.bodies["extent"][body] = max(extent, self.bodies["extent"][body])
        self.part_rows += 1
        return self.part_rows - 1

    def at(self, x, y, tolerance=0.0, room=64):
        rows = np.full(room + 1, -7, np.int32)
        found = points_in_parts(
            x, y, tolerance, self.part_rows, self.bodies, self.parts, self.vertices, rows[:room]
        )
        assert (rows[min(found, room) :] == -7).all()
        self.found = found
        return rows[: min(found, room)].tolist()


def one(vertices, radius=0.0, one_sided=False, x=0.0, y=0.0):
    scene = Scene()
    scene.part(scene.body(x, y), vertices, radius, one_sided)
    return scene


def test_a_circle_covers_its_inside_and_its_rim():
    scene = one([(0.5, 0)], radius=2, x=10, y=-3)
    assert scene.at(10.5, -3) == [0]
    assert scene.at(12.5, -3) == [0]
    assert scene.at(np.nextafter(12.5, 13), -3) == []
    assert scene.at(12, -4.4) == []


def test_a_capsule_covers_its_caps():
    scene = one([(-1, 0), (1, 0)], radius=0.5)
    assert scene.at(0, 0.5) == [0]
    assert scene.at(0.7, -0.49) == [0]
    assert scene.at(1.5, 0) == [0]
    assert scene.at(1.36, 0.36) == []
    assert scene.at(0, 0.51) == []


def test_a_box_covers_its_edges_and_corners():
    scene = one(SQUARE, x=5)
    for point in [(5, 0), (6, 0), (6, 1), (4, -1)]:
        assert scene.at(*point) == [0]
    for point in [(6.000001, 0), (5, -1.000001), (3.9, 0.9)]:
        assert scene.at(*point) == []


def test_a_rounded_box_is_round_at_the_corners():
    scene = one(SQUARE, radius=0.5)
    assert scene.at(1.5, 0.9) == [0]
    assert scene.at(1.35, 1.35) == [0]
    assert scene.at(1.36, 1.36) == []
    assert scene.at(1.51, 0) == []


@pytest.mark.parametrize("one_sided", [True, False])
def test_what_is_thin_is_found_only_within_the_tolerance(one_sided):
    scene = one([(0, 0), (4, 0)], one_sided=one_sided)
    assert scene.at(2, 0) == []
    assert scene.at(2, 0, tolerance=0.1) == [0]
    assert scene.at(2, -0.1, tolerance=0.1) == [0]
    assert scene.at(4.05, 0.05, tolerance=0.1) == [0]
    assert scene.at(4.08, 0.08, tolerance=0.1) == []


def test_a_chain_with_a_radius_is_thin_too():
    scene = one([(0, 0), (4, 0)], radius=0.2, one_sided=True)
    assert scene.at(2, 0.1) == []
    assert scene.at(2, 0.25, tolerance=0.1) == [0]
    assert scene.at(2, 0.31, tolerance=0.1) == []


def test_tolerance_makes_nothing_else_larger():
    assert one(SQUARE).at(1.01, 0, tolerance=0.1) == []
    assert one([(0, 0)], radius=1).at(1.01, 0, tolerance=0.1) == []


def test_a_body_comes_once_however_many_of_its_parts_cover_the_point():
    scene = Scene()
    for _ in range(3):
        scene.body()
    for body in (2, 0, 2, 1, 0, 2):
        scene.part(body, SQUARE)
    assert scene.at(0, 0) == [2, 0, 1]
    far = scene.part(2, np.array(SQUARE) + 9)
    scene.parts["first_vertex"][0] = scene.parts["first_vertex"][far]
    assert scene.at(0, 0) == [0, 2, 1]


def test_free_rows_are_skipped_and_nan_covers_nothing():
    scene = Scene()
    for _ in range(3):
        scene.part(scene.body(), SQUARE)
    scene.parts["body"][1] = -1
    assert scene.at(0, 0) == [0, 2]
    scene.bodies["x"][0] = np.nan
    assert scene.at(0, 0) == [2]
    assert scene.at(np.nan, 0) == []


def test_too_little_room_still_tells_how_many_there_are():
    scene = Scene()
    for _ in range(5):
        scene.part(scene.body(), SQUARE)
    assert scene.at(0, 0, room=2) == [0, 1]
    assert scene.found == 5
    assert scene.at(0, 0, room=0) == []
    assert scene.found == 5


def convex_polygon(rng):
    """Corners on an ellipse, counter-clockwise."""
    angles = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(3, 9)))
    return np.column_stack([2 * np.cos(angles), np.sin(angles)])


def random_scene(seed):
    rng = np.random.default_rng(seed)
    scene = Scene()
    for _ in range(12):
        body = scene.body(*(1e5 + rng.uniform(-3, 3, 2)))
        for _ in range(rng.integers(1, 4)):
            count = rng.integers(1, 4)
            vertices = rng.uniform(-2, 2, (count, 2)) if count < 3 else convex_polygon(rng)
            radius = rng.choice([0.0, rng.uniform(0.1, 1)]) if count > 2 else rng.uniform(0.1, 1)
            scene.part(body, vertices, radius)
    return scene, 1e5 + rng.uniform(-4, 4, (40, 2))


def sampled_distance(scene, part, x, y):
    """Distance from the part's rounded outline, negative inside, from many points on its core."""
    row = scene.parts[part]
    body = scene.bodies[row["body"]]
    first, count = int(row["first_vertex"]), int(row["count"])
    corners = scene.vertices[first : first + count, :2]
    point = np.array([x - body["x"], y - body["y"]])
    share = np.linspace(0, 1, 2001)[:, None, None]
    outline = (1 - share) * corners + share * np.roll(corners, -1, axis=0)
    distance = np.hypot(*(outline - point).reshape(-1, 2).T).min()
    before = corners - point
    after = np.roll(before, -1, axis=0)
    turned = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    inside = count > 2 and (turned > 0).all()
    return (-distance if inside else distance) - row["radius"]


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=2 if JIT_OFF else 12)
def test_points_agree_with_sampled_outlines(seed):
    scene, points = random_scene(seed)
    for x, y in points:
        distances = [sampled_distance(scene, k, x, y) for k in range(scene.part_rows)]
        if np.abs(distances).min() < 5e-3:
            continue  # too near to an outline for the samples to tell
        covering = scene.parts["body"][: scene.part_rows][np.array(distances) < 0]
        assert scene.at(x, y) == list(dict.fromkeys(covering.tolist()))


def digest():
    total = hashlib.sha256()
    for seed in range(3):
        scene, points = random_scene(seed)
        for x, y in points:
            total.update(repr(scene.at(x, y)).encode())
    return total.hexdigest()


@pytest.mark.skipif(JIT_OFF, reason="this process has the JIT off already")
def test_the_same_answers_with_the_jit_off():
    run = subprocess.run(
        [sys.executable, __file__],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == digest()


if __name__ == "__main__":
    print(digest())
