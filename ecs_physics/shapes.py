"""What a body looks like to the simulation: a value that any number of bodies may share.

A shape has coordinates of its own, in metres, whose origin a body's Transform places in the
world. Whatever it was made from, it is a tuple of convex parts: polygons counter-clockwise,
segments and points, each rounded by a radius (0 for sharp corners).

One rule for chains: walking along the chain, it is solid towards your left side, which is where
bodies live. List ground from left to right; a closed chain keeps bodies inside where it is
listed counter-clockwise, and is an island where clockwise.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ecs_physics.components import not_negative, number, point, positive, yes_or_no
from ecs_physics.convex_parts import convex_parts, corners, following, length_tolerance, preceding
from ecs_physics.kernels.polygon_mass import polygon_mass, rounded_polygon_mass

Point = tuple[float, float]
Vertices = NDArray[np.float64]

SMALLEST: Final = 1e-9
"""m. Lengths from here on are accepted. Smaller: inverse inertias leave the range of float32."""

LARGEST: Final = 1e9
"""m. Lengths up to here are accepted. Larger: inertias leave the range of float32."""

PARAMETER_NAMES: Final = {
    "circle": ("radius", "center"),
    "capsule": ("p", "q", "radius"),
    "box": ("width", "height", "radius"),
    "polygon": ("vertices", "radius"),
    "segment": ("p", "q", "radius"),
    "chain": ("vertices", "closed"),
    "compound": ("parts",),
}
"""For each kind of shape the names of its constructor's arguments: what `parameters` holds."""

