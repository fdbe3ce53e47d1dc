"""Pixels of known bodies at known places."""

import math
from collections.abc import Callable
from typing import Any

import esper
import numpy as np
import pytest

from ecs_physics import Color, Mass, Sensor, Shape, Transform, Velocity, World
from ecs_physics.view.look import BODY_COLORS, DARK, FILL_ALPHA, LIGHT, use_theme

Show = Callable[..., Any]

RED, GREEN, BLUE = "#FF0000", "#00FF00", "#0000FF"


def body(shape: Shape, x: float = 0.0, y: float = 0.0, angle: float = 0.0, color: str = RED) -> int:
    return esper.create_entity(
        Transform(x, y, angle), Velocity(), shape, Mass(mass=1.0, inertia=1.0), Color(color)
    )


def still(show: Show, world: World, zoom: float = 60.0, x: float = 0.1, y: float = 0.1) -> Any:
    """The world as it is now, with the middle of the window beside the grid's lines."""
    stage = show(world)
    stage.view.stepping.paused = True
    stage.look_at(x, y, zoom)
    return stage


def is_near(seen: tuple[int, ...], wanted: tuple[float, ...], tolerance: float = 3.0) -> bool:
    return max(abs(a - b) for a, b in zip(seen, wanted, strict=True)) <= tolerance


def filled(color: tuple[int, int, int], background: tuple[int, int, int]) -> tuple[float, ...]:
    return tuple(
        FILL_ALPHA * c + (1.0 - FILL_ALPHA) * b for c, b in zip(color, background, strict=True)
    )


INSIDE: list[tuple[Shape, list[tuple[float, float]], list[tuple[float, float]]]] = [
    (Shape.circle(1.0), [(0.1, 0.3), (-0.6, 0.6)], [(0.8, 0.8), (1.1, 0.1)]),
    (Shape.box(2.0, 1.0), [(0.9, 0.4), (-0.9, -0.4)], [(1.1, 0.3), (0.3, 0.6)]),
    (Shape.box(1.0, 1.0, 0.5), [(0.9, 0.1), (0.7, 0.7)], [(0.95, 0.95), (1.1, 0.1)]),
    (Shape.capsule((-1, 0), (1, 0), 0.5), [(1.3, 0.1), (0.3, 0.4)], [(1.45, 0.45), (0.3, 0.6)]),
    (
        Shape.polygon([(-1, -1), (1, -1), (0, 1)]),
        [(0.1, -0.6), (0.1, 0.6)],
        [(0.7, 0.6), (-0.7, 0.6)],
    ),
    (
        Shape.polygon([(-1, -1), (1, -1), (1, 1), (0, -0.2), (-1, 1)]),
        [(0.8, 0.4), (-0.8, 0.4), (0.1, -0.6)],
        [(0.1, 0.4), (0.3, 0.6)],
    ),
    (
        Shape.polygon([(0, -0.5), (0.5, 0.3), (-0.5, 0.3)], 0.5),
        [(0.1, 0.7), (0.7, 0.6)],
        [(0.95, 0.75), (0.5, -0.8)],
    ),
    (
        Shape.compound([(Shape.circle(0.5), -1, 0), (Shape.box(1, 0.4), 0.6, 0, math.pi / 2)]),
        [(-1.1, 0.3), (0.7, 0.4)],
        [(0.1, 0.1), (0.9, 0.1)],
    ),
]


@pytest.mark.parametrize("number", range(len(INSIDE)))
@pytest.mark.parametrize("angle", [0.0, 0.8])
def test_the_inside_is_filled_and_the_outside_is_not(
    show: Show, world: World, number: int, angle: float
) -> None:
    shape, inside, outside = INSIDE[number]
    body(shape, 0.3, 0.2, angle)
    stage = still(show, world)
    cosine, sine = math.cos(angle), math.sin(angle)
    for points, is_inside in ((inside, True), (outside, False)):
        for x, y in points:
            seen = stage.color_at(0.3 + cosine * x - sine * y, 0.2 + sine * x + cosine * y)
            assert (seen[0] > 200) is is_inside, (x, y, seen)


