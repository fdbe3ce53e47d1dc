"""Ground made of separate static tiles: no seam is felt, whatever real corners there are."""

import itertools
import math
from collections.abc import Callable, Iterable

import esper
import numpy as np
import pytest
from numpy.typing import NDArray

from ecs_physics import Filter, Mass, Material, Shape, Transform, Velocity, World
from tests.scenes.scenery import G, body, deepest, motion, new_world, place, run, steps

SLIPPERY = Material(friction=0.0)
TILE = Shape.box(1, 1)
PHASES = 40
APART = 10.0
"""m, between one lane and the next above it."""

CAPSULE = Shape.capsule((-0.5, 0), (0.5, 0), 0.5)
SLIDERS = {"box": Shape.box(1, 1), "circle": Shape.circle(0.5), "capsule": CAPSULE}
UPRIGHT = Shape.capsule((0, -0.5), (0, 0.5), 0.5)

Lay = Callable[[float], object]
"""Lays the tiles of one lane, whose ground is at a height y, from -2 m to 34 m."""


def tile(x: float, y: float, width: float = 1.0, height: float = 1.0, angle: float = 0.0) -> int:
    """A static box by the middle of its top."""
    x += 0.5 * height * math.sin(angle)
    y -= 0.5 * height * math.cos(angle)
    return esper.create_entity(Transform(x, y, angle), Shape.box(width, height), SLIPPERY)


def polygon(*corners: tuple[float, float]) -> int:
    """A static polygon at its place."""
    return esper.create_entity(Transform(), Shape.polygon(corners), SLIPPERY)


def row(y: float, start: int = -2, end: int = 34) -> list[int]:
    return [tile(x + 0.5, y) for x in range(start, end)]


def mixed_sizes(y: float) -> None:
    rng = np.random.default_rng(int(y))
    x = -2.0
    while x < 34.0:
        width, height = rng.uniform(0.3, 3.0, 2)
        tile(x + 0.5 * width, y, width, height)
        x += width


def two_rows(y: float) -> None:
    row(y)
    for x in range(-2, 34):
        tile(x + 0.75, y - 1.0)


def compound(y: float) -> None:
    tiles = [(TILE, x + 0.5, -0.5) for x in range(-2, 34)]
    esper.create_entity(Transform(0.0, y), Shape.compound(tiles), SLIPPERY)


def untrue(y: float) -> None:
    """Gaps and overlaps of up to 1 mm, sideways; tops within .1 mm."""
    rng = np.random.default_rng(int(y) + 1)
    for x in range(-2, 34):
        aside, above = rng.uniform(-5e-4, 5e-4), rng.uniform(-1e-4, 1e-4)
        tile(x + 0.5 + aside, y + above)


def half_overlapping(y: float) -> None:
    for k in range(-4, 68):
        tile(0.5 * k + 0.5, y)


def polygons(y: float) -> None:
    for x in range(-2, 34):
        polygon((x, y), (x + 0.3, y - 1.0), (x + 1.3, y - 1.0), (x + 1, y))


def triangles(y: float) -> None:
    for x in range(-2, 34):
        polygon((x, y), (x + 0.5, y - 1.0), (x + 1, y))
        polygon((x + 0.5, y - 1.0), (x + 1.5, y - 1.0), (x + 1, y))


def on_a_floor(y: float) -> None:
    row(y)
    tile(16.0, y - 1.0, 60.0, 2.0)


def chain(y: float, *xs: float) -> None:
    esper.create_entity(Transform(0.0, y), Shape.chain([(x, 0.0) for x in xs]), SLIPPERY)


def chains_and_tiles(y: float) -> None:
    chain(y, -2.0, 2.0, 6.0)
    row(y, 6, 12)
    chain(y, 12.0, 14.0)
    chain(y, 14.0, 18.0)
    row(y, 18, 34)


def chains_over_tiles(y: float) -> None:
    """Their ends overlap the tiles, or leave a gap."""
    chain(y, -2.0, 2.0, 6.001)
    row(y, 6, 12)
    chain(y, 12.001, 17.999)
    row(y, 18, 22)
    chain(y, 21.8, 24.3)
    row(y, 24, 34)


