"""CollisionDetection: broad phase where something moved, narrow phase for all pairs."""

import esper

from ecs_physics.kernels.narrow_phase import collide_pairs
from ecs_physics.kernels.two_threads import FEWEST_ROWS_FOR_THREADS, collide_pairs_on_two
from ecs_physics.systems.simulation import Simulation


class CollisionDetection(esper.Processor):
    """Finds pairs with a hierarchical hash grid, and their manifolds, into the contact table."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation

    def process(self, dt: float) -> None:
        """Renew pairs and manifolds."""
        store = self.simulation.store
        contacts = self.simulation.contact_table
        store.weld()
        if store.pool.any_removed or store.moved_parts:
            contacts.renew_pairs(store)
        threads = self.simulation.threads
        is_big = threads > 1 and store.rows >= FEWEST_ROWS_FOR_THREADS
        collide = collide_pairs_on_two if is_big else collide_pairs
        contacts.active_count = collide(
            contacts.count,
            dt,
            store.bodies,
            store.velocities,
            store.parts,
            store.world_vertices,
            contacts.rows,
            contacts.active,
        )
