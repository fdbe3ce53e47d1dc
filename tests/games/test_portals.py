"""Cars are copied with their joints, sent back, dropped by the trapdoor and parked by a click."""

from collections.abc import Callable

import esper
import pytest

from ecs_physics import Mass, Transform, Velocity, WheelJoint
from games.menu.show import Show
from games.portals import EVERY, START, Portals


def portals(running: Show) -> Portals:
    assert isinstance(running.demo, Portals)
    return running.demo


def test_there_come_to_be_as_many_cars_as_may_be_each_with_its_joints(
    show: Callable[..., Show],
) -> None:
    running = show("portals", cars=3)
    demo = portals(running)
    for _ in range(700):
        running.step()
    assert demo.answer()["cars"] == 3
    joints = [joint for _, joint in esper.get_component(WheelJoint)]
    assert sorted((each.body_a, each.body_b) for each in joints) == sorted(
        (wheel, body) for body, parts in demo.cars.items() for wheel in parts[1:]
    )
    for parts in demo.cars.values():
        places = [esper.component_for_entity(part, Transform) for part in parts]
        assert all(abs(place.x) < 14.5 and -5.0 < place.y < 7.0 for place in places)


def test_cars_come_back_to_the_start(show: Callable[..., Show]) -> None:
    running = show("portals", cars=1)
    (body,) = portals(running).cars
    place = esper.component_for_entity(body, Transform)
    farthest, returns, before = START[0], 0, place.x
    for _ in range(1500):
        running.step()
        returns += place.x < before - 5.0  # no car drives so fast in a step
        farthest, before = max(farthest, place.x), place.x
    assert farthest > 2.0
    assert returns >= 2


def test_the_trapdoor_is_there_and_not_there_in_turns(show: Callable[..., Show]) -> None:
    running = show("portals")
    demo = portals(running)
    for _ in range(round(2.5 * EVERY * 60)):
        running.step()
        is_there = demo.trapdoor in running.world.bodies_at(4.0, -0.15)
        assert is_there != demo.is_open


def test_a_click_parks_a_car_and_the_next_lets_it_go(show: Callable[..., Show]) -> None:
    running = show("portals", cars=1)
    demo = portals(running)
    for _ in range(90):
        running.step()
    (body,) = demo.cars
    place = esper.component_for_entity(body, Transform)
    assert demo.on_press(place.x, place.y)
    parked = place.x, place.y
    for _ in range(60):
        running.step()
    assert (place.x, place.y) == parked
    assert not esper.has_component(body, Mass)
    assert demo.on_press(place.x, place.y)
    for _ in range(60):
        running.step()
    assert esper.component_for_entity(body, Velocity).x > 1.0
    assert place.x > parked[0] + 1.0


def test_a_click_beside_the_cars_is_not_taken(show: Callable[..., Show]) -> None:
    assert not portals(show("portals")).on_press(0.0, 8.0)


def test_a_bad_number_of_cars_is_refused(show: Callable[..., Show]) -> None:
    with pytest.raises(ValueError, match="cars = 0"):
        show("portals", cars=0)