LAYOUTS = {
    each.__name__: each
    for each in (
        mixed_sizes,
        two_rows,
        compound,
        untrue,
        half_overlapping,
        polygons,
        triangles,
        on_a_floor,
        chains_and_tiles,
        chains_over_tiles,
    )
}


def slide(
    lay: Lay, shape: Shape, speed: float, world: World, phases: Iterable[float] = (0.0, 0.37)
) -> tuple[float, float]:
    """Worst change of speed (as a part of it) and of height (m) of bodies over 30 m of tiles."""
    sliders, heights = [], []
    reach = -shape.bounds()[1]
    for lane, start in enumerate(phases):
        y = APART * lane
        lay(y)
        sliders.append(body(shape, start, y + reach, Velocity(speed, 0.0), SLIPPERY))
        heights.append(y + reach)
    return follow(world, sliders, np.array(heights), speed)


def follow(
    world: World,
    sliders: list[int],
    heights: NDArray[np.float64],
    speed: float,
) -> tuple[float, float]:
    worst = higher = 0.0
    for _ in steps(world, 30.0 / speed):
        speeds = np.array([motion(each).x for each in sliders])
        worst = max(worst, float(np.abs(speeds / speed - 1.0).max()))
        now = np.array([place(each).y for each in sliders])
        higher = max(higher, float(np.abs(now - heights).max()))
    assert min(place(each).x for each in sliders) > 29.5
    return worst, higher


@pytest.mark.parametrize("speed", [5.0, 8.0, 15.0])
@pytest.mark.parametrize("slider", SLIDERS)
def test_nothing_snags_on_a_row_of_tiles(slider: str, speed: float) -> None:
    phases = [phase / PHASES for phase in range(PHASES)]
    worst, higher = slide(row, SLIDERS[slider], speed, new_world(), phases)
    assert worst < 0.01
    assert higher < 0.02


