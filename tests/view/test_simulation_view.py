"""Keys, mouse and frames, through the events that a window sends."""

import math
from collections.abc import Callable
from typing import Any

import arcade
import esper
import numpy as np
import pytest
from arcade import key

from ecs_physics import (
    Color,
    DistanceJoint,
    Mass,
    PulleyJoint,
    RatchetJoint,
    RevoluteJoint,
    RopeJoint,
    Shape,
    Stage,
    Transform,
    Velocity,
    World,
)
from ecs_physics.levels import Level, build
from ecs_physics.systems.drag import WEIGHTS, Drag
from ecs_physics.view import DARK, LIGHT, SimulationView, theme
from ecs_physics.view.debug_layer import NORMAL_LENGTH
from tests.resizing import resize

Show = Callable[..., Any]

LEFT, RIGHT = arcade.MOUSE_BUTTON_LEFT, arcade.MOUSE_BUTTON_RIGHT


def box(x: float = 0.0, y: float = 0.0, size: float = 1.0) -> int:
    return esper.create_entity(Transform(x, y), Velocity(), Shape.box(size, size), Mass())


def place_of(entity: int) -> tuple[float, float]:
    transform = esper.component_for_entity(entity, Transform)
    return transform.x, transform.y


@pytest.fixture
def weightless(world: World) -> World:
    world.gravity = (0.0, 0.0)
    return world


# -- time -----------------------------------------------------------------------------------


def test_frames_step_the_world(show: Show, world: World) -> None:
    box()
    stage = show(world)
    stage.frame(30, 1.0 / 60.0)
    assert world.time == pytest.approx(0.5)


def test_dt_can_be_chosen(show: Show, world: World) -> None:
    stage = show(world, dt=0.01)
    stage.frame(10, 0.01)
    assert world.steps == 10


def test_a_stall_is_not_replayed(show: Show, world: World) -> None:
    stage = show(world)
    stage.frame(1, 10.0)
    assert world.steps <= 5


def test_it_draws_between_two_steps(show: Show, weightless: World) -> None:
    entity = box()
    esper.component_for_entity(entity, Velocity).x = 6.0
    stage = show(weightless)
    stage.look_at(0.05, 0.03, 100.0)
    stage.frame(1, 1.0 / 60.0)
    stage.frame(1, 1.5 / 60.0)
    assert place_of(entity)[0] == pytest.approx(0.2)
    red = stage.pixels()[300, :, 0]
    left = int(np.flatnonzero(red > 60)[0])
    assert left == pytest.approx(stage.view.camera.to_screen(0.15 - 0.5, 0.0)[0], abs=2.0)


def test_space_pauses_and_goes_on(show: Show, world: World) -> None:
    stage = show(world)
    stage.press_key(key.SPACE)
    stage.frame(10)
    assert world.steps == 0
    stage.press_key(key.SPACE)
    stage.frame(10)
    assert world.steps == 10


def test_a_period_makes_one_step_and_keeps_paused(show: Show, world: World) -> None:
    stage = show(world)
    stage.press_key(key.PERIOD)
    stage.frame(5)
    assert world.steps == 1
    stage.press_key(key.PERIOD)
    stage.press_key(key.PERIOD)
    stage.frame(5)
    assert world.steps == 3


def test_r_restarts(show: Show, world: World) -> None:
    def fill() -> None:
        world.reset()
        box(0.0, 5.0)

    fill()
    stage = show(world, restart=fill)
    stage.frame(60)
    assert world.render.interpolate(1.0)[0, 1] < 4.0
    stage.press_key(key.R)
    assert world.time == 0.0
    assert world.render.interpolate(1.0)[0, 1] == pytest.approx(5.0)
    stage.frame(5)
    assert world.steps == 5


