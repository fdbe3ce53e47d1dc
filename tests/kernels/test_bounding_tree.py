"""The tree holds each part once, in boxes that are just large enough."""

import math
from typing import Any

import esper
import numpy as np
import pytest

from ecs_physics import Shape, Transform, World
from ecs_physics.part_tree import PartTree

SHAPES = (
    Shape.circle(0.4),
    Shape.box(1, 0.3, 0.1),
    Shape.polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]),
    Shape.chain([(-3, 0), (0, 0.5), (3, 0)]),
    Shape.box(200, 1),
)


def scattered(world: World, count: int, seed: int = 1) -> list[int]:
    rng = np.random.default_rng(seed)
    shapes = [SHAPES[k] for k in rng.integers(0, len(SHAPES), count)]
    return [
        esper.create_entity(Transform(*rng.uniform(-50, 50, 2), rng.uniform(-3, 3)), shape)
        for shape in shapes
    ]


def check(tree: PartTree, world: World) -> None:
    """Each part is one leaf; each box is the union of what is below it, which it returns."""
    store = world.store
    parts = [row for row in range(store.part_rows) if store.parts["body"][row] >= 0]
    leaves = tree.leaves[: tree.count]
    assert sorted(leaves["part"].tolist()) == parts
    assert (leaves["body"] == store.parts["body"][leaves["part"]]).all()
    assert (leaves["entity"] == store.bodies["entity"][leaves["body"]]).all()
    assert (tree.leaf_of_part[leaves["part"]] == np.arange(tree.count)).all()
    found = []

    def box_below(child: int) -> Any:
        if child < 0:
            found.append(-1 - child)
            return box_of_leaf(tree, -1 - child)
        boxes = [box_below(int(each)) for each in tree.children[child]]
        assert (tree.bounds[child].reshape(2, 4) == boxes).all()
        return (*np.min(boxes, axis=0)[:2], *np.max(boxes, axis=0)[2:])

    if tree.count > 1:
        box_below(0)
        assert sorted(found) == list(range(tree.count))


def box_of_leaf(tree: PartTree, row: int) -> Any:
    leaf = tree.leaves[row]
    corners = tree.corners[leaf["first"] : leaf["first"] + leaf["count"]]
    expected = (*(corners.min(axis=0) - leaf["radius"]), *(corners.max(axis=0) + leaf["radius"]))
    box = tuple(float(leaf[name]) for name in ("lower_x", "lower_y", "upper_x", "upper_y"))
    assert box == pytest.approx(expected, abs=1e-12)
    return box


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 6, 7, 90])
def test_every_part_is_a_leaf(count: int) -> None:
    with World(name=f"test_bounding_tree.{count}") as world:
        bodies = scattered(world, count)
        tree = PartTree()
        world.store.adopt()
        tree.follow(world.store)
        check(tree, world)
        for entity in bodies[::3]:
            esper.component_for_entity(entity, Transform).x += 7.0
        tree.follow(world.store)
        check(tree, world)
        for entity in bodies[1::4]:
            esper.delete_entity(entity, immediate=True)
        scattered(world, count, 2)
        world.store.adopt()
        tree.follow(world.store)
        check(tree, world)
        world.close()


def test_bodies_all_at_one_place_make_a_low_tree() -> None:
    with World(name="test_bounding_tree.heap") as world:
        for _ in range(256):
            esper.create_entity(Transform(3, 4), SHAPES[0])
        tree = PartTree()
        world.store.adopt()
        tree.follow(world.store)

        def height(child: int) -> int:
            return 0 if child < 0 else 1 + max(height(int(each)) for each in tree.children[child])

        assert height(0) == int(math.log2(256))
        world.close()
