"""Queries see the world as it is now, and answer as geometry does."""

import itertools
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import esper
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics import (
    Disabled,
    Filter,
    Mass,
    RayHit,
    Sensor,
    Shape,
    Stage,
    Transform,
    Velocity,
    World,
)

DATA = json.loads((Path(__file__).parent / "data" / "shape_queries.json").read_text())
BOX = Shape.box(2, 2)
BALL = Shape.circle(1.0)
GROUND = Shape.chain([(-10, 0), (0, 0), (10, 0)])


@pytest.fixture(autouse=True)
def _own_world(request: pytest.FixtureRequest) -> Iterator[None]:
    name = f"test_queries.{request.node.name}"
    before = esper.current_world
    esper.switch_world(name)
    yield
    esper.switch_world(before)
    esper.delete_world(name)


def put(shape: Shape, x: float = 0.0, y: float = 0.0, angle: float = 0.0, *more: Any) -> int:
    entity: int = esper.create_entity(Transform(x, y, angle), shape, *more)
    return entity


def shape_of(entry: dict[str, Any]) -> Shape:
    if entry["kind"] == "circle":
        return Shape.circle(entry["radius"])
    if entry["kind"] == "capsule":
        return Shape.capsule(entry["p"], entry["q"], entry["radius"])
    if entry["kind"] == "box":
        return Shape.box(entry["width"], entry["height"])
    return Shape.polygon(entry["vertices"], entry.get("radius", 0.0))


# Right values


def test_rays_agree_with_the_reference() -> None:
    world = World()
    for number, each in enumerate(DATA["rays"]):
        entity = put(shape_of(each["shape"]), *each["pose"])
        hit = world.ray(each["origin"], each["end"])
        assert (hit is not None) == each["hit"], number
        if hit is not None:
            assert hit.entity == entity
            assert hit.fraction == pytest.approx(each["fraction"], abs=1e-9), number
        esper.delete_entity(entity, immediate=True)


def test_distances_agree_with_the_reference() -> None:
    world = World()
    for number, pair in enumerate(DATA["pairs"]):
        a = put(shape_of(pair["a"]), *pair["pose_a"])
        b = put(shape_of(pair["b"]), *pair["pose_b"])
        distance, x_a, y_a, x_b, y_b = world.closest_points(a, b)
        assert distance == pytest.approx(pair.get("distance", 0.0), abs=1e-9), number
        assert math.hypot(x_b - x_a, y_b - y_a) == pytest.approx(distance, abs=1e-9), number
        assert world.distance(b, a) == pytest.approx(distance, abs=1e-12)
        if pair["overlap"]:
            assert world.bodies_in_shape(Shape.circle(1e-9), x_a, y_a) == [a, b], number
        shape, pose = shape_of(pair["b"]), pair["pose_b"]
        assert (a in world.bodies_in_shape(shape, *pose, ignore=b)) == pair["overlap"], number
        for entity in (a, b):
            esper.delete_entity(entity, immediate=True)


UP, DOWN, LEFT, RIGHT = (0.0, 1.0), (0.0, -1.0), (-1.0, 0.0), (1.0, 0.0)
TILT = math.sqrt(0.5)


@pytest.mark.parametrize(
    ("shape", "start", "end", "fraction", "normal"),
    [
        (BALL, (-5, 0), (5, 0), 0.4, LEFT),
        (BALL, (-5, 0.6), (5, 0.6), 0.42, (-0.8, 0.6)),
        (BALL, (-5, 1), (5, 1), 0.5, UP),
        (BALL, (-5, 1.0000001), (5, 1.0000001), None, None),
        (BALL, (-5, 0), (-1.5, 0), None, None),
        (BALL, (-5, 0), (-1, 0), 1.0, LEFT),
        (BALL, (-5, 0), (-9, 0), None, None),
        (BOX, (-5, 0.5), (5, 0.5), 0.4, LEFT),
        (BOX, (0.5, 9), (0.5, -1), 0.8, UP),
        (BOX, (-5, 1), (5, 1), 0.4, LEFT),
        (BOX, (-5, -1), (5, -1), 0.4, LEFT),
        (BOX, (-5, 1.0000001), (5, 1.0000001), None, None),
        (BOX, (1, 9), (1, -1), 0.8, UP),
        (Shape.box(2, 2, 0.5), (-4, 1.3), (4, 1.3), (3 - 0.4) / 8, (-0.8, 0.6)),
        (Shape.box(2, 2, 0.5), (-4, 0.9), (4, 0.9), 2.5 / 8, LEFT),
        (Shape.capsule((-1, 0), (1, 0), 0.5), (-4, 0), (4, 0), 2.5 / 8, LEFT),
        (Shape.capsule((-1, 0), (1, 0), 0.5), (0.3, 4), (0.3, -4), 3.5 / 8, UP),
        (Shape.capsule((-1, 0), (1, 0), 0.5), (-1.3, 4), (-1.3, -4), 3.6 / 8, (-0.6, 0.8)),
        (Shape.segment((0, 0), (4, 0)), (1, 1), (1, -3), 0.25, UP),
        (Shape.segment((0, 0), (4, 0)), (1, -1), (1, 3), 0.25, DOWN),
        (Shape.segment((0, 0), (4, 0)), (4, -1), (4, 3), 0.25, DOWN),
        (Shape.segment((0, 0), (4, 0)), (4.1, -1), (4.1, 3), None, None),
        (Shape.segment((0, 0), (4, 0)), (-1, 0), (9, 0), None, None),
        (GROUND, (0, 1), (0, -3), 0.25, UP),
        (GROUND, (0, -1), (0, 3), None, None),
        (GROUND, (-20, 0), (20, 0), None, None),
        (GROUND, (9.5, 3), (10.5, -3), 0.5, UP),
        (Shape.polygon([(0, 0), (4, 0), (4, 4), (3, 1)]), (0, 3), (8, 3), (3 + 2 / 3) / 8, None),
        (Shape.compound([(BALL, 3, 0), (BALL, -3, 0)]), (9, 0), (-11, 0), 0.25, RIGHT),
    ],
)
def test_closed_forms(
    shape: Shape, start: Any, end: Any, fraction: float | None, normal: Any
) -> None:
    world = World()
    entity = put(shape, 70.0, -30.0)
    start, end = (np.add(each, (70.0, -30.0)) for each in (start, end))
    hit = world.ray(start, end)
    if fraction is None:
        assert hit is None
        return
    assert hit is not None
    assert hit.entity == entity
    assert hit.fraction == pytest.approx(fraction, abs=1e-12)
    assert hit.distance == pytest.approx(fraction * math.dist(start, end), abs=1e-12)
    assert (hit.x, hit.y) == pytest.approx(tuple(start + fraction * (end - start)), abs=1e-12)
    if normal is not None:
        assert (hit.normal_x, hit.normal_y) == pytest.approx(normal, abs=1e-6)


