"""Seams: which pieces of the edges of static polygons lie open, and how the surface goes on.

Static polygons that touch are one solid. What others slide along is its surface: the pieces of
edges that no neighbour covers, each with the two pieces next to it, in whichever part they are.
A piece is written as a chain's edge is kept (chain_surface.py), four rows of vertices

    before, tail, head, after          the outside on the left of the walk from tail to head

so that a seam is to a body what a vertex of a chain is. A polygon runs counter-clockwise, with its
outside on the right: a piece's tail is where the polygon leaves its edge, and its head where it
enters it.

A point of an edge is covered where the place WELD_DISTANCE outside of it lies within a neighbour.
Edges of static chains are part of the surface too. As they are solid from one side only, they
cover what lies less than PLANK below them, and no edge of theirs is covered; the kernel writes one
piece for each, of which only what lies beyond an open end is of use.

At an end where the edge dives into a neighbour, or meets one that rises, the surface has no other
normals than the edge's own one, and `before` (or `after`) says so; where the surface falls away,
it is the way on.

Arrays, all owned by the caller:

- `parts`: (P,) PART, `bodies`: (B,) BODY, `vertices`: (V, 4) in world axes; read only.
- `chosen`: (N,) int32, rows of the parts to look at; `firsts`: (N + 1,) int64 and `neighbours`:
  (M,) int32: `neighbours[firsts[i] : firsts[i + 1]]` are the rows of parts about `chosen[i]`.
- `spans`: (2 M or more, 2) float64, scratch.
- `pieces`: (K,) PIECE, scratch.
- `rows_out`: (4 K, 4) float64, about the centre of mass of the piece's own body.
- `counts_out`: (N,) int32: -1 where no neighbour touches, else the number of pieces.
"""

import math
from typing import Any, Final

import numpy as np

from ecs_physics.constants import WELD_DISTANCE
from ecs_physics.kernels.compile import (
    Integers,
    Integers32,
    Reals,
    Table,
    inner,
    integer,
    integers,
    integers32,
    kernel,
    reals2,
    table,
)
from ecs_physics.kernels.part_cores import next_vertex
from ecs_physics.tables import BODY, PART, STATIC

PIECE: Final = np.dtype(
    [
        ("edge", "i4"),  # row of the vertex at which the edge begins
        ("at_start", "?"),  # it begins where the edge does
        ("at_end", "?"),  # it ends where the edge does
        ("start", "f8"),  # m, from the beginning of the edge
        ("end", "f8"),
    ],
    align=True,
)

NEAR: Final = 2.0 * WELD_DISTANCE
"""m. Vertices closer than this are one corner of the surface."""

STRAIGHT: Final = 0.01
"""rad. Bends below this are taken for straight. Smaller: tiles laid not quite true have corners.
Larger: a curve of many short tiles is felt."""

RISE: Final = 1e-3
"""How steeply what tells of a rising surface rises: more than any rounding error."""

SHARE: Final = 1e-9
"""rad. By so much the two pieces at a corner share the normals half-way between them, so that
rounding leaves none of these to nobody."""

PLANK: Final = 4.0 * WELD_DISTANCE
"""m. How thick a chain is, for the sides of polygons that it ends at. Smaller: what is pressed into
the chain meets the side. Larger: what is below the chain passes through the side."""

NO_WAY_ON: Final = 10.0
"""rad. More than any turn of the surface."""

Ways = tuple[float, float, float, float, float, int]
"""The next piece at an end, for the type checker: (its turn, rad; the direction in which it leads
away; where it begins; the row of its part)."""


@kernel(integer(integer, table(BODY), table(PART), integers32))
def list_moved_statics(part_rows: int, bodies: Table, parts: Table, rows_out: Integers32) -> int:
    """Write the rows of parts of static bodies that have `moved`; return how many."""
    found = 0
    for row in range(part_rows):
        part = parts[row]
        if part.moved and part.body >= 0 and bodies[part.body].kind == STATIC:
            rows_out[found] = row
            found += 1
    return found


