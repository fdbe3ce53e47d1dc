"""Rewind: time that ran backwards runs the same way again."""

from collections.abc import Callable

import esper
import pytest

from games.menu.show import Show
from games.rewind import KEPT, Crack, Rewind


def game_of(show: Show) -> Rewind:
    assert isinstance(show.demo, Rewind)
    return show.demo


def crates(show: Show) -> dict[int, int]:
    with show.world:
        return {entity: crack.times for entity, crack in esper.get_component(Crack)}


def forward(show: Show, steps: int) -> list[str]:
    hashes = []
    for _ in range(steps):
        show.step()
        hashes.append(show.world.hash())
    return hashes


def test_a_ball_breaks_crates(show: Callable[..., Show]) -> None:
    playing = show("rewind")
    assert set(crates(playing).values()) == {0}
    forward(playing, 120)
    assert len(crates(playing)) <= 36
    with playing.world:
        answer = game_of(playing).answer()
    assert answer["cracked"] > 0


def test_time_runs_backwards_step_by_step_and_then_the_same_way_again(
    show: Callable[..., Show],
) -> None:
    playing = show("rewind")
    game = game_of(playing)
    before, hashes = crates(playing), [playing.world.hash()]
    hashes += forward(playing, 50)
    with playing.world:
        game.on_press(3.0, 8.0)
    hashes += forward(playing, 70)
    broken = crates(playing)
    assert broken != before
    game.is_going_back = True
    assert forward(playing, 120) == hashes[-2::-1]
    assert (crates(playing), playing.world.steps) == (before, 0)
    forward(playing, 5)
    assert playing.world.steps == 0
    game.is_going_back = False
    assert forward(playing, 50) == hashes[1:51]
    with playing.world:
        game.on_press(3.0, 8.0)
    assert forward(playing, 70) == hashes[51:]
    assert crates(playing) == broken


def test_no_more_than_ten_seconds_are_kept(show: Callable[..., Show]) -> None:
    playing = show("rewind")
    game = game_of(playing)
    forward(playing, 50)
    game.past.extend([game.past[-1]] * KEPT)
    forward(playing, 3)
    assert len(game.past) == KEPT


def test_a_restart_begins_with_no_past(show: Callable[..., Show]) -> None:
    playing = show("rewind")
    first = forward(playing, 30)
    playing.start()
    assert len(game_of(playing).past) == 1
    assert forward(playing, 30) == first


def test_the_film_goes_back_by_itself(show: Callable[..., Show]) -> None:
    playing = show("rewind", back=20)
    forward(playing, 25)
    assert playing.world.steps < 20
    assert game_of(playing).words().startswith("<<")


@pytest.mark.parametrize("back", [-1, 1.5, "soon"])
def test_a_setting_that_makes_no_sense_is_refused(show: Callable[..., Show], back: object) -> None:
    with pytest.raises(ValueError, match="whole number"):
        show("rewind", back=back)