@pytest.mark.parametrize("slider", [*SLIDERS, "upright capsule"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_nothing_snags_however_the_ground_is_tiled(layout: str, slider: str) -> None:
    shape = SLIDERS.get(slider, UPRIGHT)
    for speed in (5.0, 15.0):
        worst, higher = slide(LAYOUTS[layout], shape, speed, new_world())
        assert worst < 0.01
        assert higher < 0.02


@pytest.mark.parametrize("slider", SLIDERS)
def test_nothing_snags_below_a_ceiling_of_tiles(slider: str) -> None:
    world = new_world(gravity=(0.0, G))
    for x in range(-2, 34):
        tile(x + 0.5, 1.0)
    rider = body(SLIDERS[slider], 0.3, -0.5, Velocity(8.0, 0.0), SLIPPERY)
    worst, higher = follow(world, [rider], np.array([-0.5]), 8.0)
    assert worst < 0.01
    assert higher < 0.02


@pytest.mark.parametrize("slider", SLIDERS)
def test_nothing_snags_at_a_wall_of_stacked_tiles(slider: str) -> None:
    """Pressed against it sideways, a body falls as freely as beside it."""
    world = new_world(gravity=(5.0, -G))
    for y in range(-40, 4):
        tile(0.5, float(y))
    rider = body(SLIDERS[slider], -0.5, 0.2, SLIPPERY, angle=math.pi / 2)
    run(world, 2.0)
    assert motion(rider).y == pytest.approx(-2.0 * G, rel=0.01)
    assert place(rider).x == pytest.approx(-0.5, abs=0.02)


@pytest.mark.parametrize("slider", SLIDERS)
@pytest.mark.parametrize("degrees", [10.0, 30.0])
def test_nothing_snags_on_a_slope_of_turned_tiles(degrees: float, slider: str) -> None:
    """It gets as fast as on one long slope."""
    world = new_world()
    angle = math.radians(degrees)
    cos, sin = math.cos(angle), math.sin(angle)
    for k in range(-3, 60):
        tile((k + 0.5) * cos, -(k + 0.5) * sin, angle=-angle)
    rider = body(SLIDERS[slider], 0.5 * sin, 0.5 * cos, SLIPPERY, angle=-angle)
    run(world, 2.0)
    down = motion(rider).x * cos - motion(rider).y * sin
    assert down == pytest.approx(2.0 * G * sin, rel=0.01)
    assert place(rider).x * sin + place(rider).y * cos == pytest.approx(0.5, abs=0.02)


def strips(points: list[tuple[float, float]]) -> None:
    """A polygon below each step of a line that runs to the right."""
    for (x, y), (next_x, next_y) in itertools.pairwise(points):
        polygon((x, y), (x, y - 3.0), (next_x, next_y - 3.0), (next_x, next_y))


@pytest.mark.parametrize("slider", SLIDERS)
def test_a_body_crosses_hills_and_valleys_of_tiles_as_those_of_a_chain(slider: str) -> None:
    """With bends of up to 2.5 degrees from one to the next, and little loss."""
    line = [(0.5 * k, 0.6 * math.cos(0.5 * k * 0.4)) for k in range(-4, 80)]
    energies, places = [], []
    for is_tiled in (True, False):
        world = new_world()
        if is_tiled:
            strips(line)
        else:
            esper.create_entity(Transform(), Shape.chain(line), SLIPPERY)
        rider = body(SLIDERS[slider], 0.0, 1.11, Velocity(6.0, 0.0), SLIPPERY)
        run(world, 4.2)
        energies.append(mechanical_energy(rider))
        places.append(place(rider).x)
    assert energies[0] == pytest.approx(energies[1], rel=0.01)
    assert energies[0] > 0.9 * (0.5 * 6.0**2 + G * 1.11)
    assert places[0] == pytest.approx(places[1], abs=0.1)


def mechanical_energy(rider: int) -> float:
    """J/kg, of a body that hardly turns."""
    moving = motion(rider)
    return 0.5 * (moving.x**2 + moving.y**2) + G * place(rider).y


def test_a_ball_rounds_a_bend_of_turned_tiles() -> None:
    """Boxes whose tops meet corner to corner: they overlap at a hill and gape in a valley."""
    world = new_world()
    x, y = 0.0, 0.0
    for k in range(90):
        angle = 0.3 * math.sin(0.2 * k)
        tile(x + 0.25 * math.cos(angle), y + 0.25 * math.sin(angle), 0.5, angle=angle)
        x, y = x + 0.5 * math.cos(angle), y + 0.5 * math.sin(angle)
    rider = body(Shape.circle(0.5), 0.5, 0.55, Velocity(9.0, 0.0), SLIPPERY)
    run(world, 0.2)
    first = mechanical_energy(rider)
    run(world, 3.5)
    assert place(rider).x > 20.0
    assert mechanical_energy(rider) == pytest.approx(first, rel=0.05)


@pytest.mark.parametrize("slider", SLIDERS)
def test_walls_and_steps_of_the_map_still_stop(slider: str) -> None:
    for height in (0.2, 1.0, 3.0):
        world = new_world()
        row(0.0, end=6)
        for x in range(5, 8):
            for y in range(1, math.ceil(height)):
                tile(x + 0.5, float(y))
            tile(x + 0.5, height)
        rider = body(SLIDERS[slider], 0.0, 0.5, Velocity(8.0, 0.0), SLIPPERY)
        fastest = 8.0
        for _ in steps(world, 1.0):
            assert place(rider).x < 4.52 or height < 1.0
            fastest = min(fastest, motion(rider).x)
        assert fastest < 5.0, f"a step of {height} m is felt"
    assert place(rider).x < 4.52


def test_a_box_tips_over_the_end_of_a_row_as_over_that_of_one_floor() -> None:
    """Over a real corner it turns the same way whether the floor has seams or not."""
    poses = []
    for is_tiled in (True, False):
        world = new_world()
        if is_tiled:
            row(0.0, -10, 0)
        else:
            tile(-5.0, 0.0, 10.0)
        rider = body(Shape.box(1, 1), -1.5, 0.5, Velocity(1.5, 0.0), SLIPPERY)
        run(world, 1.4)
        poses.append((place(rider).x, place(rider).y, place(rider).angle))
    assert poses[0][2] < -0.3, "it has tipped"
    assert poses[0] == pytest.approx(poses[1], abs=0.02)


def test_a_tumbling_box_falls_down_stairs_without_sinking_in() -> None:
    world = new_world()
    for k in range(12):
        for y in range(-12, -k):
            tile(k + 0.5, float(y) + 1.0)
    rider = body(Shape.box(0.7, 0.7), 0.5, 1.6, Velocity(2.0, 0.0, -3.0))
    for _ in steps(world, 4.0):
        x, y = place(rider).x, place(rider).y
        assert y > -math.floor(max(x, 0.0)) + 0.25 or x > 12.0
        assert deepest(world) < 0.08
    assert place(rider).y < 0.0


def test_a_removed_tile_opens_a_hole_and_a_new_one_closes_it() -> None:
    world = new_world()
    tiles = row(0.0, 0, 9)
    ball = body(Shape.circle(0.4), 4.5, 0.4, SLIPPERY)
    run(world, 0.5)
    assert place(ball).y == pytest.approx(0.4, abs=0.01)
    esper.delete_entity(tiles[4])
    run(world, 0.4)
    assert place(ball).y < 0.0
    assert place(ball).x == pytest.approx(4.5, abs=0.01)
    run(world, 2.0)
    hole = body(Shape.box(1, 1), 1.0, 0.5, Velocity(3.0, 0.0), SLIPPERY)
    run(world, 1.2)
    assert motion(hole).x < 2.5, "it notices the hole"
    esper.delete_entity(hole)
    tile(4.5, 0.0)
    rider = body(Shape.box(1, 1), 1.0, 0.5, Velocity(5.0, 0.0), SLIPPERY)
    for _ in steps(world, 1.2):
        assert motion(rider).x == pytest.approx(5.0, rel=0.01)
    assert place(rider).x == pytest.approx(7.0, abs=0.05)


def test_a_moved_tile_leaves_a_hole_and_stops_what_comes() -> None:
    world = new_world()
    tiles = row(0.0, 0, 20)
    first = body(Shape.box(1, 1), 1.0, 0.5, Velocity(5.0, 0.0), SLIPPERY)
    run(world, 0.1)
    esper.component_for_entity(tiles[6], Transform).y += 1.0  # onto the row: a wall and a hole
    run(world, 2.0)
    assert place(first).x < 5.52
    esper.component_for_entity(tiles[6], Transform).y -= 1.0
    second = body(Shape.circle(0.4), 8.0, 0.4, Velocity(5.0, 0.0), SLIPPERY)
    third = body(Shape.circle(0.4), 5.0, 3.0, Velocity(5.0, 0.0), SLIPPERY)
    run(world, 1.5)
    assert motion(second).x == pytest.approx(5.0, rel=0.01)
    assert motion(third).x == pytest.approx(5.0, rel=0.01)


def test_a_tile_moved_by_less_than_a_box_margin_is_noticed() -> None:
    """By 3 cm: broad phase boxes hide it, seams must not."""
    world = new_world()
    tiles = row(0.0, 0, 12)
    run(world, 0.1)
    esper.component_for_entity(tiles[5], Transform).y += 0.03
    rider = body(Shape.box(1, 1), 1.0, 0.5, Velocity(5.0, 0.0), SLIPPERY)
    run(world, 1.0)
    assert abs(motion(rider).x - 5.0) > 0.1


def test_a_tile_that_becomes_a_body_leaves_a_hole() -> None:
    world = new_world()
    tiles = row(0.0, 0, 9)
    run(world, 0.1)
    esper.add_component(tiles[4], Velocity())
    esper.add_component(tiles[4], Mass())
    run(world, 1.0)
    assert place(tiles[4]).y < -1.0, "it falls out of the row"
    ball = body(Shape.circle(0.4), 4.5, 0.6, SLIPPERY)
    run(world, 1.0)
    assert place(ball).y < -1.0


@pytest.mark.parametrize("x", [0.0, 0.5, 0.25])
def test_a_stack_on_a_seam_stays_still(x: float) -> None:
    world = new_world()
    for k in range(-3, 3):
        tile(k + 0.5, 0.0)
    stack = [body(Shape.box(1, 1), x, 0.5 + k) for k in range(5)]
    run(world, 4.0)
    for k, each in enumerate(stack):
        assert place(each).x == pytest.approx(x, abs=1e-3)
        assert place(each).y == pytest.approx(0.5 + k, abs=0.005)
        assert place(each).angle == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("gap", [0.0, 1e-3, -1e-3])
def test_a_small_ball_rests_on_a_seam(gap: float) -> None:
    world = new_world()
    tile(-0.5 - 0.5 * gap, 0.0)
    tile(0.5 + 0.5 * gap, 0.0)
    ball = body(Shape.circle(0.1), 0.0, 0.15)
    run(world, 2.0)
    assert place(ball).y == pytest.approx(0.1, abs=0.003)


@pytest.mark.parametrize("shape", [Shape.box(0.6, 0.6), Shape.circle(0.3)])
@pytest.mark.parametrize(("x", "y"), [(4.5, -0.3), (4.9, -0.45), (2.0, -0.2), (6.3, -0.6)])
def test_what_is_deep_inside_a_row_comes_out_at_the_top_or_bottom(
    shape: Shape, x: float, y: float
) -> None:
    """Never sideways, into the next tile."""
    world = new_world(gravity=(0.0, 0.0))
    row(0.0, 0, 9)
    rider = body(shape, x, y, SLIPPERY)
    run(world, 1.5)
    assert place(rider).x == pytest.approx(x, abs=0.01)
    assert place(rider).y > 0.29 if y > -0.5 else place(rider).y < -1.29


def test_a_ridge_of_two_tiles_supports_what_lies_on_it() -> None:
    """Its level box touches along the normal half-way between the two slopes."""
    world = new_world()
    strips([(-4.0, -1.0), (0.0, 0.0), (4.0, -1.0)])
    ball = body(Shape.circle(0.3), 0.0, 0.3)
    box = body(Shape.box(0.4, 0.4), 0.0, 0.81, Material(friction=0.0))
    run(world, 0.3)
    assert place(ball).y == pytest.approx(0.3, abs=0.005)
    assert place(box).y == pytest.approx(0.8, abs=0.01)


def test_tiles_that_others_meet_differently_are_not_one() -> None:
    """What passes through one tile is stopped by the side of the next."""
    world = new_world(gravity=(0.0, 0.0))
    ghost = Filter(category=2)
    esper.create_entity(Transform(0.5, 0.0), TILE, ghost)
    esper.create_entity(Transform(1.5, 0.0), TILE)
    ball = body(Shape.circle(0.3), -1.0, 0.0, Velocity(3.0, 0.0), Filter(mask=1))
    run(world, 1.0)
    assert place(ball).x == pytest.approx(0.7, abs=0.02)


def test_a_snapshot_keeps_what_is_one() -> None:
    """Taken whole, opened and restored, and the other way round, runs are the same."""
    world = new_world()
    tiles = row(0.0, 0, 20)
    body(Shape.box(1, 1), 1.0, 0.5, Velocity(5.0, 0.0), SLIPPERY)
    run(world, 0.2)
    whole = world.snapshot()
    run(world, 1.0)
    slid = world.hash()
    world.restore(whole)
    esper.delete_entity(tiles[4])
    esper.component_for_entity(tiles[9], Transform).y += 0.5
    opened = world.snapshot()
    run(world, 1.0)
    fell = world.hash()
    world.restore(whole)
    run(world, 1.0)
    assert world.hash() == slid
    world.restore(opened)
    run(world, 1.0)
    assert world.hash() == fell != slid