def test_r_builds_a_level_again(show: Show, world: World) -> None:
    level = Level.model_validate(
        {
            "title": "Two boxes",
            "world": {"dt": 0.01},
            "view": {"center": [2.0, 3.0], "width": 40.0},
            "bodies": [
                {
                    "shape": {"kind": "box", "width": 1.0, "height": 1.0},
                    "x": x,
                    "y": 5.0,
                    "dynamic": True,
                }
                for x in (0.0, 3.0)
            ],
        }
    )
    stage = show(world, level=build(level, world))
    assert (stage.view.camera.x, stage.view.camera.y) == (2.0, 3.0)
    assert stage.view.camera.zoom == pytest.approx(20.0)
    assert stage.view.stepping.dt == 0.01
    stage.frame(60)
    stage.press_key(key.R)
    stage.frame(1, 0.0)
    assert len(world.entities()) == 2
    assert world.render.interpolate(1.0)[:, 1] == pytest.approx([5.0, 5.0])


def test_r_without_anything_to_restart(show: Show, world: World) -> None:
    stage = show(world)
    stage.frame(3)
    stage.press_key(key.R)
    assert world.steps == 3
    assert "R" not in dict(stage.view.head_up.keys)


# -- looks ----------------------------------------------------------------------------------


def test_d_shows_and_hides_the_debug_layer(show: Show, world: World) -> None:
    esper.create_entity(Transform(0, -1), Shape.box(10, 1))
    box(0.0, 0.0)
    stage = show(world)
    stage.frame(30)
    plain = stage.pixels()
    stage.press_key(key.D)
    debug = stage.pixels()
    for color in (DARK.contact, DARK.center):
        seen = (np.abs(debug - np.array(color)).max(axis=2) < 12).sum()
        before = (np.abs(plain - np.array(color)).max(axis=2) < 12).sum()
        assert seen > before + 10
    stage.press_key(key.D)
    assert (stage.pixels() == plain).all()


def test_ropes_rods_and_pulleys_are_lines_from_anchor_to_anchor(
    show: Show, weightless: World
) -> None:
    left, right, low = box(-2.0, 0.0, 0.4), box(2.0, 0.0, 0.4), box(4.0, -1.0, 0.4)
    esper.create_entity(RopeJoint(left, right))
    rod = esper.create_entity(DistanceJoint(left, None, anchor_b=(-2.0, 2.0)))
    esper.create_entity(PulleyJoint(right, low, ground_a=(2.0, 2.0), ground_b=(4.0, 2.0)))
    stage = show(weightless)
    stage.frame(2)
    stage.look_at(0.0, 0.0, 60.0)

    def is_drawn(x: float, y: float) -> bool:
        column, row = stage.pixel_of(x, y)
        near = stage.pixels()[row - 1 : row + 2, column - 1 : column + 2]
        return bool((np.abs(near - np.array(DARK.ground_top)).max(axis=2) < 40).any())

    on_lines = ((0.3, 0.0), (-2.0, 1.3), (2.0, 1.3), (3.3, 2.0), (4.0, 1.3))
    assert all(is_drawn(x, y) for x, y in on_lines)
    assert not is_drawn(3.3, -0.6), "a pulley's rope goes over its two places"
    esper.delete_entity(rod)
    stage.frame(2)
    assert not is_drawn(-2.0, 1.3)


