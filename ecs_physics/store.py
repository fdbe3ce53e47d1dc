"""The one bridge between components and columns.

esper keeps, for each world, a table of entities and a set of deleted ones, both private. The
store puts its own kind of dict and set in their place: they behave the same and also tell what
changed, so that the cost of a step follows what changed and not how big the world is (a rebuilt
query of 5,000 entities costs milliseconds). No other file may touch them. esper's minor version
is pinned, and tests/test_store.py has a canary that says when its tables are no longer what this
file expects.
"""

import itertools
import weakref
from collections.abc import Collection, Iterable, Iterator
from operator import is_not
from typing import Any, Final

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics.columns import ColumnTable
from ecs_physics.components import (
    ROW_COMPONENTS,
    Color,
    Damping,
    Force,
    GravityScale,
    LockedAxes,
    Mass,
    Material,
    RowComponent,
    Transform,
    Velocity,
)
from ecs_physics.joint_row import Joint
from ecs_physics.joints import JOINTS
from ecs_physics.part_pool import NO_PARTS, PartPool, prepare
from ecs_physics.seams import Seams
from ecs_physics.shapes import Shape
from ecs_physics.state import State, array, fill
from ecs_physics.tables import BODY, DYNAMIC, FREE, KINEMATIC, SLEEPING, STATIC, TRAITS
from ecs_physics.traits import NO_TRAITS, TRAIT_COMPONENTS, Disabled, Traits

_FIRST_CAPACITY: Final = 64
_DEFAULT_MATERIAL: Final = Material()
_NO_BODY: Final = np.zeros(1, BODY)[0]
_NO_TRAITS_ROW: Final = np.array([NO_TRAITS.row(0)], TRAITS)
_NOTHING: Final[dict[type[Any], Any]] = {}

Table = np.ndarray[Any, Any]
Components = dict[type[Any], Any]
Roster = dict[int, Components]
"""Which entity has which components. Never written to once made: snapshots share them."""

_CHECKED: Final = frozenset(
    (*ROW_COMPONENTS, *TRAIT_COMPONENTS, *JOINTS, Shape, Material, Color, Disabled)
)


class UnknownEntityError(KeyError, ValueError):
    """There is no such entity, or no longer.

    A KeyError since that is what esper raises; a ValueError since that is what this package does.
    """

    def __str__(self) -> str:
        return f"there is no entity {self.args[0]!r}: it was deleted, or never created here"


class _Owner:
    """Who a row's component belongs to: an entity in a store."""

    __slots__ = ("entity", "store")

    def __init__(self, store: "Store", entity: int) -> None:
        self.store = weakref.ref(store)
        self.entity = entity

    def touch(self) -> None:
        store = self.store()
        if store is not None:
            store.changed.add(self.entity)
            store.unsettled.add(self.entity)

    def settle(self) -> None:
        store = self.store()
        if store is not None:
            store.adopt()


class _Components(dict[type[Any], Any]):
    """The components of one entity, as esper keeps them; notes what comes and goes."""

    __slots__ = ("entity", "store")

    def __init__(self, store: "Store", entity: int, components: dict[type[Any], Any]) -> None:
        super().__init__(components)
        self.store = store
        self.entity = entity

    def __setitem__(self, kind: type[Any], component: Any) -> None:
        held = self.get(kind)
        if held is component:
            return
        try:
            self.store.check(self.entity, {**self, kind: component}, kind)
        except ValueError:
            if held is None:
                self.store.forget_in_queries(self.entity, [kind])
            raise
        super().__setitem__(kind, component)
        self.store.exchange(self.entity, held, component)

    def pop(self, kind: type[Any], *default: Any) -> Any:
        component = super().pop(kind, *default)
        self.store.exchange(self.entity, component, None)
        return component


