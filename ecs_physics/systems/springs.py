"""Springs: the pull of all Spring components."""

from operator import itemgetter
from typing import Any, Protocol

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics.components import Spring
from ecs_physics.islands import Linking
from ecs_physics.kernels.bodies import refresh_parts
from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.springs import SPRING, add_spring_forces, spring_energy, spring_gradients
from ecs_physics.state import State, array
from ecs_physics.store import Store
from ecs_physics.systems.phases import ForcesOnAwake
from ecs_physics.systems.simulation import Simulation
from ecs_physics.traits import Disabled

_FIXED = -1


class NamedSimulation(Simulation, Protocol):
    """A world, with the name of its esper world."""

    name: str


class Springs(ForcesOnAwake, Linking):
    """Adds the force and torque of every Spring to its bodies; a system for Stage.FORCES.

    The springs are packed into an array when the set of them changes; a value that is written is
    packed alone. A spring of which a body is gone is taken away: its entity is deleted, or, where
    that has other components, it loses its Spring. One of which a body is disabled rests. See
    kernels/springs.py for the formulas.
    """

    def __init__(self, simulation: NamedSimulation) -> None:
        warm_up()
        self.simulation = simulation
        self._seen: list[tuple[int, Spring]] | None = None
        self._springs: list[tuple[int, Spring]] = []
        self._resting: list[tuple[int, Spring]] = []
        self._written: list[Spring] = []
        self._packed: dict[int, tuple[Spring, list[int]]] = {}
        self._table: NDArray[Any] = np.zeros(0, SPRING)
        self._bodies: NDArray[np.int64] = np.zeros((0, 2), np.int64)
        self._rows: NDArray[np.int64] = np.zeros((0, 2), np.int64)
        self._store: Store | None = None
        self._waits = False
        self._is_stale = False
        self._version = -1
        self._adoptions = -1
        self._gradient_rows: NDArray[np.int64] = np.zeros(0, np.int64)
        self._gradient_columns: NDArray[np.int64] = np.zeros(0, np.int64)
        self._blocks: NDArray[np.float64] = np.zeros((0, 3, 3))

    def process(self, dt: float) -> None:
        """Add the forces, for the poses and velocities as they are."""
        self._refresh()
        store = self.simulation.store
        add_spring_forces(
            len(self._table), self._table, store.bodies, store.velocities, store.forces
        )

    def force_gradient(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """The derivative of the forces by the poses, damping left out, as implicit Euler asks.

        Returns:
            Rows i and j of bodies, (n,) each, and (n, 3, 3) blocks: the derivative of (force x,
            force y, torque) on body i by (x, y, angle) of body j. Blocks of one pair add up. The
            arrays are good until the next call.
        """
        self._refresh()
        spring_gradients(len(self._table), self._table, self.simulation.store.bodies, self._blocks)
        return self._gradient_rows, self._gradient_columns, self._blocks

    def potential_energy(self) -> float:
        """Energy stored in the springs now, the sum of k (length - rest length)^2 / 2, in J."""
        before = esper.current_world
        name = self.simulation.name
        if before != name:
            esper.switch_world(name)
        try:
            store = self.simulation.store
            store.adopt()
            self._refresh()
        finally:
            if before != name:
                esper.switch_world(before)
        refresh_parts(
            store.rows,
            store.transforms,
            store.bodies,
            store.parts,
            store.local_vertices,
            store.world_vertices,
        )
        return float(spring_energy(len(self._table), self._table, store.bodies))

    def _refresh(self) -> None:
        """Pack what is new."""
        store = self.simulation.store
        current = esper.get_component(Spring)
        if (
            self._is_stale
            or store is not self._store
            or (current is not self._seen and not self._springs_are(current))
            or (store.version != self._version and not self._rows_are_right(store))
            or (self._resting and store.adoptions != self._adoptions)  # of what is no body as well
        ):
            self._pack(store)
            current = esper.get_component(Spring)
        self._seen = None if self._waits else current
        self._version = store.version
        self._adoptions = store.adoptions
        if self._written:
            for spring in self._written:
                self._pack_values(spring)
                store.stirred.update(self._rows[spring._packed_at].tolist())
            self._written.clear()

    def _springs_are(self, current: list[tuple[int, Spring]]) -> bool:
        """Whether these are the springs that were packed."""
        known = self._known_springs()
        return len(current) == len(known) and sorted(current, key=itemgetter(0)) == known

    def _known_springs(self) -> list[tuple[int, Spring]]:
        """Those that have been looked at, by entity."""
        if not self._resting:
            return self._springs
        return sorted(self._springs + self._resting, key=itemgetter(0))

    def state(self) -> State:
        """Which springs have been looked at, and which rows those that act hold.

        A spring that never held two bodies is refused; one that holds others now wakes them.
        """
        packed = [(entity, *rows) for entity, (_, rows) in self._packed.items()]
        return {
            "known": np.array([entity for entity, _ in self._known_springs()], np.int64),
            "packed": np.array(packed, np.int64).reshape(-1, 3),
        }

    def take_state(self, state: State) -> None:
        """Know the springs of these entities; esper has them back already."""
        found = [(e, esper.try_component(e, Spring)) for e in array(state["known"]).tolist()]
        known = [(entity, spring) for entity, spring in found if spring is not None]
        there = dict(known)
        packed = array(state["packed"]).tolist()
        self._packed = {e: (there[e], rows) for e, *rows in packed if e in there}
        if known != self._known_springs():
            for _, spring in self._springs:
                spring._written = None
            self._springs, self._resting = known, []
            self._store = self.simulation.store
            self._is_stale = True

    def _rows_are_right(self, store: Store) -> bool:
        """Whether the bodies of all springs still have the rows that were packed."""
        entities = store.bodies["entity"][self._rows]
        entities[self._rows == _FIXED] = 0
        return bool((entities == self._bodies).all())

    def _pack(self, store: Store) -> None:
        seen = self._known_springs() if store is self._store else []
        known = {id(spring) for _, spring in seen}
        for _, spring in self._springs:
            spring._written = None
        self._springs = self._with_bodies(store, known)
        self._table = np.zeros(len(self._springs), SPRING)
        self._bodies = np.zeros((len(self._springs), 2), np.int64)
        self._rows = np.full((len(self._springs), 2), _FIXED, np.int64)
        for at, (_, spring) in enumerate(self._springs):
            spring._written = self._written
            spring._packed_at = at
            self._bodies[at, 0] = spring.body_a
            self._rows[at, 0] = store.row_of(spring.body_a)
            if spring.body_b is not None:
                self._bodies[at, 1] = spring.body_b
                self._rows[at, 1] = store.row_of(spring.body_b)
            self._pack_values(spring)
        self._table["row_a"] = self._rows[:, 0]
        self._table["row_b"] = self._rows[:, 1]
        self.links = self._rows.astype(np.int32)
        self._stir_changed(store)
        self._number_blocks()
        self._store = store
        self._is_stale = False

    def _stir_changed(self, store: Store) -> None:
        """Wake whom springs hold that came, went, were written or hold others, and no one else."""
        before = self._packed
        rows = self._rows.tolist()
        now = {e: (spring, held) for (e, spring), held in zip(self._springs, rows, strict=True)}
        written = {id(spring) for spring in self._written}
        self._written.clear()
        for entity in before.keys() | now.keys():
            sides = [each for each in (before.get(entity), now.get(entity)) if each is not None]
            (spring, held), (other, others) = sides[0], sides[-1]
            if len(sides) < 2 or spring is not other or held != others or id(spring) in written:
                store.stirred.update(held + others)
        self._packed = now

    def _with_bodies(self, store: Store, known: set[int]) -> list[tuple[int, Spring]]:
        """All springs by entity; those that have lost a body are taken away."""
        rows = set(store.entities())
        kept = []
        self._resting = []
        self._waits = False
        for entity, spring in sorted(esper.get_component(Spring), key=itemgetter(0)):
            ends = (("body_a", spring.body_a), ("body_b", spring.body_b))
            missing = [(name, body) for name, body in ends if body is not None and body not in rows]
            if not missing:
                kept.append((entity, spring))
                continue
            if all(_is_disabled(body) for _, body in missing):
                self._resting.append((entity, spring))
                continue
            name, body = missing[0]
            if body in store.changed:  # created in this step: it is a body from the next one on
                self._waits = True
                continue
            if id(spring) not in known and esper.entity_exists(body):
                raise ValueError(
                    f"Spring.{name} = {body} of entity {entity} is no body: give that entity a "
                    "Transform and a Shape, or Velocity and Mass(mass=...)"
                )
            _take_away(entity)
        return kept

    def _pack_values(self, spring: Spring) -> None:
        row = self._table[spring._packed_at]
        row["anchor_ax"], row["anchor_ay"] = spring.anchor_a
        row["anchor_bx"], row["anchor_by"] = spring.anchor_b
        row["stiffness"] = spring.stiffness
        row["rest_length"] = spring.rest_length
        row["damping"] = spring.damping

    def _number_blocks(self) -> None:
        a, b = self._rows.T
        counts = np.where(b == _FIXED, 1, 4)
        firsts = np.cumsum(counts) - counts
        self._table["first_block"] = firsts
        total = int(counts.sum())
        self._gradient_rows = np.zeros(total, np.int64)
        self._gradient_columns = np.zeros(total, np.int64)
        self._blocks = np.zeros((total, 3, 3))
        self._gradient_rows[firsts] = self._gradient_columns[firsts] = a
        pairs = b != _FIXED
        for offset, (i, j) in enumerate(((a, b), (b, a), (b, b)), start=1):
            self._gradient_rows[firsts[pairs] + offset] = i[pairs]
            self._gradient_columns[firsts[pairs] + offset] = j[pairs]


def _is_disabled(entity: int) -> bool:
    return esper.entity_exists(entity) and esper.has_component(entity, Disabled)


def _take_away(entity: int) -> None:
    if len(esper.components_for_entity(entity)) == 1:
        esper.delete_entity(entity, immediate=True)
    else:
        esper.remove_component(entity, Spring)