_ORIGIN: Final = (0.0, 0.0)
_LISTED_IN_REPR: Final = 8
_REMEMBERED: Final = 1024
"""Boxes, and circles, that are one object as long as they are asked for. Fewer: a crowd of as many
sizes works out masses anew for each body that is created. More: memory."""
_PAIRS_AT_ONCE: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class MassProperties:
    """How heavy something is, and where.

    Args:
        mass: kg.
        inertia: kg m^2, about the centre of mass.
        center: (x, y) of the centre of mass in the shape's coordinates, m.
    """

    mass: float
    inertia: float
    center: Point


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One convex part of a shape: all points within `radius` of the hull of its vertices.

    Args:
        vertices: (n, 2) read-only, m, in the shape's coordinates: 1 for a disc, 2 for a segment
            or capsule, 3 and more for a convex polygon, counter-clockwise.
        radius: m, of the rounding.
        one_sided: True for an edge of a chain, solid towards its left side only.
        before: (x, y) of the chain's vertex before the edge; of its first vertex where there is
            none; None for what is not a chain.
        after: (x, y) of the chain's vertex after the edge, in the same way.
    """

    vertices: Vertices
    radius: float = 0.0
    one_sided: bool = False
    before: Point | None = None
    after: Point | None = None

    def __post_init__(self) -> None:
        self.vertices.setflags(write=False)


@dataclass(frozen=True, slots=True)
class _Region:
    """What a shape covers: area in m^2, centroid in m, second moment about it in m^4."""

    area: float
    x: float
    y: float
    second_moment: float


@dataclass(frozen=True, repr=False)
class Shape:
    """The form of a body: a frozen value, equal to another of the same kind and parameters.

    Made by `circle`, `capsule`, `box`, `polygon`, `segment`, `chain` and `compound`.

    Attributes:
        kind: name of the constructor.
        parameters: arguments of the constructor in order, as tuples and floats, so that
            `getattr(Shape, shape.kind)(*shape.parameters) == shape`.
        parts: the convex parts that it consists of.
    """

    kind: str
    parameters: tuple[Any, ...]
    parts: tuple[Part, ...] = field(compare=False)

    @classmethod
    def circle(cls, radius: float, center: Sequence[float] = (0.0, 0.0)) -> "Shape":
        """A disc.

        Args:
            radius: m.
            center: (x, y) in m.

        Raises:
            ValueError: naming the value that is not a length or a point.
        """
        radius = _length(radius, "Shape.circle.radius")
        middle = _point(center, "Shape.circle.center")
        if middle == _ORIGIN:
            return _circle(radius)
        return cls("circle", (radius, middle), (Part(np.array([middle]), radius),))

    @classmethod
    def capsule(cls, p: Sequence[float], q: Sequence[float], radius: float) -> "Shape":
        """All points within `radius` of the line from `p` to `q`.

        Args:
            p: (x, y) in m.
            q: (x, y) in m, another point.
            radius: m.

        Raises:
            ValueError: naming the value that is not a length or a point, and for equal points.
        """
        ends = _different_points(p, q, "Shape.capsule", "Shape.circle is round")
        radius = _length(radius, "Shape.capsule.radius")
        return cls("capsule", (*ends, radius), (Part(np.array(ends), radius),))

    @classmethod
    def box(cls, width: float, height: float, radius: float = 0.0) -> "Shape":
        """A rectangle about the origin.

        Args:
            width: m, full size along x.
            height: m, full size along y.
            radius: m. The rectangle grows by it all around, with round corners: it then
                measures width + 2 radius by height + 2 radius.

        Raises:
            ValueError: naming the value that is not a length.
        """
        width = _length(width, "Shape.box.width")
        height = _length(height, "Shape.box.height")
        radius = _rounding(radius, "Shape.box.radius")
        return _box(width, height, radius)

    @classmethod
    def polygon(cls, vertices: Iterable[Sequence[float]], radius: float = 0.0) -> "Shape":
        """Any simple polygon, cut into convex parts where it is concave.

        Args:
            vertices: (x, y) of the corners in order around the outline, in either winding, m.
                Corners given twice in a row and corners on a straight edge do no harm.
            radius: m. A convex polygon grows by it all around, with round corners. For a
                concave one it must be 0: its area would have no exact formula.

        Raises:
            ValueError: naming the value that is no point, an outline of fewer than three
                different corners or without area, two edges that cross or touch, a radius for
                a concave polygon.
        """
        points = _points(vertices, "Shape.polygon.vertices", 3)
        radius = _rounding(radius, "Shape.polygon.radius")
        outline = _checked_outline(points)
        parts = [outline] if _is_convex(outline) else convex_parts(outline)
        if radius > 0.0 and len(parts) > 1:
            raise ValueError(
                f"Shape.polygon.radius = {radius!r} for a concave polygon: only convex ones can "
                "be rounded; give radius=0, or a Shape.compound of rounded convex polygons"
            )
        return cls("polygon", (points, radius), tuple(Part(each, radius) for each in parts))

    @classmethod
    def segment(cls, p: Sequence[float], q: Sequence[float], radius: float = 0.0) -> "Shape":
        """A line from `p` to `q`, solid from both sides; with a radius as thick as a capsule.

        Args:
            p: (x, y) in m.
            q: (x, y) in m, another point.
            radius: m.

        Raises:
            ValueError: naming the value that is not a length or a point, and for equal points.
        """
        ends = _different_points(p, q, "Shape.segment", "Shape.circle is round")
        radius = _rounding(radius, "Shape.segment.radius")
        return cls("segment", (*ends, radius), (Part(np.array(ends), radius),))

    @classmethod
    def chain(cls, vertices: Iterable[Sequence[float]], closed: bool = False) -> "Shape":
        """A line through many points, solid towards the left side of the walk along it.

        Bodies glide over its inner vertices as over one surface. A body on the wrong side
        passes through.

        Args:
            vertices: (x, y) of at least 2 points (3 where closed), m; ground is listed from
                left to right.
            closed: True to join the last point to the first.

        Raises:
            ValueError: naming the value that is no point, too few points, and a point that
                repeats the one before.
        """
        name = "Shape.chain.vertices"
        closed = yes_or_no(closed, "Shape.chain.closed")
        points = _points(vertices, name, 3 if closed else 2)
        _check_steps(points, closed)
        count = len(points)
        parts = []
        for i in range(count if closed else count - 1):
            edge = (points[i], points[(i + 1) % count])
            before = points[i - 1] if closed or i > 0 else points[0]
            after = points[(i + 2) % count] if closed else points[min(i + 2, count - 1)]
            parts.append(Part(np.array(edge), 0.0, True, before, after))
        return cls("chain", (points, closed), tuple(parts))

    @classmethod
    def compound(cls, parts: Iterable[Sequence[Any]]) -> "Shape":
        """Several shapes that are one body.

        Where shapes overlap, the overlap counts for each of them in area and mass. Lines
        (chains and thin segments) are allowed, since ground is often made of several pieces;
        they have no mass. A compound in a compound counts as its own shapes, and that is what
        `parameters` holds.

        Args:
            parts: (shape, x, y, angle) or (shape, x, y) each: a Shape, where its origin lies in
                m, and its turn in rad counter-clockwise.

        Raises:
            ValueError: naming what is not of that form, and for no parts at all.
        """
        placed: list[tuple[Shape, float, float, float]] = []
        for i, entry in enumerate(_listed(parts, "Shape.compound.parts")):
            placed.extend(_flattened(*_placed_shape(entry, f"Shape.compound.parts[{i}]")))
        if not placed:
            raise ValueError(
                "Shape.compound.parts is empty: give at least one (shape, x, y, angle)"
            )
        moved = [_moved(part, *place) for shape, *place in placed for part in shape.parts]
        return cls("compound", (tuple(placed),), tuple(moved))

    @property
    def area(self) -> float:
        """Area in m^2; 0 for chains and for segments without a radius."""
        return self._region.area

    def mass_properties(self, density: float = 1.0) -> MassProperties:
        """Mass, inertia and centre of mass of the shape, filled evenly; exact.

        Args:
            density: kg/m^2, above 0.

        Raises:
            ValueError: for a density that is not above 0, and for shapes without area.
        """
        density = positive(density, "density")
        region = self._region
        if region.area <= 0.0:
            raise ValueError(
                f"{self!r} has no area, so no mass follows from density = {density!r}: "
                "give Mass(mass=..., inertia=..., center=(x, y))"
            )
        mass, inertia = density * region.area, density * region.second_moment
        if not (0.0 < mass < math.inf and 0.0 < inertia < math.inf):
            raise ValueError(
                f"density = {density!r} gives {self!r} a mass of {mass!r} kg and an inertia of "
                f"{inertia!r} kg m^2: give a density for which both are ordinary numbers"
            )
        return MassProperties(mass, inertia, (region.x, region.y))

    def extent(self, center: Sequence[float] = (0.0, 0.0)) -> float:
        """How far (m) the shape reaches from `center`, a point (x, y) in its coordinates."""
        x, y = point(center, "center")
        return max(
            float(np.hypot(part.vertices[:, 0] - x, part.vertices[:, 1] - y).max()) + part.radius
            for part in self.parts
        )

    def bounds(self) -> tuple[float, float, float, float]:
        """The box around the shape in its coordinates: lower x, lower y, upper x, upper y (m)."""
        lower = np.min([part.vertices.min(axis=0) - part.radius for part in self.parts], axis=0)
        upper = np.max([part.vertices.max(axis=0) + part.radius for part in self.parts], axis=0)
        return float(lower[0]), float(lower[1]), float(upper[0]), float(upper[1])

    @cached_property
    def _region(self) -> _Region:
        if self.kind == "compound":
            return _region_of_compound(self.parameters[0])
        if self.kind == "chain":
            lower_x, lower_y, upper_x, upper_y = self.bounds()
            return _Region(0.0, 0.5 * (lower_x + upper_x), 0.5 * (lower_y + upper_y), 0.0)
        if len(self.parts) > 1:
            return _Region(*polygon_mass(np.array(self.parameters[0])))
        part = self.parts[0]
        return _Region(*rounded_polygon_mass(np.array(part.vertices), part.radius))

    def __repr__(self) -> str:
        names = PARAMETER_NAMES[self.kind]
        given = ", ".join(
            f"{name}={_shortened(value)}"
            for name, value in zip(names, self.parameters, strict=True)
        )
        return f"Shape.{self.kind}({given})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are made anew from the parameters: their arrays stay read-only."""
        return getattr(Shape, self.kind), self.parameters