def test_the_colour_of_the_middle_of_a_box(show: Show, world: World) -> None:
    body(Shape.box(1, 1), 0.5, 0.5, color="#123456")
    stage = still(show, world)
    assert is_near(stage.color_at(0.55, 0.45), filled((0x12, 0x34, 0x56), DARK.background))
    assert is_near(stage.color_at(1.55, 0.45), DARK.background)


def test_a_sleeping_body_is_grey_and_dark_until_it_wakes(show: Show, world: World) -> None:
    esper.create_entity(Transform(0, -1.5), Shape.box(20, 1))
    box = body(Shape.box(2, 2), 0.0, 0.0)
    world.step(1 / 60)
    stage = still(show, world)
    awake = stage.color_at(0.3, 0.3)
    world.put_to_sleep(box)
    asleep = stage.color_at(0.3, 0.3)
    grey = 0.299 * 255  # of pure red
    wanted = tuple(0.8 * (0.7 * grey + 0.3 * c) for c in (255, 0, 0))
    assert is_near(awake, filled((255, 0, 0), DARK.background))
    assert is_near(asleep, filled(wanted, DARK.background))
    world.wake(box)
    assert stage.color_at(0.3, 0.3) == awake


def test_the_outline_is_lighter_than_the_inside(show: Show, world: World) -> None:
    body(Shape.box(2, 2), color="#AA0000")
    stage = still(show, world, zoom=100.0, x=0.0, y=0.0)
    pixels = stage.pixels()
    edge, inside = pixels[300, 501 - 2], pixels[330, 460]
    assert edge[0] > inside[0] + 15
    assert edge[1] > inside[1] + 30


def test_bodies_take_turns_in_eight_colours(show: Show, world: World) -> None:
    for i in range(9):
        esper.create_entity(Transform(i * 1.2 - 4.8, 0), Velocity(), Shape.box(1, 1), Mass())
    stage = still(show, world)
    for i in range(9):
        wanted = filled(BODY_COLORS[i % 8], DARK.background)
        assert is_near(stage.color_at(i * 1.2 - 4.7, 0.1), wanted)


def test_static_bodies_are_ground_with_a_lighter_upper_edge(show: Show, world: World) -> None:
    esper.create_entity(Transform(0, 0), Shape.box(4, 2))
    esper.create_entity(Transform(-5, 0), Shape.polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)]))
    stage = still(show, world, zoom=50.0, x=0.0, y=0.0)
    for x in (0.5, -5.0):
        assert is_near(stage.color_at(x, 0.3), DARK.ground)
        column, row = stage.pixel_of(x, 1.0)
        low = stage.pixel_of(x, -1.0)[1]
        pixels = stage.pixels()
        top = pixels[row - 3 : row + 3, column].sum(axis=1).max()
        bottom = pixels[low - 3 : low + 3, column].sum(axis=1).max()
        assert top > bottom + 100


def test_a_radius_line_turns_with_a_circle(show: Show, world: World) -> None:
    body(Shape.circle(1.0), angle=math.pi / 2, color="#0000AA")
    stage = still(show, world, zoom=100.0, x=0.0, y=0.0)
    column, row = stage.pixel_of(0.0, 0.5)
    pixels = stage.pixels()
    assert pixels[row, column - 1 : column + 1, 0].max() > 60
    column, row = stage.pixel_of(0.5, 0.0)
    assert pixels[row, column, 0] < 30


