"""A 2-D physics framework for small games: entities, components and systems all the way down.

SI units, y up, radians counter-clockwise. Importing this never loads arcade: windows are in
ecs_physics.view, the names of events for esper's handlers in ecs_physics.events.
"""

from typing import TYPE_CHECKING, Any

from ecs_physics.components import (
    Color,
    Damping,
    Force,
    GravityScale,
    LockedAxes,
    Mass,
    Material,
    Name,
    Spring,
    Transform,
    Velocity,
)
from ecs_physics.contact_view import Contact
from ecs_physics.events import (
    ContactBegin,
    ContactEnd,
    Events,
    Hit,
    JointBreak,
    SensorBegin,
    SensorEnd,
    Sleep,
    Wake,
)
from ecs_physics.joints import (
    DistanceJoint,
    GearJoint,
    MotorJoint,
    PrismaticJoint,
    PulleyJoint,
    RatchetJoint,
    RevoluteJoint,
    RopeJoint,
    TargetJoint,
    WeldJoint,
    WheelJoint,
)
from ecs_physics.kernels.rays import RAY_HITS
from ecs_physics.mixing import Mixing
from ecs_physics.queries import ClosestPoints, RayHit
from ecs_physics.shapes import Shape
from ecs_physics.snapshots import Snapshot
from ecs_physics.stages import Stage
from ecs_physics.traits import Bullet, Disabled, Filter, OneWay, Sensor, SleepThreshold
from ecs_physics.world import World

if TYPE_CHECKING:
    from ecs_physics.levels import LevelError, load, save

__version__ = "0.1.0"

__all__ = [
    "RAY_HITS",
    "Bullet",
    "ClosestPoints",
    "Color",
    "Contact",
    "ContactBegin",
    "ContactEnd",
    "Damping",
    "Disabled",
    "DistanceJoint",
    "Events",
    "Filter",
    "Force",
    "GearJoint",
    "GravityScale",
    "Hit",
    "JointBreak",
    "LevelError",
    "LockedAxes",
    "Mass",
    "Material",
    "Mixing",
    "MotorJoint",
    "Name",
    "OneWay",
    "PrismaticJoint",
    "PulleyJoint",
    "RatchetJoint",
    "RayHit",
    "RevoluteJoint",
    "RopeJoint",
    "Sensor",
    "SensorBegin",
    "SensorEnd",
    "Shape",
    "Sleep",
    "SleepThreshold",
    "Snapshot",
    "Spring",
    "Stage",
    "TargetJoint",
    "Transform",
    "Velocity",
    "Wake",
    "WeldJoint",
    "WheelJoint",
    "World",
    "load",
    "save",
]

_FROM_LEVELS = ("LevelError", "load", "save")


def __getattr__(name: str) -> Any:
    """Level files come in when they are first asked for: pydantic takes a while to load."""
    if name in _FROM_LEVELS:
        from ecs_physics import levels

        return getattr(levels, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
