"""WorldContactRules: the part of World that says whom bodies notice, and how they touch."""

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import esper

from ecs_physics.components import entity_id, number, positive
from ecs_physics.mixing import Mixing
from ecs_physics.sensor_table import SensorTable
from ecs_physics.store import Store
from ecs_physics.systems.contact_rules import ContactRules
from ecs_physics.systems.kinematic_targets import KinematicTargets
from ecs_physics.tables import KINEMATIC
from ecs_physics.traits import Sensor


class WorldContactRules:
    """Sensors, filters, rules for materials and contacts, and targets of kinematic bodies."""

    store: Store
    sensor_table: SensorTable
    contact_rules: ContactRules
    kinematic_targets: KinematicTargets

    # -- sensors, filters and rules -------------------------------------------------------

    @property
    def contact_filter(self) -> Callable[[int, int], bool] | None:
        """A function of two entities, the older first, that says whether they may meet.

        It is asked once for each new pair of parts that come near each other and that the
        Filters let meet, sensors included; set it anew to have all pairs asked about again. Plain,
        or compiled by Numba for two int64. None: whom the Filters let meet.
        """
        given = self.contact_rules.filter
        return None if given is None else given.function

    @contact_filter.setter
    def contact_filter(self, function: Callable[[int, int], Any] | None) -> None:
        self._must_be_open()
        self.contact_rules.set_filter(function)

    @property
    def pre_solve(self) -> Callable[[Any], None] | None:
        """A function that sees each contact in each step before it is solved, and may change it.

        A plain one gets a Contact: write its friction, restitution, rolling_resistance or
        surface_speed, or call its disable(), for this step. One compiled by Numba gets the row of
        the contact, with fields of the same names; `contact.disabled = 1` disables. It must not
        change the world. None: nobody sees them.
        """
        given = self.contact_rules.pre_solve
        return None if given is None else given.function

    @pre_solve.setter
    def pre_solve(self, function: Callable[[Any], Any] | None) -> None:
        self._must_be_open()
        self.contact_rules.set_pre_solve(function)

    @property
    def mixing(self) -> Mixing:
        """How the frictions and restitutions of two surfaces become those of their contact."""
        return self.contact_rules.mixing

    @mixing.setter
    def mixing(self, rules: Mixing) -> None:
        self._must_be_open()
        if not isinstance(rules, Mixing):
            raise ValueError(f'World.mixing = {rules!r}: give a Mixing(friction="average"), say')
        self.contact_rules.set_mixing(rules)

    def drop_through(self, entity: int) -> None:
        """Let a body fall through the OneWay bodies that it stands on now.

        Raises:
            ValueError: for an entity that is no body.
        """
        self._must_be_open()
        self.store.adopt()
        if not self.store.has_row(entity_id(entity, "entity")):
            raise ValueError(f"drop_through({entity!r}): that entity is no body")
        self.contact_rules.drop_through(entity)

    def overlaps(self, sensor: int) -> list[int]:
        """The entities that overlap a sensor as of the end of the last step, ascending.

        They may overlap, or just touch, any of its parts, and be static, kinematic or dynamic;
        other sensors are not noticed. Entities that were deleted since are left out.

        Raises:
            ValueError: for an entity that is no Sensor.
        """
        self._must_be_open()
        entity_id(sensor, "sensor")
        with self._current():
            if not esper.entity_exists(sensor) or not esper.has_component(sensor, Sensor):
                raise ValueError(f"overlaps({sensor!r}): that entity has no Sensor: add one to it")
            visitors = self.sensor_table.visitors(sensor)
            return [each for each in visitors if esper.entity_exists(each)]

    # -- kinematic bodies -----------------------------------------------------------------

    def move_to(
        self, entity: int, x: float, y: float, angle: float | None = None, time: float = 1.0 / 60.0
    ) -> None:
        """Send a kinematic body to a place: it moves evenly, is there after `time`, and stops.

        It begins with the next step, and takes as many whole steps as `time` needs. What it
        carries feels its velocity, as with one that was written. To follow a path, send it on in
        each step with the step as `time`. Writing its Velocity, or another call, ends it; a
        disabled one waits, and goes on when it is enabled.

        Args:
            entity: with Transform, Shape and Velocity, and no Mass.
            x: m, for its Transform.
            y: m.
            angle: rad, as many turns as it takes; None leaves its turning alone.
            time: s.

        Raises:
            ValueError: for an entity that is no kinematic body, or a bad number.
        """
        self._must_be_open()
        self.store.adopt()
        is_body = self.store.has_row(entity_id(entity, "entity"))
        row = self.store.row_of(entity) if is_body else -1
        if not is_body or self.store.bodies["kind"][row] != KINEMATIC:
            raise ValueError(
                f"move_to({entity!r}): that entity is no kinematic body: give it a Transform, a "
                "Shape, a Velocity and no Mass"
            )
        self.kinematic_targets.send(
            entity,
            row,
            number(x, "move_to x"),
            number(y, "move_to y"),
            math.nan if angle is None else number(angle, "move_to angle"),
            positive(time, "move_to time"),
        )

    def _must_be_open(self) -> None:
        raise NotImplementedError

    def _current(self) -> AbstractContextManager[Any]:
        raise NotImplementedError
