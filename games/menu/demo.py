"""What a demo is: what fills a world, and what a game adds to a step, the mouse and the screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

if TYPE_CHECKING:
    from ecs_physics import World
    from ecs_physics.levels import Level
    from ecs_physics.view import LineBatch
    from games.menu.window import DemoView


class Demo:
    """A scene that runs in a window and without one.

    Write `fill`, override the hooks that it needs, and register it with one line: the decorator
    `@demo(name, title, description)`. Further arguments of its `__init__` are what `--set`
    offers; they need defaults, and a ValueError that says what would be right.

    Args:
        world: an empty one of its own, which is current whenever one of these methods is called.
    """

    FILM: ClassVar[Mapping[str, Any]] = {}
    """Settings with which something happens though nobody plays, for a film of it."""

    LOOK: tuple[float, float, float] | None = None
    """(x, y, width), m: the middle of the first view and its width; None: as the level says, or
    whatever there is."""

    KEYS: ClassVar[Sequence[tuple[str, str]]] = ()
    """(key, what it does) of keys and mouse buttons that do something else here."""

    dt: float | None = None
    """s, of a step; None: as the level says, or 1/60."""

    level: Level | None = None
    """What `fill` has built, if it was a level: says the first view, and dt."""

    def __init__(self, world: World) -> None:
        self.world = world

    def fill(self) -> None:
        """Create everything in the empty world: at first, and on every restart."""

    def on_step(self, dt: float) -> None:
        """Hook: called after each step of `dt` s."""

    def on_press(self, x: float, y: float) -> bool:
        """Hook: the left button went down at (x, y), m. True takes it until it is released."""
        return False

    def on_drag(self, x: float, y: float) -> None:
        """Hook: the mouse, whose left button on_press took, is at (x, y), m."""

    def on_release(self, x: float, y: float) -> None:
        """Hook: the left button that on_press took came up at (x, y), m."""

    def dress(self, view: DemoView) -> None:
        """Hook: called once, when the demo opens in a window: add panel and plots to the view."""

    def on_key(self, symbol: int) -> None:
        """Hook: a key went down (a number of arcade.key); the view does with it what it does."""

    def on_key_release(self, symbol: int) -> None:
        """Hook: a key came up (a number of arcade.key)."""

    def close(self) -> None:
        """Hook: the demo ends: close what it has opened besides its world."""

    def draw(self, lines: LineBatch) -> None:
        """Hook: add lines and dots to the picture, in metres."""

    def words(self) -> str:
        """Hook: what stands at the top of the window."""
        return ""

    def answer(self) -> dict[str, Any]:
        """Hook: what a run without a window prints besides the bodies."""
        return {}


GAMES: Final[list[tuple[str, str, str, type[Demo]]]] = []
"""(name, title, description, class) of each demo that was registered."""

AnyDemo = TypeVar("AnyDemo", bound=Demo)


def demo(name: str, title: str, description: str) -> Callable[[type[AnyDemo]], type[AnyDemo]]:
    """Let the menu offer a class as the demo `name`; `title` and `description` are its card."""

    def register(made_by: type[AnyDemo]) -> type[AnyDemo]:
        GAMES.append((name, title, description, made_by))
        return made_by

    return register
