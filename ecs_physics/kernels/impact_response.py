"""What the two textbook methods make of an impact: impulses, penalty forces, push-out. float64.

Of each row of the contact table the points that overlap count, in the order of the rows, each
seeing the velocities that the one before has left. Cross products: w x r = (-w ry, w rx),
a x b = ax by - ay bx. Arrays, all owned by the caller:

- `active`: (N,) rows of `contacts` that have points.
- `bodies`: BODY; `velocities_out`, `forces_out`: aligned with it.
- `contacts_out`: CONTACT; the sums of impulses are written for those who look.
"""

import math

from numba import types

from ecs_physics.kernels.compile import (
    Integers32,
    Reals,
    Record,
    Table,
    boolean,
    inlined,
    inner,
    integer,
    integers32,
    kernel,
    real,
    reals2,
    table,
)
from ecs_physics.tables import BODY, CONTACT, DYNAMIC, FORCE, VELOCITY

SLIDING = 1e-4
"""m/s. Tangential speed above which the direction of friction is a unit vector. Smaller: rounding
decides where friction points. Larger: friction is weak on things that creep."""


@kernel(
    types.void(
        integer,
        real,
        real,
        real,
        real,
        boolean,
        boolean,
        integers32,
        table(BODY),
        table(CONTACT),
        table(VELOCITY),
        table(FORCE),
    )
)
def impulses_and_penalties(
    count: int,
    dt: float,
    stiffness: float,
    restitution: float,
    friction: float,
    use_impulses: bool,
    use_penalty_force: bool,
    active: Integers32,
    bodies: Table,
    contacts_out: Table,
    velocities_out: Table,
    forces_out: Table,
) -> None:
    """Let impulses change the velocities, and penalty forces the forces of this step of `dt` s.

    With the relative velocity u of the two bodies at the point, its normal part un and its
    tangent part ut, t = ut / |ut| (or ut, where it is below SLIDING), the overlap d and

        K = 1/ma + 1/mb + (ra x n)^2 / Ia + (rb x n)^2 / Ib:

    impulse p = -(1 + e) un / K, with friction p - mu |p| t, applied where p.n > 0; penalty force
    k d n - mu k d t. On B, and the opposite on A.

    `stiffness` k in N/m; `restitution` e and `friction` mu are ratios, and where one is negative
    the pair's own counts.
    """
    for at in range(count):
        contact = contacts_out[active[at]]
        e = contact.restitution if restitution < 0.0 else restitution
        mu = contact.friction if friction < 0.0 else friction
        for point in range(contact.count):
            ax, ay, bx, by, overlap = _arms(contact, point)
            if not overlap > 0.0:
                continue
            impulse_x, impulse_y, force_x, force_y = _response(
                ax,
                ay,
                bx,
                by,
                contact.normal_x,
                contact.normal_y,
                stiffness * overlap,
                e,
                mu,
                bodies[contact.body_a],
                bodies[contact.body_b],
                velocities_out[contact.body_a],
                velocities_out[contact.body_b],
            )
            normal = impulse_x * contact.normal_x + impulse_y * contact.normal_y
            total_x = total_y = 0.0
            if use_impulses and normal > 0.0:
                _push(contact.body_a, ax, ay, -impulse_x, -impulse_y, bodies, velocities_out)
                _push(contact.body_b, bx, by, impulse_x, impulse_y, bodies, velocities_out)
                total_x = impulse_x
                total_y = impulse_y
            if use_penalty_force:
                _pull(contact.body_a, ax, ay, -force_x, -force_y, bodies, forces_out)
                _pull(contact.body_b, bx, by, force_x, force_y, bodies, forces_out)
                total_x += dt * force_x
                total_y += dt * force_y
            _note(contact, point, total_x, total_y)