@kernel(
    integer(
        integers32,
        integers,
        integers32,
        table(BODY),
        table(PART),
        reals2,
        reals2,
        table(PIECE),
        reals2,
        integers32,
    ),
    feature="seams",
)
def find_free_edges(
    chosen: Integers32,
    firsts: Integers,
    neighbours: Integers32,
    bodies: Table,
    parts: Table,
    vertices: Reals,
    spans: Reals,
    pieces: Table,
    rows_out: Reals,
    counts_out: Integers32,
) -> int:
    """Find the open pieces of the edges of the `chosen` parts.

    Returns how many there are; where that is more than there is room for, the caller comes again
    with more. The arrays are described at the top of this file.
    """
    found = 0
    for i in range(chosen.shape[0]):
        about = neighbours[firsts[i] : firsts[i + 1]]
        part = chosen[i]
        cut = 0
        first_piece = found
        if parts[part].one_sided:
            found = add_piece(parts[part].first_vertex, 0.0, 0.0, True, True, pieces, found)
            if found <= pieces.shape[0] and write_chain_ends(
                part, found - 1, about, bodies, parts, vertices, pieces, rows_out
            ):
                counts_out[i] = 1
            else:
                found = first_piece if found <= pieces.shape[0] else found
            continue
        row = parts[part].first_vertex
        for edge in range(row, row + parts[part].count):
            covered = covered_spans(part, edge, about, bodies, parts, vertices, spans)
            cut += covered
            found = list_pieces(part, edge, covered, parts, vertices, spans, pieces, found)
        if found > pieces.shape[0]:
            continue
        met = write_pieces(
            part, first_piece, found, about, bodies, parts, vertices, pieces, rows_out
        )
        counts_out[i] = found - first_piece
        if cut == 0 and not met:
            found = first_piece
            counts_out[i] = -1
    return found


@inner
def covered_spans(
    part: int,
    edge: int,
    about: Integers32,
    bodies: Table,
    parts: Table,
    vertices: Reals,
    spans_out: Reals,
) -> int:
    """Write from where to where (m) neighbours cover an edge, by start; return how many do."""
    end = next_vertex(edge, parts[part].first_vertex, parts[part].count)
    x = vertices[edge, 0] + WELD_DISTANCE * vertices[edge, 2]
    y = vertices[edge, 1] + WELD_DISTANCE * vertices[edge, 3]
    along_x = -vertices[edge, 3]
    along_y = vertices[edge, 2]
    length = math.hypot(vertices[end, 0] - vertices[edge, 0], vertices[end, 1] - vertices[edge, 1])
    found = 0
    for k in range(about.shape[0]):
        other = about[k]
        dx = bodies[parts[part].body].x - bodies[parts[other].body].x
        dy = bodies[parts[part].body].y - bodies[parts[other].body].y
        if parts[other].one_sided:
            low, high = span_below(
                parts[other].first_vertex, x + dx, y + dy, along_x, along_y, length, vertices
            )
        else:
            low, high = span_inside(
                other, x + dx, y + dy, along_x, along_y, length, parts, vertices
            )
        if high - low < WELD_DISTANCE:
            continue
        place = found
        while place > 0 and spans_out[place - 1, 0] > low:
            spans_out[place, 0] = spans_out[place - 1, 0]
            spans_out[place, 1] = spans_out[place - 1, 1]
            place -= 1
        spans_out[place, 0] = low
        spans_out[place, 1] = high
        found += 1
    return found


@inner
def span_inside(
    other: int,
    x: float,
    y: float,
    along_x: float,
    along_y: float,
    length: float,
    parts: Table,
    vertices: Reals,
) -> tuple[float, float]:
    """From where to where a line of `length` from (x, y) lies in a part: nowhere if high < low."""
    low = 0.0
    high = length
    first = parts[other].first_vertex
    for row in range(first, first + parts[other].count):
        normal_x = vertices[row, 2]
        normal_y = vertices[row, 3]
        outside = (x - vertices[row, 0]) * normal_x + (y - vertices[row, 1]) * normal_y
        rise = along_x * normal_x + along_y * normal_y
        low, high = cut_span(low, high, outside, rise)
    return low, high


@inner
def span_below(
    tail: int, x: float, y: float, along_x: float, along_y: float, length: float, vertices: Reals
) -> tuple[float, float]:
    """The same for what lies less than PLANK below an edge of a chain from the row `tail` on."""
    normal_x = vertices[tail, 2]
    normal_y = vertices[tail, 3]
    from_x = x - vertices[tail, 0]
    from_y = y - vertices[tail, 1]
    above = from_x * normal_x + from_y * normal_y
    rise = along_x * normal_x + along_y * normal_y
    ahead = from_x * normal_y - from_y * normal_x
    gain = along_x * normal_y - along_y * normal_x
    wide_x = vertices[tail + 1, 0] - vertices[tail, 0]
    wide_y = vertices[tail + 1, 1] - vertices[tail, 1]
    low, high = cut_span(0.0, length, above, rise)
    low, high = cut_span(low, high, -above - PLANK, -rise)
    low, high = cut_span(low, high, -ahead, -gain)
    return cut_span(low, high, ahead - math.hypot(wide_x, wide_y), gain)


