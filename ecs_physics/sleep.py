"""WorldSleep: the part of World that says when bodies sleep, and that wakes them."""

import numpy as np
from numpy.typing import NDArray

from ecs_physics.components import entity_id, not_negative, positive, yes_or_no
from ecs_physics.contact_table import ContactTable
from ecs_physics.islands import Islands, Linking, joined
from ecs_physics.stages import Stage
from ecs_physics.store import Store
from ecs_physics.tables import DYNAMIC, SLEEPING


class WorldSleep:
    """Thresholds of sleep, and sleeping and waking by hand.

    `sleeping` holds who sleeps: `sleeping.fell_asleep` and `sleeping.woke` are the entities of the
    last step.
    """

    store: Store
    contact_table: ContactTable
    sleeping: Islands
    _is_inside: bool

    @property
    def sleep(self) -> bool:
        """Whether islands of resting bodies fall asleep; False wakes all."""
        return self.sleeping.is_on

    @sleep.setter
    def sleep(self, value: bool) -> None:
        self.sleeping.is_on = yes_or_no(value, "World.sleep")
        if not value:
            self.sleeping.stir_all(self.store)

    @property
    def sleep_speed(self) -> float:
        """m/s, below which bodies without a SleepThreshold count as resting; 0: they never do."""
        return self.sleeping.speed

    @sleep_speed.setter
    def sleep_speed(self, value: float) -> None:
        self.sleeping.speed = not_negative(value, "World.sleep_speed")

    @property
    def sleep_time(self) -> float:
        """s, for which they must rest until they may sleep."""
        return self.sleeping.time

    @sleep_time.setter
    def sleep_time(self, value: float) -> None:
        self.sleeping.time = positive(value, "World.sleep_time")

    def is_asleep(self, entity: int) -> bool:
        """Whether a body sleeps.

        Raises:
            ValueError: where the entity is no body.
        """
        return bool(self.store.bodies["kind"][self._row(entity)] == SLEEPING)

    def wake(self, entity: int) -> None:
        """Wake a body with its island; one that is awake begins its rest anew.

        Inside a step it wakes at the beginning of the next one.

        Raises:
            ValueError: where the entity is no body.
        """
        row = self._row(entity)
        self.sleeping.keep_awake(self.store, row)
        if not self._is_inside:
            self.sleeping.wake(self.store, self.contact_table)

    def put_to_sleep(self, entity: int) -> None:
        """Let a dynamic body sleep now, with all that contacts, joints and springs tie to it.

        They stop where they are, however fast they were. A body that no step has seen yet, or that
        something disturbs, is awake again in the next step.

        Raises:
            ValueError: where the entity is no dynamic body, inside a step, or where `sleep` is off.
        """
        row = self._row(entity)
        kind = self.store.bodies["kind"][row]
        if kind not in (DYNAMIC, SLEEPING):
            raise ValueError(f"put_to_sleep({entity!r}): no dynamic body; give Velocity and Mass")
        if self._is_inside or not self.sleep:
            what = "inside a step" if self._is_inside else "in a World with sleep = False"
            raise ValueError(
                f"put_to_sleep({entity!r}) {what}: call it between steps, with sleep = True"
            )
        if kind == DYNAMIC:
            self.sleeping.put_to_sleep(self.store, self.contact_table, row)

    def _row(self, entity: int) -> int:
        """The row of a body, as it is now; ValueError where there is none."""
        self._must_be_open()
        self.store.adopt()
        try:
            return self.store.row_of(entity_id(entity, "entity"))
        except KeyError:
            raise ValueError(
                f"entity {entity!r} is no body: give one with a Transform and a Shape"
            ) from None

    def _find_links(self) -> NDArray[np.int32]:
        """What ties bodies together beside contacts."""
        systems = (*self.systems(Stage.FORCES), *self.systems(Stage.CONTACT_RESOLUTION))
        return joined([each.links for each in systems if isinstance(each, Linking)])

    def _find_driven(self) -> NDArray[np.int32]:
        """Rows of the bodies that something is to move."""
        driven = [each.driven for each in self.systems(Stage.FORCES) if isinstance(each, Linking)]
        return driven[0] if len(driven) == 1 else np.concatenate([np.zeros(0, np.int32), *driven])

    def _must_be_open(self) -> None:
        raise NotImplementedError

    def systems(self, stage: Stage) -> tuple[object, ...]:
        """The systems of a stage."""
        raise NotImplementedError
