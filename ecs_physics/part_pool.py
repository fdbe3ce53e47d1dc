"""Where the convex parts of all shapes and their vertices live, as kernels read them."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ecs_physics.shapes import Part, Shape
from ecs_physics.state import State, array, fill
from ecs_physics.tables import BOX, CIRCLE, OTHER, PART

_FIRST_CAPACITY: Final = 64
_NO_PART: Final = -1

RIGHT: Final = 1e-9
"""rad. How far the corners of a box may be from a right angle. Larger: contacts of what is nearly a
box are wrong by as much of its width. Smaller: rounding makes boxes polygons, which cost more."""

LONGEST: Final = 128.0
"""m. What reaches farther from its body's centre of mass collides in float64. Longer: what
slides on a ramp of kilometres is shaken, by .1 mm on one of 20 km. Shorter: floors cost more."""

_UNPLACED: Final = (*(0.0,) * 8, math.inf, math.inf, -math.inf, -math.inf)
"""The boxes of a new part. The fat one is empty, so that the first placing renews it."""


@dataclass(frozen=True, slots=True)
class PreparedPart:
    """One convex part, ready to be copied into the pool.

    `vertices` has a row (x, y, normal_x, normal_y) for each vertex, relative to the centre of
    mass, with the chain's neighbours before and behind where `one_sided`. `core` (m) is the radius
    of a circle inside the part.
    """

    vertices: NDArray[np.float64]
    count: int
    radius: float
    one_sided: bool
    form: int = OTHER
    core: float = 0.0


@dataclass(frozen=True, slots=True)
class PreparedShape:
    """The parts of a shape about a centre of mass.

    `extent` (m) is how far it reaches from there, `core` (m) the least of its parts'.
    """

    parts: tuple[PreparedPart, ...]
    extent: float
    core: float


NO_PARTS: Final = PreparedShape((), 0.0, 0.0)
"""What is prepared for a body without a shape."""


@lru_cache(maxsize=512)
def prepare(shape: Shape, center_x: float, center_y: float) -> PreparedShape:
    """The parts of `shape` about a centre of mass.

    Cached: thousands of bodies of one shape are prepared once.
    """
    center = np.array([center_x, center_y])
    parts = tuple(_prepare_part(part, center) for part in shape.parts)
    core = min(part.core for part in parts)
    return PreparedShape(parts, shape.extent((center_x, center_y)), core)


def _prepare_part(part: Part, center: NDArray[np.float64]) -> PreparedPart:
    corners = part.vertices - center
    if not part.one_sided:
        rows = _with_normals(corners)
        return PreparedPart(
            rows,
            len(corners),
            part.radius,
            False,
            _form(rows, part.radius),
            _core(rows, part.radius),
        )
    assert part.before is not None and part.after is not None  # noqa: PT018 - one_sided says so
    around = np.vstack([part.before - center, corners, part.after - center])
    rows = np.zeros((4, 4))
    rows[:, :2] = around
    along = corners[1] - corners[0]
    rows[1, 2:] = np.array([-along[1], along[0]]) / np.hypot(*along)
    return PreparedPart(rows, 2, part.radius, True)


def _form(rows: NDArray[np.float64], radius: float) -> int:
    """Whether vertices are those of a rectangle, or of a circle, that float32 can hold."""
    if np.max(np.hypot(rows[:, 0], rows[:, 1])) + radius > LONGEST:
        return OTHER
    if len(rows) == 1:
        return CIRCLE
    cosines = np.sum(rows[:, 2:] * np.roll(rows[:, 2:], -1, axis=0), axis=1)
    return BOX if len(rows) == 4 and bool(np.all(np.abs(cosines) < RIGHT)) else OTHER


def _core(rows: NDArray[np.float64], radius: float) -> float:
    if len(rows) < 3:
        return radius
    middle = rows[:, :2].mean(axis=0)
    inside: float = np.min(np.sum((rows[:, :2] - middle) * rows[:, 2:], axis=1))
    return radius + max(float(inside), 0.0)


def _with_normals(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    rows = np.zeros((len(corners), 4))
    rows[:, :2] = corners
    if len(corners) > 1:
        along = np.roll(corners, -1, axis=0) - corners
        length = np.hypot(along[:, 0], along[:, 1])
        rows[:, 2] = along[:, 1] / length
        rows[:, 3] = -along[:, 0] / length
    return rows


class PartPool:
    """Tables of parts and vertices with free lists; all arrays grow by doubling.

    A part keeps its row and its vertices' rows for life; `is_holding` keeps rows that are freed
    from being used again, as long as a step's kernels may still read them. `removed` marks parts
    that have gone since the contacts were last cleaned of them, `gone` lists those
    since seams were last looked for. `version` grows whenever parts come
    or go.
    """

    def __init__(self) -> None:
        self.parts = np.zeros(_FIRST_CAPACITY, PART)
        self.parts["body"] = _NO_PART
        self.removed = np.zeros(_FIRST_CAPACITY, np.bool_)
        self.any_removed = False
        self.gone: set[int] = set()
        self.rows = 0
        self.version = 0
        self.local_vertices = np.zeros((4 * _FIRST_CAPACITY, 4))
        self.world_vertices = np.zeros((4 * _FIRST_CAPACITY, 4))
        self.lane_parts: NDArray[np.float32] = np.zeros((_FIRST_CAPACITY, 8), np.float32)
        self._vertex_rows = 0
        self._free_rows: list[int] = []
        self._free_vertices: dict[int, list[int]] = {}
        self._held: list[tuple[int, int, int]] = []
        self.is_holding = False

    def add(self, body_row: int, prepared: tuple[PreparedPart, ...]) -> int:
        """Put a body's parts into the pool; returns the row of the first one."""
        self.version += 1
        following = _NO_PART
        for each in reversed(prepared):
            following = self._add_one(body_row, each, following)
        return following

    def _add_one(self, body_row: int, prepared: PreparedPart, following: int) -> int:
        row = self._free_rows.pop() if self._free_rows else self._new_row()
        size = len(prepared.vertices)
        start = self._take_vertices(size)
        self.local_vertices[start : start + size] = prepared.vertices
        first = start + 1 if prepared.one_sided else start
        kind = (prepared.count, prepared.radius, prepared.core, prepared.one_sided, prepared.form)
        # One assignment of the whole row, in PART's order: field by field costs ten times as much.
        self.parts[row] = (body_row, following, first, *kind, True, 0, 0, *_UNPLACED)
        return row

    def remove(self, first_part: int) -> None:
        """Free a body's parts, given the row of the first one."""
        self.version += 1
        parts: Any = self.parts
        row = first_part
        while row != _NO_PART:
            size = int(parts["count"][row])
            start = int(parts["first_vertex"][row])
            if parts["one_sided"][row]:
                size, start = size + 2, start - 1
            parts["body"][row] = _NO_PART
            self.removed[row] = True
            self.any_removed = True
            self._held.append((row, size, start))
            self.gone.add(row)
            if parts["seams"][row]:
                self.set_free_edges(row, None)
            row = int(parts["next"][row])
        if not self.is_holding:
            self.let_go()

    def renew(self, first_part: int) -> None:
        """Have the contacts of a body's parts dropped and found anew: whom it meets has changed."""
        row = first_part
        while row != _NO_PART:
            self.parts["moved"][row] = True
            self.removed[row] = True
            self.any_removed = True
            row = int(self.parts["next"][row])

    def set_free_edges(self, row: int, edges: NDArray[np.float64] | None) -> None:
        """Say which edges a polygon has in sight, as kernels/seams.py writes them; None: all."""
        part: Any = self.parts[row]
        if part["one_sided"]:
            return
        if part["seams"] > 1:
            size = 4 * (int(part["seams"]) - 1)
            self._free_vertices.setdefault(size, []).append(int(part["first_edge"]))
        part["seams"] = part["first_edge"] = 0
        if edges is None:
            return
        part["seams"] = 1 + len(edges) // 4
        if len(edges):
            start = self._take_vertices(len(edges))
            part["first_edge"] = start
            self.local_vertices[start : start + len(edges)] = edges
            self.world_vertices[start : start + len(edges)] = edges

    def set_beyond(
        self, row: int, ends: NDArray[np.float64] | None, cos: float, sin: float
    ) -> None:
        """Say what lies beyond the open ends of a chain's edge; None: nothing.

        `ends` are the four rows of kernels/seams.py; `cos` and `sin` are of the body's angle.
        """
        part: Any = self.parts[row]
        tail = int(part["first_vertex"])
        was_welded = int(part["seams"])
        part["seams"] = 0
        for bit, end, beyond, given in ((1, tail, tail - 1, 0), (2, tail + 1, tail + 2, 3)):
            is_open = bool(
                was_welded & bit
                or np.all(self.local_vertices[beyond, :2] == self.local_vertices[end, :2])
            )
            if not is_open:
                continue
            for vertices in (self.local_vertices, self.world_vertices):
                vertices[beyond, :2] = vertices[end, :2]
            if ends is None or np.all(ends[given, :2] == self.world_vertices[end, :2]):
                continue
            part["seams"] |= bit
            x, y = (ends[given, :2] - self.world_vertices[end, :2]).tolist()
            self.world_vertices[beyond, :2] += (x, y)
            self.local_vertices[beyond, :2] += (cos * x + sin * y, cos * y - sin * x)

    def let_go(self) -> None:
        """Let rows be used again that were freed while a step ran."""
        for row, size, start in self._held:
            self._free_rows.append(row)
            self._free_vertices.setdefault(size, []).append(start)
        self._held.clear()

    def state(self) -> State:
        """All of it, as `take_state` takes it: views of what is in use."""
        free_vertices = [(size, at) for size, free in self._free_vertices.items() for at in free]
        return {
            "parts": self.parts[: self.rows],
            "removed": self.removed[: self.rows],
            "any_removed": self.any_removed,
            "gone": np.array(sorted(self.gone), np.int64),
            "local_vertices": self.local_vertices[: self._vertex_rows],
            "world_vertices": self.world_vertices[: self._vertex_rows],
            "lane_parts": self.lane_parts[: self.rows],
            "free_rows": np.array(self._free_rows, np.int64),
            "free_vertices": np.array(free_vertices, np.int64).reshape(-1, 2),
        }

    def take_state(self, state: State) -> None:
        """Become what `state` says, a copy."""
        parts, vertices = array(state["parts"]), array(state["local_vertices"])
        rows = len(parts)
        self._make_room(rows, len(vertices))
        self.parts["body"][rows : self.rows] = _NO_PART
        self.removed[rows : self.rows] = False
        fill(self.parts, parts)
        fill(self.removed, state["removed"])
        self.any_removed = bool(state["any_removed"])
        self.gone = set(array(state["gone"]).tolist())
        fill(self.local_vertices, vertices)
        fill(self.world_vertices, state["world_vertices"])
        fill(self.lane_parts, state["lane_parts"])
        self.rows = rows
        self.version += 1
        self._vertex_rows = len(vertices)
        self._free_rows = array(state["free_rows"]).tolist()
        self._free_vertices = {}
        for size, start in array(state["free_vertices"]).tolist():
            self._free_vertices.setdefault(size, []).append(start)

    def _new_row(self) -> int:
        row = self.rows
        self._make_room(row + 1, self._vertex_rows)
        self.rows += 1
        return row

    def _take_vertices(self, size: int) -> int:
        free = self._free_vertices.get(size)
        if free:
            return free.pop()
        start = self._vertex_rows
        self._make_room(self.rows, start + size)
        self._vertex_rows += size
        return start

    def _make_room(self, rows: int, vertex_rows: int) -> None:
        if rows > len(self.parts):
            grown = np.zeros(1 << (rows - 1).bit_length(), PART)
            grown["body"] = _NO_PART
            grown[: self.rows] = self.parts[: self.rows]
            removed = np.zeros(len(grown), np.bool_)
            removed[: self.rows] = self.removed[: self.rows]
            lane_parts = np.zeros((len(grown), 8), np.float32)
            lane_parts[: self.rows] = self.lane_parts[: self.rows]
            self.parts, self.removed, self.lane_parts = grown, removed, lane_parts
        if vertex_rows > len(self.local_vertices):
            more = np.zeros(((1 << (vertex_rows - 1).bit_length()) - len(self.local_vertices), 4))
            self.local_vertices = np.vstack([self.local_vertices, more])
            self.world_vertices = np.vstack([self.world_vertices, more])
