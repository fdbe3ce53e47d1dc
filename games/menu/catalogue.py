"""The list of demos: the games of this folder, then the bundled levels."""

import difflib
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import games
from ecs_physics import World
from ecs_physics.levels import LevelError, bundled_levels, load, read
from games.menu.demo import GAMES, Demo


@dataclass(frozen=True)
class Entry:
    """A demo on the list."""

    name: str
    title: str
    description: str
    make: Callable[..., Demo]
    """Called with the demo's world, and with what was set of `own_settings`."""

    @property
    def own_settings(self) -> list[str]:
        """What this demo can be set besides what every demo can."""
        return list(inspect.signature(self.make).parameters)[1:]


class LevelDemo(Demo):
    """A bundled level, as it is."""

    def __init__(self, world: World, name: str) -> None:
        super().__init__(world)
        self.name = name

    def fill(self) -> None:
        """Build the level."""
        self.level = load(self.name, self.world)


def catalogue() -> list[Entry]:
    """All demos: games by title, then levels by name.

    A level that cannot be read is left out, with a complaint on standard error.
    """
    return [*_games(), *_levels()]


def _games() -> list[Entry]:
    for module in pkgutil.iter_modules(games.__path__):
        if not module.ispkg and module.name != "__main__":
            importlib.import_module(f"games.{module.name}")
    return [Entry(*each) for each in sorted(GAMES, key=lambda each: each[1])]


def _levels() -> list[Entry]:
    entries = []
    for name in bundled_levels():
        try:
            level = read(name)
        except LevelError as error:
            print(f"left out of the demos: {error}", file=sys.stderr)
        else:
            title = level.title or name
            entries.append(Entry(name, title, level.description, _maker(name)))
    return entries


def _maker(name: str) -> Callable[[World], Demo]:
    def make(world: World) -> Demo:
        return LevelDemo(world, name)

    return make


def find(name: str, entries: Iterable[Entry]) -> Entry:
    """The demo called `name`.

    Raises:
        ValueError: where there is none; lists the names, the nearest one first.
    """
    by_name = {entry.name: entry for entry in entries}
    if name not in by_name:
        raise ValueError(f"no demo {name!r};{nearest(name, by_name)} there are {listed(by_name)}")
    return by_name[name]


def nearest(word: str, known: Iterable[str]) -> str:
    """A guess at what was meant, after a space; nothing where no known word is like `word`."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f" did you mean {near[0]!r}?" if near else ""


def listed(names: Iterable[str]) -> str:
    """The names with commas between them."""
    return ", ".join(names)
