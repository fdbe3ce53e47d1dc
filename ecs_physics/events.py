"""Events: what began, ended or happened in a step, as arrays and to esper's handlers.

The names here are what `esper.set_handler(CONTACT_BEGIN, function)` takes. The function then gets
one record of the class in `RECORDS` for each such event. Handlers are of the world in which they
were set, and esper holds them by weak references: keep the function or the method's object.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics.components import positive
from ecs_physics.constants import HIT_SPEED
from ecs_physics.kernels.contact_events import BEGINS, ENDS, HITS
from ecs_physics.state import State, array

__all__ = [
    "CONTACT_BEGIN",
    "CONTACT_END",
    "HIT",
    "JOINT_BREAK",
    "RECORDS",
    "SENSOR_BEGIN",
    "SENSOR_END",
    "SLEEP",
    "TABLES",
    "WAKE",
    "ContactBegin",
    "ContactEnd",
    "Events",
    "Hit",
    "JointBreak",
    "SensorBegin",
    "SensorEnd",
    "Sleep",
    "Wake",
]

CONTACT_BEGIN: Final = "contact_begin"
CONTACT_END: Final = "contact_end"
HIT: Final = "hit"
SENSOR_BEGIN: Final = "sensor_begin"
SENSOR_END: Final = "sensor_end"
SLEEP: Final = "sleep"
WAKE: Final = "wake"
JOINT_BREAK: Final = "joint_break"


class ContactBegin(NamedTuple):
    """Two bodies have begun to touch. `entity_a` is the older one, as in all events of contacts."""

    entity_a: int
    entity_b: int
    x: float
    """m, of the point that is deepest."""
    y: float
    normal_x: float
    """Unit vector from A to B."""
    normal_y: float


class ContactEnd(NamedTuple):
    """Two bodies no longer touch; either may be deleted by now."""

    entity_a: int
    entity_b: int


class Hit(NamedTuple):
    """Two bodies have met with at least `Events.hit_speed`."""

    entity_a: int
    entity_b: int
    x: float
    """m, of the point that was met fastest."""
    y: float
    normal_x: float
    """Unit vector from A to B."""
    normal_y: float
    speed: float
    """m/s, at which they came closer along the normal, right before."""
    impulse: float
    """N s along the normal, over the whole step."""


class SensorBegin(NamedTuple):
    """A body overlaps a sensor that it did not overlap before."""

    sensor: int
    visitor: int


class SensorEnd(NamedTuple):
    """A body no longer overlaps a sensor; either may be deleted by now."""

    sensor: int
    visitor: int


class Sleep(NamedTuple):
    """A body has fallen asleep."""

    entity: int


class Wake(NamedTuple):
    """A body has woken up."""

    entity: int


class JointBreak(NamedTuple):
    """A joint has carried more than it can, and is deleted."""

    joint: int
    force: float
    """N, that it carried."""
    torque: float
    """N m."""


RECORDS: Final[dict[str, Callable[..., Any]]] = {
    CONTACT_BEGIN: ContactBegin,
    CONTACT_END: ContactEnd,
    HIT: Hit,
    SENSOR_BEGIN: SensorBegin,
    SENSOR_END: SensorEnd,
    SLEEP: Sleep,
    WAKE: Wake,
    JOINT_BREAK: JointBreak,
}
"""What a handler of each event gets."""

_VISIT: Final = [("sensor", "i8"), ("visitor", "i8")]
TABLES: Final[dict[str, np.dtype[Any]]] = {
    CONTACT_BEGIN: BEGINS,
    CONTACT_END: ENDS,
    HIT: HITS,
    SENSOR_BEGIN: np.dtype(_VISIT),
    SENSOR_END: np.dtype(_VISIT),
    SLEEP: np.dtype([("entity", "i8")]),
    WAKE: np.dtype([("entity", "i8")]),
    JOINT_BREAK: np.dtype([("joint", "i8"), ("force", "f8"), ("torque", "f8")]),
}
"""The dtype of the array of each event: the fields of its record."""

_ATTRIBUTES: Final = {name: "hits" if name == HIT else name for name in TABLES}
_NONE: Final = {name: np.zeros(0, dtype) for name, dtype in TABLES.items()}


class Events:
    """What happened in the last step: `world.events`.

    Each array has a row an event, with the fields of its record, in the order in which it was told:
    `contact_begin`, `contact_end`, `hits`, `sensor_begin`, `sensor_end`, `sleep`, `wake` and
    `joint_break`. The arrays are made anew by each step.
    """

    def __init__(self) -> None:
        self.hit_speed = HIT_SPEED
        self.contact_begin: NDArray[Any] = _NONE[CONTACT_BEGIN]
        self.contact_end: NDArray[Any] = _NONE[CONTACT_END]
        self.hits: NDArray[Any] = _NONE[HIT]
        self.sensor_begin: NDArray[Any] = _NONE[SENSOR_BEGIN]
        self.sensor_end: NDArray[Any] = _NONE[SENSOR_END]
        self.sleep: NDArray[Any] = _NONE[SLEEP]
        self.wake: NDArray[Any] = _NONE[WAKE]
        self.joint_break: NDArray[Any] = _NONE[JOINT_BREAK]
        self._shown: set[str] = set()
        self._noted: list[tuple[str, NDArray[Any]]] = []

    @property
    def hit_speed(self) -> float:
        """m/s, at which two surfaces must at least meet for a hit. Must be above 0."""
        return self._hit_speed

    @hit_speed.setter
    def hit_speed(self, value: float) -> None:
        self._hit_speed = positive(value, "Events.hit_speed")

    # -- what systems note ----------------------------------------------------------------

    def note_sensor(
        self,
        begin: tuple[NDArray[np.int64], NDArray[np.int64]],
        end: tuple[NDArray[np.int64], NDArray[np.int64]],
    ) -> None:
        """Note who has come into sensors and who has left: (sensors, visitors), entities each."""
        self.note(SENSOR_END, *end)
        self.note(SENSOR_BEGIN, *begin)

    def note_sleep(self, asleep: NDArray[np.int64], awake: NDArray[np.int64]) -> None:
        """Note the entities that have fallen asleep and those that have woken up."""
        self.note(SLEEP, asleep)
        self.note(WAKE, awake)

    def note_joint_break(
        self, joints: NDArray[np.int64], forces: NDArray[np.float64], torques: NDArray[np.float64]
    ) -> None:
        """Note joints (entities) that broke, and what they carried, N and N m."""
        self.note(JOINT_BREAK, joints, forces, torques)

    def note(self, name: str, *columns: NDArray[Any]) -> None:
        """Note events of one name, given a column for each field; they are told after the step.

        What is noted between two steps is told with the next one.

        Raises:
            ValueError: for another name, or where the columns are not as many or as long as its
                fields need.
        """
        if name not in TABLES:
            raise ValueError(f"note({name!r}): give one of {', '.join(map(repr, TABLES))}")
        dtype = TABLES[name]
        if len(columns) != len(dtype.names or ()) or len({len(each) for each in columns}) > 1:
            raise ValueError(
                f"note({name!r}): give a column for each of {', '.join(dtype.names or ())}, all "
                "of one length"
            )
        if not len(columns[0]):
            return
        rows: NDArray[Any] = np.zeros(len(columns[0]), dtype)
        for field, column in zip(dtype.names or (), columns, strict=True):
            rows[field] = column
        self.note_rows(name, rows)

    def note_rows(self, name: str, rows: NDArray[Any]) -> None:
        """The same for an array of the name's dtype, which is kept."""
        self._noted.append((name, rows))

    # -- snapshots ------------------------------------------------------------------------

    def state(self) -> State:
        """All of it, as `take_state` takes it.

        `noted` lists what is still to be told, in order: which event, and how many rows.
        """
        names = list(TABLES)
        state: dict[str, NDArray[Any]] = {
            "noted": np.array(
                [(names.index(name), len(rows)) for name, rows in self._noted], np.int64
            ).reshape(-1, 2)
        }
        for name, none in _NONE.items():
            state[name] = getattr(self, _ATTRIBUTES[name])
            state[f"noted_{name}"] = np.concatenate(
                [none, *(rows for noted, rows in self._noted if noted == name)]
            )
        return state

    def take_state(self, state: State) -> None:
        """Become what `state` says, a copy."""
        names = list(TABLES)
        self._shown = {name for name in names if len(array(state[name]))}
        for name, none in _NONE.items():
            shown = array(state[name]).astype(TABLES[name]) if name in self._shown else none
            setattr(self, _ATTRIBUTES[name], shown)
        self._noted = []
        taken = dict.fromkeys(names, 0)
        for index, count in array(state["noted"]).tolist():
            name = names[index]
            first = taken[name]
            rows = array(state[f"noted_{name}"])[first : first + count]
            self._noted.append((name, rows.astype(TABLES[name])))
            taken[name] += count

    # -- telling --------------------------------------------------------------------------

    def tell(self) -> None:
        """Show what was noted as arrays, and hand it to esper's handlers in the order of noting.

        Raises:
            Exception: what a handler raises, once all events have been told. Where several
                events' handlers raise, an ExceptionGroup of them.
        """
        if not self._noted and not self._shown:
            return
        told, self._noted = self._noted, []
        self._show(told)
        errors: list[Exception] = []
        for name, rows in told:
            _dispatch(name, rows, errors)
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise ExceptionGroup("handlers of events raised", errors)

    def _show(self, told: list[tuple[str, NDArray[Any]]]) -> None:
        for name in self._shown:
            setattr(self, _ATTRIBUTES[name], _NONE[name])
        self._shown = set()
        for name, rows in told:
            attribute = _ATTRIBUTES[name]
            is_first = name not in self._shown
            all_rows = rows if is_first else np.concatenate([getattr(self, attribute), rows])
            setattr(self, attribute, all_rows)
            self._shown.add(name)


def _dispatch(name: str, rows: NDArray[Any], errors: list[Exception]) -> None:
    """Tell esper's handlers of each row; add what they raise to `errors`, and go on.

    As `esper.dispatch_event` does, but that one handler's error leaves the others their event,
    and that handlers may come and go meanwhile.
    """
    if name not in esper.event_registry:
        return
    record = RECORDS[name]
    for values in rows.tolist():
        if name not in esper.event_registry:
            return
        event = record(*values)
        for reference in tuple(esper.event_registry[name]):
            handler = reference()
            if handler is None:
                continue
            try:
                handler(event)
            except Exception as error:  # noqa: BLE001 - raised again by `tell`
                error.add_note(f"raised by a handler of {name!r}, told {event}")
                errors.append(error)
