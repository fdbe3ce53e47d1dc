"""Stacks and pyramids stand, near the origin and a hundred kilometres away."""

import math

import numpy as np
import pytest

from ecs_physics import Mass, Shape, Transform, World
from tests.scenes.scenery import body, deepest, floor, motion, new_world, place, run, steps

FAR = 100_000.0
BOX = Shape.box(1, 1)


@pytest.mark.parametrize("x", [0.0, FAR])
def test_a_stack_of_ten_stands(x: float) -> None:
    world = new_world()
    floor(50.0, x)
    stack = [body(BOX, x, k + 0.5) for k in range(10)]
    run(world, 10.0)
    assert max(abs(place(each).x - x) for each in stack) < 0.02
    assert max(k + 0.5 - place(each).y for k, each in enumerate(stack)) < 0.04
    assert max(abs(motion(each).y) for each in stack) < 0.01


def pyramid(rows: int, x: float) -> tuple[World, np.ndarray]:
    """A pyramid of unit boxes on a floor, and where its boxes are, (n, 2)."""
    world = new_world()
    for row in range(rows):
        count = rows - row
        for k in range(count):
            body(BOX, x + k - (count - 1) / 2, row + 0.5)
    boxes = places(world)
    floor(2.0 * rows + 20.0, x)
    return world, boxes


def places(world: World) -> np.ndarray:
    at = world.columns(Transform)
    return np.stack([at["x"], at["y"]], axis=1)


def test_the_pyramid_of_a_hundred_rows_stands() -> None:
    for rows, x in ((100, 0.0), (100, FAR)):
        world, before = pyramid(rows, x)
        run(world, 1000 / 60)
        moved = np.abs(places(world)[: len(before)] - before)
        assert deepest(world) < 0.05
        assert moved[:, 0].max() < 0.25, "a box has slipped out"
        assert moved[:, 1].max() < 0.02 * rows, "a box has fallen a row"
        world.close()


@pytest.mark.parametrize("x", [0.0, FAR])
def test_a_heavy_box_stays_up_on_a_light_one(x: float) -> None:
    world = new_world()
    floor(20.0, x)
    light = body(BOX, x, 0.5, Mass(density=1.0))
    heavy = body(BOX, x, 1.5, Mass(density=200.0))
    for _ in steps(world, 10.0):
        assert deepest(world) < 0.08
    assert place(heavy).y > 1.4
    assert place(heavy).x == pytest.approx(x, abs=0.02)
    assert place(light).x == pytest.approx(x, abs=0.02)


def test_capsules_stand_and_lie() -> None:
    world = new_world()
    floor()
    capsule = Shape.capsule((-0.5, 0.0), (0.5, 0.0), 0.25)
    lying = body(capsule, 0.0, 0.25)
    standing = body(capsule, 5.0, 0.75, angle=math.pi / 2)
    leaning = body(capsule, 10.0, 0.8, angle=math.pi / 2 - 0.3)
    run(world, 0.5)
    # Standing on a round end is an unstable balance: exactly upright it lasts a while.
    assert place(standing).angle == pytest.approx(math.pi / 2, abs=1e-3)
    run(world, 8.0)
    assert place(lying).angle == pytest.approx(0.0, abs=1e-4)
    assert place(lying).y == pytest.approx(0.25, abs=0.01)
    assert math.cos(place(leaning).angle) ** 2 == pytest.approx(1.0, abs=1e-3), "it fell over"
    assert place(leaning).y == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize(
    "shape",
    [
        Shape.box(1, 1),
        Shape.box(1, 1, 0.1),
        Shape.polygon([(-0.5, -0.5), (0.5, -0.5), (0.6, 0.0), (0.0, 0.5), (-0.6, 0.0)]),
        Shape.compound([(Shape.box(1, 0.5), 0, -0.25, 0), (Shape.box(0.5, 0.5), 0, 0.25, 0)]),
    ],
    ids=["box", "rounded box", "polygon", "compound"],
)
def test_what_rests_is_still(shape: Shape) -> None:
    world = new_world()
    floor()
    entity = body(shape, 0.0, 0.55)
    run(world, 3.0)
    x, y, angle = place(entity).x, place(entity).y, place(entity).angle
    run(world, 10.0)
    assert place(entity).x == pytest.approx(x, abs=1e-3)
    assert place(entity).y == pytest.approx(y, abs=1e-3)
    assert place(entity).angle == pytest.approx(angle, abs=1e-3)
    assert abs(motion(entity).y) < 1e-3


def test_bodies_made_inside_each_other_part_without_a_bang() -> None:
    world = new_world(gravity=(0.0, 0.0))
    pair = [body(BOX, 0.0, 0.0), body(BOX, 0.3, 0.1)]
    for _ in steps(world, 3.0):
        assert max(math.hypot(motion(each).x, motion(each).y) for each in pair) < 3.5
    assert abs(place(pair[1]).x - place(pair[0]).x) > 0.95