def circles_entered(start: Any, way: Any, circles: Any) -> Any:
    """The fraction at which each ray enters its circle (x, y, r), from the quadratic formula."""
    to = circles[:, :2] - start
    a, b = (way * way).sum(axis=1), (to * way).sum(axis=1)
    c = (to * to).sum(axis=1) - circles[:, 2] ** 2
    root = b * b - a * c
    with np.errstate(invalid="ignore"):
        fraction = (b - np.sqrt(root)) / a
    is_met = (root >= 0.0) & (fraction >= 0.0) & (fraction <= 1.0)
    return np.where(c <= 0.0, 0.0, np.where(is_met, fraction, np.inf))


def boxes_entered(start: Any, way: Any, boxes: Any) -> Any:
    """The same for boxes (x, y, half width, half height, angle): slabs in the box's own axes."""
    enter, leave, to = -np.inf, np.inf, start - boxes[:, :2]
    for axis, half in ((0, boxes[:, 2]), (1, boxes[:, 3])):
        turn = boxes[:, 4] + 0.5 * math.pi * axis
        unit = np.column_stack([np.cos(turn), np.sin(turn)])
        at, rate = (to * unit).sum(axis=1), (way * unit).sum(axis=1)
        first, second = (-half - at) / rate, (half - at) / rate
        enter = np.maximum(enter, np.minimum(first, second))
        leave = np.minimum(leave, np.maximum(first, second))
    is_met = (enter <= leave) & (leave >= 0.0) & (enter <= 1.0)
    return np.where(is_met, np.maximum(enter, 0.0), np.inf)


def brute_force(starts: Any, ways: Any, solids: list[Any]) -> tuple[Any, Any]:
    """Fraction and owner of the first of all solids (owner, entered, values, reach) for each ray.

    Each ray is compared with each solid; the formulas are spared where a solid's middle is
    farther from the ray's line than it reaches.
    """
    best, owner = np.full(len(starts), np.inf), np.zeros(len(starts), np.int64)
    lengths = np.hypot(*ways.T)
    for entered, owners, values, reach in solids:
        middles = values[:, :2]
        off = ways[:, :1] * middles[:, 1] - ways[:, 1:] * middles[:, 0]
        off -= (ways[:, 0] * starts[:, 1] - ways[:, 1] * starts[:, 0])[:, None]
        ray, solid = np.nonzero(np.abs(off) <= lengths[:, None] * reach)
        fractions = entered(starts[ray], ways[ray], values[solid])
        order = np.lexsort((fractions, ray))
        ray, fractions, found = ray[order], fractions[order], owners[solid[order]]
        ray, first = np.unique(ray, return_index=True)
        nearer = fractions[first] < best[ray]
        best[ray[nearer]] = fractions[first][nearer]
        owner[ray[nearer]] = found[first][nearer]
    return best, owner


