"""What a World tells of its joints."""

from typing import Any

from numpy.typing import NDArray

from ecs_physics.components import entity_id
from ecs_physics.joint_table import JointTable


class WorldJoints:
    """The part of World that is about joints."""

    joint_table: JointTable

    @property
    def joints(self) -> NDArray[Any]:
        """The joints that the last step had and that do not rest: a structured array (a copy).

        Fields: entity; body_a, body_b (0: the world); ax, ay, bx, by (m, both anchors in the
        world); force_x, force_y (N) and torque (N m) on A, the mean over the last step. Where
        bodies sleep it is the one with which they fell asleep.
        """
        self._must_be_open()
        return self.joint_table.shown()

    def joint_force(self, entity: int) -> tuple[float, float, float]:
        """What the joints of an entity did to their body A in the last step, the mean over it.

        Those of bodies that sleep go on as in the step in which they fell asleep.

        Returns:
            x and y of the force, N, and the torque about A's anchor, N m.

        Raises:
            ValueError: where the entity has no joint that a step has seen.
        """
        self._must_be_open()
        rows = self.joint_table.rows_of(entity_id(entity, "entity"))
        if not rows:
            raise ValueError(
                f"joint_force({entity!r}): this entity has no joint, or no step has seen it yet"
            )
        x = y = torque = 0.0
        for row in rows:
            force = self.joint_table.force_of(row)
            x, y, torque = x + force[0], y + force[1], torque + force[2]
        return x, y, torque

    def _must_be_open(self) -> None:
        raise NotImplementedError
