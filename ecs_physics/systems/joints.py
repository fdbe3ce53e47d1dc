"""Joints: what came, went or was written counts from this step on."""

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics.islands import Linking
from ecs_physics.systems.simulation import Simulation


class Joints(esper.Processor, Linking):
    """First of the FORCES stage, before bodies are placed; ContactResolution solves the joints."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation

    def process(self, dt: float) -> None:
        """Bring the joint table in step."""
        store = self.simulation.store
        store.adopt()
        self.simulation.joint_table.adopt(self.simulation.contact_table)
        self.links = self.simulation.joint_table.links

    @property
    def driven(self) -> NDArray[np.int32]:
        """The rows of bodies that motors drive, in this step."""
        return self.simulation.joint_table.driven
