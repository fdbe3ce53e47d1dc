"""A list of demos to choose from."""

from dataclasses import dataclass

import arcade
import numpy as np
import pytest
from arcade import key

from ecs_physics.view import DARK, MenuView
from ecs_physics.view.record import picture
from tests.resizing import resize


@dataclass
class Demo:
    title: str
    description: str


def demos(count: int) -> list[Demo]:
    return [Demo(f"Demo {i}", f"What demo {i} shows") for i in range(count)]


class Chosen:
    def __init__(self, window: arcade.Window, count: int) -> None:
        self.opened: list[str] = []
        self.menu = MenuView(demos(count), lambda demo: self.opened.append(demo.title))
        self.window = window
        window.show_view(self.menu)
        window.dispatch_event("on_draw")

    def press(self, *symbols: int) -> None:
        for symbol in symbols:
            self.window.dispatch_event("on_key_press", symbol, 0)

    def card(self, number: int) -> tuple[int, int]:
        left, bottom, width, height = self.menu._boxes[number]
        return round(left + 0.5 * width), round(bottom + 0.5 * height)


def test_enter_opens_the_first(window: arcade.Window) -> None:
    chosen = Chosen(window, 6)
    chosen.press(key.ENTER)
    assert chosen.opened == ["Demo 0"]


def test_arrows_move_through_two_columns(window: arcade.Window) -> None:
    chosen = Chosen(window, 7)
    chosen.press(key.RIGHT, key.DOWN, key.ENTER)
    chosen.press(key.LEFT, key.ENTER, key.UP, key.UP, key.ENTER)
    assert chosen.opened == ["Demo 3", "Demo 2", "Demo 0"]
    chosen.press(key.END, key.DOWN, key.RIGHT, key.ENTER)
    assert chosen.opened[-1] == "Demo 6"


def test_the_mouse_marks_and_opens(window: arcade.Window) -> None:
    chosen = Chosen(window, 6)
    x, y = chosen.card(4)
    window.dispatch_event("on_mouse_motion", x, y, 0, 0)
    assert chosen.menu.picked == 4
    window.dispatch_event("on_mouse_press", x, y, arcade.MOUSE_BUTTON_LEFT, 0)
    assert chosen.opened == ["Demo 4"]
    window.dispatch_event("on_mouse_press", 2, 2, arcade.MOUSE_BUTTON_LEFT, 0)
    assert chosen.opened == ["Demo 4"]


def test_a_long_list_scrolls_to_what_is_marked(window: arcade.Window) -> None:
    chosen = Chosen(window, 40)
    assert chosen.menu.entry_at(*chosen.card(0)) == 0
    chosen.press(*[key.DOWN] * 19, key.ENTER)
    assert chosen.opened == ["Demo 38"]
    window.dispatch_event("on_draw")
    assert 38 in chosen.menu._boxes
    assert 0 not in chosen.menu._boxes
    window.dispatch_event("on_mouse_scroll", 400, 300, 0, 100)
    window.dispatch_event("on_draw")
    assert 0 in chosen.menu._boxes


def test_the_marked_card_is_seen(window: arcade.Window) -> None:
    chosen = Chosen(window, 6)
    chosen.menu.pick(3)
    window.dispatch_event("on_draw")
    pixels = np.asarray(picture(window))[::-1]
    for number, color in ((2, DARK.panel), (3, DARK.panel_picked)):
        left, bottom, width, height = chosen.menu._boxes[number]
        seen = pixels[round(bottom + height - 5), round(left + width - 12)]
        assert tuple(seen) == color


@pytest.mark.parametrize("size", [(480, 320), (800, 600), (1100, 700)])
def test_all_cards_are_inside_of_any_window(window: arcade.Window, size: tuple[int, int]) -> None:
    chosen = Chosen(window, 30)
    resize(window, size)
    window.dispatch_event("on_draw")
    assert chosen.menu._boxes
    for left, bottom, width, height in chosen.menu._boxes.values():
        assert left >= 0
        assert bottom >= 0
        assert left + width <= size[0]
        assert bottom + height <= size[1]


def test_long_descriptions_are_cut(window: arcade.Window) -> None:
    menu = MenuView([Demo("A", "word " * 100)], print)
    window.show_view(menu)
    window.dispatch_event("on_draw")
    texts = [text for text in menu._texts if text.text.endswith("\N{HORIZONTAL ELLIPSIS}")]
    assert len(texts) == 1
    assert texts[0].right <= 800 - 12


def test_escape_closes(window: arcade.Window, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[bool] = []
    chosen = Chosen(window, 2)
    monkeypatch.setattr(window, "close", lambda: closed.append(True))
    chosen.press(key.ESCAPE)
    assert closed == [True]


def test_an_empty_menu_is_refused(window: arcade.Window) -> None:
    with pytest.raises(ValueError, match="at least one"):
        MenuView([], print)
