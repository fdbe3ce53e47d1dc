"""Whatever handlers and users do, begins and ends pair, and equal worlds tell equal events."""

from collections.abc import Callable
from typing import Any, ClassVar

import esper
import numpy as np
import pytest

from ecs_physics import Disabled, Filter, Mass, Material, Sensor, Shape, Transform, Velocity, World
from ecs_physics.events import (
    CONTACT_BEGIN,
    CONTACT_END,
    HIT,
    SENSOR_BEGIN,
    SENSOR_END,
)
from tests.scenes.scenery import DT, body, floor, new_world, place

ENDS = {CONTACT_BEGIN: CONTACT_END, SENSOR_BEGIN: SENSOR_END}
BALL = Shape.circle(0.5)
RUBBER = Material(friction=0.3, restitution=0.6)


class Meddler:
    """Checks that events pair, and at some of them does something to the world."""

    kept: ClassVar[list[Any]] = []

    def __init__(self, seed: int, bodies: list[int]) -> None:
        self.rng = np.random.default_rng(seed)
        self.bodies = bodies
        self.open: dict[str, set[tuple[int, int]]] = {name: set() for name in ENDS}
        self.told = 0
        for begin, end in ENDS.items():
            self.listen(begin, self.beginner(begin))
            self.listen(end, self.ender(begin))
        self.listen(HIT, self.meddle)

    def listen(self, name: str, function: Callable[[Any], None]) -> None:
        Meddler.kept.append((self, function))
        esper.set_handler(name, function)

    def beginner(self, name: str) -> Callable[[Any], None]:
        def begin(event: Any) -> None:
            assert event[:2] not in self.open[name], f"{event} began twice"
            self.open[name].add(event[:2])
            self.meddle(event)

        return begin

    def ender(self, name: str) -> Callable[[Any], None]:
        def end(event: Any) -> None:
            assert event[:2] in self.open[name], f"{event} ended without a begin"
            self.open[name].remove(event[:2])
            self.meddle(event)

        return end

    def meddle(self, event: Any) -> None:
        """Do something to one of the two, or to another body, if it is still there."""
        self.told += 1
        if not self.bodies or self.rng.random() < 0.8:
            return
        choice = self.bodies if self.rng.random() < 0.5 else list(event[:2])
        self.change(int(self.rng.choice(choice)))

    def change(self, entity: int) -> None:
        if entity not in self.bodies or not esper.entity_exists(entity):
            return
        action = self.rng.integers(0, 6)
        if action == 0:
            esper.delete_entity(entity, immediate=bool(self.rng.integers(0, 2)))
            self.bodies.remove(entity)
            self.bodies.append(body(BALL, self.rng.uniform(-3, 3), 5.0, RUBBER))
        elif action == 1:
            place(entity).x, place(entity).y = self.rng.uniform(-3, 3), self.rng.uniform(1, 5)
        else:
            kind = (Disabled, Sensor, Filter, Mass)[action - 2]
            if esper.has_component(entity, kind):
                esper.remove_component(entity, kind)
            else:
                esper.add_component(entity, kind(mask=0) if kind is Filter else kind())


def pile() -> tuple[World, list[int]]:
    world = new_world()
    floor(12.0)
    for x in (-4.0, 4.0):
        esper.create_entity(Transform(x, 3.0), Shape.box(1, 6))
    esper.create_entity(Transform(0, 2.0), Shape.box(2, 1), Sensor())
    return world, [body(BALL, k % 6 - 2.5, 1.0 + 1.1 * (k // 6), RUBBER) for k in range(18)]


@pytest.mark.parametrize("seed", range(4))
def test_events_pair_while_their_handlers_meddle(seed: int) -> None:
    world, bodies = pile()
    meddler = Meddler(seed, bodies)
    for _ in range(300):
        world.step(DT)
        if meddler.rng.random() < 0.3:
            meddler.change(int(meddler.rng.choice(bodies)))
    assert meddler.told > 150
    for entity in world.entities():
        esper.delete_entity(entity)
    meddler.bodies.clear()
    world.step(DT)
    assert meddler.open == {CONTACT_BEGIN: set(), SENSOR_BEGIN: set()}


def told(world: World, count: int) -> list[Any]:
    """All events of some steps."""
    names = ("contact_begin", "contact_end", "hits", "sensor_begin", "sensor_end")
    all_told = []
    for _ in range(count):
        world.step(DT)
        all_told.append([getattr(world.events, name).tolist() for name in names])
    return all_told


def test_equal_worlds_tell_equal_events() -> None:
    one, other = (told(pile()[0], 200) for _ in range(2))
    assert one == other
    assert sum(len(each) for step in one for each in step) > 100


def test_after_a_restore_the_same_events_are_told_again() -> None:
    world, bodies = pile()
    told(world, 100)
    moment = world.snapshot()
    first = told(world, 100)
    esper.delete_entity(bodies[3], immediate=True)
    told(world, 20)
    world.restore(moment)
    assert told(world, 100) == first


def test_ends_of_what_touched_at_the_snapshot_come_after_the_restore() -> None:
    world = new_world()
    ground = floor()
    box = body(Shape.box(1, 1), 0.0, 0.5, Velocity())
    told(world, 30)
    moment = world.snapshot()
    esper.delete_entity(box)
    told(world, 2)
    world.restore(moment)
    place(box).y = 5.0
    world.step(DT)
    assert world.events.contact_end.tolist() == [(ground, box)]