@pytest.mark.parametrize(
    "shape",
    [
        Shape.polygon([(-1, -1), (1, -1), (1, 1), (0, -0.2), (-1, 1)]),
        Shape.compound([(Shape.box(2, 0.6), 0, 0), (Shape.box(0.6, 2), 0, 0)]),
        Shape.compound(
            [(Shape.polygon([(-1, -1), (1, -1), (0, 1)]), 0, 0), (Shape.circle(0.6), 0, 0)]
        ),
        Shape.polygon([(math.cos(t), math.sin(t)) for t in np.arange(9) * 2 * math.pi / 9]),
    ],
)
def test_no_lines_are_seen_inside(show: Show, world: World, shape: Shape) -> None:
    body(shape, color="#AA0000")
    stage = still(show, world, zoom=150.0, x=0.02, y=0.03)
    pixels = stage.pixels()
    is_body = pixels[:, :, 0] > 100
    line = is_body & (pixels[:, :, 1] > 60)
    near_outside = ~is_body
    for _ in range(6):  # grow what is outside by a pixel on all sides
        grown = near_outside.copy()
        grown[1:] |= near_outside[:-1]
        grown[:-1] |= near_outside[1:]
        grown[:, 1:] |= near_outside[:, :-1]
        grown[:, :-1] |= near_outside[:, 1:]
        near_outside = grown
    assert line.any()
    assert not (line & ~near_outside).any()


def test_thin_things_are_at_least_a_line(show: Show, world: World) -> None:
    mass = Mass(mass=1.0, inertia=1.0, center=(0.0, 0.0))
    esper.create_entity(Transform(), Velocity(), Shape.segment((-1, 0), (1, 0)), mass, Color(RED))
    esper.create_entity(Transform(0, 1), Velocity(), Mass(mass=1.0), Color(GREEN))
    esper.create_entity(Transform(0, -1), Shape.chain([(-1, 0), (1, 0)]))
    stage = still(show, world, zoom=5.0, x=0.0, y=0.0)
    assert stage.color_at(0.4, 0.05)[0] > 150
    assert stage.color_at(0.02, 1.02)[1] > 150
    assert max(stage.color_at(0.4, -1.0)) > DARK.ground[0] + 20


def test_a_chain_is_shaded_below_and_free_above(show: Show, world: World) -> None:
    esper.create_entity(Transform(), Shape.chain([(-3, 0.5), (0, 0.5), (3, 0.5)]))
    stage = still(show, world, zoom=60.0)
    above, below = stage.color_at(1.3, 0.6), stage.color_at(1.3, 0.44)
    assert is_near(above, DARK.background)
    assert sum(below) > sum(DARK.background) + 40


def picture_at(show: Show, world: World, x: float, y: float) -> Any:
    with world:
        for entity in world.entities():
            esper.delete_entity(entity, immediate=True)
        esper.create_entity(Transform(x, y - 1.5), Shape.box(20, 1))
        esper.create_entity(
            Transform(), Shape.chain([(x - 4 + i, y + 1.5 + 0.3 * (i % 2)) for i in range(9)])
        )
        hexagon = [(math.cos(t), math.sin(t)) for t in np.arange(6) * math.pi / 3]
        body(Shape.polygon(hexagon), x + 1.3, y, 0.3, "#E69F00")
        body(Shape.circle(0.7), x - 1.1, y + 0.1, 0.4, "#56B4E9")
        body(Shape.box(1.0, 0.5, 0.1), x - 3.1, y + 0.2, -0.4, "#009E73")
    stage = still(show, world, zoom=70.0, x=x + 0.13, y=y + 0.07)
    return stage.pixels()[60:560]


def test_100_km_away_it_looks_the_same(show: Show, world: World) -> None:
    """Near the origin means 40 m off, where the two axes are out of sight."""
    here = picture_at(show, world, 40.0, 40.0)
    world.reset()
    there = picture_at(show, world, 100_000.0, -100_000.0)
    assert len(np.unique(here.reshape(-1, 3), axis=0)) > 100
    assert np.abs(here - there).max() <= 2


def test_nothing_jitters_100_km_away(show: Show, world: World) -> None:
    """A body moved by a hundredth of a pixel at a time moves evenly on the screen."""
    entity = body(Shape.box(1, 1), 100_000.0, 0.0)
    stage = still(show, world, zoom=100.0, x=100_000.0, y=0.0)
    left = stage.pixel_of(100_000.0 - 0.5, 0.0)[0]
    seen = []
    for step in range(50):
        esper.component_for_entity(entity, Transform).x = 100_000.0 + 1e-4 * step
        world.step(1e-9)
        strip = stage.pixels()[300, left - 6 : left + 2, 0]
        seen.append(float(strip.sum()))  # less of it is covered, evenly
    change = np.diff(seen)
    assert seen[0] - seen[-1] > 50.0
    assert np.abs(change - change.mean()).max() < 12.0


