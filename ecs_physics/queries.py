"""Questions that a World answers about the places of its bodies."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_physics.components import entity_id, not_negative, number, point, yes_or_no
from ecs_physics.kernels.queries import (
    CLOSEST,
    find_at_point,
    find_closest,
    find_overlapping,
)
from ecs_physics.kernels.query_rules import SEEKER
from ecs_physics.kernels.rays import RAY_HITS, cast_rays, cast_through
from ecs_physics.kernels.shape_casts import cast_parts
from ecs_physics.part_tree import PartTree, PlacedShape, placed_shape
from ecs_physics.shapes import Shape
from ecs_physics.store import Store
from ecs_physics.traits import ALL_BITS, Filter

Point = Sequence[float]
Points = NDArray[np.float64]

_NOBODY: Final = np.zeros(0, np.int64)
_FIRST_ROOM: Final = 64


class RayHit(NamedTuple):
    """What a ray, or a shape on its way, meets."""

    entity: int
    x: float
    """m, where it is met."""
    y: float
    normal_x: float
    """Unit vector out of what is met; against the way where that begins inside."""
    normal_y: float
    fraction: float
    """Of the way from start to end, 0 to 1."""
    distance: float
    """m, of that way until then."""


class ClosestPoints(NamedTuple):
    """How near two bodies are, and where."""

    distance: float
    """m, 0 where they overlap; both points are then one that lies in both."""
    x_a: float
    """m, the point of the first body."""
    y_a: float
    x_b: float
    """m, the point of the second one."""
    y_b: float


class _Question:
    """What a query may find, as kernels read it."""

    def __init__(self) -> None:
        self.seeker = np.zeros(1, SEEKER)
        self._asked: tuple[Filter | None, bool] | None = None

    def ask(self, who: Filter | None, sensors: bool) -> None:
        if self._asked == (who, sensors):
            return
        sensors = yes_or_no(sensors, "sensors")
        if who is None:
            self.seeker[0] = (0, ALL_BITS, 0, False, sensors)
        elif isinstance(who, Filter):
            self.seeker[0] = (who.category, who.mask, who.group, True, sensors)
        else:
            raise ValueError(f"filter = {who!r}: give a Filter, or None to see everything")
        self._asked = (who, sensors)


class WorldQueries:
    """The queries of a World.

    All see the bodies where their Transforms put them now: what was created, moved, reshaped or
    deleted a moment ago counts, inside systems too (in the middle of a step, poses are those from
    its beginning until INTEGRATION has run). None changes anything, and answers do not depend on
    what was asked before.

    Common to them:

    - `filter`: a Filter that the query has as if it were a body: what it and a body's Filter keep
      apart is not found. None: everything is.
    - `ignore`: entities that are not found, such as whoever asks.
    - `sensors`: whether bodies with a Sensor are found.
    """

    store: Store

    def __init__(self) -> None:
        self._tree = PartTree()
        self._question = _Question()
        self._start = np.zeros((1, 2))
        self._end = np.zeros((1, 2))
        self._hit = np.zeros(1, RAY_HITS)
        self._closest = np.zeros(1, CLOSEST)
        self._hits = np.zeros(_FIRST_ROOM, RAY_HITS)
        self._found = np.zeros(_FIRST_ROOM, np.int64)
        self._box = PlacedShape(Shape.box(1.0, 1.0))

    # -- rays -----------------------------------------------------------------------------

    def ray(
        self,
        start: Point,
        end: Point,
        *,
        filter: Filter | None = None,  # noqa: A002 - the name that says it
        ignore: Iterable[int] | int = (),
        sensors: bool = False,
    ) -> RayHit | None:
        """What a ray from `start` to `end` ((x, y) in m) meets first; None for nothing.

        A ray that starts inside a body, or on its boundary, meets it there, at fraction 0; but
        not where it starts on the boundary (within 1e-9 m) and leads out, so that it may go on
        from where it was reflected. What has no thickness is not met by a ray that starts on it
        or runs along it, and a chain only from its solid side. A ray without length meets what
        covers its start. Of several bodies at one fraction the oldest is met.

        Args:
            start: (x, y), m.
            end: (x, y), m.
            filter: a Filter that the query has, as if it were a body; None finds everything.
            ignore: entities that are not found.
            sensors: whether bodies with a Sensor are found.

        Raises:
            ValueError: naming what is not a point, a Filter, entities or True or False.
        """
        length = self._prepare_ray(start, end)
        seen = self._look(filter, ignore, sensors)
        found = cast_rays(1, self._start, self._end, *seen, self._tree.entries, self._hit)
        return _ray_hit(self._hit, length) if found else None

    def ray_all(
        self,
        start: Point,
        end: Point,
        *,
        filter: Filter | None = None,  # noqa: A002
        ignore: Iterable[int] | int = (),
        sensors: bool = False,
    ) -> list[RayHit]:
        """Where a ray first meets each body on its way, nearest first; else as `ray`.

        Args:
            start: (x, y), m.
            end: (x, y), m.
            filter: a Filter that the query has, as if it were a body; None finds everything.
            ignore: entities that are not found.
            sensors: whether bodies with a Sensor are found.

        Raises:
            ValueError: naming what is not a point, a Filter, entities or True or False.
        """
        length = self._prepare_ray(start, end)
        seen = self._look(filter, ignore, sensors)
        while (count := cast_through(self._start, self._end, *seen, self._hits)) > len(self._hits):
            self._hits = np.zeros(2 * count, RAY_HITS)
        hits = self._hits[:count]
        first_hits: dict[int, RayHit] = {}
        for row in np.lexsort((hits["entity"], hits["fraction"])).tolist():
            hit = _ray_hit(hits[row : row + 1], length)
            first_hits.setdefault(hit.entity, hit)
        return list(first_hits.values())

    def rays(
        self,
        starts: NDArray[Any] | Sequence[Any],
        ends: NDArray[Any] | Sequence[Any],
        *,
        filter: Filter | None = None,  # noqa: A002
        ignore: Iterable[int] | int = (),
        sensors: bool = False,
    ) -> NDArray[Any]:
        """What each of many rays meets first: an array of RAY_HITS, a row for each ray.

        Its fields: entity (0: nothing), fraction (1 for nothing), x, y (m; the ray's end for
        nothing), normal_x, normal_y. One compiled call; what is met is what `ray` would say.

        Args:
            starts: (n, 2), m, or one point for all.
            ends: (n, 2), m, or one point for all.
            filter: a Filter that the query has, as if it were a body; None finds everything.
            ignore: entities that are not found.
            sensors: whether bodies with a Sensor are found.

        Raises:
            ValueError: naming what is not of that form.
        """
        starts, ends = _many_points(starts, ends)
        seen = self._look(filter, ignore, sensors)
        hits = np.empty(len(starts), RAY_HITS)
        cast_rays(len(starts), starts, ends, *seen, self._tree.entries, hits)
        return hits

    # -- shapes ---------------------------------------------------------------------------

    def cast_shape(
        self,
        shape: Shape,
        start: Point,
        end: Point,
        angle: float = 0.0,
        *,
        filter: Filter | None = None,  # noqa: A002
        ignore: Iterable[int] | int = (),
        sensors: bool = False,
    ) -> RayHit | None:
        """What a shape meets first while it moves, without turning, from `start` to `end`.

        What it overlaps where it starts is met there, at fraction 0; what it only touches is not
        where the way leads out. A chain is met from its solid side only.

        Args:
            shape: any; a chain counts as thin lines.
            start: (x, y) of its origin in m.
            end: the same, where it would end.
            angle: rad, its turn.
            filter: a Filter that the query has, as if it were a body; None finds everything.
            ignore: entities that are not found.
            sensors: whether bodies with a Sensor are found.

        Raises:
            ValueError: naming what is not of that form.
        """
        length = self._prepare_ray(start, end)
        (x, y), (end_x, end_y) = self._start[0].tolist(), self._end[0].tolist()
        mine = _placed(shape, x, y, angle)
        seen = self._look(filter, ignore, sensors)
        found = cast_parts(
            end_x - x,
            end_y - y,
            mine.count,
            mine.leaves,
            mine.corners,
            *seen,
            self._tree.entries,
            self._hit,
        )
        return _ray_hit(self._hit, length) if found else None

    def bodies_in_shape(
        self,
        shape: Shape,
        x: float,
        y: float,
        angle: float = 0.0,
        *,
        filter: Filter | None = None,  # noqa: A002
        ignore: Iterable[int] | int = (),
        sensors: bool = False,
    ) -> list[int]:
        """The bodies that overlap or touch a shape, oldest first.

        Args:
            shape: any; a chain counts as thin lines, and so do those of bodies.
            x: m, of its origin.
            y: m.
            angle: rad, its turn.
            filter: a Filter that the query has, as if it were a body; None finds everything.
            ignore: entities that are not found.
            sensors: whether bodies with a Sensor are found.

        Raises:
            ValueError: naming what is no shape, number, Filter, entity or True or False.
        """
        mine = _placed(shape, number(x, "x"), number(y, "y"), angle)
        return self._overlapping(mine, self._look(filter, ignore, sensors))

    def bodies_in_box(
        self,
        lower: Point,
        upper: Point,
        *,
        filter: Filter | None = None,  # noqa: A002
        ignore: Iterable[int] | int = (),
        sensors: bool = False,
    ) -> list[int]:
        """The bodies whose shape overlaps or touches the box between two corners, oldest first.

        The shape itself counts, not only the box around it. The box may have no width.

        Args:
            lower: (x, y) of the lower left corner, m.
            upper: (x, y) of the upper right corner, m.
            filter: a Filter that the query has, as if it were a body; None finds everything.
            ignore: entities that are not found.
            sensors: whether bodies with a Sensor are found.

        Raises:
            ValueError: naming what is not of that form, and where `lower` is not below `upper`.
        """
        low_x, low_y = point(lower, "lower")
        high_x, high_y = point(upper, "upper")
        if low_x > high_x or low_y > high_y:
            raise ValueError(
                f"lower = {lower!r} is not below and left of upper = {upper!r}: exchange them"
            )
        self._box.corners[:] = ((low_x, low_y), (high_x, low_y), (high_x, high_y), (low_x, high_y))
        self._box.leaves[0] = (0, 0, 0, 0, 4, 0.0, False, low_x, low_y, high_x, high_y)
        return self._overlapping(self._box, self._look(filter, ignore, sensors))

    # -- places ---------------------------------------------------------------------------

    def bodies_at(
        self,
        x: float,
        y: float,
        tolerance: float = 0.0,
        *,
        filter: Filter | None = None,  # noqa: A002
        ignore: Iterable[int] | int = (),
        sensors: bool = True,
    ) -> list[int]:
        """The bodies whose shape covers a point, on its boundary too, newest first.

        Args:
            x: m.
            y: m.
            tolerance: m, from which it counts as covered: helps to pick chains, and segments
                without a radius.
            filter: a Filter that the query has, as if it were a body; None finds everything.
            ignore: entities that are not found.
            sensors: whether bodies with a Sensor are found.

        Raises:
            ValueError: naming what is no number, Filter, entity or True or False.
        """
        x, y = number(x, "x"), number(y, "y")
        tolerance = not_negative(tolerance, "tolerance")
        seen = self._look(filter, ignore, sensors)
        return self._find(find_at_point, (x, y, tolerance), seen)[::-1]

    def distance(self, entity_a: int, entity_b: int) -> float:
        """How far (m) the shapes of two bodies are apart now; 0 where they overlap.

        Chains count as thin lines, from both sides. Filters and sensors make no difference.

        Raises:
            ValueError: for an entity that is no body with a shape.
        """
        return self.closest_points(entity_a, entity_b).distance

    def closest_points(self, entity_a: int, entity_b: int) -> ClosestPoints:
        """Where the shapes of two bodies are nearest to each other now; else as `distance`."""
        self._follow()
        store = self.store
        rows = [
            _row_with_shape(store, entity, name)
            for entity, name in ((entity_a, "entity_a"), (entity_b, "entity_b"))
        ]
        find_closest(
            *rows,
            store.bodies,
            store.parts,
            self._tree.leaf_of_part,
            self._tree.leaves,
            self._tree.corners,
            self._closest,
        )
        return ClosestPoints(*self._closest.item())

    # -- inside ---------------------------------------------------------------------------

    def _must_be_open(self) -> None:
        raise NotImplementedError

    def _follow(self) -> None:
        self._must_be_open()
        self.store.adopt()
        self._tree.follow(self.store)

    def _look(
        self, who: Filter | None, ignore: Iterable[int] | int, sensors: bool
    ) -> tuple[NDArray[Any], ...]:
        """Bring the tree up to date, note what is asked for; returns where kernels look for it."""
        self._follow()
        self._question.ask(who, sensors)
        dying = self.store.dying()
        ignored = _NOBODY
        if dying or type(ignore) is not tuple or ignore:
            ignored = np.array(sorted({*dying, *_entities(ignore)}), np.int64)
        return self._question.seeker, ignored, self.store.traits, *self._tree.arrays

    def _prepare_ray(self, start: Point, end: Point) -> float:
        """Keep a ray where kernels read it; returns its length, m."""
        self._must_be_open()
        self._start[0] = x, y = point(start, "start")
        self._end[0] = end_x, end_y = point(end, "end")
        return float(np.hypot(end_x - x, end_y - y))

    def _overlapping(self, mine: PlacedShape, seen: tuple[NDArray[Any], ...]) -> list[int]:
        return self._find(find_overlapping, (mine.count, mine.leaves, mine.corners), seen)

    def _find(
        self, kernel: Callable[..., int], sought: tuple[Any, ...], seen: tuple[NDArray[Any], ...]
    ) -> list[int]:
        """Whom a kernel finds, oldest first; it tells how many, and writes those that have room."""
        while (count := kernel(*sought, *seen, self._found)) > len(self._found):
            self._found = np.zeros(2 * count, np.int64)
        return sorted(set(self._found[:count].tolist()))


def _ray_hit(hit: NDArray[Any], length: float) -> RayHit:
    entity, fraction, x, y, normal_x, normal_y = hit.item()
    return RayHit(entity, x, y, normal_x, normal_y, fraction, fraction * length)


def _placed(shape: Shape, x: float, y: float, angle: float) -> PlacedShape:
    if not isinstance(shape, Shape):
        raise ValueError(f"shape = {shape!r}: give a Shape, such as Shape.circle(0.5)")
    placed = placed_shape(shape)
    placed.place(x, y, number(angle, "angle"))
    return placed


def _entities(ignore: Iterable[int] | int) -> list[int]:
    given = [ignore] if isinstance(ignore, (int, np.integer)) else ignore
    try:
        if isinstance(given, (str, bytes)):
            raise TypeError(given)
        entities = list(given)
    except TypeError:
        raise ValueError(f"ignore = {ignore!r}: give entities, such as (entity,)") from None
    for each in entities:
        is_whole = isinstance(each, (int, np.integer)) and not isinstance(each, bool)
        if not is_whole or abs(each) >= 2**63:
            raise ValueError(f"ignore has {each!r} in it: give entities, which are whole numbers")
    return entities


def _row_with_shape(store: Store, entity: int, name: str) -> int:
    try:
        row = store.row_of(entity_id(entity, name))
    except KeyError:
        raise ValueError(f"{name} = {entity!r} is no body: give the entity of one") from None
    if store.bodies["first_part"][row] < 0:
        raise ValueError(f"{name} = {entity!r} has no Shape: give a body that has one")
    return row


def _many_points(starts: Any, ends: Any) -> tuple[Points, Points]:
    """Starts and ends of rays as two arrays of one length."""
    arrays = []
    for name, given in (("starts", starts), ("ends", ends)):
        try:
            array = np.asarray(given)
            array = array.astype(np.float64, copy=False) if array.dtype.kind in "fiu" else _NOBODY
        except (TypeError, ValueError):
            array = np.zeros(0)
        if array.ndim not in (1, 2) or array.shape[-1] != 2:
            raise ValueError(f"{name} = {given!r}: give an array of shape (n, 2), or one point")
        if not np.isfinite(array).all():
            row = int(np.argmin(np.isfinite(array.reshape(-1, 2)).all(axis=1)))
            raise ValueError(
                f"{name}[{row}] = {array.reshape(-1, 2)[row].tolist()}: give finite numbers"
            )
        arrays.append(array)
    lengths = [len(each) for each in arrays if each.ndim == 2]
    if len(set(lengths)) > 1:
        raise ValueError(f"{lengths[0]} starts and {lengths[1]} ends: give as many of each")
    rows = lengths[0] if lengths else 1
    whole = [
        each if len(each) == rows and each.ndim == 2 else np.tile(each, (rows, 1))
        for each in arrays
    ]
    starts, ends = (np.require(each, requirements=("C", "W")) for each in whole)  # as kernels ask
    return starts, ends
