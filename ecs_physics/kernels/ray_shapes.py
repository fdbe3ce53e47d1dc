"""Where a ray meets one convex part.

A ray is its start (x, y), m, and its way to the end (dx, dy), m; it meets something at a fraction
of that way, from 0 to 1. A part is `count` corners (x, y in the world, m, counter-clockwise) from
row `first` on, and a radius.

A ray that starts inside a part, or on its boundary, meets it at fraction 0, with the normal
against the ray; but not where it starts within SLACK of the boundary and leads out, so that a ray
may go on from where it was reflected. Parts without thickness have no inside: a ray that starts
on one, or runs along it, does not meet it, and the edge of a chain is met from its solid side
only. A ray without length meets what covers its start.
"""

import math
from typing import Final

from ecs_physics.kernels.compile import Reals, inlined, inner

SLACK: Final = 1e-9
"""m. Starts this near to a boundary count as on it. Smaller: a reflected ray meets the same wall
again, for rounding errors. Larger: rays miss what is thinner."""

MISS: Final = math.inf
"""The fraction at which nothing is met."""

Meeting = tuple[float, float, float]
"""Fraction, and the unit normal of what is met there."""


@inlined
def meet_part(
    x: float,
    y: float,
    dx: float,
    dy: float,
    corners: Reals,
    first: int,
    count: int,
    radius: float,
    one_sided: bool,
) -> Meeting:
    """Where a ray first meets a part of any kind."""
    if one_sided:
        return meet_line(x, y, dx, dy, corners, first, True)
    if count == 1:
        return meet_circle(x, y, dx, dy, corners[first, 0], corners[first, 1], radius)
    if radius > 0.0:
        return meet_rounded(x, y, dx, dy, corners, first, count, radius)
    if count == 2:
        return meet_line(x, y, dx, dy, corners, first, False)
    return meet_polygon(x, y, dx, dy, corners, first, count)


@inlined
def missed() -> Meeting:
    """No meeting."""
    return MISS, 0.0, 0.0


@inlined
def met_inside(dx: float, dy: float) -> Meeting:
    """The meeting of a ray that starts inside."""
    length = math.hypot(dx, dy)
    if length == 0.0:
        return 0.0, 0.0, 0.0
    return 0.0, -dx / length, -dy / length


@inner
def meet_circle(
    x: float, y: float, dx: float, dy: float, center_x: float, center_y: float, radius: float
) -> Meeting:
    """The same for a disc: through the point of the ray's line that is nearest to the centre."""
    to_x = center_x - x
    to_y = center_y - y
    way_2 = dx * dx + dy * dy
    ahead = to_x * dx + to_y * dy
    distance = math.hypot(to_x, to_y)
    if distance <= radius:
        if ahead < 0.0 and distance >= radius - SLACK:
            return missed()
        return met_inside(dx, dy)
    if ahead <= 0.0:
        return missed()
    nearest = ahead / way_2
    off_x = to_x - nearest * dx
    off_y = to_y - nearest * dy
    half_2 = (radius - math.hypot(off_x, off_y)) * (radius + math.hypot(off_x, off_y))
    if half_2 < 0.0:
        return missed()
    fraction = max(nearest - math.sqrt(half_2 / way_2), 0.0)
    if fraction > 1.0:
        return missed()
    return fraction, (fraction * dx - to_x) / radius, (fraction * dy - to_y) / radius


@inner
def meet_line(
    x: float, y: float, dx: float, dy: float, corners: Reals, first: int, one_sided: bool
) -> Meeting:
    """The same for a line from one corner to the next; one-sided: from its left side only."""
    along_x = corners[first + 1, 0] - corners[first, 0]
    along_y = corners[first + 1, 1] - corners[first, 1]
    from_x = x - corners[first, 0]
    from_y = y - corners[first, 1]
    length = math.hypot(along_x, along_y)
    height = along_x * from_y - along_y * from_x  # both times the length: to the left if > 0
    rise = along_x * dy - along_y * dx
    if one_sided:
        if rise >= 0.0 or height < -SLACK * length:
            return missed()
        height = max(height, 0.0)
    elif height * rise >= 0.0 or abs(height) <= SLACK * length:
        return missed()
    fraction = -height / rise
    if fraction > 1.0:
        return missed()
    reached = (from_x + fraction * dx) * along_x + (from_y + fraction * dy) * along_y
    if not 0.0 <= reached <= length * length:
        return missed()
    side = 1.0 / length if rise < 0.0 else -1.0 / length
    return fraction, -along_y * side, along_x * side


