"""Level files: read, check, build, write."""

from ecs_physics.levels.building import build, load
from ecs_physics.levels.errors import LevelError
from ecs_physics.levels.level import Level
from ecs_physics.levels.reading import bundled_levels, read
from ecs_physics.levels.writing import level_of, save

__all__ = ["Level", "LevelError", "build", "bundled_levels", "level_of", "load", "read", "save"]
