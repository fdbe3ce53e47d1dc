"""How events are noted, shown and told; what makes them is tested in tests/scenes."""

from collections.abc import Callable
from typing import Any, ClassVar

import esper
import numpy as np
import pytest

from ecs_physics import World
from ecs_physics.events import (
    CONTACT_END,
    JOINT_BREAK,
    RECORDS,
    SENSOR_BEGIN,
    SENSOR_END,
    SLEEP,
    TABLES,
    WAKE,
    JointBreak,
    SensorBegin,
    SensorEnd,
)

DT = 1.0 / 60.0


def entities(*ids: int) -> Any:
    return np.array(ids, np.int64)


class Listener:
    """Keeps what it is told.

    Its functions are kept to the end: one that died while another world is current would have
    esper look for it there.
    """

    handlers: ClassVar[list[Callable[..., None]]] = []

    def __init__(self, *names: str) -> None:
        self.told: list[Any] = []
        for name in names:
            self.listen(name, self.told.append)

    def listen(self, name: str, function: Callable[[Any], None]) -> None:
        def handler(event: Any) -> None:
            function(event)

        self.handlers.append(handler)
        esper.set_handler(name, handler)


def test_records_have_the_fields_of_the_arrays() -> None:
    assert list(RECORDS) == list(TABLES)
    for name, record in RECORDS.items():
        assert record._fields == TABLES[name].names  # type: ignore[attr-defined]


def test_what_is_noted_is_told_after_the_step_and_shown_until_the_next() -> None:
    world = World()
    listener = Listener(SENSOR_BEGIN, SENSOR_END, JOINT_BREAK)
    nobody = entities()
    world.events.note_sensor((entities(5), entities(7)), (nobody, nobody))
    world.events.note_sensor((nobody, nobody), (entities(5), entities(7)))
    world.events.note_joint_break(entities(9), np.array([3.0]), np.array([0.5]))
    assert listener.told == []
    world.step(DT)
    assert listener.told == [SensorBegin(5, 7), SensorEnd(5, 7), JointBreak(9, 3.0, 0.5)]
    assert world.events.sensor_begin.tolist() == [(5, 7)]
    assert world.events.joint_break["force"].tolist() == [3.0]
    world.step(DT)
    assert len(listener.told) == 3
    assert len(world.events.sensor_begin) == len(world.events.joint_break) == 0


def test_several_notes_of_one_name_make_one_array_in_order() -> None:
    world = World()
    world.events.note_sleep(entities(3, 4), entities())
    world.events.note_sleep(entities(), entities(3))
    world.events.note_sleep(entities(8), entities())
    world.step(DT)
    assert world.events.sleep["entity"].tolist() == [3, 4, 8]
    assert world.events.wake["entity"].tolist() == [3]


def test_a_step_without_events_makes_no_arrays() -> None:
    world = World()
    world.step(DT)
    begin, sleep = world.events.contact_begin, world.events.sleep
    world.step(DT)
    assert world.events.contact_begin is begin
    assert world.events.sleep is sleep


def test_handlers_belong_to_the_world_in_which_they_were_set() -> None:
    one, other = World(name="events: one"), World(name="events: other")
    with one:
        listener = Listener(SLEEP)
    other.events.note_sleep(entities(1), entities())
    other.step(DT)
    assert listener.told == []
    one.events.note_sleep(entities(2), entities())
    one.step(DT)
    assert [event.entity for event in listener.told] == [2]


def test_what_a_handler_raises_comes_out_when_all_events_are_told() -> None:
    world = World()
    listener = Listener(WAKE)

    def fail(event: Any) -> None:
        raise KeyError(event.entity)

    listener.listen(SLEEP, fail)
    world.events.note_sleep(entities(6), entities(7))
    with pytest.raises(KeyError, match="6") as caught:
        world.step(DT)
    notes = " ".join(caught.value.__notes__)
    assert "'sleep'" in notes
    assert "Sleep(entity=6)" in notes
    assert "EventTelling" in notes
    assert [event.entity for event in listener.told] == [7]
    world.step(DT)
    assert world.steps == 1


def test_what_several_handlers_raise_comes_out_as_a_group() -> None:
    world = World()
    listener = Listener()

    def fail(event: Any) -> None:
        raise ValueError(event.entity)

    listener.listen(SLEEP, fail)
    world.events.note_sleep(entities(1, 2), entities())
    with pytest.raises(ExceptionGroup) as caught:
        world.step(DT)
    assert [error.args for error in caught.value.exceptions] == [(1,), (2,)]


def test_what_a_handler_notes_is_told_with_the_next_step() -> None:
    world = World()
    listener = Listener(CONTACT_END)
    listener.listen(SLEEP, lambda event: world.events.note(CONTACT_END, entities(1), entities(2)))
    world.events.note_sleep(entities(1), entities())
    world.step(DT)
    assert listener.told == []
    world.step(DT)
    assert [(event.entity_a, event.entity_b) for event in listener.told] == [(1, 2)]


def test_a_reset_forgets_what_was_not_told() -> None:
    world = World()
    world.events.note_sleep(entities(1), entities())
    world.reset()
    world.step(DT)
    assert len(world.events.sleep) == 0
