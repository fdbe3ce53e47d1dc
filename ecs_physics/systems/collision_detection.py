"""CollisionDetection: broad phase where something moved, narrow phase for all pairs."""

import esper

from ecs_physics.kernels.narrow_phase import collide_pairs
from ecs_physics.systems.simulation import Simulation


class CollisionDetection(esper.Processor):
    """Finds pairs with a hierarchical hash grid, and their manifolds, into the contact table."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation

    def process(self, dt: float) -> None:
        """Renew pairs and manifolds."""
        store = self.simulation.store
        contacts = self.simulation.contact_table
        if store.pool.any_removed or store.moved_parts:
            contacts.renew_pairs(store)
        contacts.active_count = collide_pairs(
            contacts.count,
            dt,
            store.bodies,
            store.velocities,
            store.parts,
            store.world_vertices,
            contacts.rows,
            contacts.active,
        )