def test_ten_thousand_rays_agree_with_brute_force() -> None:
    """Boxes, circles and capsules (a box and two circles): 5,000 bodies."""
    rng = np.random.default_rng(7)
    world = World()
    circles, boxes = [], []
    for kind in range(5000):
        at, turn = rng.uniform((-150, -75), (150, 75)), rng.uniform(-3, 3)
        a, b = rng.uniform(0.1, 1.2, 2)
        along = a * np.array([math.cos(turn), math.sin(turn)])
        if kind % 10 < 6:
            boxes.append((put(Shape.box(2 * a, 2 * b), *at, turn), *at, a, b, turn))
        elif kind % 10 < 8:
            circles.append((put(Shape.circle(a), *at, turn), *at, a))
        else:
            entity = put(Shape.capsule((-a, 0), (a, 0), b), *at, turn)
            boxes.append((entity, *at, a, b, turn))
            circles += [(entity, *(at - along), b), (entity, *(at + along), b)]
    starts = rng.uniform((-160, -80), (160, 80), (10000, 2))
    angles = rng.uniform(-math.pi, math.pi, 10000)
    ways = rng.uniform(0, 70, 10000)[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    round_ones, square_ones = np.array(circles), np.array(boxes)
    solids = [
        (circles_entered, round_ones[:, 0], round_ones[:, 1:], round_ones[:, 3]),
        (boxes_entered, square_ones[:, 0], square_ones[:, 1:], np.hypot(*square_ones.T[3:5])),
    ]
    some = [slice(k, k + 250) for k in range(0, 10000, 250)]
    answers = [brute_force(starts[each], ways[each], solids) for each in some]
    least, owner = (np.concatenate(each) for each in zip(*answers, strict=True))
    found = world.rays(starts, starts + ways)
    is_met = least < np.inf
    assert found["fraction"] == pytest.approx(np.where(is_met, least, 1.0), abs=1e-9)
    assert ((found["entity"] != 0) == is_met).all()
    is_clear = is_met & (least > 0.0)
    assert (found["entity"][is_clear] == owner[is_clear]).all()
    assert 0.5 < is_met.mean() < 0.99
    assert is_clear.mean() > 0.4


def test_one_ray_and_many_say_the_same() -> None:
    rng = np.random.default_rng(3)
    world = World()
    for shape in (BOX, BALL, GROUND, Shape.capsule((0, 0), (2, 1), 0.3)):
        for _ in range(20):
            put(shape, *rng.uniform(-20, 20, 2), rng.uniform(-3, 3))
    starts, ends = rng.uniform(-25, 25, (2, 200, 2))
    many = world.rays(starts, ends)
    assert many.dtype.names == ("entity", "fraction", "x", "y", "normal_x", "normal_y")
    for start, end, row in zip(starts, ends, many, strict=True):
        hit = world.ray(start, end)
        every = world.ray_all(start, end)
        if hit is None:
            assert row.item() == (0, 1.0, *end, 0.0, 0.0)
            assert every == []
        else:
            assert row.item() == (hit[0], hit[5], *hit[1:5])
            assert every[0] == hit
            assert [each.fraction for each in every] == sorted(each.fraction for each in every)
            assert len({each.entity for each in every}) == len(every)


def test_all_bodies_on_the_way_come_once_each_nearest_first() -> None:
    world = World()
    far, near = put(BOX, 10), put(Shape.compound([(BALL, 0, 0), (BALL, 1, 0)]), 5)
    twin = put(BOX, 10)
    hits = world.ray_all((0, 0), (20, 0))
    assert [(hit.entity, hit.distance) for hit in hits] == [(near, 4), (far, 9), (twin, 9)]
    assert [hit.entity for hit in world.ray_all((0, 0), (9.5, 0), ignore=near)] == [far, twin]
    many = [put(BALL, 100 + 3 * k) for k in range(200)]
    assert [hit.entity for hit in world.ray_all((90, 0), (1000, 0))] == many


def test_of_bodies_at_one_place_the_oldest_is_met() -> None:
    world = World()
    first, *_ = [put(BOX, 10) for _ in range(9)]
    assert getattr(world.ray((0, 0), (20, 0)), "entity") == first  # noqa: B009
    assert getattr(world.cast_shape(BALL, (0, 0), (20, 0)), "entity") == first  # noqa: B009


# Where rays start, and what is thin


@pytest.mark.parametrize(
    "shape",
    [BALL, BOX, Shape.box(1, 1, 0.5), Shape.capsule((-1, 0), (1, 0), 1.0)],
    ids=lambda shape: shape.kind,
)
def test_a_ray_from_inside_meets_the_body_at_once_and_one_that_leads_out_does_not(
    shape: Shape,
) -> None:
    world = World()
    entity = put(shape, 3, 4)
    right = 4.0 + (1.0 if shape.kind == "capsule" else 0.0)
    inside = world.ray((3, 4), (3, 14))
    assert inside == RayHit(entity, 3, 4, 0, -1, 0, 0)
    assert world.ray((3, 4), (3, 4)) == RayHit(entity, 3, 4, 0, 0, 0, 0)
    top = 5.0
    assert world.ray((3, top), (3, 9)) is None
    assert world.ray((3, top - 1e-10), (4, 9)) is None
    into = world.ray((3, top), (3, 2))
    assert into is not None
    assert (into.entity, into.fraction) == (entity, 0)
    assert world.ray((right + 1e-3, 4), (right + 1e-3, 4)) is None
    assert world.ray((3, 4), (3, 14), ignore=entity) is None


def test_a_ray_inside_a_concave_body_does_not_meet_its_seams() -> None:
    world = World()
    entity = put(Shape.polygon([(0, 0), (4, 0), (4, 1), (1, 1), (1, 4), (0, 4)]))
    hit = world.ray((0.5, 3), (0.5, 0.2))
    assert hit is not None
    assert (hit.entity, hit.fraction) == (entity, 0)
    assert world.ray((2, 3), (2, 2)) is None
    across = world.ray((2, 3), (-2, 3))
    assert across is not None
    assert across.x == pytest.approx(1)


@pytest.mark.parametrize("place", [0.0, 1e5])
def test_a_reflected_ray_never_leaves_its_room(place: float) -> None:
    """Between round and sharp bodies in a closed chain, each ray from where the last one ended."""
    world = World()
    put(Shape.chain([(-9, -7), (8, -8), (9, 9), (-8, 7)], closed=True), place, place)
    shapes = (BALL, BOX, Shape.box(1, 1, 0.3), Shape.capsule((-1, 0), (1, 0), 0.4))
    for k, shape in enumerate(shapes):
        put(shape, place + 4 * math.cos(1.6 * k), place + 4 * math.sin(1.6 * k), k)
    at, way = np.array([place, place]), np.array([math.cos(0.3), math.sin(0.3)])
    for _ in range(500):
        hit = world.ray(at, at + 100 * way)
        assert hit is not None
        assert hit.distance > 0.0
        normal = np.array([hit.normal_x, hit.normal_y])
        assert way @ normal < 0.0
        assert math.hypot(*normal) == pytest.approx(1.0, abs=1e-9)
        at = np.array([hit.x, hit.y])
        way = way - 2 * (way @ normal) * normal


def test_a_ray_through_a_corner_or_a_joint_is_not_lost() -> None:
    world = World()
    put(Shape.chain([(-1.3, 0.7), (0, 0), (1.1, 0.4)]))
    put(Shape.box(0.7, 0.7, 0.3), 20, 0.1)
    for angle in np.linspace(0.6, 2.4, 400):
        away = 3 * np.array([math.cos(angle), math.sin(angle)])
        assert world.ray(away, -away) is not None
        assert world.ray(away + np.array([20, 0.1]), (20, 0.1)) is not None
    for x in np.linspace(-0.65, 0.65, 400):
        assert world.ray((20 + x, 5), (20 + x, 0.1)) is not None


def test_far_out_rays_are_as_exact_as_places_are() -> None:
    world = World()
    entity = put(BOX, 1e5, -1e5, 0.3)
    hit = world.ray((1e5 + 10, -1e5), (1e5 - 10, -1e5))
    assert hit is not None
    assert hit.entity == entity
    assert hit.distance == pytest.approx(10 - 1 / math.cos(0.3), abs=1e-9)
    long = world.ray((1e5, 1e5), (1e5, -3e5))
    assert long is not None
    assert long.distance == pytest.approx(2e5 - 1 / math.cos(0.3), abs=1e-8)


# Shape casts


def naive_gap(a: Any, b: Any) -> float:
    """The distance of two rounded convex outlines ((n, 2), radius), from points to edges.

    Negative or 0 where they overlap, but not how deep.
    """
    (p, radius_p), (q, radius_q) = a, b
    for mine, other in ((p, q), (q, p)):
        along = np.roll(mine, -1, axis=0) - mine
        axes = np.vstack([np.column_stack([along[:, 1], -along[:, 0]]), along])
        if ((other @ axes.T).min(axis=0) > (mine @ axes.T).max(axis=0)).any():
            break
    else:
        if max(len(p), len(q)) > 1:
            return -radius_p - radius_q
    least = math.inf
    for mine, other in ((p, q), (q, p)):
        ends = np.roll(other, -1, axis=0)
        along, to = ends - other, mine[:, None] - other
        length = np.maximum((along * along).sum(axis=1), 1e-300)
        share = np.clip((to * along).sum(axis=2) / length, 0.0, 1.0)
        least = min(least, np.linalg.norm(to - share[:, :, None] * along, axis=2).min())
    return float(least) - radius_p - radius_q


def outlines(shape: Shape, x: float, y: float, angle: float) -> list[Any]:
    cos, sin = math.cos(angle), math.sin(angle)
    turn = np.array([[cos, sin], [-sin, cos]])
    return [(part.vertices @ turn + (x, y), part.radius) for part in shape.parts]


def gap_of(shape: Shape, pose: Any, other: Shape, at: Any) -> float:
    return min(naive_gap(a, b) for a in outlines(shape, *pose) for b in outlines(other, *at))


SHAPES = [
    BALL,
    Shape.box(1.5, 0.8),
    Shape.box(0.6, 1.1, 0.2),
    Shape.capsule((-0.7, 0.1), (0.6, 0), 0.25),
    Shape.polygon([(-0.8, -0.5), (1.0, -0.6), (0.2, 0.9)]),
    Shape.segment((-1, 0), (1, 0.2)),
    Shape.compound([(Shape.circle(0.4), -0.6, 0), (Shape.box(0.5, 0.9), 0.5, 0.2, 0.4)]),
    Shape.polygon([(0, 0), (2, 0), (2, 0.5), (0.5, 0.5), (0.5, 2), (0, 2)]),
]


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=40)
def test_shape_casts_agree_with_bisection(seed: int) -> None:
    """The first fraction at which the naive gap is used up: fine steps, then bisection."""
    rng = np.random.default_rng(seed)
    moving, resting = (SHAPES[k] for k in rng.integers(0, len(SHAPES), 2))
    esper.switch_world(f"test_queries.cast.{seed}")
    with World(name=f"test_queries.cast.{seed}.world") as world:
        at = (*rng.uniform(-1, 1, 2), rng.uniform(-3, 3))
        entity = put(resting, *at)
        around = rng.uniform(-math.pi, math.pi)
        start = 6.0 * np.array([math.cos(around), math.sin(around)])
        end, angle = -start + rng.uniform(-1.5, 1.5, 2), rng.uniform(-3, 3)

        def gap(fraction: float) -> float:
            return gap_of(moving, (*(start + fraction * (end - start)), angle), resting, at)

        hit = world.cast_shape(moving, start, end, angle)
        steps = np.linspace(0, 1, 150)
        gaps = np.array([gap(each) for each in steps])
        if hit is None:
            assert gaps.min() > 0.0
            world.close()
            return
        assert hit.entity == entity
        assert gap(hit.fraction) == pytest.approx(max(gap(hit.fraction), 0.0), abs=1e-8)
        assert gap(max(hit.fraction - 1e-7, 0.0)) > 0.0 or hit.fraction == 0.0
        assert (gaps[steps < hit.fraction] > -1e-9).all()
        assert gap(hit.fraction) < 1e-8
        assert math.hypot(hit.normal_x, hit.normal_y) == pytest.approx(1.0, abs=1e-9)
        assert np.dot(end - start, (hit.normal_x, hit.normal_y)) <= 0.0
        world.close()


