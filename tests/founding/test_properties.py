"""What must hold of detection and resolution for any polygons."""

import math
from typing import Any

import esper
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ecs_physics import Mass, Shape, Transform, Velocity, World
from ecs_physics.measures import angular_momentum, kinetic_energy, max_penetration, momentum
from ecs_physics.polygons import minimum_push_vector, random_simple
from ecs_physics.systems.elastic import ElasticResolution
from ecs_physics.systems.separating_axis import SeparatingAxisDetection
from ecs_physics.systems.vertex_edge import VertexEdgeDetection
from tests.founding.founding import new_world, placed, with_systems

Points = NDArray[np.float64]
SEEDS = st.integers(0, 100_000)
SMALL = st.floats(-1.0, 1.0)


def cross(a: Any, b: Any) -> Any:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def hull(points: Points) -> Points:
    """Andrew's monotone chain: counter-clockwise, without points on the edges."""
    ordered = sorted(map(tuple, points.tolist()))
    halves = []
    for row in (ordered, ordered[::-1]):
        half: list[Any] = []
        for point in row:
            while len(half) > 1 and (
                cross(np.subtract(half[-1], half[-2]), np.subtract(point, half[-1])) <= 1e-12
            ):
                half.pop()
            half.append(point)
        halves += half[:-1]
    return np.array(halves)


def convex(seed: int) -> Points:
    """A random convex polygon about the origin, up to a metre in size."""
    random = np.random.default_rng(seed)
    return hull(random.uniform(-1.0, 1.0, (int(random.integers(4, 12)), 2)))


def crossing_edges(a: Points, b: Points) -> NDArray[np.bool_]:
    """Whether edge i of A and edge j of B meet; the oracle, so all at once and without tricks."""
    p, q = a[:, None], np.roll(a, -1, axis=0)[:, None]
    r, s = b[None], np.roll(b, -1, axis=0)[None]
    first = cross(s - r, p - r) * cross(s - r, q - r) <= 0.0
    return first & (cross(q - p, r - p) * cross(q - p, s - p) <= 0.0)


def inside(points: Points, polygon: Points) -> NDArray[np.bool_]:
    """By the winding number."""
    ends = np.roll(polygon, -1, axis=0)
    u, v = polygon[None] - points[:, None], ends[None] - points[:, None]
    turns = np.arctan2(cross(u, v), (u * v).sum(axis=-1)).sum(axis=1)
    return np.abs(turns) > math.pi


def pair_world(
    detection: type, a: Points, b: Points, resolution: Any = None, motions: Any = None
) -> World:
    """Two bodies whose corners in the world are given."""
    world = new_world()
    with_systems(world, detection(world), resolution and resolution(world))
    for corners, motion in zip((a, b), motions or ((), ()), strict=True):
        velocity = Velocity(*motion)
        esper.create_entity(Transform(), velocity, Shape.polygon(corners.tolist()), Mass())
    return world


@given(SEEDS, SEEDS, SMALL, SMALL, st.floats(0, 6.3))
def test_separating_axis_agrees_with_minkowskis_difference(
    first: int, second: int, x: float, y: float, angle: float
) -> None:
    a, b = convex(first), placed(convex(second), (1.5 * x, 1.5 * y), angle)
    difference = hull((b[:, None] - a[None]).reshape(-1, 2))  # of pushes of A that touch B
    ends = np.roll(difference, -1, axis=0)
    along = ends - difference
    away = cross(along, -difference) / np.hypot(*along.T)  # of the origin, to the left
    depth = away.min()
    assume(abs(depth) > 1e-6)
    push = minimum_push_vector(a, b)
    world = pair_world(SeparatingAxisDetection, a, b)
    world.step(1e-9)
    contacts = world.contacts
    if depth < 0.0:
        assert push.tolist() == [0.0, 0.0]
        assert len(contacts) == 0
        assert max_penetration(world) == 0.0
        return
    assert np.hypot(*push) == pytest.approx(depth, abs=1e-9)
    others = minimum_push_vector(a + push * (1.0 + 1e-6), b)
    assert others.tolist() == [0.0, 0.0]
    assert len(contacts) == 1
    assert -contacts["separation"][0][0] == pytest.approx(depth, abs=1e-7)
    assert max_penetration(world) == pytest.approx(depth, abs=1e-7)


@given(SEEDS, SEEDS, SMALL, SMALL, st.floats(0, 6.3))
def test_vertex_edge_never_reports_a_separated_pair(
    first: int, second: int, x: float, y: float, angle: float
) -> None:
    a = random_simple(first, roughness=0.8)
    b = placed(random_simple(second, roughness=0.8), (1.5 * x, 1.5 * y), angle)
    assume(not crossing_edges(a, b).any())
    assume(not inside(a, b).any())
    assume(not inside(b, a).any())
    world = pair_world(VertexEdgeDetection, a, b)
    world.step(1e-9)
    assert len(world.contacts) == 0


