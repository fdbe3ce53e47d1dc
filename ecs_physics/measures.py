"""What can be measured of a world: energy, momentum, and how far bodies overlap.

All functions read the columns as they are now, of dynamic bodies unless it says otherwise. Those
that sum do so in the order of the rows.
"""

import math
from typing import Any

import numpy as np

from ecs_physics.components import point
from ecs_physics.kernels.bodies import refresh_parts
from ecs_physics.kernels.body_pairs import box_bodies, find_body_pairs
from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.separating_axis import deepest_overlap
from ecs_physics.stages import Stage
from ecs_physics.systems.gravity import Gravity
from ecs_physics.systems.simulation import Simulation
from ecs_physics.tables import DYNAMIC, SLEEPING

__all__ = [
    "angular_momentum",
    "kinetic_energy",
    "max_penetration",
    "momentum",
    "potential_energy",
    "total_energy",
]


def kinetic_energy(world: Simulation) -> float:
    """The sum of m v^2 / 2 + I omega^2 / 2, in J."""
    mass, inertia, state = _moving(world)
    moving = mass * (state["vx"] ** 2 + state["vy"] ** 2)
    return float(0.5 * (moving + inertia * state["omega"] ** 2).sum())


def potential_energy(world: Simulation) -> float:
    """Energy in the force systems: -m g.x for gravity (0 at the origin), and in springs, in J.

    Counted are Gravity and every system of Stage.FORCES with a method `potential_energy()`, as
    `Springs` has it; a user's system may have one too. Penalty forces are not counted.
    """
    world.store.adopt()
    energy = 0.0
    for system in world.systems(Stage.FORCES):
        measure = getattr(system, "potential_energy", None)
        if callable(measure):
            energy += float(measure())
        elif isinstance(system, Gravity):
            energy += _height_energy(world)
    return energy


def total_energy(world: Simulation) -> float:
    """Kinetic and potential energy, in J."""
    return kinetic_energy(world) + potential_energy(world)


def momentum(world: Simulation) -> tuple[float, float]:
    """The sum of m v: (x, y) in N s."""
    mass, _, state = _moving(world)
    return float((mass * state["vx"]).sum()), float((mass * state["vy"]).sum())


def angular_momentum(world: Simulation, about: tuple[float, float] = (0.0, 0.0)) -> float:
    """The sum of I omega + r x m v, with r from the point `about` (m), in N m s."""
    x, y = point(about, "about")
    mass, inertia, state = _moving(world)
    orbit = (state["x"] - x) * state["vy"] - (state["y"] - y) * state["vx"]
    return float((inertia * state["omega"] + mass * orbit).sum())


def max_penetration(world: Simulation) -> float:
    """How far (m) the two deepest overlapping bodies overlap; 0 where none do.

    By the separating-axis method on the convex parts, whatever detection the world has: so that
    different ones can be compared. Static and kinematic bodies count against dynamic ones.
    """
    warm_up()
    store = world.store
    store.adopt()
    rows = store.rows
    refresh_parts(
        rows,
        store.transforms,
        store.bodies,
        store.parts,
        store.local_vertices,
        store.world_vertices,
    )
    boxes = np.zeros((rows, 4))
    box_bodies(rows, store.bodies, store.parts, boxes)
    order = np.argsort(boxes[:, 0], kind="stable")
    pairs = np.zeros(4 * rows, np.int64)
    found = find_body_pairs(rows, order, store.bodies, boxes, pairs)
    if found > len(pairs):
        pairs = np.zeros(found, np.int64)
        found = find_body_pairs(rows, order, store.bodies, boxes, pairs)
    deepest = deepest_overlap(rows, found, pairs, store.bodies, store.parts, store.world_vertices)
    return float(deepest)


def _moving(world: Simulation) -> tuple[Any, Any, dict[str, Any]]:
    """Mass, inertia, and centre of mass and velocity of every dynamic body."""
    store = world.store
    store.adopt()
    rows = slice(0, store.rows)
    dynamic = np.isin(store.bodies["kind"][rows], (DYNAMIC, SLEEPING))
    masses: Any = store.masses[rows][dynamic]
    poses: Any = store.transforms[rows][dynamic]
    velocities: Any = store.velocities[rows][dynamic]
    cos, sin = np.cos(poses["angle"]), np.sin(poses["angle"])
    state = {
        "x": poses["x"] + cos * masses["center_x"] - sin * masses["center_y"],
        "y": poses["y"] + sin * masses["center_x"] + cos * masses["center_y"],
        "vx": velocities["x"],
        "vy": velocities["y"],
        "omega": velocities["omega"],
    }
    return masses["mass"], masses["inertia"], state


def _height_energy(world: Simulation) -> float:
    mass, _, state = _moving(world)
    store = world.store
    dynamic = np.isin(store.bodies["kind"][: store.rows], (DYNAMIC, SLEEPING))
    weight = mass * store.gravity_scales["factor"][: store.rows][dynamic]
    x, y = world.gravity
    return -math.fsum(weight * (x * state["x"] + y * state["y"]))