@pytest.mark.parametrize(
    ("shape", "end", "fraction", "normal"),
    [
        (BALL, (10, 0), 0.8 - 0.1 * 0, LEFT),
        (BOX, (10, 0.5), 0.8, LEFT),
        (Shape.box(2, 2, 0.5), (10, 0), 0.75, LEFT),
    ],
)
def test_a_cast_stops_at_a_wall(shape: Shape, end: Any, fraction: float, normal: Any) -> None:
    world = World()
    wall = put(Shape.box(2, 20), 10)
    hit = world.cast_shape(shape, (0, 0), end)
    assert hit is not None
    assert hit.entity == wall
    assert (hit.fraction, hit.x) == pytest.approx((fraction, 9.0), abs=1e-12)
    assert (hit.normal_x, hit.normal_y) == pytest.approx(normal, abs=1e-9)
    assert hit.distance == pytest.approx(fraction * math.hypot(*end), abs=1e-12)


def test_a_cast_that_overlaps_begins_with_a_hit_and_one_that_touches_may_leave() -> None:
    world = World()
    floor = put(Shape.box(20, 2), 0, -1)
    for shape in (BOX, BALL, Shape.box(1, 1, 0.5)):
        inside = world.cast_shape(shape, (0, 0.5), (0, 5))
        assert inside is not None
        assert (inside.entity, inside.fraction, inside.normal_y) == (floor, 0.0, -1.0)
        assert world.bodies_at(inside.x, inside.y) == [floor]
        assert world.cast_shape(shape, (0, 1), (0, 5)) is None
        assert world.cast_shape(shape, (0, 1), (5, 1)) is None, "it glides along"
        down = world.cast_shape(shape, (0, 1), (0, 0))
        assert down is not None
        assert down.fraction == 0.0
        at_rest = world.cast_shape(shape, (0, 0.9), (0, 0.9))
        assert at_rest is not None
        assert at_rest.entity == floor
        assert world.cast_shape(shape, (0, 1.1), (0, 1.1)) is None