@lru_cache(maxsize=_REMEMBERED)
def _box(width: float, height: float, radius: float) -> Shape:
    """The box of this size, which is one object: its mass, say, is worked out once."""
    x, y = 0.5 * width, 0.5 * height
    vertices = np.array([(-x, -y), (x, -y), (x, y), (-x, y)])
    return Shape("box", (width, height, radius), (Part(vertices, radius),))


@lru_cache(maxsize=_REMEMBERED)
def _circle(radius: float) -> Shape:
    """The same for a disc about the origin."""
    return Shape("circle", (radius, _ORIGIN), (Part(np.array([_ORIGIN]), radius),))


def _shortened(value: Any) -> str:
    if isinstance(value, tuple) and len(value) > _LISTED_IN_REPR:
        return f"<{len(value)} of them, from {value[0]!r} to {value[-1]!r}>"
    return repr(value)


def _length(value: Any, name: str) -> float:
    length = positive(value, name)
    if not SMALLEST <= length <= LARGEST:
        raise ValueError(f"{name} = {value!r}: give metres from {SMALLEST:g} to {LARGEST:g}")
    return length


def _rounding(value: Any, name: str) -> float:
    return _length(value, name) if not_negative(value, name) > 0.0 else 0.0


def _point(value: Any, name: str) -> Point:
    x, y = point(value, name)
    if max(abs(x), abs(y)) > LARGEST:
        raise ValueError(f"{name} = {value!r}: give metres, each at most {LARGEST:g} from 0")
    return x, y


