"""Islands: which bodies sleep, and what wakes them."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ecs_physics.constants import SLEEP_SPEED, SLEEP_TIME
from ecs_physics.contact_table import ContactTable
from ecs_physics.kernels.direct_calls import direct
from ecs_physics.kernels.islands import (
    ASLEEP,
    AWAKE,
    MOVING,
    TIRED,
    empty_rests,
    find_islands,
    find_left_alone,
    find_pushed,
    find_touched,
    find_written,
    lay_down,
    mark_contacts,
    rest,
    wake_islands,
)
from ecs_physics.state import State, array, fill
from ecs_physics.store import Store
from ecs_physics.tables import SLEEPING

_STEPS_BETWEEN_TRIES: Final = 6
"""Steps until islands are built again after none could sleep. Fewer: a pile that moves a little
costs more. More: it sleeps later."""

_NOBODY: Final = np.zeros(0, np.int64)
_NO_LINKS: Final = np.zeros((0, 2), np.int32)
_NO_ROWS: Final = np.zeros(0, np.int32)


class Linking:
    """Base of what ties bodies together without a contact, such as a system of springs."""

    links: NDArray[np.int32] = _NO_LINKS
    """(n, 2) rows of bodies; -1 stands for the world."""

    @property
    def driven(self) -> NDArray[np.int32]:
        """Rows of bodies that are to move, however slowly they do: they stay awake."""
        return _NO_ROWS


class Islands:
    """Who rests and who sleeps; what has been disturbed is woken here, a whole island at once.

    `changes` grows whenever somebody falls asleep or wakes.
    `fell_asleep` and `woke` are the entities of the last step (and of the time before it), by row.
    `is_calm` says that nothing could move in the last step: then the next one is over at once,
    unless somebody writes, creates or deletes something meanwhile. `speed` (m/s) and `time` (s) are
    the limits of bodies without a SleepThreshold. `find_links` gives what ties bodies beside
    contacts, as Linking.links do, and `find_driven` who stays awake, as Linking.driven.
    """

    def __init__(
        self,
        find_links: Callable[[], NDArray[np.int32]],
        find_driven: Callable[[], NDArray[np.int32]],
    ) -> None:
        self._find_links = find_links
        self._find_driven = find_driven
        self.speed = SLEEP_SPEED
        self.time = SLEEP_TIME
        self.is_on = True
        self.is_calm = False
        self.asleep = 0
        self.changes = 0
        self.fell_asleep: NDArray[np.int64] = _NOBODY
        self.woke: NDArray[np.int64] = _NOBODY
        self.rests: NDArray[Any] = empty_rests(0)
        self._rest = direct(rest)
        self._counts: NDArray[np.int64] = np.zeros(4, np.int64)
        self._moved: NDArray[np.int64] = np.zeros(1, np.int64)
        self._wait = 0
        self._gravity = (0.0, 0.0)
        self._version = -1
        self._fell: list[NDArray[np.int64]] = []
        self._woken: list[NDArray[np.int64]] = []
        self._late: list[NDArray[np.int32]] = []
        self._make_rows(64)

    def forget(self) -> None:
        """Begin anew, for an empty world; limits stay."""
        self.rests[:] = empty_rests(len(self.rests))
        self.is_calm = False
        self.asleep = self._wait = 0
        self._version = -1
        self._fell.clear()
        self._woken.clear()
        self._late.clear()
        self.tell()

    # -- before anything moves ------------------------------------------------------------

    def begin(self, store: Store, contacts: ContactTable, gravity: tuple[float, float]) -> bool:
        """Wake what was disturbed since the last step; False where nothing can move in this one."""
        written = store.take_written()
        if self.is_calm and not written and self._is_as_it_was(store, gravity):
            return False
        is_calm = self.is_calm and store.version == self._version
        self._version = store.version
        if self.asleep:
            self._make_rows(len(store.bodies))
            if gravity != self._gravity:
                self.stir_all(store)
            if written or store.stirred or store.pool.any_removed or not is_calm:
                is_calm = self._wake_disturbed(store, contacts) and is_calm
        elif written:
            is_calm = False
        self._late.clear()
        self._gravity = gravity
        store.stirred.clear()
        self.is_calm = is_calm and bool(self.asleep) and not store.pool.any_removed
        return not self.is_calm

    def _is_as_it_was(self, store: Store, gravity: tuple[float, float]) -> bool:
        return (
            store.version == self._version
            and gravity == self._gravity
            and not store.stirred
            and not store.pool.any_removed
        )

    def _wake_disturbed(self, store: Store, contacts: ContactTable) -> bool:
        """Wake islands; True where there were none, and nothing immovable moves."""
        find_written(
            store.rows,
            store.transforms,
            store.velocities,
            store.masses,
            store.locked_axes,
            store.gravity_scales,
            store.forces,
            store.bodies,
            self.rests,
            self._stirred,
            self._counts,
        )
        stirred, disturbing = int(self._counts[0]), int(self._counts[1])
        if store.pool.any_removed or disturbing:
            stirred += find_left_alone(
                contacts.count,
                store.pool.removed,
                store.transforms,
                store.velocities,
                store.bodies,
                self._find_links(),
                contacts.rows,
                self._stirred,
            )
        stirred += self._take_stirred(store)
        if stirred:
            self._wake(store, contacts)
        return not (stirred or disturbing)

    def _take_stirred(self, store: Store) -> int:
        kinds = store.bodies["kind"]
        rows = [row for row in store.stirred if row >= 0 and kinds[row] == SLEEPING]
        self._stirred[rows] = True
        store.stirred.clear()
        return len(rows)

    # -- while contacts are found ---------------------------------------------------------

    def wake_pushed(self, store: Store, contacts: ContactTable) -> bool:
        """Wake those whom a system of this step has pushed or stirred; tells whether there were."""
        if not self.asleep:
            return False
        stirred = self._take_stirred(store) if store.stirred else 0
        if store.take_written_forces():
            stirred += find_pushed(store.rows, store.forces, store.bodies, self._stirred)
        return bool(stirred) and self._wake(store, contacts)

    def wake_touched(self, store: Store, contacts: ContactTable) -> bool:
        """Wake those who have a new contact; tells whether there were."""
        if not self.asleep:
            return False
        stirred = find_touched(
            contacts.active_count, contacts.active, contacts.rows, store.bodies, self._stirred
        )
        return bool(stirred) and self._wake(store, contacts)

    def take_late(self) -> NDArray[np.int32]:
        """The rows that have woken since `begin`, after the step's forces were given."""
        late = np.concatenate(self._late) if self._late else np.zeros(0, np.int32)
        self._late.clear()
        return late

    # -- after all has moved --------------------------------------------------------------

    def settle(self, store: Store, contacts: ContactTable, dt: float) -> None:
        """After a step of `dt` s: count who rests, and let islands sleep that all do."""
        self._make_rows(len(store.bodies))
        self._rest(
            store.rows,
            dt,
            self.speed,
            self.time,
            store.traits,
            store.bodies,
            store.velocities,
            self.rests,
            self._counts,
        )
        driven = self._find_driven()
        if len(driven):
            self.rests["time"][driven] = 0.0
            self.rests["is_tired"][driven] = False
        counts = self._counts.tolist()
        self.asleep = counts[ASLEEP]
        awake = counts[AWAKE]
        self._wait = max(self._wait - 1, 0)
        if counts[TIRED] and not self._wait:
            self._find(store, contacts)
            fell = self._lay_down(store, contacts)
            awake -= fell
            self._wait = 0 if fell else _STEPS_BETWEEN_TRIES
        self.is_calm = awake == 0 and not counts[MOVING]

    def tell(self) -> None:
        """Make `fell_asleep` and `woke` those since it was last called."""
        self.fell_asleep = np.concatenate(self._fell) if self._fell else _NOBODY
        self.woke = np.concatenate(self._woken) if self._woken else _NOBODY
        self._fell.clear()
        self._woken.clear()

    # -- by hand --------------------------------------------------------------------------

    def put_to_sleep(self, store: Store, contacts: ContactTable, row: int) -> None:
        """Let the whole island of a dynamic body sleep, however it moves."""
        self._make_rows(len(store.bodies))
        self._find(store, contacts)
        self._restless[: store.rows] = self._islands[: store.rows] != self._islands[row]
        self._lay_down(store, contacts)

    def wake(self, store: Store, contacts: ContactTable) -> None:
        """Wake the islands of stirred bodies at once; not while a step runs."""
        self._make_rows(len(store.bodies))
        if self._take_stirred(store):
            self._wake(store, contacts)

    def keep_awake(self, store: Store, row: int) -> None:
        """Let a body's rest begin anew; where it sleeps, it wakes before contacts are solved."""
        if row < len(self.rests):
            self.rests["time"][row] = 0.0
        store.stirred.add(row)

    def stir_all(self, store: Store) -> None:
        """Let everything wake at the next step."""
        self.is_calm = False
        store.stirred.update(np.flatnonzero(store.bodies["kind"] == SLEEPING).tolist())

    # -- snapshots ------------------------------------------------------------------------

    def state(self) -> State:
        """What a run depends on: views, no copies."""
        return {
            "rests": self.rests,
            "wait": self._wait,
            "moved": int(self._moved[0]),
            "asleep": self.asleep,
            "speed": self.speed,
            "time": self.time,
            "is_on": int(self.is_on),
            "gravity_x": self._gravity[0],
            "gravity_y": self._gravity[1],
        }

    def take_state(self, state: State) -> None:
        """Be what `state` says, a copy; the next step looks at everything anew."""
        rests = array(state["rests"])
        self._make_rows(len(rests))
        fill(self.rests, rests)
        self.rests[len(rests) :] = empty_rests(1)[0]
        self._wait = int(state["wait"])
        self._moved[0] = int(state["moved"])
        self.asleep = int(state["asleep"])
        self.changes += 1
        self.speed = float(state["speed"])
        self.time = float(state["time"])
        self.is_on = bool(state["is_on"])
        self._gravity = (float(state["gravity_x"]), float(state["gravity_y"]))
        self.is_calm = False
        self._fell.clear()
        self._woken.clear()

    # -- inside ---------------------------------------------------------------------------

    def _find(self, store: Store, contacts: ContactTable) -> None:
        find_islands(
            store.rows,
            contacts.active_count,
            contacts.active,
            contacts.rows,
            self._find_links(),
            store.bodies,
            store.velocities,
            self.rests,
            self._islands,
            self._restless,
        )

    def _lay_down(self, store: Store, contacts: ContactTable) -> int:
        fell: int = lay_down(
            store.rows,
            self._islands,
            self._restless,
            store.masses,
            store.locked_axes,
            store.gravity_scales,
            store.local_vertices,
            store.bodies,
            store.velocities,
            self.rests,
            store.parts,
            store.world_vertices,
            self._rows,
            self._moved,
        )
        if fell:
            self.asleep += fell
            self.changes += 1
            self._fell.append(store.bodies["entity"][self._rows[:fell]])
            self._mark(store, contacts, may_fall=True)
        return fell

    def _wake(self, store: Store, contacts: ContactTable) -> bool:
        woke = wake_islands(
            store.rows, self._stirred, self._marked, store.bodies, self.rests, self._rows
        )
        if not woke:
            return False
        self.asleep -= woke
        self.changes += 1
        self.is_calm = False
        self._woken.append(store.bodies["entity"][self._rows[:woke]])
        self._late.append(self._rows[:woke].copy())
        self._mark(store, contacts, may_fall=False)
        return True

    @staticmethod
    def _mark(store: Store, contacts: ContactTable, *, may_fall: bool) -> None:
        contacts.active_count = mark_contacts(
            contacts.count, may_fall, store.bodies, contacts.rows, contacts.active
        )

    def take_moved(self) -> int:
        """How many parts have a new fat box since bodies were put to sleep; then 0."""
        moved = int(self._moved[0])
        self._moved[0] = 0
        return moved

    def _make_rows(self, capacity: int) -> None:
        if len(self.rests) >= capacity:
            return
        rests = empty_rests(capacity)
        rests[: len(self.rests)] = self.rests
        self.rests = rests
        self._islands: NDArray[np.int32] = np.zeros(capacity, np.int32)
        self._restless: NDArray[np.bool_] = np.zeros(capacity, np.bool_)
        self._stirred: NDArray[np.bool_] = np.zeros(capacity, np.bool_)
        self._marked: NDArray[np.bool_] = np.zeros(capacity, np.bool_)
        self._rows: NDArray[np.int32] = np.zeros(capacity, np.int32)


def joined(links: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    """The links of several sources in one array."""
    return np.ascontiguousarray(np.concatenate([_NO_LINKS, *links]), np.int32)