def test_a_cast_meets_a_chain_from_its_solid_side_only() -> None:
    world = World()
    ground = put(GROUND)
    for shape in (BALL, BOX, Shape.capsule((-0.5, 0), (0.5, 0), 1.0)):
        hit = world.cast_shape(shape, (0.3, 3), (0.3, -7))
        assert hit is not None
        assert (hit.entity, hit.fraction) == (ground, pytest.approx(0.2, abs=1e-12))
        assert (hit.normal_x, hit.normal_y) == pytest.approx(UP, abs=1e-9)
        assert world.cast_shape(shape, (0.3, -3), (0.3, 7)) is None


# Overlaps and points


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=25)
def test_overlaps_and_distances_agree_with_the_naive_gap(seed: int) -> None:
    rng = np.random.default_rng(seed)
    with World(name=f"test_queries.overlap.{seed}") as world:
        bodies = []
        for _ in range(12):
            shape, at = (
                SHAPES[rng.integers(0, len(SHAPES))],
                (*rng.uniform(-4, 4, 2), rng.uniform()),
            )
            bodies.append((put(shape, *at), shape, at))
        shape, at = SHAPES[rng.integers(0, len(SHAPES))], (*rng.uniform(-3, 3, 2), rng.uniform())
        expected = [e for e, other, there in bodies if gap_of(shape, at, other, there) <= 0.0]
        assert world.bodies_in_shape(shape, *at) == expected
        low, high = np.sort(rng.uniform(-4, 4, (2, 2)), axis=0)
        box, middle = Shape.box(*(high - low)), (*(0.5 * (low + high)), 0.0)
        expected = [e for e, other, there in bodies if gap_of(box, middle, other, there) <= 0.0]
        assert world.bodies_in_box(low, high) == expected
        for (a, shape_a, at_a), (b, shape_b, at_b) in itertools.pairwise(bodies):
            gap = max(gap_of(shape_a, at_a, shape_b, at_b), 0.0)
            assert world.distance(a, b) == pytest.approx(gap, abs=1e-9)
        world.close()


