"""EventTelling: after the step, tells what changed in it."""

import esper

from ecs_physics.systems.simulation import Simulation


class EventTelling(esper.Processor):
    """Last of the own systems of AFTER_STEP: fills `world.events` and calls esper's handlers.

    Handlers may create, delete and change anything; the next step takes it up.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation

    def process(self, dt: float) -> None:
        """Tell the events of this step."""
        self.simulation.events.tell()
