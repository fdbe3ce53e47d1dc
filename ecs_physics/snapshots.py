"""Snapshots: a moment of a world, to come back to."""

import weakref
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Final

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics import snapshot_files
from ecs_physics.component_values import (
    OWN_KEPT,
    OWN_TYPES,
    VALUE_COMPONENTS,
    Kept,
    attributes,
    blank_row_component,
    row_component_state,
    set_attributes,
    take_row_component_state,
    type_name,
)
from ecs_physics.components import ROW_COMPONENTS
from ecs_physics.stages import Stage
from ecs_physics.state import Keeper, State, array, copied, is_keeper
from ecs_physics.store import Roster, Store

SETTINGS: Final = ("gravity", "substeps")
"""Attributes of a World that a snapshot keeps, since a run follows from them too."""

_VALUE_TYPES: Final = frozenset(VALUE_COMPONENTS)
_ROW_TYPES: Final = {type_name(kind): kind for kind in ROW_COMPONENTS}

Written = dict[int, list[tuple[str, str, Any]]]
"""For each entity its components: the type that esper knows it by, its own type, and the component
itself where it is a value that never changes (else None)."""


@dataclass(eq=False, repr=False, slots=True)
class Snapshot:
    """A moment of a world, as `World.snapshot` takes it; `World.restore` goes back to it.

    It is a value: stepping the world, and restoring, leave it as it is.
    """

    time: float
    """s, of the world when it was taken."""
    steps: int
    """Steps that the world had taken."""
    _settings: dict[str, Any]
    _states: dict[str, State]
    _values: dict[str, list[tuple[int, Any]]]
    _esper: tuple[int, tuple[int, ...]]
    _roster: Roster = field(default_factory=dict)
    _store: "weakref.ref[Store] | None" = None
    _known: frozenset[type[Any]] = frozenset()
    _written: Written | None = None

    def __repr__(self) -> str:
        return f"<Snapshot at {self.time:g} s, {self.nbytes / 1e6:.1f} MB>"

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        arrays = (each for state in self._states.values() for each in state.values())
        return sum(each.nbytes for each in arrays if isinstance(each, np.ndarray))

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a file, which is replaced as a whole if there is one.

        Components of types that are neither this package's nor registered are left out.

        Raises:
            ValueError: for a value of a registered component that is no plain data.
            OSError: where the file cannot be written.
        """
        snapshot_files.save(
            path,
            {
                "time": self.time,
                "steps": self.steps,
                "settings": self._settings,
                "states": self._states,
                "values": self._values,
                "esper": self._esper,
                "entities": self.written(),
            },
        )

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Snapshot":
        """Read one that `save` has written.

        Raises:
            ValueError: for a file that is damaged, cut short, of another version or no snapshot.
            OSError: where the file cannot be read.
        """
        content = snapshot_files.load(path)
        return cls(
            time=content["time"],
            steps=content["steps"],
            _settings=content["settings"],
            _states=content["states"],
            _values=content["values"],
            _esper=content["esper"],
            _written=content["entities"],
        )

    def written(self) -> Written:
        """Which entity has which components, without the components that can change."""
        if self._written is None:
            self._written = {
                entity: [
                    (type_name(kind), type_name(type(each)), _constant(each))
                    for kind, each in held.items()
                    if kind in self._known
                ]
                for entity, held in self._roster.items()
            }
        return self._written


class WorldSnapshots:
    """The part of World that takes snapshots and goes back to them."""

    store: Store
    time: float
    steps: int
    _kept: dict[type[Any], Kept]
    _is_inside: bool

    def register(
        self,
        component_type: type[Any],
        to_state: Callable[[Any], Any] | None = None,
        from_state: Callable[[Any, Any], None] | None = None,
    ) -> None:
        """Let snapshots keep the values of components of a type of your own.

        Args:
            component_type: the class, as esper knows the components by.
            to_state: from a component to its values, as plain data (numbers, texts, lists, tuples,
                dicts, sets and arrays of them) that nobody changes later. By default a deep copy of
                all attributes.
            from_state: gives a component (made by `__new__` alone, where there is none to come
                back to) such values. By default sets the attributes.

        Raises:
            ValueError: for what is no class, or a component of this package, and for only one of
                the two functions.
        """
        if not isinstance(component_type, type):
            raise ValueError(f"register({component_type!r}): give a class")
        if component_type in OWN_TYPES:
            raise ValueError(f"register({component_type.__name__}): snapshots keep it anyway")
        if (to_state is None) != (from_state is None):
            raise ValueError(
                f"register({component_type.__name__}): give to_state and from_state, or neither"
            )
        for name, function in (("to_state", to_state), ("from_state", from_state)):
            if function is not None and not callable(function):
                raise ValueError(f"register({name}={function!r}): give a function")
        self._kept[component_type] = Kept(
            component_type, to_state or attributes, from_state or set_attributes
        )

    def snapshot(self) -> Snapshot:
        """The world as it is now, complete: what follows a `restore` is the same to the last bit.

        Kept are all entities with their components (of your own types the values of registered
        ones), contacts with the impulses that they start from, the state of systems that offer
        one (see ecs_physics/state.py), time, steps, gravity and substeps, and the count of
        entities. Not kept are the systems themselves, handlers, and what the view and the mouse
        hold.

        Raises:
            ValueError: inside a step.
        """
        self._must_be_between_steps("snapshot()")
        with self._current():
            self.store.adopt()
            roster = self.store.roster()
            return Snapshot(
                time=self.time,
                steps=self.steps,
                _settings={name: getattr(self, name) for name in SETTINGS},
                _states=copied({name: each.state() for name, each in self._keepers().items()}),
                _values=self._component_values(roster),
                _esper=self.store.esper_state(),
                _roster=roster,
                _store=weakref.ref(self.store),
                _known=frozenset((*OWN_TYPES, *self._kept)),
            )

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this world, or of another with the same systems.

        Entities created since are gone, deleted ones are back under their ids, with the same
        component objects where they still are (and new ones where the snapshot is from a file or
        another world). Components of types of your own that are not registered are left as they
        are on entities that live.

        Raises:
            ValueError: inside a step, and for a snapshot that does not fit the systems or types of
                this world, which is then as it was.
        """
        self._must_be_between_steps("restore()")
        if not isinstance(snapshot, Snapshot):
            raise ValueError(f"restore({snapshot!r}): give a Snapshot")
        with self._current():
            keepers = self._keepers()
            _check_states(keepers, snapshot._states)
            is_ours = snapshot._store is not None and snapshot._store() is self.store
            roster = snapshot._roster if is_ours else self._revived(snapshot.written())
            components = self._valued(snapshot._values)
            owners: Any = array(snapshot._states["store"]["bodies"])["entity"]
            self.store.take_roster(roster, owners, {*OWN_TYPES, *self._kept})
            for name, keeper in keepers.items():
                keeper.take_state(snapshot._states[name])
            for kind, take, states in components:
                for entity, state in states:
                    take(roster[entity][kind], state)
            for name, value in snapshot._settings.items():
                setattr(self, name, value)
            self.time, self.steps = snapshot.time, snapshot.steps
            self.store.take_esper_state(*snapshot._esper)

    def _must_be_between_steps(self, what: str) -> None:
        self._must_be_open()
        if self._is_inside:
            raise ValueError(f"{what} inside a step: call it between steps")

    def _keepers(self) -> dict[str, Keeper]:
        """All that keeps state from step to step, by name."""
        keepers: dict[str, Keeper] = {"parts": self.store.pool, "seams": self.store.seams}
        keepers |= {name: each for name, each in vars(self).items() if is_keeper(each)}
        known = set(map(id, keepers.values()))
        for stage, system in self._all_systems():
            if is_keeper(system) and id(system) not in known:
                name = f"{stage.name}.{type(system).__name__}"
                while name in keepers:
                    name += "+"
                keepers[name] = system
        return keepers

    def _component_values(self, roster: Roster) -> dict[str, list[tuple[int, Any]]]:
        values: dict[str, list[tuple[int, Any]]] = {}
        for kept in (*OWN_KEPT, *self._kept.values()):
            found = esper.get_component(kept.kind)
            if found:
                values[type_name(kept.kind)] = [(e, kept.to_state(each)) for e, each in found]
        for entity, kind in self.store.loose():
            state = row_component_state(roster[entity][kind])
            values.setdefault(type_name(kind), []).append((entity, state))
        return values

    def _kinds(self) -> dict[str, type[Any]]:
        """All types of components that snapshots know, by name."""
        return {type_name(kind): kind for kind in (*OWN_TYPES, *self._kept)}

    def _valued(
        self, values: Mapping[str, list[tuple[int, Any]]]
    ) -> list[tuple[type[Any], Callable[[Any, Any], None], list[tuple[int, Any]]]]:
        """Types with how their components take values, and the values, by entity."""
        takers: dict[str, tuple[type[Any], Callable[[Any, Any], None]]] = {
            name: (kind, take_row_component_state) for name, kind in _ROW_TYPES.items()
        }
        for kept in (*OWN_KEPT, *self._kept.values()):
            takers[type_name(kept.kind)] = kept.kind, kept.from_state
        _check_types(values, takers)
        return [(*takers[name], states) for name, states in values.items()]

    def _revived(self, written: Written) -> Roster:
        """Components for what a snapshot from elsewhere has: those that live here, or new ones."""
        now = self.store.roster()
        kinds = self._kinds()
        named = {name for held in written.values() for each in held for name in each[:2]}
        _check_types(named, kinds)
        makers: dict[type[Any], Callable[[], Any]] = {
            kept.kind: kept.blank for kept in (*OWN_KEPT, *self._kept.values())
        }
        roster: Roster = {}
        for entity, held in written.items():
            living = now.get(entity, {})
            roster[entity] = {}
            for kind_name, name, value in held:
                kind = kinds[kind_name]
                each = living.get(kind)
                if value is not None:
                    each = each if type(each) is type(value) and each == value else value
                elif type(each) is not kinds[name]:
                    is_row = name in _ROW_TYPES
                    each = blank_row_component(kinds[name]) if is_row else makers[kinds[name]]()
                roster[entity][kind] = each
        return roster

    def _must_be_open(self) -> None:
        raise NotImplementedError

    def _current(self) -> AbstractContextManager[Any]:
        raise NotImplementedError

    def _all_systems(self) -> list[tuple[Stage, Any]]:
        raise NotImplementedError