def test_a_box_finds_shapes_and_not_the_boxes_around_them() -> None:
    world = World()
    ball, ground = put(BALL), put(GROUND, 0, -5)
    assert world.bodies_in_box((0.8, 0.8), (2, 2)) == []
    assert world.bodies_in_box((0.7, 0.7), (2, 2)) == [ball]
    assert world.bodies_in_box((1, -1), (2, 1)) == [ball], "it touches"
    assert world.bodies_in_box((-9, -9), (9, 9)) == [ball, ground]
    assert world.bodies_in_box((0, 0), (0, 0)) == [ball]
    assert world.bodies_in_box((2, -6), (2, -4)) == [ground]


@pytest.mark.parametrize(
    ("shape", "inside", "outside"),
    [
        (Shape.circle(2, (0.5, 0)), [(0.5, 0), (2.5, 0)], [(2.500001, 0), (2, -1.4)]),
        (
            Shape.capsule((-1, 0), (1, 0), 0.5),
            [(0, 0.5), (0.7, -0.49), (1.5, 0)],
            [(1.36, 0.36), (0, 0.51)],
        ),
        (BOX, [(0, 0), (1, 0), (1, 1), (-1, 1)], [(1.000001, 0), (0, -1.000001), (-1.1, 0.9)]),
        (Shape.box(2, 2, 0.5), [(1.5, 0.9), (1.35, 1.35)], [(1.36, 1.36), (1.51, 0)]),
        (Shape.segment((0, 0), (4, 0)), [], [(2, 0)]),
        (GROUND, [], [(2, 0)]),
        (Shape.segment((0, 0), (4, 0), 0.2), [(2, 0.2), (-0.2, 0)], [(2, 0.21)]),
    ],
)
def test_what_a_shape_covers(shape: Shape, inside: Any, outside: Any) -> None:
    world = World()
    entity = put(shape)
    assert [world.bodies_at(*at) for at in inside] == [[entity]] * len(inside)
    assert [world.bodies_at(*at) for at in outside] == [[]] * len(outside)


@pytest.mark.parametrize("shape", [Shape.segment((0, 0), (4, 0)), Shape.chain([(0, 0), (4, 0)])])
def test_what_is_thin_is_found_only_within_the_tolerance(shape: Shape) -> None:
    world = World()
    thin = put(shape)
    solid = put(BOX, 9)
    assert world.bodies_at(2, 0, tolerance=0.1) == [thin]
    assert world.bodies_at(2, -0.1, tolerance=0.1) == [thin]
    assert world.bodies_at(4.05, 0.05, tolerance=0.1) == [thin]
    assert world.bodies_at(4.08, 0.08, tolerance=0.1) == []
    assert world.bodies_at(7.95, 0.0, tolerance=0.1) == [], "nothing else becomes larger"
    assert world.bodies_at(8.0, 0.0, tolerance=0.1) == [solid]


def test_more_bodies_than_there_is_room_for_at_first() -> None:
    world = World()
    bodies = [put(BOX) for _ in range(300)]
    assert world.bodies_at(0, 0) == bodies[::-1]
    assert world.bodies_in_box((0, 0), (1, 1)) == bodies
    assert [hit.entity for hit in world.ray_all((-5, 0), (5, 0))] == bodies


# Who is found


def test_filters_ignored_entities_and_sensors() -> None:
    world = World()
    sensor = put(BOX, 3, 0, 0, Sensor())
    enemy = put(BOX, 6, 0, 0, Filter(category=2))
    ghost = put(BOX, 9, 0, 0, Filter(category=4, mask=4))
    wall = put(BOX, 12)

    def seen(**how: Any) -> list[int]:
        rays = [hit.entity for hit in world.ray_all((0, 0), (20, 0), **how)]
        assert world.bodies_in_box((0, 0), (20, 1), **how) == rays
        assert world.bodies_in_shape(Shape.box(40, 1), 0, 0, **how) == rays
        first = rays[0] if rays else 0
        assert world.rays((0, 0), [(20, 0)], **how)["entity"].tolist() == [first]
        cast = world.cast_shape(Shape.circle(0.1), (0, 0), (20, 0), **how)
        assert (cast.entity if cast else 0) == first
        at = [world.bodies_at(x, 0, **{"sensors": False, **how}) for x in (3, 6, 9, 12)]
        assert [each for found in at for each in found] == rays
        return rays

    assert seen() == [enemy, ghost, wall]
    assert seen(sensors=True) == [sensor, enemy, ghost, wall]
    assert seen(ignore=enemy) == [ghost, wall]
    assert seen(ignore=[wall, enemy, 12345]) == [ghost]
    assert seen(filter=Filter()) == [enemy, wall]
    assert seen(filter=Filter(mask=2)) == [enemy]
    assert seen(filter=Filter(category=4, mask=4)) == [ghost]
    assert seen(filter=Filter(mask=0)) == []
    esper.add_component(enemy, Filter(group=-3))
    assert seen(filter=Filter(group=-3)) == [wall]
    esper.remove_component(sensor, Sensor)
    assert seen(ignore={enemy}) == [sensor, ghost, wall]
    assert world.bodies_at(3, 0) == [sensor]