class _Entities(dict[int, dict[type[Any], Any]]):
    """esper's table of entities; notes what is created and deleted."""

    __slots__ = ("store",)

    def __init__(self, store: "Store", entities: dict[int, dict[type[Any], Any]]) -> None:
        super().__init__()
        self.store = store
        try:
            for entity, components in entities.items():
                store.check(entity, components)
                self._insert(entity, components)
        except ValueError:
            self.clear()  # components are alone again, as they were
            raise

    def __setitem__(self, entity: int, components: dict[type[Any], Any]) -> None:
        try:
            self.store.check(entity, components)
        except ValueError:
            self.store.forget_in_queries(entity, list(components))
            raise
        self._insert(entity, components)

    def _insert(self, entity: int, components: dict[type[Any], Any]) -> None:
        super().__setitem__(entity, _Components(self.store, entity, components))
        self.store.take_in(entity, components.values())

    def __missing__(self, entity: int) -> dict[type[Any], Any]:
        self.store.forget_in_queries(entity, list(esper._components))
        raise UnknownEntityError(entity)

    def __delitem__(self, entity: int) -> None:
        components = self[entity]
        super().__delitem__(entity)
        self.store.give_out(entity, components.values())

    def clear(self) -> None:
        for entity in list(self):
            del self[entity]

    def put(self, entity: int, components: Components) -> None:
        """Let an entity have just these components, untold: the store knows already."""
        held = self.get(entity)
        if held is None:
            held = _Components(self.store, entity, components)
            super().__setitem__(entity, held)
        else:
            self.store.forget_in_queries(entity, [kind for kind in held if kind not in components])
            dict.clear(held)
            dict.update(held, components)
        for kind in components:
            esper._components.setdefault(kind, set()).add(entity)

    def drop(self, entity: int) -> None:
        """Take an entity out, untold."""
        self.store.forget_in_queries(entity, list(self[entity]))
        super().__delitem__(entity)

    def sort(self) -> None:
        """Bring the entities into the order in which they were created."""
        if list(self) != sorted(self):
            held = {entity: self[entity] for entity in sorted(self)}
            super().clear()
            super().update(held)


class _DeadEntities(set[int]):
    """esper's set of entities to delete at the next step: in order, and only while they exist.

    esper itself would raise KeyError at every later step for an id deleted twice.
    """

    def __init__(self, entities: _Entities, dead: set[int]) -> None:
        super().__init__(dead)
        self.entities = entities

    def add(self, entity: int) -> None:
        if entity in self.entities:
            super().add(entity)

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(entity for entity in super().__iter__() if entity in self.entities))


