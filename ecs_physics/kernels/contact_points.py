"""From one manifold to a row of the contact table: which points stay, and what they carry."""

import math
from typing import Final

from ecs_physics.constants import LINEAR_SLOP, SPECULATIVE_DISTANCE
from ecs_physics.kernels.compile import Record, Table, at, inlined, inner
from ecs_physics.kernels.manifold import Manifold

# States of a contact.
IDLE: Final = 0
ACTING: Final = 1
ACTING_AFAR: Final = 2
"""No point touches yet, and one would do so in this step (flight.py)."""


@inlined
def take_manifold(
    contact_out: Record,
    manifold: Manifold,
    dt: float,
    bodies: Table,
    velocities: Table,
    parts: Table,
) -> None:
    """Make a manifold that of a contact, with the materials of its bodies."""
    body_a = bodies[at(contact_out.body_a)]
    body_b = bodies[at(contact_out.body_b)]
    velocity_a = velocities[at(contact_out.body_a)]
    velocity_b = velocities[at(contact_out.body_b)]
    write_points(
        contact_out,
        manifold,
        dt,
        body_b.x - body_a.x,
        body_b.y - body_a.y,
        velocity_b.x - velocity_a.x,
        velocity_b.y - velocity_a.y,
        velocity_a.omega,
        velocity_b.omega,
    )
    if contact_out.count > 0:
        radius = max(parts[at(contact_out.part_a)].radius, parts[at(contact_out.part_b)].radius)
        mix_materials(contact_out, body_a, body_b, radius)


@inlined
def write_points(
    contact_out: Record,
    manifold: Manifold,
    dt: float,
    dx: float,
    dy: float,
    velocity_x: float,
    velocity_y: float,
    omega_a: float,
    omega_b: float,
) -> None:
    """Put those points of a manifold that matter within `dt` seconds into a contact.

    Args:
        contact_out: row of the contact table.
        manifold: see manifold.py.
        dt: s.
        dx: m, from the centre of mass of A to that of B.
        dy: m.
        velocity_x: m/s, of the centre of mass of B relative to that of A.
        velocity_y: m/s.
        omega_a: rad/s, of A.
        omega_b: rad/s, of B.
    """
    (count, normal_x, normal_y, x_0, y_0, gap_0, feature_0, x_1, y_1, gap_1, feature_1) = manifold
    old_count = contact_out.count
    approach_0 = approach_speed(
        x_0, y_0, normal_x, normal_y, dx, dy, velocity_x, velocity_y, omega_a, omega_b
    )
    approach_1 = approach_speed(
        x_1, y_1, normal_x, normal_y, dx, dy, velocity_x, velocity_y, omega_a, omega_b
    )
    keeps_0 = count > 0 and gap_0 <= SPECULATIVE_DISTANCE + dt * max(approach_0, 0.0)
    keeps_1 = count > 1 and gap_1 <= SPECULATIVE_DISTANCE + dt * max(approach_1, 0.0)
    new_count = (1 if keeps_0 else 0) + (1 if keeps_1 else 0)
    if old_count == 0 and new_count == 0:
        return
    if not keeps_0:
        x_0 = x_1
        y_0 = y_1
        gap_0 = gap_1
        approach_0 = approach_1
        feature_0 = feature_1
    if old_count == 0 or new_count == 0:
        contact_out.rolling_impulse = 0.0
    normal_0, tangent_0 = kept_impulses(contact_out, feature_0, new_count > 0)
    normal_1, tangent_1 = kept_impulses(contact_out, feature_1, new_count > 1)
    contact_out.normal_impulse_0 = normal_0
    contact_out.normal_impulse_1 = normal_1
    contact_out.tangent_impulse_0 = tangent_0
    contact_out.tangent_impulse_1 = tangent_1
    contact_out.total_normal_0 = 0.0
    contact_out.total_normal_1 = 0.0
    contact_out.total_tangent_0 = 0.0
    contact_out.total_tangent_1 = 0.0
    contact_out.count = new_count
    contact_out.normal_x = normal_x
    contact_out.normal_y = normal_y
    contact_out.feature_0 = feature_0
    contact_out.anchor_ax_0 = x_0
    contact_out.anchor_ay_0 = y_0
    contact_out.anchor_bx_0 = x_0 - dx
    contact_out.anchor_by_0 = y_0 - dy
    contact_out.separation_0 = gap_0
    contact_out.approach_0 = approach_0
    contact_out.feature_1 = feature_1
    contact_out.anchor_ax_1 = x_1
    contact_out.anchor_ay_1 = y_1
    contact_out.anchor_bx_1 = x_1 - dx
    contact_out.anchor_by_1 = y_1 - dy
    contact_out.separation_1 = gap_1
    contact_out.approach_1 = approach_1


@inlined
def kept_impulses(contact: Record, which: int, is_point: bool) -> tuple[float, float]:
    """Normal and tangent impulse of the same features in the last step, 0 if they did not meet."""
    if is_point and contact.count > 0 and contact.feature_0 == which:
        return contact.normal_impulse_0, contact.tangent_impulse_0
    if is_point and contact.count > 1 and contact.feature_1 == which:
        return contact.normal_impulse_1, contact.tangent_impulse_1
    return 0.0, 0.0


@inlined
def approach_speed(
    x: float,
    y: float,
    normal_x: float,
    normal_y: float,
    dx: float,
    dy: float,
    velocity_x: float,
    velocity_y: float,
    omega_a: float,
    omega_b: float,
) -> float:
    """How fast (m/s) the surfaces come closer at (x, y), from A's centre of mass (m)."""
    apart_x = velocity_x - omega_b * (y - dy) + omega_a * y
    apart_y = velocity_y + omega_b * (x - dx) - omega_a * x
    return -(apart_x * normal_x + apart_y * normal_y)


@inner
def mix_materials(contact_out: Record, body_a: Record, body_b: Record, radius: float) -> None:
    """The pair's friction, restitution, rolling resistance (of `radius` m) and surface speed."""
    contact_out.friction = math.sqrt(body_a.friction * body_b.friction)
    contact_out.restitution = max(body_a.restitution, body_b.restitution)
    contact_out.rolling_resistance = radius * max(
        body_a.rolling_resistance, body_b.rolling_resistance
    )
    contact_out.surface_speed = body_a.surface_speed + body_b.surface_speed


@inlined
def state_of(contact: Record, dt: float) -> int:
    """Whether a contact acts, and whether it does so across a gap within `dt` seconds."""
    gap_0 = contact.separation_0
    gap_1 = contact.separation_1
    end_0 = gap_0 - dt * contact.approach_0
    end_1 = gap_1 - dt * contact.approach_1
    is_alone = contact.count < 2
    are_apart = (gap_0 > LINEAR_SLOP) & (is_alone | (gap_1 > LINEAR_SLOP))
    is_met = (end_0 < 0.0) | ((not is_alone) & (end_1 < 0.0))
    if contact.count == 0:
        return IDLE
    return ACTING_AFAR if are_apart & is_met else ACTING