@inner
def cut_span(low: float, high: float, outside: float, rise: float) -> tuple[float, float]:
    """What of a span is not outside of a line: it begins `outside` (m) and goes on by `rise`."""
    if abs(rise) < SHARE:
        if outside > 0.0:
            return 0.0, -1.0
    elif rise > 0.0:
        high = min(high, -outside / rise)
    else:
        low = max(low, -outside / rise)
    return low, high


@inner
def list_pieces(
    part: int,
    edge: int,
    covered: int,
    parts: Table,
    vertices: Reals,
    spans: Reals,
    pieces_out: Table,
    found: int,
) -> int:
    """Write what is left of an edge between the covered spans; return the new `found`."""
    end = next_vertex(edge, parts[part].first_vertex, parts[part].count)
    length = math.hypot(vertices[end, 0] - vertices[edge, 0], vertices[end, 1] - vertices[edge, 1])
    if covered == 0:
        return add_piece(edge, 0.0, length, True, True, pieces_out, found)
    start = 0.0
    for k in range(covered):
        if spans[k, 0] - start > WELD_DISTANCE:
            found = add_piece(edge, start, spans[k, 0], start == 0.0, False, pieces_out, found)
        start = max(start, spans[k, 1])
    if length - start > WELD_DISTANCE:
        found = add_piece(edge, start, length, start == 0.0, True, pieces_out, found)
    return found


@inner
def add_piece(
    edge: int,
    start: float,
    end: float,
    at_start: bool,
    at_end: bool,
    pieces_out: Table,
    found: int,
) -> int:
    """Write one piece, if there is room; return the new `found`."""
    if found < pieces_out.shape[0]:
        piece = pieces_out[found]
        piece.edge = edge
        piece.start = start
        piece.end = end
        piece.at_start = at_start
        piece.at_end = at_end
    return found + 1


@inner
def write_pieces(
    part: int,
    first: int,
    last: int,
    about: Integers32,
    bodies: Table,
    parts: Table,
    vertices: Reals,
    pieces: Table,
    rows_out: Reals,
) -> bool:
    """Write the rows of the pieces of one part; tells whether one goes on in another part."""
    met = False
    for k in range(first, last):
        edge = pieces[k].edge
        head_x = vertices[edge, 0] - pieces[k].start * vertices[edge, 3]
        head_y = vertices[edge, 1] + pieces[k].start * vertices[edge, 2]
        tail_x = vertices[edge, 0] - pieces[k].end * vertices[edge, 3]
        tail_y = vertices[edge, 1] + pieces[k].end * vertices[edge, 2]
        for side in (-1.0, 1.0):
            is_tail = side > 0.0
            x = tail_x if is_tail else head_x
            y = tail_y if is_tail else head_y
            way = (NO_WAY_ON, 0.0, 0.0, x, y, part)
            if pieces[k].at_end if is_tail else pieces[k].at_start:
                way = way_on(
                    part, edge, side, x, y, first, last, about, bodies, parts, vertices, pieces
                )
            met = met or way[5] != part
            write_end(4 * k, edge, side, x, y, way, vertices, rows_out)
    return met


@inner
def write_chain_ends(
    part: int,
    k: int,
    about: Integers32,
    bodies: Table,
    parts: Table,
    vertices: Reals,
    pieces: Table,
    rows_out: Reals,
) -> bool:
    """Write the rows of an edge of a chain; tells whether it goes on in another part."""
    met = False
    tail = pieces[k].edge
    for side in (-1.0, 1.0):
        row = tail if side > 0.0 else tail + 1
        x = vertices[row, 0]
        y = vertices[row, 1]
        way = way_on(part, tail, side, x, y, 0, 0, about, bodies, parts, vertices, pieces)
        write_end(4 * k, tail, side, x, y, way, vertices, rows_out)
        below_x = x - WELD_DISTANCE * (vertices[tail, 2] + side * vertices[tail, 3])
        below_y = y - WELD_DISTANCE * (vertices[tail, 3] - side * vertices[tail, 2])
        if way[5] != part or is_in_polygon(part, below_x, below_y, about, bodies, parts, vertices):
            met = True
        else:  # it ends there, and is a corner from all around
            beyond = 4 * k if side > 0.0 else 4 * k + 3
            rows_out[beyond, 0] = x
            rows_out[beyond, 1] = y
    return met


@inner
def is_in_polygon(
    part: int,
    x: float,
    y: float,
    about: Integers32,
    bodies: Table,
    parts: Table,
    vertices: Reals,
) -> bool:
    """Whether a place about the body of `part` lies within a polygon nearby."""
    for k in range(about.shape[0]):
        other = about[k]
        if parts[other].one_sided:
            continue
        dx = bodies[parts[part].body].x - bodies[parts[other].body].x
        dy = bodies[parts[part].body].y - bodies[parts[other].body].y
        low, high = span_inside(other, x + dx, y + dy, 0.0, 0.0, 0.0, parts, vertices)
        if low <= high:
            return True
    return False