def test_the_debug_layer_shows_joints_from_body_to_body(show: Show, weightless: World) -> None:
    arm, wheel = box(0.0, 0.0, 0.4), box(3.0, 0.0, 0.4)
    left, right = box(-4.0, -1.0, 0.4), box(-2.0, -1.0, 0.4)
    esper.create_entity(RevoluteJoint(arm, wheel, anchor_a=(1.0, 1.0), anchor_b=(-2.0, 1.0)))
    esper.create_entity(RatchetJoint(wheel, None))
    esper.create_entity(PulleyJoint(left, right, ground_a=(-4.0, 2.0), ground_b=(-2.0, 2.0)))
    stage = show(weightless)
    stage.frame(2)
    stage.look_at(0.0, 0.0, 60.0)

    def is_purple(x: float, y: float) -> bool:
        column, row = stage.pixel_of(x, y)
        near = stage.pixels()[row - 2 : row + 3, column - 2 : column + 3]
        red, green, blue = np.moveaxis(near, 2, 0)
        return bool(((red > green + 12) & (blue > green + 30)).any())

    on_the_way = ((0.6, 0.6), (1.0, 1.0), (2.0, 0.5))
    assert not any(is_purple(x, y) for x, y in on_the_way)
    stage.press_key(key.D)
    assert all(is_purple(x, y) for x, y in on_the_way)
    assert is_purple(-4.0, -1.0)
    assert not is_purple(-3.0, -1.0), "a pulley's rope is no straight way"
    assert not is_purple(1.5, 0.0), "a ratchet in the world is nowhere but at its wheel"
    stage.press_key(key.D)
    assert not any(is_purple(x, y) for x, y in on_the_way)


def test_the_normal_is_as_long_as_the_impulse_says(show: Show, world: World) -> None:
    """A resting box pushes the floor with its weight, m g dt, over two points."""
    esper.create_entity(Transform(0, -1), Shape.box(10, 1))
    esper.create_entity(Transform(), Velocity(), Shape.box(1, 1), Mass(mass=2.4))
    esper.create_entity(Transform(3, 0), Velocity(), Shape.box(1, 1), Mass(mass=9.6))
    esper.create_entity(Transform(-3, 0), Velocity(), Shape.box(1, 1), Mass(mass=2.4))
    stage = show(world)
    stage.frame(120)
    stage.press_key(key.D)
    assert stage.view.debug_layer.usual_impulse() == 0.2
    stage.look_at(0.0, 0.0, 80.0)
    pixels = stage.pixels()
    for x, mass in ((0.5, 2.4), (3.5, 9.6)):
        column, row = stage.pixel_of(x, -0.5)
        beside = pixels[row : row + 110, column - 3 : column + 4]
        tall = (np.abs(beside - np.array(DARK.normal)).max(axis=2) < 60).any(axis=1).sum()
        impulse = mass * 9.81 / 60.0 / 2.0
        assert tall == pytest.approx(NORMAL_LENGTH * impulse / 0.2, abs=6.0)


def test_f_fits_the_view(show: Show, weightless: World) -> None:
    entities = [box(-30.0, 0.0), box(30.0, 12.0)]
    stage = show(weightless)
    stage.look_at(500.0, 0.0, 3.0)
    stage.press_key(key.F)
    stage.frame(1, 0.001)
    assert abs(stage.view.camera.x - 500.0) < 50.0  # it eases
    stage.frame(120)
    for entity in entities:
        x, y = stage.view.camera.to_screen(*place_of(entity))
        assert 0 < x < 800
        assert 0 < y < 600


def test_t_changes_the_theme(show: Show, world: World) -> None:
    stage = show(world)
    assert tuple(stage.pixels()[313, 23]) == DARK.background
    stage.press_key(key.T)
    assert theme() is LIGHT
    assert tuple(stage.pixels()[313, 23]) == LIGHT.background


def test_a_question_mark_lists_all_keys(show: Show, world: World) -> None:
    stage = show(world)
    few = stage.pixels()
    stage.send("on_text", "?")
    many = stage.pixels()
    accent = np.array(DARK.accent)
    lit = (np.abs(many[40:300, :100] - accent).max(axis=2) < 40).sum()
    assert lit > 50
    assert (many[100:500, 300:] == few[100:500, 300:]).all()  # the middle stays free
    stage.send("on_text", "?")
    assert (stage.pixels() == few).all()


def test_escape_goes_back(show: Show, world: World) -> None:
    back: list[bool] = []
    stage = show(world, on_escape=lambda: back.append(True))
    stage.press_key(key.ESCAPE)
    assert back == [True]


