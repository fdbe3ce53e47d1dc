"""The systems of the step, one a file. Each can be replaced by another with the same tables.

A World has the production ones from the start. The others are here to be put in their places, or
to be built on; each comes in, and its kernels are compiled, when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ecs_physics.systems.collision_detection import CollisionDetection
    from ecs_physics.systems.contact_resolution import ContactResolution
    from ecs_physics.systems.continuous_collision import ContinuousCollision
    from ecs_physics.systems.drag import Drag
    from ecs_physics.systems.elastic import ElasticResolution
    from ecs_physics.systems.events import EventTelling
    from ecs_physics.systems.floor_detection import FloorDetection
    from ecs_physics.systems.gravity import Gravity
    from ecs_physics.systems.impulse_penalty import ImpulsePenaltyResolution
    from ecs_physics.systems.integration import Integration
    from ecs_physics.systems.integrators import (
        INTEGRATORS,
        MethodIntegrator,
        integrator,
        use_integrator,
    )
    from ecs_physics.systems.phases import Integrator, Resolution
    from ecs_physics.systems.separating_axis import SeparatingAxisDetection
    from ecs_physics.systems.sleeping import Sleeping
    from ecs_physics.systems.springs import Springs
    from ecs_physics.systems.textbook_detection import TextbookDetection
    from ecs_physics.systems.vertex_edge import VertexEdgeDetection

__all__ = [
    "INTEGRATORS",
    "CollisionDetection",
    "ContactResolution",
    "ContinuousCollision",
    "Drag",
    "ElasticResolution",
    "EventTelling",
    "FloorDetection",
    "Gravity",
    "ImpulsePenaltyResolution",
    "Integration",
    "Integrator",
    "MethodIntegrator",
    "Resolution",
    "SeparatingAxisDetection",
    "Sleeping",
    "Springs",
    "TextbookDetection",
    "VertexEdgeDetection",
    "integrator",
    "use_integrator",
]

_FILES = {
    "INTEGRATORS": "integrators",
    "CollisionDetection": "collision_detection",
    "ContactResolution": "contact_resolution",
    "ContinuousCollision": "continuous_collision",
    "Drag": "drag",
    "ElasticResolution": "elastic",
    "EventTelling": "events",
    "FloorDetection": "floor_detection",
    "Gravity": "gravity",
    "ImpulsePenaltyResolution": "impulse_penalty",
    "Integration": "integration",
    "Integrator": "phases",
    "MethodIntegrator": "integrators",
    "Resolution": "phases",
    "SeparatingAxisDetection": "separating_axis",
    "Sleeping": "sleeping",
    "Springs": "springs",
    "TextbookDetection": "textbook_detection",
    "VertexEdgeDetection": "vertex_edge",
    "integrator": "integrators",
    "use_integrator": "integrators",
}


def __getattr__(name: str) -> Any:
    """Bring in the file of a system that is asked for."""
    if name in _FILES:
        return getattr(import_module(f"{__name__}.{_FILES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