class Store:
    """The tables of one world, kept in step with its esper entities.

    All tables of bodies are aligned: row i of each is the same body. `shapes[i]` is its shape.
    `transforms`, `velocities` and so on are the columns of components; `forces` has a row of every
    body, whether or not it has a Force component.
    `version` grows whenever a body appears, goes, or changes its shape, kind or colour, or
    becomes a sensor.
    `sensors` and `one_ways` count the bodies that have these traits, `kinematics` those that are
    kinematic. `moved_parts` counts the parts whose fat boxes are new, `moved_statics` those of them
    that are of static bodies. `step_rows` is how many rows take part in the present step: rows of
    bodies that its systems create come behind them; it is 0 in a step in which nothing can move.
    `stirred` are rows of bodies that must not sleep on: whoever changes what holds a body adds its
    row.
    `joint_changes` are the entities that got or lost a joint since the joint table looked.
    `adoptions` grows whenever any entity, a body or not, has changed.
    """

    def __init__(self) -> None:
        self.tables = {each: ColumnTable(each, _FIRST_CAPACITY) for each in ROW_COMPONENTS}
        self._look_at_tables()
        self.bodies = np.zeros(_FIRST_CAPACITY, BODY)
        self.traits = np.repeat(_NO_TRAITS_ROW, _FIRST_CAPACITY)
        self.given = np.zeros((_FIRST_CAPACITY, 2), np.bool_)
        self.shapes: list[Shape | None] = [None] * _FIRST_CAPACITY
        self.colors: list[Color | None] = [None] * _FIRST_CAPACITY
        self._materials: list[Material | None] = [None] * _FIRST_CAPACITY
        self._traits: list[Traits] = [NO_TRAITS] * _FIRST_CAPACITY
        self.pool = PartPool()
        self.seams = Seams()
        self.rows = 0
        self.step_rows = 0
        self.version = 0
        self.moved_parts = 0
        self.moved_statics = 0
        self.sensors = 0
        self.one_ways = 0
        self.kinematics = 0
        self.changed: set[int] = set()
        self.joint_changes: set[int] = set()
        self.adoptions = 0
        self.unsettled: set[int] = set()
        self.restocked: set[int] = set()
        self.stirred: set[int] = set()
        self._free: list[int] = []
        self._held: list[int] = []
        self._row_of: dict[int, int] = {}
        self._entities: _Entities | None = None
        self._roster: Roster = {}
        self._dead: _DeadEntities | None = None

    def weld(self) -> None:
        """Let static polygons that touch be one solid, after some of them have changed."""
        if self.moved_statics or self.pool.gone:
            self.seams.renew(self.pool, self.bodies, self.traits)

    # -- arrays ---------------------------------------------------------------------------

    def _look_at_tables(self) -> None:
        """Note where the tables are now. Attributes, since a step asks for them forty times."""
        self.transforms: Table = self.tables[Transform].rows
        self.velocities: Table = self.tables[Velocity].rows
        self.masses: Table = self.tables[Mass].rows
        self.forces: Table = self.tables[Force].rows
        self.gravity_scales: Table = self.tables[GravityScale].rows
        self.dampings: Table = self.tables[Damping].rows
        self.locked_axes: Table = self.tables[LockedAxes].rows

    @property
    def parts(self) -> np.ndarray[Any, Any]:
        """The PART table."""
        return self.pool.parts

    @property
    def part_rows(self) -> int:
        """How many rows of the PART table have been in use."""
        return self.pool.rows

    @property
    def local_vertices(self) -> np.ndarray[Any, Any]:
        """(V, 4) x, y, normal of each vertex about the centre of mass, in the shape's axes."""
        return self.pool.local_vertices

    @property
    def world_vertices(self) -> np.ndarray[Any, Any]:
        """(V, 4) the same in the world's axes, still about the centre of mass."""
        return self.pool.world_vertices

    def row_of(self, entity: int) -> int:
        """The row of a body; KeyError where the entity is no body."""
        return self._row_of[entity]

    def has_row(self, entity: int) -> bool:
        """Whether the entity is a body."""
        return entity in self._row_of

    def entities(self) -> list[int]:
        """The entities that are bodies, by id."""
        return sorted(self._row_of)

    def dying(self) -> list[int]:
        """The entities that were deleted, and are to go at the next step."""
        return list(self._dead) if self._dead else []

    def note_written(self, component: type[RowComponent]) -> None:
        """Say that something beside the step writes into a component's column, or may."""
        self.tables[component].views.written = True

    def take_written(self) -> bool:
        """Whether columns were written, or given away to be, since the last call."""
        is_written = False
        for table in self.tables.values():
            if table.views.written:
                table.views.written = False
                is_written = True
        return is_written

    def take_written_forces(self) -> bool:
        """The same for Force alone."""
        views = self.tables[Force].views
        is_written, views.written = views.written, False
        return is_written

    # -- esper ----------------------------------------------------------------------------

    def attach(self) -> None:
        """Watch the current esper world. Entities that it has already are adopted too."""
        entities = _Entities(self, esper._entities)
        self._entities = entities
        esper._entities = entities
        self._dead = _DeadEntities(entities, esper._dead_entities)
        esper._dead_entities = self._dead

    def detach(self) -> None:
        """Give the current esper world its plain tables back; components are alone again."""
        if self._entities is None:
            return
        for entity, held in self._entities.items():
            for component in held.values():
                self.exchange(entity, component, None)
        esper._entities = {entity: dict(held) for entity, held in self._entities.items()}
        esper._dead_entities = set(esper._dead_entities)
        self._entities = None
        self._dead = None
        self.changed.clear()

    @staticmethod
    def is_attached() -> bool:
        """Whether some store watches the current esper world."""
        return isinstance(esper._entities, _Entities)

    def check(
        self, entity: int, components: dict[type[Any], Any], kind: type[Any] | None = None
    ) -> None:
        """Refuse components that cannot make a body, before esper keeps them.

        `kind` names the one that is new; all are where it is None.

        Raises:
            ValueError: for a component of a wrong type, one that another entity has, or a mass
                that the shape cannot give.
        """
        for each in components if kind is None else (kind,):
            component = components[each]
            if type(component) is not each and each in _CHECKED and not isinstance(component, each):
                raise ValueError(f"{component!r} was given as {each.__name__}: give an instance")
            if isinstance(component, RowComponent):
                if component._owner is not None:
                    self._check_owner(entity, component)
            elif isinstance(component, Joint):
                component.check_owner(entity)
            elif isinstance(component, type) and component in _CHECKED:
                raise ValueError(
                    f"entity {entity} was given the class {component.__name__}: "
                    f"give an instance, {component.__name__}(...)"
                )
        if kind in (None, Mass, Shape):
            mass, shape = components.get(Mass), components.get(Shape)
            if mass is not None and shape is not None:
                _mass_values(mass, shape)

    def _check_owner(self, entity: int, component: RowComponent) -> None:
        owner: Any = component._owner
        if owner.entity != entity or owner.store() is not self:
            raise ValueError(
                f"{component!r} of entity {owner.entity} was given to entity {entity} as "
                "well: each needs one of its own (copy.copy(component) makes one)"
            )

    def exchange(self, entity: int, old: Any, new: Any) -> None:
        """Note that `entity` lost the component `old` and got `new` (None: no such)."""
        if old is not None:
            self.give_out(entity, (old,))
        if new is not None:
            self.take_in(entity, (new,))

    def take_in(self, entity: int, components: Iterable[Any]) -> None:
        """Note that `entity` got these components."""
        owner = _Owner(self, entity)
        for component in components:
            if isinstance(component, RowComponent):
                component._owner = owner
            elif isinstance(component, Joint):
                self.joint_changes.add(entity)
                component.claim(entity)
        self.changed.add(entity)
        self.restocked.add(entity)

    def give_out(self, entity: int, components: Iterable[Any]) -> None:
        """Note that `entity` lost these components: they are alone again."""
        for component in components:
            if isinstance(component, RowComponent):
                if component._owner is not None:
                    table = self.tables.get(type(component)) or self._table_of(component)
                    row = component._row
                    table.release(row) if table.bound[row] is component else component._release()
            elif isinstance(component, Joint):
                self.joint_changes.add(entity)
                component.release()
        self.changed.add(entity)
        self.restocked.add(entity)

    def _table_of(self, component: RowComponent) -> ColumnTable:
        return next(t for kind, t in self.tables.items() if isinstance(component, kind))

    @staticmethod
    def forget_in_queries(entity: int, kinds: list[type[Any]]) -> None:
        """Take a refused entity out of the sets that esper's queries read."""
        for kind in kinds:
            members = esper._components.get(kind)
            if members is not None and entity in members:
                members.discard(entity)
                if not members:
                    del esper._components[kind]

    # -- adoption -------------------------------------------------------------------------

    def adopt(self) -> None:
        """Bring rows in step with what was created, deleted, added or removed since."""
        if not self.changed:
            return
        assert self._entities is not None
        self.adoptions += 1
        changed = sorted(self.changed)
        self.changed.clear()
        found = [(entity, self._entities.get(entity, _NOTHING)) for entity in changed]
        kinds = [_body_kind(components) for _, components in found]
        gone = [entity for entity, kind in zip(changed, kinds, strict=True) if kind == FREE]
        self._free_rows([entity for entity in gone if entity in self._row_of])
        for (entity, components), kind in zip(found, kinds, strict=True):
            if kind != FREE:
                self._sync_row(entity, kind, components)
        self.unsettled.clear()

    def _sync_row(self, entity: int, kind: int, components: dict[type[Any], Any]) -> None:
        row = self._row_of.get(entity)
        if row is None:
            row = self._take_row(entity)
        shape: Shape | None = components.get(Shape)
        if (
            not _are_same(shape, self.shapes[row])
            or components.get(Mass) is not self.tables[Mass].bound[row]
        ):
            self.unsettled.add(entity)
        for component_type, table in self.tables.items():
            component = components.get(component_type)
            if component is table.bound[row]:
                continue
            self.stirred.add(row)
            table.exchange(row, component)
        if entity in self.unsettled:
            self.stirred.add(row)
            self._settle_mass(row, components.get(Mass), shape)
        self._sync_body(row, kind, components)

    def _sync_body(self, row: int, kind: int, components: dict[type[Any], Any]) -> None:
        # A field of all bodies and then a row of it: the other way round takes three times as long.
        bodies: Any = self.bodies
        shape: Shape | None = components.get(Shape)
        center = (float(self.masses["center_x"][row]), float(self.masses["center_y"][row]))
        reshaped = not _are_same(shape, self.shapes[row]) or center != (
            bodies["center_x"][row],
            bodies["center_y"][row],
        )
        old_kind = int(bodies["kind"][row])
        if old_kind == SLEEPING:
            old_kind = DYNAMIC
        if reshaped or old_kind != kind:
            self._place_parts(row, shape, center)
            if old_kind != kind:
                bodies["kind"][row] = kind
                self.kinematics += (kind == KINEMATIC) - (old_kind == KINEMATIC)
            bodies["changed"][row] = True
            self.stirred.add(row)
            self.version += 1
        self.shapes[row] = shape
        color = components.get(Color)
        if not _are_same(color, self.colors[row]):
            self.version += 1
        self.colors[row] = color
        self._sync_traits(row, Traits.of(components))
        material: Material = components.get(Material, _DEFAULT_MATERIAL)
        is_known = _are_same(material, self._materials[row])
        self._materials[row] = material
        if is_known:
            return
        self.stirred.add(row)
        bodies["friction"][row] = material.friction
        bodies["restitution"][row] = material.restitution
        bodies["rolling_resistance"][row] = material.rolling_resistance
        bodies["surface_speed"][row] = material.surface_speed

    def _sync_traits(self, row: int, traits: Traits) -> None:
        old = self._traits[row]
        if traits is old or traits == old:
            return
        if traits.sensor != old.sensor:
            self.version += 1  # it looks different
        self._set_traits(row, traits)
        self.stirred.add(row)
        self.traits[row] = traits.row(int(self.bodies["entity"][row]))
        if not traits.meets_as(old):
            self.pool.renew(int(self.bodies["first_part"][row]))

    def _set_traits(self, row: int, traits: Traits) -> None:
        old = self._traits[row]
        self.sensors += (traits.sensor is not None) - (old.sensor is not None)
        self.one_ways += (traits.one_way is not None) - (old.one_way is not None)
        self._traits[row] = traits

    def _settle_mass(self, row: int, mass: Mass | None, shape: Shape | None) -> None:
        if mass is not None:
            entity = self.bodies["entity"][row]
            self.masses[row] = (entity, *_mass_values(mass, shape))
            self.given[row] = mass.is_inertia_given, mass.is_center_given

    def _place_parts(self, row: int, shape: Shape | None, center: tuple[float, float]) -> None:
        bodies: Any = self.bodies
        first_part = int(bodies["first_part"][row])
        if first_part >= 0:
            self.pool.remove(first_part)
        prepared = NO_PARTS if shape is None else prepare(shape, *center)
        bodies["first_part"][row] = self.pool.add(row, prepared.parts)
        bodies["center_x"][row], bodies["center_y"][row] = center
        bodies["extent"][row] = prepared.extent
        bodies["core"][row] = prepared.core

    def _take_row(self, entity: int) -> int:
        row = self._free.pop() if self._free else self._new_row()
        self._row_of[entity] = row
        bodies: Any = self.bodies
        bodies["entity"][row] = entity
        bodies["first_part"][row] = -1
        bodies["kind"][row] = FREE
        return row

    def _new_row(self) -> int:
        row = self.rows
        self._make_room(row + 1)
        self.rows += 1
        return row

    def _make_room(self, rows: int) -> None:
        had = len(self.bodies)
        if rows <= had:
            return
        capacity = 1 << (rows - 1).bit_length()
        missing = capacity - had
        for table in self.tables.values():
            table.grow(capacity)
        self._look_at_tables()
        self.bodies = np.concatenate([self.bodies, np.zeros(missing, BODY)])
        self.traits = np.concatenate([self.traits, np.repeat(_NO_TRAITS_ROW, missing)])
        self.given = np.concatenate([self.given, np.zeros((missing, 2), np.bool_)])
        self._traits.extend([NO_TRAITS] * missing)
        self.shapes.extend([None] * missing)
        self.colors.extend([None] * missing)
        self._materials.extend([None] * missing)

    def _free_rows(self, entities: list[int]) -> None:
        if not entities:
            return
        rows = [self._row_of.pop(entity) for entity in entities]
        for row, first_part in zip(rows, self.bodies["first_part"][rows].tolist(), strict=True):
            if first_part >= 0:
                self.pool.remove(first_part)
            for table in self.tables.values():
                component = table.bound[row]
                if component is not None:  # still the entity's: ready for when it is a body again
                    owner = component._owner
                    table.release(row)
                    component._owner = owner
            self._seat_values(row, None)
        self.kinematics -= int(np.count_nonzero(self.bodies["kind"][rows] == KINEMATIC))
        for table in self.tables.values():  # also what was written into columns of no component
            table.rows[rows] = table.default
        self.bodies[rows] = _NO_BODY
        self.traits[rows] = _NO_TRAITS_ROW
        self.given[rows] = False
        self._held.extend(rows)
        if not self.pool.is_holding:
            self.let_go()
        self.version += 1

    def _seat_values(self, row: int, components: Components | None) -> None:
        """Note the values that a row is of; None where it is free."""
        held = _NOTHING if components is None else components
        self.shapes[row] = held.get(Shape)
        self.colors[row] = held.get(Color)
        self._materials[row] = None if components is None else held.get(Material, _DEFAULT_MATERIAL)
        self._set_traits(row, Traits.of(held))

    def components_of(self, entity: int) -> Components:
        """A copy of esper's table of an entity: its components by the types esper knows them by."""
        assert self._entities is not None
        return dict(self._entities[entity])

    def renew_contacts(self, entity: int) -> None:
        """Let the contacts of a body, if it is one, begin anew."""
        row = self._row_of.get(entity)
        if row is not None:
            self.pool.renew(int(self.bodies["first_part"][row]))

    # -- snapshots ------------------------------------------------------------------------

    def state(self) -> State:
        """The arrays, as `take_state` takes them: views of what is in use."""
        rows = self.rows
        return {
            "bodies": self.bodies[:rows],
            "traits": self.traits[:rows],
            "given": self.given[:rows],
            "free": np.array(self._free, np.int64),
            "step_rows": self.step_rows,
            "moved_parts": self.moved_parts,
            "stirred": np.array(sorted(self.stirred), np.int64),
            **{kind.__name__: table.rows[:rows] for kind, table in self.tables.items()},
        }

    def take_state(self, state: State) -> None:
        """Become what `state` says, a copy; `take_roster` has seated the components already."""
        given = array(state["given"])
        rows = len(given)
        self._make_room(rows)
        self._take_given(given)
        for name, mine, free in (
            ("bodies", self.bodies, _NO_BODY),
            ("traits", self.traits, _NO_TRAITS_ROW[0]),
            ("given", self.given, False),
            *((kind.__name__, each.rows, each.default[0]) for kind, each in self.tables.items()),
        ):
            fill(mine, state[name])
            mine[rows : self.rows] = free
        self.rows = rows
        self.kinematics = int(np.count_nonzero(self.bodies["kind"][:rows] == KINEMATIC))
        self.stirred.clear()
        self.step_rows = int(state["step_rows"])
        self.moved_parts = self.moved_statics = int(state["moved_parts"])
        self._free = array(state["free"]).tolist()
        self.stirred = set(array(state["stirred"]).tolist())

    def _take_given(self, given: NDArray[np.bool_]) -> None:
        """Tell each Mass which of its values were given, where that differs from before."""
        bound = self.tables[Mass].bound
        for row in np.flatnonzero((self.given[: len(given)] != given).any(axis=1)).tolist():
            mass: Any = bound[row]
            if mass is not None:
                mass._given_inertia, mass._given_center = given[row].tolist()

    def roster(self) -> Roster:
        """Which entity has which components now, not to be written to.

        The same object as long as that is the same. Esper's sets of entities are brought into an
        order that follows from what is in them, so that queries list what is restored as they did.
        """
        assert self._entities is not None
        if self.restocked:
            roster = self._roster.copy()
            for entity in sorted(self.restocked):
                held = self._entities.get(entity)
                if held is None:
                    roster.pop(entity, None)
                else:
                    roster[entity] = dict(held)
            self._roster = roster
            self.restocked.clear()
            _sort_queries()
        return self._roster

    def take_roster(self, roster: Roster, owners: NDArray[np.int64], kept: Collection[Any]) -> None:
        """Give esper the entities and components of `roster`, and seat them in their rows.

        `owners` has the entity of each row. Components of types that are not in `kept` are left
        as they are on entities that live. `take_state` has to follow.
        """
        now = self.roster()
        reseated = self._owners_unlike(owners)
        if roster is now and not self.changed and not reseated:
            return
        assert self._entities is not None
        gone = sorted(now.keys() - roster.keys())
        is_new = map(is_not, roster.values(), map(now.get, roster))
        changed = roster.keys() & (self.changed | reseated)
        differing = {*itertools.compress(roster, is_new), *changed}
        wanted = {each: _merged(now.get(each), roster[each], kept) for each in sorted(differing)}
        for entity in {*gone, *wanted, *self.changed}:
            self._unseat(entity)
        for entity in gone:
            self._entities.drop(entity)
        self._make_room(len(owners))
        rows = {int(owners[row]): int(row) for row in np.flatnonzero(np.isin(owners, [*wanted]))}
        for entity, components in wanted.items():
            self._entities.put(entity, components)
            self._seat(entity, components, rows.get(entity))
        self._entities.sort()
        self._roster = roster
        self.restocked.update(e for e, held in wanted.items() if held is not roster[e])
        self.changed.clear()
        self.unsettled.clear()
        self.version += 1
        _sort_queries()

    def _owners_unlike(self, owners: NDArray[np.int64]) -> set[int]:
        """The entities of rows whose entity is another one than in `owners`, be it here or there.

        A value alone can do that: a body without a shape is none while its Mass has a density.
        """
        rows = max(self.rows, len(owners))
        both = np.zeros((2, rows), np.int64)
        both[0, : self.rows] = self.bodies["entity"][: self.rows]
        both[1, : len(owners)] = owners
        return set(np.unique(both[:, both[0] != both[1]]).tolist()) - {0}

    def _unseat(self, entity: int) -> None:
        """Take an entity's components out of their row, to be alone."""
        assert self._entities is not None
        for component in self._entities.get(entity, _NOTHING).values():
            if isinstance(component, RowComponent):
                component._release()
        row = self._row_of.pop(entity, None)
        if row is not None:
            for table in self.tables.values():
                table.bound[row] = None
            self._seat_values(row, None)

    def _seat(self, entity: int, components: Components, row: int | None) -> None:
        """Let components look into their row, whose values are still to come."""
        for component in components.values():
            if isinstance(component, RowComponent):
                component._owner = _Owner(self, entity)
        if row is None:
            return
        self._row_of[entity] = row
        for kind, table in self.tables.items():
            table.seat(row, components.get(kind))
        self._seat_values(row, components)
        mass: Any = components.get(Mass)
        if mass is not None:
            mass._given_inertia, mass._given_center = self.given[row].tolist()

    def loose(self) -> list[tuple[int, type[Any]]]:
        """Which components of a type that has columns hold their values alone: (entity, type)."""
        roster = self.roster()
        alone = sorted(roster.keys() - self._row_of.keys())
        return [
            (entity, kind) for entity in alone for kind in roster[entity] if kind in self.tables
        ]

    def esper_state(self) -> tuple[int, tuple[int, ...]]:
        """The id of the next entity, and the entities that are to be deleted at the next step."""
        following = next(esper._entity_count)
        esper._entity_count = itertools.count(following)
        return following, tuple(esper._dead_entities)

    def take_esper_state(self, following: int, dead: Collection[int]) -> None:
        """Let esper count on from `following`, and delete the `dead` at the next step."""
        esper._entity_count = itertools.count(following)
        esper._dead_entities.clear()
        for entity in dead:
            esper._dead_entities.add(entity)

    # -- a step ---------------------------------------------------------------------------

    def hold(self) -> None:
        """Keep rows that are freed from being used again: a step is running on them."""
        self.pool.is_holding = True

    def let_go(self) -> None:
        """Let rows be used again that were freed while a step ran."""
        self.pool.is_holding = False
        self.pool.let_go()
        self._free.extend(self._held)
        self._held.clear()


