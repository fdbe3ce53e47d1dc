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

MOST_TRIES = 20
"""In which the scripted player wins any level; it needs one to three."""


def game_of(show: Show) -> Knockdown:
    assert isinstance(show.demo, Knockdown)
    return show.demo


def throw_by_mouse(show: Show, vx: float, vy: float) -> None:
    """Wait for a ball, pull it back and let go so that it flies at (vx, vy), m/s."""
    game = game_of(show)
    while game.ball is None or game.since_throw <= 1.2:  # as the setting `throws` does
        assert game.thrown < BALLS
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
    for _ in range(600):
        if not game.won and not game.lost:
            show.step()


def throw_at_what_stands(show: Show, vx: float) -> tuple[float, float]:
    """(vx, vy) of a ball that flies to the middle of what is on the platform."""
    places = [esper.component_for_entity(e, Transform) for e in game_of(show).standing]
    x = sum(place.x for place in places) / len(places) - SLING[0]
    y = sum(place.y for place in places) / len(places) - SLING[1]
    t = x / vx
    return vx, y / t + 9.81 * t / 2


def win(show: Show) -> list[tuple[float, float]]:
    """Play the level, aiming as a player does, until it is won; return the last try's throws."""
    game = game_of(show)
    for attempt in range(MOST_TRIES):
        throws = []
        while not game.won and game.thrown < BALLS:
            with show.world:
                throws.append(throw_at_what_stands(show, 23.0 - 0.3 * attempt))
            throw_by_mouse(show, *throws[-1])
            for _ in range(150):
                if not game.won:
                    show.step()
        for _ in range(400):
            if not game.won and not game.lost:
                show.step()
        if game.won:
            return throws
        with show.world:
            game.on_press(0.0, 0.0)  # tries again
    pytest.fail(f"level {game.number} was not won in {MOST_TRIES} tries")


def test_three_levels_are_won_one_after_the_other(show: Callable[..., Show]) -> None:
    playing = show(NAME)
    game = game_of(playing)
    for level in (1, 2, 3):
        assert game.number == level
        win(playing)
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


def test_throws_of_the_setting_are_thrown_one_by_one(show: Callable[..., Show]) -> None:
    playing = show(NAME, throws=[[-3.0, 2.0], [-4.0, 1.0]])
    game = game_of(playing)
    seen = []
    while game.thrown < 2:
        ball, thrown = game.ball, game.thrown
        playing.step()
        assert playing.world.time < 10.0
        if game.thrown > thrown and ball is not None:
            velocity = esper.component_for_entity(ball, Velocity)
            seen.append((velocity.x, velocity.y))
    assert seen == [(-3.0, 2.0), (-4.0, 1.0)]


def test_it_is_short() -> None:
    assert len(Path(rules.__file__).read_text("utf-8").splitlines()) <= 150
