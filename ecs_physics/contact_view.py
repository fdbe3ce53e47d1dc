"""Contact: what World.pre_solve is called with."""

from typing import Any

from ecs_physics.components import not_negative, number
from ecs_physics.kernels.contact_states import DISABLED


class Contact:
    """One contact of two bodies, before it is solved: a view, good only during the call.

    What is written counts for this step. A compiled function gets the row of the contact itself,
    which has all these names but `normal`, `points`, `separations` and `disable()`; there write
    `contact.disabled = 1`.
    """

    __slots__ = ("_bodies", "_row")

    def __init__(self, row: Any, bodies: Any) -> None:
        self._row = row
        self._bodies = bodies

    @property
    def entity_a(self) -> int:
        """One of the two."""
        return int(self._row["entity_a"])

    @property
    def entity_b(self) -> int:
        """The other one."""
        return int(self._row["entity_b"])

    @property
    def count(self) -> int:
        """Points: 1 or 2."""
        return int(self._row["count"])

    @property
    def normal_x(self) -> float:
        """Of the unit vector from A to B."""
        return float(self._row["normal_x"])

    @property
    def normal_y(self) -> float:
        """Of the same."""
        return float(self._row["normal_y"])

    @property
    def normal(self) -> tuple[float, float]:
        """The unit vector from A to B."""
        return self.normal_x, self.normal_y

    @property
    def points(self) -> list[tuple[float, float]]:
        """(x, y) of each point in the world, m."""
        body, row = self._bodies[self._row["body_a"]], self._row
        return [
            (float(body["x"] + row[f"anchor_ax_{k}"]), float(body["y"] + row[f"anchor_ay_{k}"]))
            for k in range(self.count)
        ]

    @property
    def separations(self) -> list[float]:
        """The gap at each point, m, negative where the two overlap."""
        return [float(self._row[f"separation_{k}"]) for k in range(self.count)]

    @property
    def separation_0(self) -> float:
        """m, of the first point."""
        return float(self._row["separation_0"])

    @property
    def separation_1(self) -> float:
        """m, of the second point, if there is one."""
        return float(self._row["separation_1"])

    @property
    def friction(self) -> float:
        """Coulomb coefficient; may be written, as those below."""
        return float(self._row["friction"])

    @friction.setter
    def friction(self, value: float) -> None:
        self._row["friction"] = not_negative(value, "Contact.friction")

    @property
    def restitution(self) -> float:
        """Speed after a hit by the speed before."""
        return float(self._row["restitution"])

    @restitution.setter
    def restitution(self, value: float) -> None:
        self._row["restitution"] = not_negative(value, "Contact.restitution")

    @property
    def rolling_resistance(self) -> float:
        """Lever arm of the resisting torque, m."""
        return float(self._row["rolling_resistance"])

    @rolling_resistance.setter
    def rolling_resistance(self, value: float) -> None:
        self._row["rolling_resistance"] = not_negative(value, "Contact.rolling_resistance")

    @property
    def surface_speed(self) -> float:
        """m/s that B is to get relative to A, along (normal_y, -normal_x)."""
        return float(self._row["surface_speed"])

    @surface_speed.setter
    def surface_speed(self, value: float) -> None:
        self._row["surface_speed"] = number(value, "Contact.surface_speed")

    @property
    def disabled(self) -> bool:
        """Whether it is left out of this step."""
        return bool(self._row["disabled"] == DISABLED)

    @disabled.setter
    def disabled(self, value: bool) -> None:
        self._row["disabled"] = DISABLED if value else 0

    def disable(self) -> None:
        """Leave this contact out of this step: the two pass through each other."""
        self.disabled = True
