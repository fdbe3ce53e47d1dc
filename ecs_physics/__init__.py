"""A 2-D physics framework for small games: entities, components and systems all the way down.

SI units, y up, radians counter-clockwise. Importing this never loads arcade: windows are in
ecs_physics.view.
"""

from ecs_physics.components import (
    Color,
    Damping,
    Force,
    GravityScale,
    LockedAxes,
    Mass,
    Material,
    Name,
    Transform,
    Velocity,
)
from ecs_physics.shapes import Shape
from ecs_physics.stages import Stage
from ecs_physics.world import World

__version__ = "0.1.0"

__all__ = [
    "Color",
    "Damping",
    "Force",
    "GravityScale",
    "LockedAxes",
    "Mass",
    "Material",
    "Name",
    "Shape",
    "Stage",
    "Transform",
    "Velocity",
    "World",
]