@kernel(
    types.void(
        integer,
        real,
        real,
        integer,
        integers32,
        table(CONTACT),
        table(VELOCITY),
        table(BODY),
        reals2,
    )
)
def elastic_impacts(
    count: int,
    elasticity: float,
    push_out: float,
    rows: int,
    active: Integers32,
    contacts_out: Table,
    velocities_out: Table,
    bodies_out: Table,
    moved_out: Reals,
) -> None:
    """Frictionless impulses j n, then push the bodies apart in proportion to inverse masses.

    With vp the relative velocity at the point, only where they approach:

        j = -(1 + e) vp.n / (1/ma + 1/mb + (ra x n)^2 / Ia + (rb x n)^2 / Ib).

    Of the overlap a fraction `push_out` is taken away by moving the centres of mass along n, as
    far as earlier contacts of the same bodies have not done so already. `elasticity` e is a
    ratio, and where it is negative the pair's restitution counts. `moved_out` (rows, 2), m, is
    how far each body was pushed.
    """
    for row in range(rows):
        moved_out[row, 0] = 0.0
        moved_out[row, 1] = 0.0
    for at in range(count):
        contact = contacts_out[active[at]]
        a = contact.body_a
        b = contact.body_b
        e = contact.restitution if elasticity < 0.0 else elasticity
        normal_x = contact.normal_x
        normal_y = contact.normal_y
        for point in range(contact.count):
            ax, ay, bx, by, overlap = _arms(contact, point)
            if not overlap > 0.0:
                continue
            mobility = _mobility(ax, ay, bx, by, normal_x, normal_y, bodies_out[a], bodies_out[b])
            if mobility <= 0.0:
                continue
            speed_x, speed_y = _relative_velocity(
                ax, ay, bx, by, velocities_out[a], velocities_out[b]
            )
            closing = speed_x * normal_x + speed_y * normal_y
            if closing < 0.0:
                impulse = -(1.0 + e) * closing / mobility
                x = impulse * normal_x
                y = impulse * normal_y
                _push(a, ax, ay, -x, -y, bodies_out, velocities_out)
                _push(b, bx, by, x, y, bodies_out, velocities_out)
                _note(contact, point, x, y)
            left = overlap - (
                (moved_out[b, 0] - moved_out[a, 0]) * normal_x
                + (moved_out[b, 1] - moved_out[a, 1]) * normal_y
            )
            if left > 0.0:
                _part(a, b, normal_x, normal_y, push_out * left, bodies_out, moved_out)


@inner
def _arms(contact: Record, point: int) -> tuple[float, float, float, float, float]:
    """The point from the two centres of mass (m), and its overlap (m)."""
    if point == 0:
        return (
            contact.anchor_ax_0,
            contact.anchor_ay_0,
            contact.anchor_bx_0,
            contact.anchor_by_0,
            -contact.separation_0,
        )
    return (
        contact.anchor_ax_1,
        contact.anchor_ay_1,
        contact.anchor_bx_1,
        contact.anchor_by_1,
        -contact.separation_1,
    )


@inlined
def _response(
    ax: float,
    ay: float,
    bx: float,
    by: float,
    normal_x: float,
    normal_y: float,
    push: float,
    restitution: float,
    friction: float,
    body_a: Record,
    body_b: Record,
    va: Record,
    vb: Record,
) -> tuple[float, float, float, float]:
    """Impulse (N s) and penalty force (N) on B at a point, friction included."""
    speed_x, speed_y = _relative_velocity(ax, ay, bx, by, va, vb)
    closing = speed_x * normal_x + speed_y * normal_y
    along_x = speed_x - closing * normal_x
    along_y = speed_y - closing * normal_y
    sliding = math.sqrt(along_x * along_x + along_y * along_y)
    if sliding > SLIDING:
        along_x /= sliding
        along_y /= sliding
    force_x = push * normal_x - friction * push * along_x
    force_y = push * normal_y - friction * push * along_y
    mobility = _mobility(ax, ay, bx, by, normal_x, normal_y, body_a, body_b)
    if mobility <= 0.0:
        return 0.0, 0.0, force_x, force_y
    normal = -(1.0 + restitution) * closing / mobility
    rubbing = friction * abs(normal)
    return (
        normal * normal_x - rubbing * along_x,
        normal * normal_y - rubbing * along_y,
        force_x,
        force_y,
    )