def _listed(values: Any, name: str) -> list[Any]:
    if isinstance(values, (str, bytes, dict, set, frozenset)):
        raise ValueError(f"{name} = {values!r}: give a list")
    try:
        return list(values)
    except TypeError:
        raise ValueError(f"{name} = {values!r}: give a list") from None


def _points(vertices: Any, name: str, least: int) -> tuple[Point, ...]:
    points = tuple(
        _point(vertex, f"{name}[{i}]") for i, vertex in enumerate(_listed(vertices, name))
    )
    different = len(set(points))
    if different < least:
        raise ValueError(f"{name} has {different} different points: give at least {least}")
    return points


def _different_points(p: Any, q: Any, name: str, instead: str) -> tuple[Point, Point]:
    start, end = _point(p, f"{name}.p"), _point(q, f"{name}.q")
    if math.dist(start, end) < SMALLEST:
        raise ValueError(
            f"{name}.q = {end!r} is the same point as {name}.p = {start!r}: "
            f"give two different points ({instead})"
        )
    return start, end


def _check_steps(points: tuple[Point, ...], closed: bool) -> None:
    for i in range(1, len(points)):
        if math.dist(points[i - 1], points[i]) < SMALLEST:
            raise ValueError(
                f"Shape.chain.vertices[{i}] = {points[i]!r} repeats the point before it: "
                "leave it out"
            )
    if closed and math.dist(points[-1], points[0]) < SMALLEST:
        raise ValueError(
            f"Shape.chain.vertices[{len(points) - 1}] = {points[-1]!r} repeats the first point: "
            "leave it out, closed=True joins the last point to the first"
        )