def entity_ahead(world: World) -> int:
    hit = world.ray((0, 0), (100, 0))
    assert (hit is not None) == bool(world.rays((0, 0), (100, 0))["entity"][0])
    return 0 if hit is None else hit.entity


def test_queries_see_what_changed_a_moment_ago() -> None:
    world = World(gravity=(0, 0))
    assert entity_ahead(world) == 0
    a = put(BOX, 50)
    assert entity_ahead(world) == a
    b = esper.create_entity(Transform(20, 0), BOX, Velocity(0, 6), Mass())
    assert entity_ahead(world) == b
    esper.component_for_entity(b, Transform).y = 5.0
    assert entity_ahead(world) == a
    poses = world.columns(Transform)
    poses["x"][poses["entity"] == a] = -9.0
    assert entity_ahead(world) == 0
    poses["y"] = 0.0
    assert entity_ahead(world) == b
    for _ in range(30):
        world.step()
    assert entity_ahead(world) == 0
    esper.add_component(b, Shape.box(2, 9))
    assert entity_ahead(world) == b
    esper.component_for_entity(b, Transform).angle = 0.5 * math.pi
    assert entity_ahead(world) == 0
    esper.component_for_entity(b, Transform).angle = 0.0
    esper.add_component(b, Disabled())
    assert entity_ahead(world) == 0
    esper.remove_component(b, Disabled)
    assert entity_ahead(world) == b
    esper.delete_entity(b)
    assert entity_ahead(world) == 0, "deleted, though esper keeps it until the next step"
    world.step()
    c = put(BOX, 7)
    assert entity_ahead(world) == c
    esper.delete_entity(c, immediate=True)
    assert entity_ahead(world) == 0
    world.reset()
    d = put(BOX, 7)
    assert entity_ahead(world) == d


def test_queries_see_a_world_that_was_restored() -> None:
    world = World()
    a = put(BOX, 50)
    moment = world.snapshot()
    b = put(Shape.circle(3), 20)
    assert entity_ahead(world) == b
    world.restore(moment)
    assert entity_ahead(world) == a
    esper.component_for_entity(a, Transform).y = 7.0
    assert entity_ahead(world) == 0
    world.restore(moment)
    assert entity_ahead(world) == a


def test_a_place_that_is_no_number_is_nowhere() -> None:
    world = World()
    lost = put(BOX, 5)
    found = put(BOX, 9)
    world.columns(Transform)["x"][:1] = math.nan
    assert entity_ahead(world) == found
    assert world.bodies_at(5, 0) == []
    assert world.distance(lost, found) == math.inf
    world.columns(Transform)["x"][:1] = math.inf
    assert world.bodies_in_box((-1e9, -1e9), (1e9, 1e9)) == [found]
    world.columns(Transform)["x"][:1] = 5.0
    assert entity_ahead(world) == lost


