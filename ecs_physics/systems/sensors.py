"""Sensors: what overlaps them is found after bodies have moved, for the same step to be read."""

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.sensors import find_overlaps, list_sensor_rows, note_starts
from ecs_physics.sensor_table import columns
from ecs_physics.systems.simulation import Simulation


class SensorDetection(esper.Processor):
    """Fills the sensor table at the end of a step, and notes the events.

    Does nothing where there are no sensors.
    """

    def __init__(self, simulation: Simulation, start: "SensorStart") -> None:
        self.simulation = simulation
        self.start = start
        self._counts = np.zeros(2, np.int64)
        self._keys = np.zeros(0, np.int64)

    def process(self, dt: float) -> None:
        """Look at the contact rows that have a sensor, where the bodies are now."""
        store = self.simulation.store
        sensors = self.simulation.sensor_table
        count = self.start.count
        if not count:
            if len(sensors.keys) or len(sensors.ended):
                self._take(self._keys[:0], self._keys[:0])
            return
        if len(self._keys) < count:
            self._keys = np.zeros(len(self.start.rows), np.int64)
        find_overlaps(
            count,
            self.start.rows,
            self.start.poses,
            store.bodies,
            store.traits,
            store.parts,
            store.local_vertices,
            store.world_vertices,
            self.simulation.contact_table.rows,
            self._keys,
            self._counts,
        )
        overlapping, crossed = self._counts.tolist()
        self._take(self._keys[:overlapping], self._keys[len(self._keys) - crossed :])

    def _take(self, overlapping: NDArray[np.int64], crossed: NDArray[np.int64]) -> None:
        sensors = self.simulation.sensor_table
        sensors.note(overlapping, crossed)
        events = self.simulation.events
        events.note_sensor(columns(sensors.begun), columns(sensors.ended))
        if len(sensors.crossed):
            events.note_sensor(columns(sensors.crossed), columns(sensors.crossed[:0]))
            events.note_sensor(columns(sensors.crossed[:0]), columns(sensors.crossed))


class SensorStart(esper.Processor):
    """Notes where the bodies near sensors are when a step begins, for what crosses one within it.

    `rows[:count]` are the contact rows that have a sensor; `poses` holds x, y and angle by row of
    a body.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.count = 0
        self.rows: NDArray[np.int32] = np.zeros(0, np.int32)
        self.poses: NDArray[np.float64] = np.zeros((0, 3))
        self._listed: tuple[int, int] = (-1, -1)

    def process(self, dt: float) -> None:
        """List the contact rows that have a sensor, and note the poses of their bodies."""
        store = self.simulation.store
        contacts = self.simulation.contact_table
        if not store.sensors:
            self.count = 0
            self._listed = (-1, -1)
            return
        now = (id(contacts), contacts.version)
        if now != self._listed:
            warm_up("sensors")
            if len(self.rows) < contacts.count:
                self.rows = np.zeros(len(contacts.rows), np.int32)
            self.count = list_sensor_rows(contacts.count, contacts.rows, self.rows)
            self._listed = now
        if len(self.poses) < len(store.bodies):
            self.poses = np.zeros((len(store.bodies), 3))
        note_starts(self.count, self.rows, contacts.rows, store.bodies, self.poses)