def _checked_outline(points: tuple[Point, ...]) -> Vertices:
    """The corners of a simple polygon, counter-clockwise from its first one."""
    given = np.array(points)
    vertices = given - given[0]
    tolerance = length_tolerance(given)
    kept = corners(vertices, tolerance)
    if len(kept) < 3 or _is_flat(vertices, tolerance):
        raise ValueError(
            f"Shape.polygon.vertices = {_shortened(points)} has zero area: "
            "give corners that do not lie on one line"
        )
    size = float(np.ptp(vertices, axis=0).max())
    if size < SMALLEST:
        raise ValueError(
            f"Shape.polygon.vertices = {_shortened(points)} is {size!r} m in size: "
            f"give corners at least {SMALLEST:g} m apart"
        )
    outline = vertices[kept]
    if not _is_convex(outline) and not _is_convex(outline[::-1]):
        crossing = _first_crossing(outline, tolerance)
        if crossing is not None:
            _refuse_crossing(points, kept.tolist(), *crossing)
    ends = following(outline)
    doubled = (outline[:, 0] * ends[:, 1] - outline[:, 1] * ends[:, 0]).sum()
    if doubled < 0.0:
        kept = np.concatenate([kept[:1], kept[:0:-1]])
    checked: Vertices = given[kept]
    return checked


def _is_flat(vertices: Vertices, tolerance: float) -> bool:
    """True where all vertices lie on one line through the first, which is at the origin."""
    away = np.hypot(vertices[:, 0], vertices[:, 1])
    farthest = vertices[int(away.argmax())]
    off_line = np.abs(vertices[:, 0] * farthest[1] - vertices[:, 1] * farthest[0])
    return bool(off_line.max() <= tolerance * away.max())


def _refuse_crossing(points: tuple[Point, ...], kept: list[int], first: int, second: int) -> None:
    edges = [(kept[i], kept[(i + 1) % len(kept)]) for i in (first, second)]
    names = [f"from [{i}] {points[i]!r} to [{j}] {points[j]!r}" for i, j in edges]
    raise ValueError(
        f"Shape.polygon.vertices: the edge {names[0]} crosses or touches the edge {names[1]}: "
        "give the corners in order around an outline that does not meet itself"
    )


def _is_convex(outline: Vertices) -> bool:
    """True for a counter-clockwise polygon that turns left at every corner, once around."""
    along = following(outline) - outline
    before = preceding(along)
    cross = before[:, 0] * along[:, 1] - before[:, 1] * along[:, 0]
    if not bool((cross > 0.0).all()):
        return False
    turns = np.arctan2(cross, (before * along).sum(axis=1))
    return float(turns.sum()) < 3.0 * math.pi