def _merged(now: Components | None, wanted: Components, kept: Collection[Any]) -> Components:
    """What an entity is to have: of types that are not `kept`, what it has now, if it lives."""
    if now is None:
        return wanted
    others = {kind: each for kind, each in now.items() if kind not in kept}
    merged = {kind: each for kind, each in wanted.items() if kind in kept or kind in others}
    merged |= others
    is_wanted = merged.keys() == wanted.keys() and all(merged[k] is wanted[k] for k in wanted)
    return wanted if is_wanted else merged


def _sort_queries() -> None:
    """Let the order in which queries list entities follow from which there are alone."""
    for kind, members in esper._components.items():
        in_order = sorted(members)
        esper._components[kind] = set(in_order)
    esper.clear_cache()


def _are_same(value: Any, other: Any) -> bool:
    """Whether two values are equal, one object or not: from a file come copies."""
    return value is other or bool(value == other)


def _body_kind(components: dict[type[Any], Any]) -> int:
    if Transform not in components or Disabled in components:
        return FREE
    moving, heavy = Velocity in components, Mass in components
    if Shape not in components:
        return DYNAMIC if moving and heavy and components[Mass].density is None else FREE
    if not moving:
        return STATIC
    return DYNAMIC if heavy else KINEMATIC


def _mass_values(mass: Mass, shape: Shape | None) -> tuple[float, float, float, float, float]:
    """density, mass, inertia and centre of a body, from what was given and from its shape."""
    density, kilograms, inertia, x, y = mass._values()
    if density == density:
        if shape is None:
            raise ValueError("Mass(density=...) without a Shape: a point mass needs Mass(mass=...)")
        properties = shape.mass_properties(density)
        kilograms, inertia = properties.mass, properties.inertia
        if not mass.is_center_given:
            x, y = properties.center
    elif shape is None:
        inertia = inertia if mass.is_inertia_given else 0.0
    elif not (mass.is_inertia_given and mass.is_center_given):
        properties = shape.mass_properties(1.0)
        if not mass.is_inertia_given:
            inertia = properties.inertia * kilograms / properties.mass
        if not mass.is_center_given:
            x, y = properties.center
    return density, kilograms, inertia, x, y
