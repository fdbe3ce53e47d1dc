"""WorldContactRules: the part of World that says whom bodies notice, and how they touch."""

from contextlib import AbstractContextManager
from typing import Any

import esper

from ecs_physics.sensor_table import SensorTable
from ecs_physics.store import Store
from ecs_physics.traits import Sensor


class WorldContactRules:
    """Sensors, filters, rules for materials and contacts, and targets of kinematic bodies."""

    store: Store
    sensor_table: SensorTable

    def overlaps(self, sensor: int) -> list[int]:
        """The entities that overlap a sensor as of the end of the last step, ascending.

        They may overlap, or just touch, any of its parts, and be static, kinematic or dynamic;
        other sensors are not noticed. Entities that were deleted since are left out.

        Raises:
            ValueError: for an entity that is no Sensor.
        """
        self._must_be_open()
        with self._current():
            if not esper.entity_exists(sensor) or not esper.has_component(sensor, Sensor):
                raise ValueError(f"overlaps({sensor!r}): that entity has no Sensor: add one to it")
            visitors = self.sensor_table.visitors(sensor)
            return [each for each in visitors if esper.entity_exists(each)]

    def _must_be_open(self) -> None:
        raise NotImplementedError

    def _current(self) -> AbstractContextManager[Any]:
        raise NotImplementedError
