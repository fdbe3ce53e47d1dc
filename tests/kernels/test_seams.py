"""Free edges of static polygons against a plain search point by point."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ecs_physics.constants import WELD_DISTANCE
from ecs_physics.kernels.chain_surface import FLUSH, HEAD, HILL, TAIL, edge_end
from ecs_physics.part_pool import PartPool, prepare
from ecs_physics.seams import Seams
from ecs_physics.shapes import Shape
from ecs_physics.tables import BODY, STATIC, TRAITS

Points = NDArray[np.float64]


class Map:
    """Static shapes at places, welded."""

    def __init__(self, *placed: tuple[Shape, float, float, float]) -> None:
        self.pool, self.seams = PartPool(), Seams()
        self.bodies = np.zeros(len(placed), BODY)
        self.traits = np.zeros(len(placed), TRAITS)
        for row, (shape, *place) in enumerate(placed):
            self.bodies[row]["kind"] = STATIC
            self.bodies[row]["first_part"] = self.pool.add(row, prepare(shape, 0.0, 0.0).parts)
            self.put(row, *place)
        self.renew()

    def put(self, row: int, x: float, y: float, angle: float) -> None:
        """Place a body, as kernels/bodies.py does."""
        body: Any = self.bodies[row]
        body["x"], body["y"], body["angle"] = x, y, angle
        cos, sin = math.cos(angle), math.sin(angle)
        part: Any = self.pool.parts[int(body["first_part"])]
        first, last = part["first_vertex"], part["first_vertex"] + part["count"]
        turn = np.array([[cos, sin], [-sin, cos]])
        local = self.pool.local_vertices[first:last]
        world = np.hstack([local[:, :2] @ turn, local[:, 2:] @ turn])
        self.pool.world_vertices[first:last] = world
        lower, upper = world[:, :2].min(axis=0), world[:, :2].max(axis=0)
        part["lower_x"], part["lower_y"] = x + lower[0], y + lower[1]
        part["upper_x"], part["upper_y"] = x + upper[0], y + upper[1]
        part["moved"] = True

    def renew(self) -> None:
        self.seams.renew(self.pool, self.bodies, self.traits)
        self.pool.parts["moved"] = False

    def polygon(self, row: int) -> Points:
        """A body's corners in the world."""
        part: Any = self.pool.parts[int(self.bodies[row]["first_part"])]
        first = part["first_vertex"]
        return self.pool.world_vertices[first : first + part["count"], :2] + self.center(row)

    def center(self, row: int) -> Points:
        return np.array([self.bodies[row]["x"], self.bodies[row]["y"]])

    def free(self, row: int) -> list[tuple[Points, Points]]:
        """A body's free edges, from head to tail: counter-clockwise. All where it has no seam."""
        part: Any = self.pool.parts[int(self.bodies[row]["first_part"])]
        if part["seams"] == 0:
            corners = self.polygon(row)
            return list(zip(corners, np.roll(corners, -1, axis=0), strict=True))
        edges = []
        for k in range(int(part["seams"]) - 1):
            rows = self.pool.world_vertices[int(part["first_edge"]) + 4 * k :][:4, :2]
            rows = rows + self.center(row)
            edges.append((rows[2], rows[1]))
        return edges

    def ends(self, row: int, k: int) -> tuple[int, int]:
        """What the free edge ends at, at its tail and its head: OPEN, HILL or FLUSH."""
        part: Any = self.pool.parts[int(self.bodies[row]["first_part"])]
        tail = int(part["first_edge"]) + 4 * k + 1
        x, y = self.pool.world_vertices[tail, 2:]
        vertices = self.pool.world_vertices
        return edge_end(vertices, tail, TAIL, x, y)[0], edge_end(vertices, tail, HEAD, x, y)[0]


def depth(point: Points, polygon: Points) -> float:
    """m, how deep a point lies in a convex polygon; negative outside."""
    along = np.roll(polygon, -1, axis=0) - polygon
    along /= np.hypot(*along.T)[:, None]
    away = point - polygon
    return float((along[:, 0] * away[:, 1] - along[:, 1] * away[:, 0]).min())


def is_on(point: Points, edges: list[tuple[Points, Points]], slack: float) -> bool:
    """Whether a point lies on one of these, or within `slack` (m) of it."""
    for start, end in edges:
        along = end - start
        share = np.clip((point - start) @ along / (along @ along), 0.0, 1.0)
        if np.hypot(*(point - start - share * along)) <= slack:
            return True
    return False


