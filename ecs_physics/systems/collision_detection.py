"""CollisionDetection: broad phase where something moved, narrow phase for all pairs."""

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.box_manifolds import FIELDS
from ecs_physics.kernels.direct_calls import direct
from ecs_physics.kernels.flight import aim_contacts
from ecs_physics.kernels.lanes import LANES
from ecs_physics.kernels.manifold_lanes import NAMES, copy_bodies
from ecs_physics.kernels.narrow_phase import ACTIVE, AFAR, LISTS, ROWS_AT_ONCE, collide_pairs
from ecs_physics.kernels.two_threads import CHUNKS, FEWEST_ROWS_FOR_THREADS, collide_pairs_on_two
from ecs_physics.systems.simulation import Simulation
from ecs_physics.systems.waking import give_missed_forces


class CollisionDetection(esper.Processor):
    """Finds pairs with a hierarchical hash grid, and their manifolds, into the contact table.

    What sleeps is left alone, and woken where something new touches it.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self._collide_pairs = direct(collide_pairs)
        self._copy_bodies = direct(copy_bodies)
        self._aim_contacts = direct(aim_contacts)
        self._afar: NDArray[np.int32] = np.zeros(0, np.int32)
        self._counts: NDArray[np.int64] = np.zeros((CHUNKS, 2), np.int64)
        self._lists: NDArray[np.int32] = np.zeros((LISTS * CHUNKS, ROWS_AT_ONCE), np.int32)
        self._names: NDArray[np.int32] = np.zeros((2 * CHUNKS, NAMES, LANES), np.int32)
        self._batches: NDArray[np.float32] = np.zeros((2 * CHUNKS, FIELDS, LANES), np.float32)
        self._motions: NDArray[np.float32] = np.zeros((0, 8), np.float32)
        self._surfaces: NDArray[np.float32] = np.zeros((0, 8), np.float32)
        self._scratch: NDArray[np.float64] = np.zeros((0, 4))

    def process(self, dt: float) -> None:
        """Renew pairs and manifolds."""
        store = self.simulation.store
        contacts = self.simulation.contact_table
        islands = self.simulation.sleeping
        is_late = islands.wake_pushed(store, contacts)
        if not (store.step_rows or is_late):
            return
        store.weld()
        if store.pool.any_removed or store.moved_parts:
            contacts.renew_pairs(store)
        self._collide(dt)
        while islands.wake_touched(store, contacts):
            is_late = True
            self._collide(dt)
        if is_late:
            give_missed_forces(self.simulation, dt)

    def _collide(self, dt: float) -> None:
        """Renew the manifolds of all contacts that are awake."""
        store = self.simulation.store
        contacts = self.simulation.contact_table
        threads = self.simulation.threads
        is_big = threads > 1 and store.rows >= FEWEST_ROWS_FOR_THREADS
        collide = collide_pairs_on_two if is_big else self._collide_pairs
        if len(self._afar) < len(contacts.rows):
            self._afar = np.zeros(len(contacts.rows), np.int32)
        if len(self._motions) < len(store.bodies):
            self._motions = np.zeros((len(store.bodies), 8), np.float32)
            self._surfaces = np.zeros((len(store.bodies), 8), np.float32)
        self._copy_bodies(store.rows, store.bodies, store.velocities, self._motions, self._surfaces)
        collide(
            CHUNKS if is_big else 0,
            0,
            contacts.count,
            dt,
            store.bodies,
            store.velocities,
            store.parts,
            store.world_vertices,
            store.pool.lane_parts,
            self._motions,
            self._surfaces,
            self._names,
            self._batches,
            contacts.rows,
            self._lists,
            contacts.active,
            self._afar,
            self._counts,
        )
        counts = self._counts[0].tolist()
        contacts.active_count, afar_count = counts[ACTIVE], counts[AFAR]
        if not afar_count:
            return
        if len(self._scratch) < len(store.world_vertices):
            self._scratch = np.zeros_like(store.world_vertices)
        contacts.active_count = self._aim_contacts(
            afar_count,
            self._afar,
            dt,
            store.bodies,
            store.velocities,
            store.parts,
            store.world_vertices,
            self._scratch,
            contacts.rows,
            contacts.active_count,
            contacts.active,
        )
