"""Vertices of moving outlines against static outlines: each that is behind or inside one."""

import math

from ecs_physics.kernels.compile import (
    Reals,
    Record,
    Table,
    inner,
    integer,
    kernel,
    reals2,
    table,
)
from ecs_physics.kernels.impacts_out import VERTEX_EDGE, write_impact
from ecs_physics.kernels.outlines import CHAIN, OUTLINE, POLYGON, SEGMENT
from ecs_physics.tables import BODY, CONTACT, DYNAMIC, STATIC


@kernel(integer(integer, integer, table(OUTLINE), reals2, table(BODY), table(CONTACT)))
def find_floor_impacts(
    first_row: int, loop_count: int, loops: Table, points: Reals, bodies: Table, contacts_out: Table
) -> int:
    """Write an impact for each vertex of a dynamic body that lies behind a static outline.

    Bodies come in the order of their rows, and the vertices of an outline clockwise from its
    first one. Depth and normal are those of the nearest edge. A polygon covers its inside; a
    chain what lies behind it, at any depth, between the perpendiculars at its ends (one long edge
    is a half-plane); a segment the same, seen from the side of the body's centre of mass.

    Args:
        first_row: row of `contacts_out` to begin with.
        loop_count: outlines in use.
        loops: see outlines.py.
        points: (V, 2) m, in the world.
        bodies: BODY.
        contacts_out: impacts, from `first_row` on.

    Returns the number of impacts; where `contacts_out` is too short, only the first are written.
    """
    found = 0
    for mover in range(loop_count):
        row = loops[mover].body
        if bodies[row].kind != DYNAMIC:
            continue
        start = loops[mover].first
        count = loops[mover].count
        for floor in range(loop_count):
            floor_row = loops[floor].body
            if bodies[floor_row].kind != STATIC:
                continue
            for step in range(count):
                vertex = start if step == 0 else start + count - step
                x = points[vertex, 0]
                y = points[vertex, 1]
                depth, normal_x, normal_y, edge = _behind(
                    x, y, bodies[row].x, bodies[row].y, loops[floor], points
                )
                if not depth > 0.0:
                    continue
                write_impact(
                    first_row + found,
                    floor_row,
                    row,
                    bodies[floor_row].first_part,
                    bodies[row].first_part,
                    x,
                    y,
                    normal_x,
                    normal_y,
                    depth,
                    VERTEX_EDGE,
                    edge,
                    vertex - start,
                    bodies,
                    contacts_out,
                )
                found += 1
    return found


@inner
def _behind(
    x: float, y: float, center_x: float, center_y: float, loop: Record, points: Reals
) -> tuple[float, float, float, int]:
    """How deep (x, y) is in an outline, the outward normal of the nearest edge, and its number.

    The depth is 0 or less outside.
    """
    start = loop.first
    count = loop.count
    is_polygon = loop.kind == POLYGON
    edges = count if is_polygon else count - 1
    nearest = math.inf
    depth = 0.0
    best_x = 0.0
    best_y = 0.0
    best_edge = 0
    inside = False
    for edge in range(edges):
        following = edge + 1 if edge + 1 < count else 0
        ax = points[start + edge, 0]
        ay = points[start + edge, 1]
        along_x = points[start + following, 0] - ax
        along_y = points[start + following, 1] - ay
        to_x = x - ax
        to_y = y - ay
        is_level = is_polygon and (ay > y) != (ay + along_y > y)
        if is_level and to_x < along_x * (to_y / along_y):
            inside = not inside
        square = along_x * along_x + along_y * along_y
        ahead = (to_x * along_x + to_y * along_y) / square
        is_past_end = (edge == 0 and ahead < 0.0) or (edge == edges - 1 and ahead > 1.0)
        if is_past_end and not is_polygon and not _is_closed(loop, points):
            continue
        held = min(max(ahead, 0.0), 1.0)
        off_x = to_x - held * along_x
        off_y = to_y - held * along_y
        away = off_x * off_x + off_y * off_y
        length = math.sqrt(square)
        normal_x = along_y / length
        normal_y = -along_x / length
        if loop.kind == CHAIN:
            normal_x = -normal_x
            normal_y = -normal_y
        behind = -(to_x * normal_x + to_y * normal_y)
        ahead_of_center = (center_x - ax) * normal_x + (center_y - ay) * normal_y
        if loop.kind == SEGMENT and ahead_of_center < 0.0:
            normal_x = -normal_x
            normal_y = -normal_y
            behind = -behind
        # Where a corner is nearest to the point, both its edges are: the one that it is farther
        # behind (or before) of says on which side of the line it lies.
        tie = 1e-12 * (square + away)
        if away < nearest - tie or (away <= nearest + tie and abs(behind) > abs(depth)):
            nearest = min(away, nearest)
            depth = behind
            best_x = normal_x
            best_y = normal_y
            best_edge = edge
    if is_polygon and not inside:
        depth = 0.0
    return depth, best_x, best_y, best_edge


@inner
def _is_closed(loop: Record, points: Reals) -> bool:
    """Whether a line ends where it begins."""
    first = loop.first
    last = first + loop.count - 1
    return points[first, 0] == points[last, 0] and points[first, 1] == points[last, 1]