def _constant(component: Any) -> Any:
    """The component itself, if it never changes."""
    return component if type(component) in _VALUE_TYPES else None


def _check_types(names: Any, known: Mapping[str, Any]) -> None:
    missing = sorted(name for name in names if name not in known)
    if missing:
        raise ValueError(
            f"the snapshot has components that this world does not know: {', '.join(missing)}; "
            "World.register() each of them before restore()"
        )


def _check_states(keepers: Mapping[str, Keeper], states: Mapping[str, State]) -> None:
    """Refuse a snapshot of a world made of other parts.

    Raises:
        ValueError: naming what one of the two lacks, or the array that is made differently.
    """
    if keepers.keys() != states.keys():
        raise ValueError(
            f"the snapshot has {', '.join(sorted(states))}, the world {', '.join(sorted(keepers))}:"
            " give the world the same systems first"
        )
    for name, keeper in keepers.items():
        mine, given = keeper.state(), states[name]
        if {n: _form(each) for n, each in mine.items()} != {n: _form(e) for n, e in given.items()}:
            raise ValueError(
                f"the arrays of {name} in the snapshot are made differently: it is from another "
                "version of ecs_physics"
            )


def _form(value: NDArray[Any] | float) -> Any:
    return (value.dtype, value.shape[1:]) if isinstance(value, np.ndarray) else None
