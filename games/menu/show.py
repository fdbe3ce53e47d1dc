"""A demo that runs: its world, its settings, its start, its steps and its end."""

from collections.abc import Mapping
from math import isfinite
from types import TracebackType
from typing import Any, Final, Self

import esper

from ecs_physics import World
from games.menu.catalogue import Entry, listed, nearest

DEFAULT_DT: Final = 1.0 / 60.0
"""s, of a step."""

COMMON_SETTINGS: Final = ("gravity", "substeps", "threads", "dt")
"""What every demo can be set: [x, y] in m/s^2, substeps a step, 1 or 2 threads, s of a step. A
demo may take one of them itself, by an argument of that name."""


class Show:
    """A demo in a world of its own, started; a context manager that closes itself.

    Args:
        entry: which demo.
        settings: values by key, of `COMMON_SETTINGS` and `entry.own_settings`.

    Raises:
        ValueError: for a key that the demo does not know, listing those that it knows, or a value
            that it refuses.
    """

    def __init__(self, entry: Entry, settings: Mapping[str, Any]) -> None:
        own = entry.own_settings
        known = [*COMMON_SETTINGS, *(key for key in own if key not in COMMON_SETTINGS)]
        for key in settings:
            if key not in known:
                raise ValueError(
                    f"{entry.name} has no setting {key!r};{nearest(key, known)} "
                    f"there are {listed(known)}"
                )
        self.entry = entry
        self._settings = dict(settings)
        if "dt" in settings:
            self._settings["dt"] = _seconds(settings["dt"])
        self._outer_world = esper.current_world
        self.world = World(name=f"games {entry.name}")
        try:
            given = {key: self._settings[key] for key in own if key in settings}
            self.demo = entry.make(self.world, **given)
            self.start()
        except BaseException:
            self.close()
            raise

    @property
    def dt(self) -> float:
        """s, of a step: as set, as the demo or its level says, or 1/60."""
        level = self.demo.level
        of_level = level.world.dt if level is not None else None
        return float(self._settings.get("dt", self.demo.dt or of_level or DEFAULT_DT))

    def start(self) -> None:
        """Begin anew: an empty world, filled, with the settings that were asked for."""
        with self.world:
            self.world.reset()
            self.demo.fill()
        for key in ("gravity", "substeps", "threads"):
            if key in self._settings and key not in self.entry.own_settings:
                setattr(self.world, key, self._settings[key])

    def step(self) -> None:
        """Make one step."""
        self.world.step(self.dt)
        with self.world:
            self.demo.on_step(self.dt)

    def close(self) -> None:
        """Leave nothing of the demo in esper."""
        demo = getattr(self, "demo", None)  # None where it could not even be made
        if demo is not None:
            demo.close()
        self.world.close()
        if esper.current_world == self.world.name:
            esper.switch_world(self._outer_world)
        if self.world.name in esper.list_worlds():
            esper.delete_world(self.world.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _seconds(value: Any) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not isfinite(value) or value <= 0.0:
        raise ValueError(f"dt = {value!r}: give a number of seconds above 0")
    return float(value)
