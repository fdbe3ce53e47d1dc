"""How the textbook detections write an impact: one row of the contact table with one point."""

from ecs_physics.kernels.compile import (
    Table,
    inner,
)
from ecs_physics.kernels.contact_points import mix_materials

VERTEX_EDGE = 0
"""A vertex behind an edge."""

PARALLEL = 1
"""Two edges along each other."""

VERTEX_VERTEX = 2
"""A corner of each inside the other."""

EDGE_IN = 3
"""The first or the last of several vertices behind an edge."""

_KINDS_FROM = 1 << 24


@inner
def write_impact(
    at: int,
    row_a: int,
    row_b: int,
    part_a: int,
    part_b: int,
    x: float,
    y: float,
    normal_x: float,
    normal_y: float,
    overlap: float,
    kind: int,
    feature_a: int,
    feature_b: int,
    bodies: Table,
    contacts_out: Table,
) -> None:
    """Write row `at` of the contact table, if there is such a row.

    The point (x, y) is in the world (m), the unit normal points from A to B; `kind` is one of this
    file's, `feature_a` and `feature_b` number a vertex or edge of A and of B.
    """
    if at >= contacts_out.shape[0]:
        return
    contact = contacts_out[at]
    body_a = bodies[row_a]
    body_b = bodies[row_b]
    contact.part_a = part_a
    contact.part_b = part_b
    contact.body_a = row_a
    contact.body_b = row_b
    contact.entity_a = body_a.entity
    contact.entity_b = body_b.entity
    contact.count = 1
    contact.feature_0 = feature_of(kind, feature_a)
    contact.feature_1 = feature_b
    contact.is_sensor = contact.is_touching = contact.is_asleep = False
    contact.disabled = 0
    contact.normal_x = normal_x
    contact.normal_y = normal_y
    contact.anchor_ax_0 = x - body_a.x
    contact.anchor_ay_0 = y - body_a.y
    contact.anchor_bx_0 = x - body_b.x
    contact.anchor_by_0 = y - body_b.y
    contact.separation_0 = -overlap
    contact.anchor_ax_1 = 0.0
    contact.anchor_ay_1 = 0.0
    contact.anchor_bx_1 = 0.0
    contact.anchor_by_1 = 0.0
    contact.separation_1 = 0.0
    contact.approach_0 = 0.0
    contact.approach_1 = 0.0
    contact.normal_impulse_0 = 0.0
    contact.normal_impulse_1 = 0.0
    contact.tangent_impulse_0 = 0.0
    contact.tangent_impulse_1 = 0.0
    contact.total_normal_0 = 0.0
    contact.total_normal_1 = 0.0
    contact.total_tangent_0 = 0.0
    contact.total_tangent_1 = 0.0
    contact.rolling_impulse = 0.0
    mix_materials(contact, body_a, body_b, 0.0)


@inner
def feature_of(kind: int, feature: int) -> int:
    """What `feature_0` of an impact's row holds: its kind in the upper bits."""
    return kind * _KINDS_FROM + feature


@inner
def kind_of(feature_0: int) -> int:
    """VERTEX_EDGE, PARALLEL, VERTEX_VERTEX or EDGE_IN."""
    return feature_0 // _KINDS_FROM
