"""One call that shows a world in a window."""

from collections.abc import Callable
from os import PathLike

import arcade

from ecs_physics.levels import Level, build, read
from ecs_physics.view.screen import open_window
from ecs_physics.view.simulation_view import SimulationView
from ecs_physics.world import World


def play(
    world: World | Level | str | PathLike[str],
    level: Level | None = None,
    *,
    title: str | None = None,
    restart: Callable[[], object] | None = None,
    width: int = 1280,
    height: int = 720,
) -> None:
    """Open a window on a world and run until it is closed.

    Args:
        world: to show; or a level, or the path or name of one, to build in a new world.
        level: that the world was filled from, so that R builds it again.
        title: of the window; the level's where left out.
        restart: what R calls instead, to fill the world again.
        width: px, of the window.
        height: px.

    Raises:
        NoScreenError: where there is no display; says what to do.
        LevelError: for a level that cannot be read.
    """
    if not isinstance(world, World):
        level = world if isinstance(world, Level) else read(world)
        world = World(name=f"ecs_physics.view {level.title}")
        level = build(level, world)
    window = open_window(width, height, virtual=False)
    window.show_view(SimulationView(world, restart, title, level=level, window=window))
    arcade.run()
