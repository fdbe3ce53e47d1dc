"""What the tests of the founding systems share: the reference files, and worlds to run them in."""

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_physics import Stage, World
from ecs_physics.systems.collision_detection import CollisionDetection
from ecs_physics.systems.contact_resolution import ContactResolution

_serial = itertools.count(1)

DATA = Path(__file__).parents[1] / "data"


def reference(name: str) -> Any:
    """The content of a reference file."""
    return json.loads((DATA / f"{name}.json").read_text("utf-8"))


def new_world() -> World:
    """A world of its own, made current: Hypothesis runs many examples in one test."""
    return World(gravity=(0, 0), substeps=1, name=f"founding {next(_serial)}", sleep=False)


def with_systems(world: World, detection: Any = None, resolution: Any = None) -> World:
    """Let textbook systems stand for the production ones; None leaves nothing there."""
    world.remove_system(CollisionDetection)
    world.remove_system(ContactResolution)
    if detection is not None:
        world.add_system(detection, Stage.COLLISION_DETECTION)
    if resolution is not None:
        world.add_system(resolution, Stage.CONTACT_RESOLUTION)
    return world


def placed(vertices: Any, position: Any, angle: float) -> NDArray[np.float64]:
    """Corners in the world."""
    cos, sin = np.cos(angle), np.sin(angle)
    turned = np.asarray(vertices, np.float64) @ np.array([[cos, sin], [-sin, cos]])
    return turned + np.asarray(position, np.float64)
