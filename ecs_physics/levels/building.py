"""Make the bodies of a level in a world: all of them, or none."""

from os import PathLike
from typing import TYPE_CHECKING

import esper

from ecs_physics.levels.errors import LevelError
from ecs_physics.levels.level import Level
from ecs_physics.levels.reading import read

if TYPE_CHECKING:
    from ecs_physics.world import World


def load(source: str | PathLike[str], world: "World") -> Level:
    """Read a level file and build it in `world`; see `read` and `build`.

    Raises:
        LevelError: naming the file and all that is wrong in it; the world is as it was.
    """
    level = read(source)
    try:
        return build(level, world)
    except ValueError as error:
        raise LevelError(source, [str(error)]) from error


def build(level: Level, world: "World") -> Level:
    """Create the entities of a level in `world`, and set the gravity and substeps it gives.

    What the world holds already stays; `world.reset()` empties it. `level.world.dt` is for
    whoever steps the world.

    Returns:
        The level with `created` and `entities` filled in.

    Raises:
        ValueError: where the world refuses a body; the world is then as it was.
    """
    wanted = [body.components() for body in level.single_bodies()]
    gravity, substeps = world.gravity, world.substeps
    created: list[int] = []
    with world:
        try:
            for components in wanted:
                created.append(esper.create_entity(*components))  # noqa: PERF401 - undone one by one
            if level.world.gravity is not None:
                world.gravity = level.world.gravity
            if level.world.substeps is not None:
                world.substeps = level.world.substeps
        except BaseException:
            for entity in created:
                esper.delete_entity(entity, immediate=True)
            world.gravity, world.substeps = gravity, substeps
            raise
    return level.built_as(created)