def check(world: Map) -> None:
    """Every point of every edge is free or covered as a plain search says, ends aside."""
    rows = range(len(world.bodies))
    polygons = [world.polygon(row) for row in rows]
    for row in rows:
        edges = world.free(row)
        for start, end in zip(polygons[row], np.roll(polygons[row], -1, axis=0), strict=True):
            along = (end - start) / np.hypot(*(end - start))
            outwards = np.array([along[1], -along[0]])
            for share in np.linspace(0.005, 0.995, 67):
                point = start + share * (end - start)
                depths = [
                    depth(point + WELD_DISTANCE * outwards, polygons[other])
                    for other in rows
                    if other != row
                ]
                deepest = max(depths, default=-1.0)
                if deepest > WELD_DISTANCE:
                    assert not is_on(point, edges, 1e-9)
                elif deepest < -1.1 * WELD_DISTANCE:
                    assert is_on(point, edges, 1e-9)


SQUARE = Shape.box(1, 1)
TRIANGLE = Shape.polygon([(-0.6, -0.4), (0.7, -0.3), (0.1, 0.6)])
place = st.floats(-1.2, 1.2)
placed = st.tuples(st.sampled_from([SQUARE, TRIANGLE]), place, place, st.floats(-3.0, 3.0))


@settings(deadline=None, max_examples=25)
@given(st.lists(placed, min_size=1, max_size=5))
def test_free_edges_are_what_no_neighbour_covers(shapes: list[Any]) -> None:
    check(Map(*shapes))


@settings(deadline=None, max_examples=15)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, unique=True))
def test_free_edges_of_a_tile_map(cells: list[tuple[int, int]]) -> None:
    """Exactly the sides whose neighbouring cell is empty, however the whole is turned."""
    for angle in (0.0, 0.4):
        cos, sin = math.cos(angle), math.sin(angle)
        world = Map(*((SQUARE, cos * x - sin * y, sin * x + cos * y, angle) for x, y in cells))
        for row, (x, y) in enumerate(cells):
            beside = [(x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)]
            assert len(world.free(row)) == sum(each not in cells for each in beside)
            assert all(math.dist(*edge) == pytest.approx(1.0) for edge in world.free(row))


@settings(deadline=None, max_examples=15)
@given(st.lists(placed, min_size=2, max_size=5), placed, st.data())
def test_a_change_gives_what_is_found_anew(shapes: list[Any], other: Any, data: Any) -> None:
    """However a map came about: one part moved, and its surroundings renewed."""
    moved = data.draw(st.integers(0, len(shapes) - 1))
    world = Map(*shapes)
    world.put(moved, *other[1:])
    world.renew()
    shapes[moved] = (shapes[moved][0], *other[1:])
    anew = Map(*shapes)
    for row in range(len(shapes)):
        np.testing.assert_array_equal(world.free(row), anew.free(row))


def test_a_lone_part_has_no_seams() -> None:
    world = Map((SQUARE, 0.0, 0.0, 0.0), (SQUARE, 3.0, 0.0, 0.0))
    assert world.pool.parts["seams"][:2].tolist() == [0, 0]


def test_a_row_goes_on_straight_and_ends_at_corners() -> None:
    world = Map((SQUARE, 0.0, 0.0, 0.0), (SQUARE, 1.0, 0.0, 0.0))
    bottom, top, left = 0, 1, 2  # of the left tile, in the order of its edges
    assert world.pool.parts["seams"][:2].tolist() == [4, 4]
    assert world.ends(0, bottom) == (FLUSH, HILL)
    assert world.ends(0, top) == (HILL, FLUSH)
    assert world.ends(0, left) == (HILL, HILL)


def test_a_step_up_is_flush_and_a_bend_down_is_a_hill() -> None:
    angle = 0.2
    fall = (
        1.0 + 0.5 * math.cos(angle) - 0.5 * math.sin(angle),
        -0.5 * math.sin(angle) - 0.5 * math.cos(angle),
    )  # its top begins at (1, 0)
    world = Map((SQUARE, 0.5, -0.5, 0.0), (SQUARE, *fall, -angle), (SQUARE, -0.5, 0.5, 0.0))
    tops = [k for k, (start, end) in enumerate(world.free(0)) if start[1] == end[1] == 0.0]
    assert len(tops) == 1
    assert world.ends(0, tops[0]) == (FLUSH, HILL)


@pytest.mark.parametrize("gap", [1e-3, -1e-3])
def test_edges_meet_across_a_gap(gap: float) -> None:
    """No place between two tiles is without ground."""
    world = Map((SQUARE, 0.0, 0.0, 0.0), (SQUARE, 1.0 + gap, 0.0, 0.0))
    left = next(edge for edge in world.free(0) if edge[0][1] == edge[1][1] == 0.5)
    right = next(edge for edge in world.free(1) if edge[0][1] == edge[1][1] == 0.5)
    assert max(each[0] for each in left) >= 0.5 + gap - 1e-9
    assert min(each[0] for each in right) <= 0.5 + 1e-9


def test_rows_of_vertices_are_used_again() -> None:
    world = Map(*((SQUARE, float(x), 0.0, 0.0) for x in range(4)))
    used = world.pool._vertex_rows
    for k in range(20):
        world.put(2, 2.0, 0.5 * (k % 2), 0.0)
        world.renew()
    assert world.pool._vertex_rows <= used + 48
