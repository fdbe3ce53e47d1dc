"""Joints: what came, went or was written counts from this step on."""

import esper

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
