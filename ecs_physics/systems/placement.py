"""Placement: the columns as they are now become the bodies of the step."""

import math
from typing import NoReturn

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.bodies import clear_forces, place_bodies
from ecs_physics.kernels.direct_calls import direct
from ecs_physics.store import Store
from ecs_physics.systems.simulation import Simulation


class Placement(esper.Processor):
    """First of the FORCES stage: adopt what changed, wake what that disturbs, place bodies.

    What BEFORE_STEP systems created, deleted or wrote counts from here on.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self._place_bodies = direct(place_bodies)
        self._counts: NDArray[np.int64] = np.zeros(2, np.int64)

    def process(self, dt: float) -> None:
        """Make the bodies what the columns say, and refuse what is not finite."""
        simulation = self.simulation
        store, islands = simulation.store, simulation.sleeping
        store.adopt()
        store.hold()
        if not islands.begin(store, simulation.contact_table, simulation.gravity):
            store.step_rows = 0
            return
        bad_row = self._place_bodies(
            store.rows,
            dt,
            store.transforms,
            store.velocities,
            store.masses,
            store.locked_axes,
            store.dampings,
            store.gravity_scales,
            store.bodies,
            store.parts,
            store.local_vertices,
            store.world_vertices,
            store.pool.lane_parts,
            self._counts,
        )
        if bad_row >= 0:
            refuse_row(store, bad_row)
        moved, store.moved_statics = self._counts.tolist()
        store.moved_parts = moved + islands.take_moved()
        store.step_rows = store.rows


def refuse_force(store: Store, row: int) -> NoReturn:
    """The same for a force; all forces are cleared, since the step they were for has failed.

    Raises:
        ValueError: always, naming entity, component and field.
    """
    try:
        refuse_row(store, row)
    finally:
        clear_forces(store.rows, store.forces)


def refuse_row(store: Store, row: int) -> NoReturn:
    """Say what is not finite in the columns of a row.

    Raises:
        ValueError: always, naming entity, component and field.
    """
    entity = int(store.bodies[row]["entity"])
    for component, table in store.tables.items():
        for name in (component.TABLE.names or ())[1:]:
            value = float(table.rows[name][row])
            if not math.isfinite(value) and name != "density":
                raise ValueError(
                    f"{component.__name__}.{name} of entity {entity} is {value} in its column: "
                    "write a finite number there"
                )
    raise ValueError(f"the columns of entity {entity} add up to infinity: write smaller numbers")
