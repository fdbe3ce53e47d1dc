"""Sleeping: islands that have rested long enough leave the step, until something wakes them."""

import esper

from ecs_physics.stages import Stage
from ecs_physics.systems.collision_detection import CollisionDetection
from ecs_physics.systems.simulation import Simulation


class Sleeping(esper.Processor):
    """Puts islands to sleep whose bodies have all rested for their time; after the step.

    A sleeping body keeps its contacts and their impulses, and takes part in nothing. Placement and
    CollisionDetection wake it; where another detection has the latter's place, nothing sleeps.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation

    def process(self, dt: float) -> None:
        """Count who rests; tell who fell asleep or woke in this step."""
        simulation = self.simulation
        islands = simulation.sleeping
        if simulation.store.step_rows and islands.is_on:
            if self._has_waking_detection():
                islands.settle(simulation.store, simulation.contact_table, dt)
            elif islands.asleep:
                islands.stir_all(simulation.store)
        islands.tell()
        if len(islands.fell_asleep) or len(islands.woke):
            simulation.events.note_sleep(islands.fell_asleep, islands.woke)

    def _has_waking_detection(self) -> bool:
        detections = self.simulation.systems(Stage.COLLISION_DETECTION)
        return any(isinstance(each, CollisionDetection) for each in detections)