def build_heap() -> World:
    world = World()
    put(Shape.box(40, 1), 0, -0.5)
    for k in range(30):
        esper.create_entity(
            Transform(1.1 * (k % 6) - 3, 0.6 + 1.1 * (k // 6), 0.1 * k), Velocity(), BOX, Mass()
        )
    return world


class Asks(esper.Processor):
    """Asks everything, whatever the stage is."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.answers: list[Any] = []

    def process(self, dt: float) -> None:
        world = self.world
        first, *_, last = world.entities()
        self.answers.append(
            (
                world.ray((-9, 1), (9, 1)),
                world.cast_shape(BALL, (0, 20), (0.5, 0)),
                world.bodies_in_box((-1, 0), (1, 3)),
                world.bodies_at(0.2, 0.7),
                world.closest_points(first, last),
            )
        )


def test_queries_in_the_middle_of_a_step_change_nothing() -> None:
    hashes, answers = [], []
    for stages in ((), tuple(Stage), ()):
        world = build_heap()
        systems = [Asks(world) for _ in stages]
        for system, stage in zip(systems, stages, strict=True):
            world.add_system(system, stage)
        for _ in range(40):
            world.step()
        hashes.append(world.hash())
        answers = [system.answers for system in systems] or answers
        world.close()
        esper.clear_database()
    assert hashes[0] == hashes[1] == hashes[2]
    assert len(answers) == len(Stage)


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=10)
def test_answers_do_not_depend_on_what_was_asked_before(seed: int) -> None:
    """A tree that followed creations, moves and deletions says what a new world's tree says."""
    rng = np.random.default_rng(seed)
    starts, ends = rng.uniform(-12, 12, (2, 60, 2))
    with World(name=f"test_queries.follow.{seed}") as world:
        bodies: list[int] = []
        for _ in range(12):
            for _ in range(int(rng.integers(1, 9))):
                shape = SHAPES[rng.integers(0, len(SHAPES))]
                bodies.append(put(shape, *rng.uniform(-10, 10, 2), rng.uniform(-3, 3)))
            for entity in rng.choice(bodies, 3):
                esper.component_for_entity(entity, Transform).x += rng.uniform(-20, 20)
            if len(bodies) > 20:
                gone = bodies.pop(int(rng.integers(0, len(bodies))))
                esper.delete_entity(gone, immediate=True)
            found = world.rays(starts, ends)
        copies = {0: 0}
        parts = [(e, *esper.components_for_entity(e)) for e in bodies]
        world.close()
        with World(name=f"test_queries.anew.{seed}") as anew:
            for entity, pose, shape in parts:
                copies[entity] = put(shape, pose.x, pose.y, pose.angle)
            again = anew.rays(starts, ends)
            assert [copies[e] for e in found["entity"]] == again["entity"].tolist()
            for field in ("fraction", "x", "y", "normal_x", "normal_y"):
                assert (found[field] == again[field]).all()
            anew.close()


def test_bodies_that_spread_out_are_still_found_quickly() -> None:
    """The tree follows them, and is built anew in time: answers stay right all the way."""
    world = World(gravity=(0, 0))
    angles = np.linspace(0, 2 * math.pi, 60, endpoint=False)
    for angle in angles:
        way = (20 * math.cos(angle), 20 * math.sin(angle))
        esper.create_entity(Transform(0.1 * way[0], 0.1 * way[1]), Velocity(*way), BALL, Mass())
        world.columns(Velocity)["omega"] = 0.0
    for _ in range(20):
        poses = world.columns(Transform)
        poses["x"] *= 1.3
        poses["y"] *= 1.3
        ends = 1e4 * np.column_stack([np.cos(angles), np.sin(angles)])
        assert (world.rays((0, 0), ends)["entity"] == poses["entity"][:60]).all() or (
            math.hypot(poses["x"][0], poses["y"][0]) < 11.0
        )


# What is refused


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda w: w.ray((0, math.nan), (1, 1)), r"start\[1\] = nan"),
        (lambda w: w.ray((0, 0), (math.inf, 1)), r"end\[0\] = inf"),
        (lambda w: w.ray((0, 0, 0), (1, 1)), "start = "),
        (lambda w: w.ray((0, 0), (1, 1), filter=3), "filter = 3"),
        (lambda w: w.ray((0, 0), (1, 1), ignore="me"), "ignore = 'me'"),
        (lambda w: w.ray((0, 0), (1, 1), ignore=[1.5]), "ignore has 1.5"),
        (lambda w: w.ray((0, 0), (1, 1), sensors=2), "sensors = 2"),
        (lambda w: w.ray_all((0, "x"), (1, 1)), r"start\[1\] = 'x'"),
        (lambda w: w.rays([(0, 0), (1, math.nan)], (1, 1)), r"starts\[1\] = \[1.0, nan\]"),
        (lambda w: w.rays((0, 0), [(1, 1, 1)]), "ends = "),
        (lambda w: w.rays(np.zeros((2, 2)), np.zeros((3, 2))), "2 starts and 3 ends"),
        (lambda w: w.rays("ab", (0, 0)), "starts = 'ab'"),
        (lambda w: w.cast_shape("ball", (0, 0), (1, 1)), "shape = 'ball'"),
        (lambda w: w.cast_shape(BALL, (0, 0), (1, 1), math.nan), "angle = nan"),
        (lambda w: w.bodies_in_shape(BALL, math.nan, 0), "x = nan"),
        (lambda w: w.bodies_in_box((1, 0), (0, 1)), "lower = "),
        (lambda w: w.bodies_at(0, 0, math.nan), "tolerance = nan"),
        (lambda w: w.bodies_at(0, 0, -0.1), "tolerance = -0.1"),
        (lambda w: w.distance(98765, 1), "entity_a = 98765 is no body"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(ask: Any, said: str) -> None:
    world = World()
    with pytest.raises(ValueError, match=said):
        ask(world)


def test_a_body_without_a_shape_has_no_distance() -> None:
    world = World()
    heavy = esper.create_entity(Transform(), Velocity(), Mass(mass=1.0))
    with pytest.raises(ValueError, match="has no Shape"):
        world.distance(heavy, put(BOX))


def test_an_empty_world_has_nothing() -> None:
    world = World()
    assert world.ray((0, 0), (1, 1)) is None
    assert world.ray_all((0, 0), (1, 1)) == []
    assert len(world.rays(np.zeros((0, 2)), np.zeros((0, 2)))) == 0
    assert world.cast_shape(BALL, (0, 0), (1, 1)) is None
    assert world.bodies_in_box((0, 0), (1, 1)) == world.bodies_at(0, 0) == []