def test_escape_closes_where_there_is_no_menu(
    show: Show, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[bool] = []
    stage = show(world)
    monkeypatch.setattr(stage.window, "close", lambda: closed.append(True))
    stage.press_key(key.ESCAPE)
    assert closed == [True]


def test_another_window_size(show: Show, weightless: World) -> None:
    entity = box()
    esper.add_component(entity, Color("#FF0000"))
    stage = show(weightless)
    stage.look_at(0.1, 0.1, 40.0)
    for size in ((1000, 500), (500, 700)):
        resize(stage.window, size)
        stage.frame()
        assert stage.pixels().shape == (size[1], size[0], 3)
        assert stage.view.camera.to_screen(0.1, 0.1) == (size[0] / 2, size[1] / 2)
        assert stage.color_at(0.15, 0.15)[0] > 200
        assert stage.color_at(0.75, 0.15)[0] < 60


def test_numbers_change_a_few_times_a_second_only(show: Show, world: World) -> None:
    stage = show(world)
    texts = []
    for _ in range(60):
        stage.frame()
        texts.append(stage.view.head_up._numbers["time"].text)
    assert 3 <= len(set(texts)) <= 6


# -- the mouse ------------------------------------------------------------------------------


def test_the_wheel_zooms_at_the_cursor(show: Show, world: World) -> None:
    stage = show(world)
    stage.look_at(0.0, 0.0, 40.0)
    held = stage.view.camera.to_world(600, 150)
    stage.send("on_mouse_scroll", 600, 150, 0.0, 2.0)
    for _ in range(150):
        stage.send("on_update", 1.0 / 60.0)
        assert stage.view.camera.to_screen(*held) == pytest.approx((600.0, 150.0), abs=1e-6)
    assert stage.view.camera.zoom == pytest.approx(40.0 * 1.2**2)


@pytest.mark.parametrize("button", [arcade.MOUSE_BUTTON_RIGHT, arcade.MOUSE_BUTTON_MIDDLE])
def test_other_buttons_pan(show: Show, world: World, button: int) -> None:
    stage = show(world)
    stage.look_at(0.0, 0.0, 40.0)
    stage.send("on_mouse_press", 100, 100, button, 0)
    stage.send("on_mouse_drag", 180, 60, 80, -40, button, 0)
    assert (stage.view.camera.x, stage.view.camera.y) == (-2.0, 1.0)
    stage.send("on_mouse_release", 180, 60, button, 0)
    stage.send("on_mouse_drag", 380, 60, 200, 0, button, 0)
    assert stage.view.camera.x == -2.0


def grab(stage: Any, x: float, y: float) -> tuple[int, int]:
    stage.frame()
    pixel = stage.pixel_of(x, y)
    stage.send("on_mouse_press", *pixel, LEFT, 0)
    return pixel


def test_a_left_drag_moves_a_body(show: Show, weightless: World) -> None:
    entity = box()
    stage = show(weightless)
    stage.look_at(0.0, 0.0, 40.0)
    x, y = grab(stage, 0.0, 0.0)
    stage.send("on_mouse_drag", x + 120, y + 80, 120, 80, LEFT, 0)
    stage.frame(120)
    assert place_of(entity) == pytest.approx((3.0, 2.0), abs=0.05)
    stage.send("on_mouse_release", x + 120, y + 80, LEFT, 0)
    stage.send("on_mouse_drag", x, y, -120, -80, LEFT, 0)
    stage.frame(60)
    assert place_of(entity) == pytest.approx((3.0, 2.0), abs=0.05)


def test_a_picked_body_is_outlined_in_white_with_a_line_to_the_mouse(
    show: Show, weightless: World
) -> None:
    esper.add_component(box(), Color("#AA0000"))
    stage = show(weightless)
    stage.look_at(0.0, 0.0, 80.0)
    x, y = grab(stage, 0.0, 0.0)
    stage.press_key(key.SPACE)
    stage.send("on_mouse_drag", x + 150, y, 150, 0, LEFT, 0)
    stage.frame()
    pixels = stage.pixels()
    assert pixels[300:302, 500, :].max() > 150  # the line
    assert pixels[330, 437:441].min(axis=1).max() > 220  # the outline
    stage.send("on_mouse_release", x, y, LEFT, 0)
    stage.frame()
    pixels = stage.pixels()
    assert pixels[330, 437:441].min(axis=1).max() < 200


def test_violent_moves_do_not_explode(show: Show, world: World) -> None:
    esper.create_entity(Transform(0, -1), Shape.box(40, 1))
    entities = [box(0.0, 0.0), box(0.0, 1.0), box(1.5, 0.0)]
    stage = show(world)
    stage.look_at(0.0, 0.0, 40.0)
    grab(stage, 0.0, 0.0)
    random = np.random.default_rng(3)
    for _ in range(120):
        x, y = random.uniform(-3000, 3000, 2)
        stage.send("on_mouse_drag", x, y, x, y, LEFT, 0)
        stage.frame()
    for entity in entities:
        velocity = esper.component_for_entity(entity, Velocity)
        assert all(map(math.isfinite, (*place_of(entity), velocity.omega)))
        assert math.hypot(velocity.x, velocity.y) < WEIGHTS * 9.81 * 2.0


def test_release_outside_of_the_window_lets_go(show: Show, weightless: World) -> None:
    box()
    stage = show(weightless)
    grab(stage, 0.0, 0.0)
    assert stage.view.drag.entity is not None
    stage.send("on_mouse_release", -400, 9000, LEFT, 0)
    assert stage.view.drag.entity is None


def test_a_panel_that_swallows_the_mouse_cannot_keep_a_body_held(
    show: Show, weightless: World
) -> None:
    entity = box()
    stage = show(weightless)
    swallow = {
        name: lambda *given: True
        for name in ("on_mouse_press", "on_mouse_drag", "on_mouse_release")
    }
    stage.look_at(0.0, 0.0, 40.0)
    stage.frame()
    press = dict(swallow)
    del press["on_mouse_press"]
    stage.window.push_handlers(**press)
    try:
        x, y = grab(stage, 0.0, 0.0)
        stage.send("on_mouse_drag", x + 40, y, 40, 0, LEFT, 0)
        stage.frame(60)
        assert place_of(entity)[0] == pytest.approx(1.0, abs=0.05)
        stage.send("on_mouse_release", x + 40, y, LEFT, 0)
        assert stage.view.drag.entity is None
    finally:
        stage.window.remove_handlers(**press)


def test_a_body_deleted_while_held(show: Show, weightless: World) -> None:
    entity = box()
    stage = show(weightless)
    x, y = grab(stage, 0.0, 0.0)
    esper.delete_entity(entity, immediate=True)
    stage.send("on_mouse_drag", x + 5, y, 5, 0, LEFT, 0)
    stage.frame(3)
    stage.send("on_mouse_release", x, y, LEFT, 0)
    box()
    stage.frame(2)
    grab(stage, 0.0, 0.0)
    assert stage.view.drag.entity is not None


def test_a_restart_while_held_lets_go(show: Show, weightless: World) -> None:
    def fill() -> None:
        weightless.reset()
        box()

    fill()
    stage = show(weightless, restart=fill)
    grab(stage, 0.0, 0.0)
    stage.press_key(key.R)
    stage.frame(2)
    assert stage.view.drag.entity is None


def test_the_ground_cannot_be_dragged(show: Show, world: World) -> None:
    esper.create_entity(Transform(), Shape.box(4, 4))
    stage = show(world)
    grab(stage, 0.0, 0.0)
    assert stage.view.drag.entity is None
    assert stage.view.mouse.button is None


def test_a_click_beside_a_small_body_takes_it(show: Show, weightless: World) -> None:
    entity = box(size=0.05)
    stage = show(weightless)
    stage.look_at(0.0, 0.0, 40.0)
    stage.frame()
    stage.send("on_mouse_press", 404, 300, LEFT, 0)
    assert stage.view.drag.entity == entity


def test_drag_is_part_of_the_world_only_while_shown(show: Show, world: World) -> None:
    stage = show(world)
    assert [type(each) for each in world.systems(Stage.FORCES)].count(Drag) == 1
    other = SimulationView(World(name="another"), window=stage.window)
    stage.window.show_view(other)
    assert Drag not in [type(each) for each in world.systems(Stage.FORCES)]
    stage.window.show_view(stage.view)
    assert [type(each) for each in world.systems(Stage.FORCES)].count(Drag) == 1


# -- a game's hooks -------------------------------------------------------------------------


class Game(SimulationView):
    """Notes what its hooks are told."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.seen: list[tuple[Any, ...]] = []
        self.takes = True

    def on_step(self, dt: float) -> None:
        self.seen.append(("step", dt, esper.current_world))

    def on_world_draw(self) -> None:
        self.lines.add((-1, 0), (1, 0), (255, 0, 0), 9.0)
        arcade.draw_circle_filled(3.0, 1.0, 0.5, (0, 255, 0))

    def on_screen_draw(self) -> None:
        arcade.draw_lbwh_rectangle_filled(100, 400, 20, 20, (0, 0, 255))

    def on_world_press(self, x: float, y: float) -> bool:
        self.seen.append(("press", x, y))
        return self.takes

    def on_world_drag(self, x: float, y: float) -> None:
        self.seen.append(("drag", x, y))

    def on_world_release(self, x: float, y: float) -> None:
        self.seen.append(("release", x, y))


def test_a_game_is_told_of_each_step_in_its_world(show: Show, weightless: World) -> None:
    stage = show(weightless, Game)
    esper.switch_world("default")
    stage.frame(2)
    assert stage.view.seen == [("step", 1.0 / 60.0, weightless.name)] * 2
    assert esper.current_world == "default"


def test_a_game_draws_in_metres_and_in_pixels(show: Show, weightless: World) -> None:
    stage = show(weightless, Game)
    stage.look_at(0.0, 0.0, 40.0)
    assert stage.color_at(0.5, 0.05) == (255, 0, 0)
    assert stage.color_at(3.2, 1.1) == (0, 255, 0)
    assert tuple(stage.pixels()[410, 110]) == (0, 0, 255)


def test_a_game_may_take_the_left_button(show: Show, weightless: World) -> None:
    box()
    stage = show(weightless, Game)
    stage.look_at(0.0, 0.0, 40.0)
    grab(stage, 0.0, 0.0)
    assert stage.view.drag.entity is None
    stage.send("on_mouse_drag", 440, 300, 40, 0, LEFT, 0)
    stage.send("on_mouse_release", 440, 340, LEFT, 0)
    stage.send("on_mouse_drag", 480, 300, 40, 0, LEFT, 0)
    told = [each for each in stage.view.seen if each[0] != "step"]
    assert told == [("press", 0.0, 0.0), ("drag", 1.0, 0.0), ("release", 1.0, 1.0)]


def test_a_game_may_leave_the_left_button(show: Show, weightless: World) -> None:
    entity = box()
    stage = show(weightless, Game)
    stage.view.takes = False
    stage.look_at(0.0, 0.0, 40.0)
    grab(stage, 0.0, 0.0)
    assert stage.view.drag.entity == entity


def test_more_keys_can_be_listed(show: Show, world: World) -> None:
    stage = show(world)
    stage.view.add_keys(("A", "aim"), ("B", "brake"))
    assert stage.view.head_up.keys[:2] == [("A", "aim"), ("B", "brake")]
    stage.frame()