@inner
def write_end(
    row: int,
    edge: int,
    side: float,
    x: float,
    y: float,
    way: Any,
    vertices: Reals,
    rows_out: Reals,
) -> None:
    """Write the tail (`side` 1) or head (-1) of a piece, near (x, y), and what lies beyond it.

    Pieces that go on straight, or nearly, overlap where there is a gap between them; at a bend
    both end where their lines cross.
    """
    normal_x = vertices[edge, 2]
    normal_y = vertices[edge, 3]
    along_x = -side * normal_y
    along_y = side * normal_x
    turn, to_x, to_y, start_x, start_y, _ = way
    ahead = 0.0
    beyond_x = along_x + RISE * normal_x
    beyond_y = along_y + RISE * normal_y
    away_x = start_x - x
    away_y = start_y - y
    if STRAIGHT < turn < NO_WAY_ON:
        across = along_x * to_y - along_y * to_x
        if abs(across) > STRAIGHT:
            ahead = (away_x * to_y - away_y * to_x) / across
            ahead = ahead if abs(ahead) < NEAR else 0.0
        beyond_x = to_x - side * SHARE * to_y
        beyond_y = to_y + side * SHARE * to_x
    elif abs(turn) <= STRAIGHT:
        ahead = min(max(away_x * along_x + away_y * along_y, 0.0), NEAR)
    end = row + 1 if side > 0.0 else row + 2
    beyond = row if side > 0.0 else row + 3
    rows_out[end, 0] = x + ahead * along_x
    rows_out[end, 1] = y + ahead * along_y
    rows_out[beyond, 0] = rows_out[end, 0] + beyond_x
    rows_out[beyond, 1] = rows_out[end, 1] + beyond_y
    rows_out[end, 2] = normal_x if side > 0.0 else 0.0
    rows_out[end, 3] = normal_y if side > 0.0 else 0.0
    rows_out[beyond, 2] = 0.0
    rows_out[beyond, 3] = 0.0


@inner
def way_on(
    part: int,
    edge: int,
    side: float,
    x: float,
    y: float,
    first: int,
    last: int,
    about: Integers32,
    bodies: Table,
    parts: Table,
    vertices: Reals,
    pieces: Table,
) -> Any:
    """How the surface goes on from the vertex (x, y) at the end of an edge.

    Of all edges that lead away from there, outside and inside on the same sides, it is the one
    that turns outwards most: the first that one meets on the way round through the outside.
    """
    way = (NO_WAY_ON, 0.0, 0.0, x, y, part)
    begin = parts[part].first_vertex
    count = parts[part].count
    own = next_vertex(edge, begin, count)
    if side < 0.0:
        own = edge - 1 if edge > begin else begin + count - 1
    for k in range(first, last):
        if pieces[k].edge == own and (pieces[k].at_start if side > 0.0 else pieces[k].at_end):
            way = better_way(way, edge, side, own, part, x, y, vertices)
    for k in range(about.shape[0]):
        other = about[k]
        dx = bodies[parts[other].body].x - bodies[parts[part].body].x
        dy = bodies[parts[other].body].y - bodies[parts[part].body].y
        begin = parts[other].first_vertex
        count = parts[other].count
        is_chain = parts[other].one_sided
        for row in range(begin, begin + 1 if is_chain else begin + count):
            is_first = (side > 0.0) != is_chain  # of the two vertices in the order of rows
            corner = row if is_first else next_vertex(row, begin, count)
            start_x = vertices[corner, 0] + dx
            start_y = vertices[corner, 1] + dy
            if math.hypot(start_x - x, start_y - y) <= NEAR:
                way = better_way(way, edge, side, row, other, start_x, start_y, vertices)
    return way


@inner
def better_way(
    way: Any, edge: int, side: float, row: int, part: int, x: float, y: float, vertices: Reals
) -> Any:
    """Of a way on and that of the edge in `row`, from (x, y): the one that turns outwards more."""
    along_x = -side * vertices[edge, 3]
    along_y = side * vertices[edge, 2]
    to_x = -side * vertices[row, 3]
    to_y = side * vertices[row, 2]
    turn = side * math.atan2(along_x * to_y - along_y * to_x, along_x * to_x + along_y * to_y)
    if turn < way[0]:
        return (turn, to_x, to_y, x, y, part)
    return way
