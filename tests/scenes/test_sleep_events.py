"""Contacts of what sleeps: nothing ends by falling asleep, all ends by what comes after."""

import itertools

import pytest

from ecs_physics import Shape, World
from tests.scenes.scenery import DT, SUBSTEPS, body, floor, motion, run
from tests.scenes.test_contact_events import GOING, WOODEN, Watch

_serial = itertools.count(1)


def sleeping_stack() -> tuple[World, Watch, int, list[int]]:
    """Two boxes on a floor, asleep."""
    world = World(substeps=SUBSTEPS, name=f"sleeping stack {next(_serial)}")
    watch = Watch()
    ground = floor()
    boxes = [body(Shape.box(1, 1), 0, 0.5 + k, WOODEN) for k in range(2)]
    run(world, 3.0)
    assert all(world.is_asleep(box) for box in boxes)
    return world, watch, ground, boxes


def test_falling_asleep_and_waking_end_nothing() -> None:
    world, watch, ground, (below, above) = sleeping_stack()
    assert watch.touching == {(ground, below), (below, above)}
    for _ in range(3):
        world.wake(below)
        run(world, 3.0)
    assert (len(watch.begins), len(watch.ends)) == (2, 0)


@pytest.mark.parametrize("how", GOING)
def test_what_goes_in_its_sleep_ends_its_contacts_once(how: str) -> None:
    world, watch, ground, (below, above) = sleeping_stack()
    GOING[how](below)
    world.step(DT)
    assert watch.ends == [(ground, below), (below, above)]
    run(world, 2.0)
    assert watch.touching == {(ground, above)}


def test_what_wakes_and_leaves_ends_its_contact_once() -> None:
    world, watch, ground, (below, above) = sleeping_stack()
    motion(above).y = 5.0
    run(world, 0.3)
    assert watch.ends == [(below, above)]
    run(world, 4.0)
    assert watch.touching == {(ground, below), (below, above)}
    assert world.is_asleep(above)