@given(SEEDS, SEEDS, st.floats(1e-4, 0.05), st.floats(0.2, 0.8), st.floats(-0.5, 0.5))
def test_vertex_edge_finds_a_shallow_entry_of_one_vertex(
    first: int, second: int, depth: float, share: float, lean: float
) -> None:
    a, b = random_simple(first), random_simple(second)
    random = np.random.default_rng(first + second)
    edge = int(random.integers(len(b)))
    along = np.roll(b, -1, axis=0)[edge] - b[edge]
    normal = np.array([along[1], -along[0]]) / np.hypot(*along)
    tip = int(np.hypot(*a.T).argmax())  # the farthest corner is a convex one
    turn = math.atan2(*(-normal)[::-1]) - math.atan2(*a[tip][::-1]) + lean
    point = b[edge] + share * along - depth * normal
    a = placed(a, (0, 0), turn)
    a += point - a[tip]
    meets = crossing_edges(a, b)
    before, after = (tip - 1) % len(a), tip
    wanted = np.zeros_like(meets)
    wanted[[before, after], edge] = True
    assume((meets == wanted).all())
    world = pair_world(VertexEdgeDetection, a, b)
    world.step(1e-9)
    contacts = world.contacts
    assert len(contacts) == 1
    assert (contacts["x"][0][0], contacts["y"][0][0]) == pytest.approx(point, abs=1e-9)
    found = (-contacts["normal_x"][0], -contacts["normal_y"][0])
    assert found == pytest.approx(normal, abs=1e-9)
    assert -contacts["separation"][0][0] == pytest.approx(depth, abs=1e-9)


MOTION = st.tuples(st.floats(-3, 3), st.floats(-3, 3), st.floats(-3, 3))


@pytest.mark.parametrize("detection", [VertexEdgeDetection, SeparatingAxisDetection])
@given(SEEDS, SEEDS, SMALL, SMALL, MOTION, MOTION, st.floats(0, 1))
def test_impulses_keep_momentum_and_at_elasticity_one_energy(
    detection: type,
    first: int,
    second: int,
    x: float,
    y: float,
    motion_a: Any,
    motion_b: Any,
    elasticity: float,
) -> None:
    def resolution(world: World) -> ElasticResolution:
        return ElasticResolution(world, elasticity=elasticity, push_out=0.0)

    a, b = random_simple(first), random_simple(second) + np.array([1.2 * x, 1.2 * y])
    world = pair_world(detection, a, b, resolution, (motion_a, motion_b))
    kept = (*momentum(world), angular_momentum(world))
    energy = kinetic_energy(world)
    world.step(1e-3)
    assert (*momentum(world), angular_momentum(world)) == pytest.approx(kept, abs=1e-9)
    if elasticity == 1.0:
        assert kinetic_energy(world) == pytest.approx(energy, rel=1e-9, abs=1e-12)
    else:
        assert kinetic_energy(world) <= energy * (1.0 + 1e-9) + 1e-12


@given(SEEDS, SEEDS, SMALL, SMALL)
def test_at_elasticity_one_energy_stays(first: int, second: int, x: float, y: float) -> None:
    a, b = random_simple(first), random_simple(second) + np.array([1.2 * x, 1.2 * y])
    motions = ((x, y, 0.0), (-x, -y, 1.0))
    world = pair_world(VertexEdgeDetection, a, b, ElasticResolution, motions)
    energy = kinetic_energy(world)
    world.step(1e-3)
    assert kinetic_energy(world) == pytest.approx(energy, rel=1e-9, abs=1e-12)


@given(SEEDS, SEEDS, SMALL, SMALL, st.floats(0.1, 10.0))
def test_overlap_is_pushed_out_in_proportion_to_inverse_mass(
    first: int, second: int, x: float, y: float, ratio: float
) -> None:
    a, b = convex(first), convex(second) + np.array([0.8 * x, 0.8 * y])
    world = new_world()
    with_systems(world, SeparatingAxisDetection(world), ElasticResolution(world, elasticity=0))
    poses = (Transform(), Transform())
    for pose, corners, mass in zip(poses, (a, b), (1.0, ratio), strict=True):
        shape = Shape.polygon(corners.tolist())
        esper.create_entity(pose, Velocity(), shape, Mass(mass=mass))
    push = minimum_push_vector(a, b)
    world.step(1e-9)
    moved = np.array([[pose.x, pose.y] for pose in poses])
    assert moved[0] == pytest.approx(push * ratio / (1.0 + ratio), abs=1e-9)
    assert moved[0] + ratio * moved[1] == pytest.approx(np.zeros(2), abs=1e-9)
    assert max_penetration(world) == pytest.approx(0.0, abs=1e-9)
