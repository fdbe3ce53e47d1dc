"""Small tables for the tests of kernels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.manifold_lanes import write_part
from ecs_physics.tables import (
    BODY,
    CONTACT,
    DAMPING,
    DYNAMIC,
    FORCE,
    FREE,
    GRAVITY_SCALE,
    KINEMATIC,
    LOCKED_AXES,
    MASS,
    PART,
    STATIC,
    TRANSFORM,
    VELOCITY,
)

KINDS = (FREE, STATIC, KINEMATIC, DYNAMIC)
ENTITY_OF_ROW = 100


def random_bodies(seed: int, rows: int) -> dict[str, NDArray[Any]]:
    """Tables of bodies of all kinds with plausible numbers in every field that kernels read."""
    rng = np.random.default_rng(seed)
    tables = {
        name: np.zeros(rows, dtype)
        for name, dtype in (
            ("transforms", TRANSFORM),
            ("velocities", VELOCITY),
            ("masses", MASS),
            ("forces", FORCE),
            ("dampings", DAMPING),
            ("locked_axes", LOCKED_AXES),
            ("gravity_scales", GRAVITY_SCALE),
            ("bodies", BODY),
        )
    }
    for name, table in tables.items():
        for field in (table.dtype.names or ())[1:]:
            if name != "bodies":
                table[field] = rng.uniform(-3.0, 3.0, rows)
    masses, bodies = tables["masses"], tables["bodies"]
    masses["mass"] = rng.uniform(0.5, 4.0, rows)
    masses["inertia"] = rng.uniform(0.1, 2.0, rows)
    for field in ("linear", "angular"):
        tables["dampings"][field] = rng.uniform(0.0, 5.0, rows)
    for field in ("x", "y", "angle"):
        tables["locked_axes"][field] = rng.random(rows) < 0.3
        bodies[field] = rng.uniform(-3.0, 3.0, rows)
    bodies["kind"] = rng.choice(KINDS, rows)
    bodies["entity"] = np.where(bodies["kind"] == FREE, 0, ENTITY_OF_ROW + np.arange(rows))
    bodies["cos"], bodies["sin"] = np.cos(bodies["angle"]), np.sin(bodies["angle"])
    for field in ("center_x", "center_y"):
        bodies[field] = masses[field]
    moves = bodies["kind"] == DYNAMIC
    for field in ("inverse_mass_x", "inverse_mass_y"):
        bodies[field] = np.where(moves, 1.0 / masses["mass"], 0.0)
    bodies["inverse_inertia"] = np.where(moves, 1.0 / masses["inertia"], 0.0)
    bodies["first_part"] = -1
    return tables


def one_part_each(
    seed: int, bodies: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64]]:
    """PART rows and local and world vertices: a triangle, with a radius, for every other body."""
    rng = np.random.default_rng(seed)
    parts = np.zeros(len(bodies), PART)
    parts["body"] = parts["next"] = -1
    local = np.zeros((3 * len(bodies), 4))
    for row in range(0, len(bodies), 2):
        angles = np.sort(rng.uniform(0.0, 2.0, 3)) + np.array([0.0, 2.0, 4.0])
        corners = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        along = np.roll(corners, -1, axis=0) - corners
        along /= np.hypot(*along.T)[:, None]
        local[3 * row : 3 * row + 3] = np.hstack([corners, along[:, 1:], -along[:, :1]])
        parts[row] = np.zeros(1, PART)[0]
        part = parts[row : row + 1]
        part["body"], part["next"] = row, -1
        part["first_vertex"], part["count"], part["radius"] = 3 * row, 3, rng.uniform(0.0, 0.5)
        for field, value in (("lower", np.inf), ("upper", -np.inf)):
            part[f"fat_{field}_x"] = part[f"fat_{field}_y"] = value
        bodies["first_part"][row] = row
        bodies["extent"][row] = 1.0 + part["radius"][0]
    return parts, local, np.zeros_like(local)


def contact_of(**fields: float) -> NDArray[Any]:
    """One row of CONTACT between the bodies 0 and 1 and their parts 0 and 1, normal upwards."""
    contacts = np.zeros(1, CONTACT)
    values = {"part_b": 1, "body_b": 1, "count": 1, "normal_y": 1.0} | fields
    for field, value in values.items():
        contacts[field] = value
    return contacts


def two_bodies(kind_a: int, kind_b: int, mass_a: float = 1.0, mass_b: float = 1.0):
    """BODY, PART and VELOCITY tables of two discs of radius 0.5 at rest."""
    bodies, parts = np.zeros(2, BODY), np.zeros(2, PART)
    bodies["cos"] = 1.0
    bodies["extent"] = 0.5
    bodies["kind"] = kind_a, kind_b
    for row, (kind, mass) in enumerate(((kind_a, mass_a), (kind_b, mass_b))):
        if kind == DYNAMIC:
            bodies["inverse_mass_x"][row] = bodies["inverse_mass_y"][row] = 1.0 / mass
            bodies["inverse_inertia"][row] = 1.0 / (0.125 * mass)
    parts["count"], parts["radius"] = 1, 0.5
    parts["body"] = 0, 1
    return bodies, parts, np.zeros(2, VELOCITY)


def in_lanes(parts: Any) -> np.ndarray:
    """What placing leaves of parts that are no boxes."""
    lane_parts = np.full((len(parts), 8), 9.0, np.float32)
    for row, part in enumerate(parts.view(np.recarray)):
        write_part(row, np.zeros((1, 4)), part, lane_parts)
    return lane_parts