@inlined
def _relative_velocity(
    ax: float, ay: float, bx: float, by: float, velocity_a: Record, velocity_b: Record
) -> tuple[float, float]:
    """Velocity (m/s) of B at the point, relative to A."""
    return (
        (velocity_b.x - velocity_b.omega * by) - (velocity_a.x - velocity_a.omega * ay),
        (velocity_b.y + velocity_b.omega * bx) - (velocity_a.y + velocity_a.omega * ax),
    )


@inlined
def _mobility(
    ax: float,
    ay: float,
    bx: float,
    by: float,
    normal_x: float,
    normal_y: float,
    body_a: Record,
    body_b: Record,
) -> float:
    """Relative velocity along the normal that a unit impulse along it makes (1/kg)."""
    lever_a = ax * normal_y - ay * normal_x
    lever_b = bx * normal_y - by * normal_x
    return (
        normal_x * normal_x * (body_a.inverse_mass_x + body_b.inverse_mass_x)
        + normal_y * normal_y * (body_a.inverse_mass_y + body_b.inverse_mass_y)
        + lever_a * lever_a * body_a.inverse_inertia
        + lever_b * lever_b * body_b.inverse_inertia
    )


@inlined
def _push(
    row: int,
    x: float,
    y: float,
    impulse_x: float,
    impulse_y: float,
    bodies: Table,
    velocities_out: Table,
) -> None:
    """Let an impulse (N s) act on a body at (x, y) from its centre of mass."""
    body = bodies[row]
    velocity = velocities_out[row]
    velocity.x += impulse_x * body.inverse_mass_x
    velocity.y += impulse_y * body.inverse_mass_y
    velocity.omega += (x * impulse_y - y * impulse_x) * body.inverse_inertia


@inlined
def _pull(
    row: int, x: float, y: float, force_x: float, force_y: float, bodies: Table, forces_out: Table
) -> None:
    """Add a force (N) at (x, y) from a dynamic body's centre of mass."""
    if bodies[row].kind == DYNAMIC:
        force = forces_out[row]
        force.x += force_x
        force.y += force_y
        force.torque += x * force_y - y * force_x


@inlined
def _part(
    a: int,
    b: int,
    normal_x: float,
    normal_y: float,
    distance: float,
    bodies_out: Table,
    moved_out: Reals,
) -> None:
    """Move two bodies apart by `distance` (m) along the normal, the lighter one farther."""
    body_a = bodies_out[a]
    body_b = bodies_out[b]
    give = normal_x * normal_x * (body_a.inverse_mass_x + body_b.inverse_mass_x)
    give += normal_y * normal_y * (body_a.inverse_mass_y + body_b.inverse_mass_y)
    if give <= 0.0:
        return
    step = distance / give
    x = -step * normal_x * body_a.inverse_mass_x
    y = -step * normal_y * body_a.inverse_mass_y
    body_a.x += x
    body_a.y += y
    moved_out[a, 0] += x
    moved_out[a, 1] += y
    x = step * normal_x * body_b.inverse_mass_x
    y = step * normal_y * body_b.inverse_mass_y
    body_b.x += x
    body_b.y += y
    moved_out[b, 0] += x
    moved_out[b, 1] += y


@inlined
def _note(contact: Record, point: int, impulse_x: float, impulse_y: float) -> None:
    """Keep what a point gave over the step (N s), along the normal and the tangent, on B."""
    normal = impulse_x * contact.normal_x + impulse_y * contact.normal_y
    tangent = impulse_x * contact.normal_y - impulse_y * contact.normal_x
    if point == 0:
        contact.total_normal_0 = normal
        contact.total_tangent_0 = tangent
    else:
        contact.total_normal_1 = normal
        contact.total_tangent_1 = tangent