def _first_crossing(outline: Vertices, tolerance: float) -> tuple[int, int] | None:
    """The first two edges that meet elsewhere than in a common corner, or None.

    Edge i goes from corner i to the next one. Edges nearer than `tolerance` (m) meet.
    """
    count = len(outline)
    ends = following(outline)
    folded = _folds_back(outline, ends, tolerance)
    if folded.any():
        first = int(folded.argmax())
        return first, (first + 1) % count
    lower, upper = np.minimum(outline, ends) - tolerance, np.maximum(outline, ends) + tolerance
    numbers = np.arange(count)
    rows = max(1, _PAIRS_AT_ONCE // count)
    for i in range(0, count, rows):
        some = numbers[i : i + rows, np.newaxis]
        pairs = (numbers > some + 1) & ((some > 0) | (numbers < count - 1))
        for axis in (0, 1):
            pairs &= lower[:, axis] <= upper[some, axis]
            pairs &= upper[:, axis] >= lower[some, axis]
        edges, others = np.nonzero(pairs)
        edges += i
        meets = _meet(outline[edges], ends[edges], outline[others], ends[others], tolerance)
        if meets.any():
            at = int(meets.argmax())
            return int(edges[at]), int(others[at])
    return None


def _folds_back(starts: Vertices, ends: Vertices, tolerance: float) -> NDArray[np.bool_]:
    """Where an edge runs back over the edge before it."""
    into = ends - starts
    out = following(into)
    cross = np.abs(into[:, 0] * out[:, 1] - into[:, 1] * out[:, 0])
    longer = np.sqrt(np.maximum((into * into).sum(axis=1), (out * out).sum(axis=1)))
    folded: NDArray[np.bool_] = (cross <= tolerance * longer) & ((into * out).sum(axis=1) < 0.0)
    return folded


def _meet(
    p: Vertices, q: Vertices, starts: Vertices, ends: Vertices, tolerance: float
) -> NDArray[np.bool_]:
    """Where the segments p-q and start-end, whose boxes meet, come within `tolerance`.

    Two segments are apart where one lies wholly on one side of the other's line, or, on one
    line, beside it.
    """
    apart = _one_side(_sides(p, q, starts), _sides(p, q, ends), tolerance)
    apart |= _one_side(_sides(starts, ends, p), _sides(starts, ends, q), tolerance)
    along = q - p
    length = np.hypot(along[:, 0], along[:, 1])
    start_ahead = ((starts - p) * along).sum(axis=1) / length
    end_ahead = ((ends - p) * along).sum(axis=1) / length
    apart |= np.minimum(start_ahead, end_ahead) > length + tolerance
    apart |= np.maximum(start_ahead, end_ahead) < -tolerance
    return ~apart


def _sides(p: Vertices, q: Vertices, points: Vertices) -> Vertices:
    """How far (m) each point lies to the left of the line from p to q."""
    along, to = q - p, points - p
    cross = along[:, 0] * to[:, 1] - along[:, 1] * to[:, 0]
    sides: Vertices = cross / np.hypot(along[:, 0], along[:, 1])
    return sides


def _one_side(first: Vertices, second: Vertices, tolerance: float) -> NDArray[np.bool_]:
    side: NDArray[np.bool_] = np.minimum(first, second) > tolerance
    return side | (np.maximum(first, second) < -tolerance)


def _placed_shape(entry: Any, name: str) -> tuple[Shape, float, float, float]:
    values = entry if isinstance(entry, (tuple, list)) else ()
    if len(values) not in (3, 4) or not isinstance(values[0], Shape):
        raise ValueError(f"{name} = {entry!r}: give (shape, x, y, angle), with a Shape first")
    x, y = _point(values[1:3], f"{name}.position")
    angle = number(values[3], f"{name}.angle") if len(values) == 4 else 0.0
    return values[0], x, y, angle


def _flattened(
    shape: Shape, x: float, y: float, angle: float
) -> list[tuple[Shape, float, float, float]]:
    if shape.kind != "compound":
        return [(shape, x, y, angle)]
    return [
        (inner, *_place((inner_x, inner_y), x, y, angle), angle + inner_angle)
        for inner, inner_x, inner_y, inner_angle in shape.parameters[0]
    ]


def _place(at: Point, x: float, y: float, angle: float) -> Point:
    cos, sin = math.cos(angle), math.sin(angle)
    return x + (cos * at[0] - sin * at[1]), y + (sin * at[0] + cos * at[1])


def _moved(part: Part, x: float, y: float, angle: float) -> Part:
    vertices = np.array([_place((px, py), x, y, angle) for px, py in part.vertices.tolist()])
    before = None if part.before is None else _place(part.before, x, y, angle)
    after = None if part.after is None else _place(part.after, x, y, angle)
    return Part(vertices, part.radius, part.one_sided, before, after)


def _region_of_compound(placed: tuple[tuple[Shape, float, float, float], ...]) -> _Region:
    """All regions together, by the parallel axis theorem."""
    regions = []
    for shape, *place in placed:
        region = shape._region
        x, y = _place((region.x, region.y), *place)
        regions.append(_Region(region.area, x, y, region.second_moment))
    area = math.fsum(each.area for each in regions)
    if area == 0.0:
        return _Region(0.0, regions[0].x, regions[0].y, 0.0)
    x = math.fsum(each.area * each.x for each in regions) / area
    y = math.fsum(each.area * each.y for each in regions) / area
    second_moment = math.fsum(
        each.second_moment + each.area * ((each.x - x) ** 2 + (each.y - y) ** 2) for each in regions
    )
    return _Region(area, x, y, second_moment)
