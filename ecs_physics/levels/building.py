"""Make the bodies of a level in a world: all of them, or none."""

from os import PathLike
from typing import TYPE_CHECKING, Final

import esper

from ecs_physics.levels.errors import LevelError
from ecs_physics.levels.level import Level
from ecs_physics.levels.reading import read

if TYPE_CHECKING:
    from ecs_physics.world import World

_SETTINGS: Final = ("gravity", "substeps", "sleep")
"""What a level can set of a World, under the same names in its table."""


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
    """Create the entities of a level in `world`, and set gravity, substeps and sleep as it says.

    What the world holds already stays; `world.reset()` empties it. `level.world.dt` is for
    whoever steps the world.

    Returns:
        The level with `created` and `entities` filled in.

    Raises:
        ValueError: where the world refuses a body; the world is then as it was.
    """
    wanted = [body.components() for body in level.single_bodies()]
    before = {name: getattr(world, name) for name in _SETTINGS}
    created: list[int] = []
    joints: list[int] = []
    with world:
        try:
            for components in wanted:
                created.append(esper.create_entity(*components))  # noqa: PERF401 - undone one by one
            named = zip(level.single_bodies(), created, strict=True)
            entities = {body.name: entity for body, entity in named if body.name is not None}
            for table in level.joints:
                for a, b in table.bodies():
                    joint = table.joint(entities[a], None if b is None else entities[b])
                    joints.append(esper.create_entity(joint))
            for name in _SETTINGS:
                value = getattr(level.world, name)
                if value is not None:
                    setattr(world, name, value)
        except BaseException:
            for entity in (*joints, *created):
                esper.delete_entity(entity, immediate=True)
            for name, value in before.items():
                setattr(world, name, value)
            raise
    return level.built_as(created, joints)