@inner
def meet_polygon(
    x: float, y: float, dx: float, dy: float, corners: Reals, first: int, count: int
) -> Meeting:
    """The same for a sharp polygon: the ray is cut by one edge's line after the other."""
    enter = -math.inf
    leave = math.inf
    normal_x = normal_y = 0.0
    leads_out = False
    before_x = corners[first + count - 1, 0]
    before_y = corners[first + count - 1, 1]
    for row in range(first, first + count):
        corner_x = corners[row, 0]
        corner_y = corners[row, 1]
        out_x = corner_y - before_y
        out_y = before_x - corner_x
        depth = (before_x - x) * out_x + (before_y - y) * out_y  # times the length: inside if >= 0
        rate = dx * out_x + dy * out_y
        if rate < 0.0:
            fraction = depth / rate
            if fraction > enter:
                enter = fraction
                normal_x = out_x
                normal_y = out_y
        elif depth < 0.0:
            return missed()
        elif rate > 0.0:
            leave = min(leave, depth / rate)
            if depth * depth <= SLACK * SLACK * (out_x * out_x + out_y * out_y):
                leads_out = True
        before_x = corner_x
        before_y = corner_y
    if enter > leave or enter > 1.0:
        return missed()
    if enter < 0.0:
        return missed() if leads_out else met_inside(dx, dy)
    length = math.hypot(normal_x, normal_y)
    return abs(enter), normal_x / length, normal_y / length


@inner
def meet_rounded(
    x: float, y: float, dx: float, dy: float, corners: Reals, first: int, count: int, radius: float
) -> Meeting:
    """The same for a capsule or a rounded polygon: the first of its straight edges and corners."""
    distance, near_x, near_y = nearest_of_part(x, y, corners, first, count)
    if distance <= radius:
        leads_out = (x - near_x) * dx + (y - near_y) * dy > 0.0
        if leads_out and distance >= radius - SLACK:
            return missed()
        return met_inside(dx, dy)
    best = missed()
    before_x = corners[first + count - 1, 0]
    before_y = corners[first + count - 1, 1]
    for row in range(first, first + count):
        corner_x = corners[row, 0]
        corner_y = corners[row, 1]
        out_x = corner_y - before_y
        out_y = before_x - corner_x
        rate = dx * out_x + dy * out_y
        if rate < 0.0:
            length = math.hypot(out_x, out_y)
            depth = (before_x - x) * out_x + (before_y - y) * out_y + radius * length
            fraction = depth / rate
            along_x = x + fraction * dx - before_x
            along_y = y + fraction * dy - before_y
            reached = along_y * out_x - along_x * out_y
            if 0.0 <= fraction < best[0] and fraction <= 1.0 and 0.0 <= reached <= length * length:
                best = fraction, out_x / length, out_y / length
        round_corner = meet_circle(x, y, dx, dy, corner_x, corner_y, radius)
        if round_corner[0] < best[0]:
            best = round_corner
        before_x = corner_x
        before_y = corner_y
    return best


@inner
def nearest_of_part(
    x: float, y: float, corners: Reals, first: int, count: int
) -> tuple[float, float, float]:
    """The point of a part's core that is nearest to (x, y): distance, x and y; 0 inside."""
    nearest = math.inf
    near_x = near_y = math.nan
    is_inside = count > 2
    before_x = corners[first + count - 1, 0]
    before_y = corners[first + count - 1, 1]
    for row in range(first, first + count):
        along_x = corners[row, 0] - before_x
        along_y = corners[row, 1] - before_y
        from_x = x - before_x
        from_y = y - before_y
        if not along_x * from_y - along_y * from_x >= 0.0:
            is_inside = False
        length_2 = along_x * along_x + along_y * along_y
        share = 0.0
        if length_2 > 0.0:
            share = max(0.0, min((from_x * along_x + from_y * along_y) / length_2, 1.0))
        distance = math.hypot(from_x - share * along_x, from_y - share * along_y)
        if distance < nearest:
            nearest = distance
            near_x = before_x + share * along_x
            near_y = before_y + share * along_y
        before_x = corners[row, 0]
        before_y = corners[row, 1]
    if is_inside:
        return 0.0, x, y
    return nearest, near_x, near_y
