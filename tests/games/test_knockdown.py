"""Knockdown: its rules, played by the methods that the mouse calls."""

from collections.abc import Callable
from pathlib import Path

import esper
import pytest

import games.knockdown as rules
from ecs_physics import Mass, Transform, Velocity
from games.knockdown import BALLS, LONGEST_PULL, POWER, SLING, Knockdown
from games.menu.show import Show

NAME = "knockdown"

WINNING = {
    1: [(18.2, 3.3), (21.9, 4.0), (19.6, 2.6)],
    2: [(23.3, 5.5), (18.9, 3.9), (17.3, 0.4)],
    3: [(17.9, 3.1), (21.0, 6.0), (22.5, 4.2), (22.2, 2.2), (23.6, 3.9)],
}
"""Throws that win each level."""


def game_of(show: Show) -> Knockdown:
    assert isinstance(show.demo, Knockdown)
    return show.demo


def throw_by_mouse(show: Show, vx: float, vy: float) -> None:
    """Wait for a ball, pull it back and let go so that it flies at (vx, vy), m/s."""
    game = game_of(show)
    while game.ball is None or game.since_throw < 1.2:
        show.step()
    with show.world:
        at = (SLING[0] - vx / POWER, SLING[1] - vy / POWER)
        assert game.on_press(*SLING)
        game.on_drag(SLING[0] - 0.5, SLING[1])
        game.on_drag(*at)
        game.on_release(*at)


def play_to_the_end(show: Show, throws: list[tuple[float, float]]) -> None:
    for throw in throws:
        throw_by_mouse(show, *throw)
    game = game_of(show)
    while not game.won and not game.lost:
        show.step()


def test_three_levels_are_won_one_after_the_other(show: Callable[..., Show]) -> None:
    playing = show(NAME)
    game = game_of(playing)
    for level, throws in WINNING.items():
        assert game.number == level
        play_to_the_end(playing, throws)
        assert game.won
        assert game.answer()["score"] == game.total
        assert game.words().startswith(f"Level {level} won")
        with playing.world:
            game.on_press(0.0, 0.0)  # goes on to the next level
    assert game.number == 1


def test_a_level_is_lost_without_a_hit_and_can_be_tried_again(show: Callable[..., Show]) -> None:
    playing = show(NAME, level=2)
    game = game_of(playing)
    play_to_the_end(playing, [(-5.0, 1.0)] * BALLS)
    assert game.lost
    assert not game.won
    assert game.answer()["score"] == 0
    assert "try again" in game.words()
    with playing.world:
        game.on_press(0.0, 0.0)
    assert (game.number, game.thrown, game.lost) == (2, 0, False)
    assert game.ball is not None


@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_structure_stands_by_itself(show: Callable[..., Show], level: int) -> None:
    playing = show(NAME, level=level)
    game = game_of(playing)
    start = playing.world.columns(Transform).copy()
    for _ in range(300):
        playing.step()
    assert len(game.standing) == game.total
    moved = playing.world.columns(Transform)["x"] - start["x"]
    assert abs(moved).max() < 0.05


def test_a_pull_is_as_long_as_the_sling_reaches(show: Callable[..., Show]) -> None:
    playing = show(NAME)
    game = game_of(playing)
    with playing.world:
        ball = game.ball
        assert ball is not None
        game.on_press(SLING[0] - 400.0, SLING[1] - 300.0)
        place = esper.component_for_entity(ball, Transform)
        assert (place.x, place.y) == pytest.approx(
            (SLING[0] - 0.8 * LONGEST_PULL, SLING[1] - 0.6 * LONGEST_PULL)
        )
        assert not esper.has_component(ball, Mass)
        game.on_release(0.0, 0.0)
        velocity = esper.component_for_entity(ball, Velocity)
        fastest = POWER * LONGEST_PULL
        assert (velocity.x, velocity.y) == pytest.approx((0.8 * fastest, 0.6 * fastest))
        assert esper.has_component(ball, Mass)


def test_a_ball_flies_along_the_dots(show: Callable[..., Show]) -> None:
    playing = show(NAME, dt=0.01, substeps=4)
    game = game_of(playing)
    with playing.world:
        ball = game.ball
        assert ball is not None
        game.on_press(SLING[0] - 2.0, SLING[1] - 1.0)
        game.on_release(SLING[0] - 2.0, SLING[1] - 1.0)
    for _ in range(80):
        playing.step()
    place = esper.component_for_entity(ball, Transform)
    t = 0.8
    assert place.x == pytest.approx(SLING[0] - 2.0 + 2.0 * POWER * t, abs=1e-6)
    exact = SLING[1] - 1.0 + POWER * t - 9.81 * t * t / 2
    assert place.y == pytest.approx(exact, abs=9.81 * 0.0025 * t / 2 + 1e-6)


def test_the_mouse_pulls_nothing_without_a_ball(show: Callable[..., Show]) -> None:
    playing = show(NAME)
    game = game_of(playing)
    throw_by_mouse(playing, 5.0, 5.0)
    with playing.world:
        assert game.on_press(*SLING)
        game.on_release(*SLING)
        assert game.thrown == 1
        with pytest.raises(ValueError, match="no ball"):
            game.throw(1.0, 0.0)


def test_settings_throw_as_the_mouse_does(show: Callable[..., Show]) -> None:
    playing = show(NAME, throws=WINNING[1])
    while not game_of(playing).won:
        playing.step()
        assert playing.world.time < 20.0


def test_it_is_short() -> None:
    assert len(Path(rules.__file__).read_text("utf-8").splitlines()) <= 150
