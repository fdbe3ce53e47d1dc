"""What a system may use of the world it runs in."""

from typing import Any, Protocol

import numpy as np

from ecs_physics.contact_table import ContactTable
from ecs_physics.events import Events
from ecs_physics.islands import Islands
from ecs_physics.joint_table import JointTable
from ecs_physics.sensor_table import SensorTable
from ecs_physics.stages import Stage
from ecs_physics.store import Store
from ecs_physics.touching import Touching


class Simulation(Protocol):
    """A world, as its systems see it."""

    store: Store
    contact_table: ContactTable
    events: Events
    sensor_table: SensorTable
    sleeping: Islands
    touching: Touching
    joint_table: JointTable

    @property
    def gravity(self) -> tuple[float, float]:
        """m/s^2."""

    @property
    def substeps(self) -> int:
        """Substeps a step."""

    @property
    def threads(self) -> int:
        """Threads that a kernel may use."""

    def systems(self, stage: Stage) -> tuple[Any, ...]:
        """The systems of a stage, in the order in which they run."""

    def columns(self, component: type[Any]) -> np.ndarray[Any, Any]:
        """A component's table."""
