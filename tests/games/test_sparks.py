"""Balls fall through pegs: each ends in one bin, and what hits flashes."""

from collections.abc import Callable

import esper
import pytest

from ecs_physics import Mass, Sensor
from games.menu.show import Show
from games.sparks import LIFE, Sparks


def test_every_ball_is_counted_once_and_goes(show: Callable[..., Show]) -> None:
    running = show("sparks", balls=12)
    for _ in range(900):
        running.step()
    answer = running.demo.answer()
    assert answer["dropped"] == sum(answer["bins"]) == 12
    assert not running.world.columns(Mass)["entity"].any()


def test_flashes_are_those_of_the_hits_of_late(show: Callable[..., Show]) -> None:
    running = show("sparks")
    demo = running.demo
    assert isinstance(demo, Sparks)
    hits: list[int] = []
    for _ in range(400):
        running.step()
        hits.append(len(running.world.events.hits))
    assert sum(hits) > 50
    kept = round(LIFE * 60)
    assert sum(len(each) for each, _ in demo.flashes) == pytest.approx(sum(hits[-kept:]), abs=2)


def test_a_restart_counts_from_zero_and_again(show: Callable[..., Show]) -> None:
    running = show("sparks", balls=3)
    for _ in range(600):
        running.step()
    first = running.demo.answer()
    running.start()
    assert running.demo.answer()["bins"] == [0] * 5
    for _ in range(600):
        running.step()
    assert running.demo.answer() == first


def test_a_bad_number_of_balls_is_refused(show: Callable[..., Show]) -> None:
    with pytest.raises(ValueError, match="balls = 0"):
        show("sparks", balls=0)


def test_its_bins_are_sensors(show: Callable[..., Show]) -> None:
    demo = show("sparks").demo
    assert isinstance(demo, Sparks)
    assert all(esper.has_component(entity, Sensor) for entity in demo.counts)