def test_new_and_deleted_bodies_and_new_shapes_are_seen(show: Show, world: World) -> None:
    entity = body(Shape.box(1, 1), color=RED)
    stage = still(show, world)
    assert stage.color_at(0.1, 0.1)[0] > 200
    assert stage.color_at(2.1, 0.1)[2] < 100
    other = body(Shape.circle(0.5), 2.0, color=BLUE)
    assert stage.color_at(2.1, 0.1)[2] > 200
    esper.add_component(entity, Color(GREEN))
    assert stage.color_at(0.1, 0.1)[1] > 200
    esper.add_component(entity, Shape.box(3, 3))
    assert stage.color_at(1.1, 1.1)[1] > 200
    esper.delete_entity(other, immediate=True)
    esper.delete_entity(entity, immediate=True)
    assert is_near(stage.color_at(0.1, 0.1), DARK.background)
    assert is_near(stage.color_at(2.1, 0.1), DARK.background)


def test_a_reset_world_starts_anew(show: Show, world: World) -> None:
    body(Shape.box(1, 1), color=RED)
    stage = still(show, world)
    assert stage.color_at(0.1, 0.1)[0] > 200
    world.reset()
    assert is_near(stage.color_at(0.1, 0.1), DARK.background)
    body(Shape.box(1, 1), color=BLUE)
    assert stage.color_at(0.1, 0.1)[2] > 200


def test_many_bodies_and_many_shapes(show: Show, world: World) -> None:
    for i in range(1500):
        size = 0.2 + 0.0001 * i
        body(Shape.box(size, size), (i % 50) * 0.5, (i // 50) * 0.5, color=GREEN)
    stage = still(show, world, zoom=20.0, x=12.0, y=8.0)
    pixels = stage.pixels()
    for i in (0, 51, 1023, 1024, 1025, 1499):
        column, row = stage.pixel_of((i % 50) * 0.5, (i // 50) * 0.5)
        assert pixels[row, column, 1] > 200


def test_the_light_theme(show: Show, world: World) -> None:
    use_theme("light")
    body(Shape.box(1, 1), color=BLUE)
    stage = still(show, world)
    assert is_near(stage.color_at(0.1, 0.1), filled((0, 0, 255), LIGHT.background))
    assert is_near(stage.color_at(2.1, 0.1), LIGHT.background)


def test_bounds_leave_far_ground_out(show: Show, world: World) -> None:
    esper.create_entity(Transform(0, -1), Shape.box(5000, 1))
    body(Shape.box(2, 2), 3.0, 1.5, math.pi / 4)
    stage = still(show, world)
    low, high = stage.view.renderer.bounds(world.render.interpolate(1.0))
    assert high[1] == pytest.approx(1.5 + math.sqrt(2.0))
    assert high[0] - low[0] < 10.0
    assert low[1] < 1.5 - math.sqrt(2.0)
    assert high[0] < 3.0 + 3.0 * math.sqrt(2.0)


def test_an_empty_world_is_drawn(show: Show, world: World) -> None:
    stage = still(show, world)
    assert is_near(stage.color_at(0.3, 0.4), DARK.background)
    assert stage.view.renderer.bounds(world.render.interpolate(1.0)) is None


def test_a_sensor_is_a_dashed_outline_and_clear_inside(show: Show, world: World) -> None:
    gate = esper.create_entity(Transform(), Shape.box(4.0, 4.0), Sensor(), Color(RED))
    stage = still(show, world)
    assert is_near(stage.color_at(0.3, 0.3), DARK.background)
    top, left, right = (
        stage.pixel_of(0.0, 1.98)[1],
        *(stage.pixel_of(x, 0.0)[0] for x in (-1.6, 1.6)),
    )
    edge = stage.pixels()[top, left:right, 0]
    assert 0.3 < np.mean(edge > 120) < 0.7
    esper.remove_component(gate, Sensor)
    assert not is_near(stage.color_at(0.3, 0.3), DARK.background)
