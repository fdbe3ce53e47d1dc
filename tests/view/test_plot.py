"""Live plots: what they keep, what they draw at known values, what they write."""

import csv
import math
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import arcade
import esper
import numpy as np
import pytest
from arcade import key
from PIL import Image

from ecs_physics import Mass, Shape, Transform, Velocity, World
from ecs_physics.view import DARK, Panel, Plot
from ecs_physics.view.plot import PlotDrawing, Scale, thinned
from ecs_physics.view.ticks import number_text, round_down, round_up, tick_text, ticks
from tests.resizing import resize

Show = Callable[..., Any]

LEFT = arcade.MOUSE_BUTTON_LEFT
COLORS = ("#FF0000", "#00FF00", "#0000FF")


def energies(**given: Any) -> Plot:
    return Plot("Energy", ["kinetic", "potential", "total"], unit="J", **given)


# -- values ---------------------------------------------------------------------------------


def test_the_last_values_are_kept() -> None:
    plot = energies(length=5)
    for step in range(23):
        plot.push(0.1 * step, (step, -step, 0.0))
        kept = np.arange(max(step - 4, 0), step + 1)
        assert plot.times == pytest.approx(0.1 * kept)
        assert plot.values[:, 0].tolist() == kept.tolist()
        assert plot.values[:, 1].tolist() == (-kept).tolist()
        assert len(plot) == len(kept)
    plot.clear()
    assert (len(plot), plot.values.shape) == (0, (0, 3))
    for step in range(3):
        plot.push(step, (step, 1.0, 2.0))
    assert plot.values[:, 0].tolist() == [0.0, 1.0, 2.0]


def test_values_by_name() -> None:
    plot = energies()
    plot.push(0.0, {"total": 3.0, "kinetic": 1.0, "potential": 2.0})
    assert plot.values.tolist() == [[1.0, 2.0, 3.0]]
    with pytest.raises(KeyError, match="total"):
        plot.push(0.1, {"kinetic": 1.0, "potential": 2.0})


def test_it_begins_anew_where_time_goes_back() -> None:
    plot = energies(length=4)
    for step in range(8):  # so that the last value is the last of the ring
        plot.push(step, (step, 0.0, 0.0))
    plot.push(0.0, (9.0, 0.0, 0.0))
    assert plot.values[:, 0].tolist() == [9.0]


def test_refused() -> None:
    with pytest.raises(ValueError, match="2 values: give one each for kinetic, potential, total"):
        energies().push(0.0, (1.0, 2.0))
    with pytest.raises(ValueError, match="time = nan"):
        energies().push(math.nan, (1.0, 2.0, 3.0))
    with pytest.raises(ValueError, match="at least one name"):
        Plot("Nothing", [])
    with pytest.raises(ValueError, match="each once"):
        Plot("Twins", ["a", "a"])
    with pytest.raises(ValueError, match="length = 1"):
        energies(length=1)
    with pytest.raises(ValueError, match="1 colors for 3 series"):
        energies(colors=["#FF0000"])


def test_a_table(tmp_path: Path) -> None:
    plot = energies(length=3)
    for step in range(5):
        plot.push(step / 3.0, (step / 7.0, 1e-300, math.nan))
    path = plot.save_csv(tmp_path / "new" / "energy.csv")
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["time (s)", "kinetic (J)", "potential (J)", "total (J)"]
    assert [[float(each) for each in row[:3]] for row in rows] == [
        [step / 3.0, step / 7.0, 1e-300] for step in (2, 3, 4)
    ]  # every bit
    assert [row[3] for row in rows] == ["nan"] * 3


def test_values_and_tables_need_no_window(tmp_path: Path) -> None:
    code = f"""
import os
os.environ.pop("DISPLAY", None)
from ecs_physics.view import Plot
plot = Plot("Heat", ["q"])
plot.push(0.0, [1.5])
print(plot.save_csv({str(tmp_path / "heat.csv")!r}).read_text())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["time", "(s),q", "0.0,1.5"]


# -- axes -----------------------------------------------------------------------------------


def test_round_numbers() -> None:
    assert [round_down(each) for each in (1.0, 7.3, 0.05, 0.3, 199.0)] == [1, 5, 0.05, 0.2, 100]
    assert [round_up(each) for each in (1.0, 7.3, 0.05, 0.3, 2.1)] == [1, 10, 0.05, 0.5, 5]
    places, step = ticks(-0.37, 0.31, 4)
    assert (places, step) == ([-0.2, 0.0, 0.2], 0.2)
    assert ticks(3.0, 9.0, 3)[0] == [4.0, 6.0, 8.0]
    assert tick_text(0.1 + 0.2, 0.1) == "0.3"
    assert tick_text(2e7, 1e7) == "2e+07"
    assert tick_text(1234567000.0, 1000.0) == "1.234567e+09"
    assert number_text(-0.0, 0.01) == "0.00"
    assert number_text(1.0 / 60.0, 0.001) == "0.0166667"


def test_the_scale_grows_at_once_and_shrinks_late() -> None:
    scale = Scale()
    scale.follow(np.array([0.0, 8.7]))
    assert (scale.low, scale.high) == (0.0, 10.0)
    scale.follow(np.array([0.0, 5.0]))
    assert (scale.low, scale.high) == (0.0, 10.0)
    scale.follow(np.array([-1.0, 5.0]))
    assert (scale.low, scale.high) == (-2.0, 6.0)
    scale.follow(np.array([0.0, 0.9]))
    assert (scale.low, scale.high) == (0.0, 1.0)


@pytest.mark.parametrize(
    "values",
    [[], [0.0], [5.0, 5.0], [1e300, -1e300], [math.nan], [math.inf, 1.0], [1e-300], [-7.0, -6.9]],
)
def test_the_scale_is_always_one(values: list[float]) -> None:
    scale = Scale()
    scale.follow(np.array(values))
    assert math.isfinite(scale.low)
    assert math.isfinite(scale.high)
    assert scale.low < scale.high
    for value in values:
        if abs(value) < 1e280:
            assert scale.low <= value <= scale.high
    places, step = ticks(scale.low, scale.high, 5)
    assert len({tick_text(each, step) for each in places}) == len(places) > 0


def test_thinning_keeps_every_extreme() -> None:
    random = np.random.default_rng(5)
    times, values = np.arange(1000.0), random.normal(size=(1000, 2))
    few, thin = thinned(times, values, 4711, 250.0)
    assert len(few) <= 506
    assert (np.diff(few) >= 0.0).all()
    assert thin.min(axis=0).tolist() == values.min(axis=0).tolist()
    assert thin.max(axis=0).tolist() == values.max(axis=0).tolist()
    next_few, next_thin = thinned(times + 1.0, np.roll(values, -1, axis=0), 4712, 250.0)
    # the same groups, a value later: what is drawn does not flicker
    assert np.isin(next_few[8:-8], few).all()
    assert np.isin(next_thin[8:-8, 0], thin[:, 0]).all()
    assert thinned(times, values, 0, 600.0)[0] is times


# -- pictures -------------------------------------------------------------------------------


def image(path: Path) -> np.ndarray[Any, Any]:
    """(height, width, 3), row 0 at the bottom."""
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"), np.int64)[::-1]


def like(pixels: np.ndarray[Any, Any], color: tuple[int, int, int]) -> np.ndarray[Any, Any]:
    return np.abs(pixels - np.array(color)).max(axis=-1) < 60


def axes_of(pixels: np.ndarray[Any, Any]) -> tuple[int, int, int, int]:
    """Left, bottom, right and top of the plot's inside, found by its colour."""
    inside = (np.abs(pixels - np.array(DARK.background)).max(axis=2) == 0).nonzero()
    (low, high), (left, right) = ((each.min(), each.max()) for each in inside)
    return int(left), int(low), int(right), int(high)


def test_pixels_at_known_values(window: arcade.Window, tmp_path: Path) -> None:
    plot = Plot("Levels", ["low", "ramp", "high"], unit="J", length=101, colors=COLORS)
    for step in range(101):
        plot.push(step, (2.0, 0.1 * step, 8.0))
    pixels = image(plot.save_png(tmp_path / "levels.png", 900, 500, window))
    assert pixels.shape == (500, 900, 3)
    left, bottom, right, top = axes_of(pixels)
    for part in (0.25, 0.4, 0.7):
        column = round(left + part * (right - left))
        for value, color in ((2.0, (255, 0, 0)), (8.0, (0, 0, 255)), (10 * part, (0, 255, 0))):
            row = round(bottom + 0.1 * value * (top - bottom))
            beside = pixels[row - 2 : row + 3, column]
            assert like(beside, color).any(), (part, value)
            assert not like(pixels[row + 9, column], color)


def test_it_fills_up_then_moves_on(window: arcade.Window, tmp_path: Path) -> None:
    plot = Plot("Fill", ["a"], length=100, colors=["#FF0000"])
    for step in range(50):
        plot.push(step, [1.0 + step % 2])
    half = like(image(plot.save_png(tmp_path / "half.png", 600, 300, window)), (255, 0, 0))
    columns = half[30:220].any(axis=0).nonzero()[0]
    left, _, right, _ = axes_of(image(tmp_path / "half.png"))
    assert columns.max() == pytest.approx(0.5 * (left + right), abs=6)
    for step in range(50, 500):
        plot.push(step, [1.0 + step % 2])
    whole = like(image(plot.save_png(tmp_path / "whole.png", 600, 300, window)), (255, 0, 0))
    columns = whole[30:220].any(axis=0).nonzero()[0]
    assert columns.max() == pytest.approx(right, abs=4)
    assert columns.min() == pytest.approx(left, abs=4)


def test_values_that_are_not_finite_leave_a_gap(window: arcade.Window, tmp_path: Path) -> None:
    plot = Plot("Gap", ["a", "b"], length=30, colors=["#FF0000", "#00FF00"])
    for step in range(30):
        gap = 10 <= step < 20
        plot.push(step, [math.nan if gap else 1.0, -math.inf if step == 15 else 4.0])
    pixels = image(plot.save_png(tmp_path / "gap.png", 600, 300, window))
    left, bottom, right, top = axes_of(pixels)
    columns = like(pixels[bottom : top - 8, left:right], (255, 0, 0)).any(axis=0)
    width = right - left
    assert columns[: int(0.3 * width)].all()
    assert not columns[int(0.35 * width) : int(0.65 * width)].any()
    assert columns[int(0.71 * width) :].all()


def test_pictures_of_any_size(window: arcade.Window, tmp_path: Path) -> None:
    plot = energies()
    for size in ((200, 120), (2000, 1500)):
        pixels = image(plot.save_png(tmp_path / "any.png", *size, window))
        assert pixels.shape == (size[1], size[0], 3)
    with pytest.raises(ValueError, match="at least 200 x 120"):
        plot.save_png(tmp_path / "any.png", 100, 100, window)


def test_saving_a_picture_leaves_the_window_alone(
    show: Show, world: World, window: arcade.Window, tmp_path: Path
) -> None:
    stage = show(world)
    plot = stage.view.add_plot(energies())
    plot.push(0.0, (1.0, 2.0, 3.0))
    before = stage.pixels()
    plot.save_png(tmp_path / "x.png")
    assert (stage.pixels() == before).all()
    assert window.ctx.active_framebuffer is window.ctx.screen


# -- in a window ----------------------------------------------------------------------------


def test_it_stands_bottom_right(show: Show, world: World) -> None:
    stage = show(world)
    plot = stage.view.add_plot(energies(colors=COLORS))
    for step in range(1000):
        plot.push(step, (2.0, 4.0, 6.0))
    for size in ((800, 600), (1280, 800)):
        resize(stage.window, size)
        pixels = stage.pixels()
        left, bottom, width, height = plot.box
        assert left + width == size[0] - 8
        assert 30 < bottom < 60
        assert left > 0.6 * size[0]
        assert bottom + height < 0.5 * size[1]
        for color in ((255, 0, 0), (0, 255, 0), (0, 0, 255)):
            rows, columns = like(pixels, color).nonzero()
            assert columns.min() > left
            assert rows.max() < bottom + height
            assert (columns.max() - columns.min()) > 0.8 * width


def test_it_follows_what_is_pushed(show: Show, world: World) -> None:
    stage = show(world)
    plot = stage.view.add_plot(energies(colors=COLORS))
    empty = stage.pixels()
    assert (stage.pixels() == empty).all()
    for step in range(50):
        plot.push(step, (2.0, 4.0, 6.0))
    some = stage.pixels()
    assert (some != empty).any()
    plot.clear()
    assert not like(stage.pixels()[:200], (0, 255, 0))[: int(plot.box[1] + 100)].any()
    plot.push(0.0, (1.0, 2.0, 3.0))
    world.step(0.1)
    stage.view.restart_world = world.reset
    stage.press_key(key.R)
    assert len(plot) == 0


def test_several_plots_and_a_panel(show: Show, world: World) -> None:
    stage = show(world)
    resize(stage.window, (1280, 800))
    panel = stage.view.add_panel(Panel())
    for _ in range(40):
        panel.slider(world, "substeps", 1, 20)
    plots = [stage.view.add_plot(Plot(name, ["a"])) for name in ("one", "two", "three")]
    stage.frame()
    boxes = [panel.box, *(plot.box for plot in plots)]
    for above, below in pairwise(boxes):
        assert above[1] >= below[1] + below[3]
    assert boxes[-1][1] >= 30
    assert boxes[0][1] + boxes[0][3] <= 770


def test_it_folds(show: Show, world: World) -> None:
    stage = show(world)
    plot = stage.view.add_plot(energies())
    stage.frame()
    box = plot.box
    stage.press_key(key.G)
    stage.frame()
    assert plot.folded
    assert plot.box[3] < 40
    stage.send("on_mouse_press", plot.box[0] + 9, plot.box[1] + 9, LEFT, 0)
    stage.send("on_mouse_release", plot.box[0] + 9, plot.box[1] + 9, LEFT, 0)
    stage.frame()
    assert plot.box == box
    stage.send("on_mouse_press", box[0] + box[2] - 12, box[1] + box[3] - 12, LEFT, 0)
    assert plot.folded
    plot.folded = None
    resize(stage.window, (500, 360))
    stage.frame()
    assert plot.folded  # it would cover the middle


def test_a_key_and_a_button_save_it(
    show: Show, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    stage = show(world)
    plot = stage.view.add_plot(Plot("Energy of 5 boxes", ["total"]))
    plot.push(0.0, [1.0])
    stage.frame()
    stage.press_key(key.E)
    left, bottom, width, height = plot.box
    stage.send("on_mouse_press", left + width - 55, bottom + height - 12, LEFT, 0)
    stage.send("on_mouse_release", left + width - 55, bottom + height - 12, LEFT, 0)
    names = sorted(each.name for each in (tmp_path / "out").iterdir())
    assert names == [f"energy-of-5-boxes-00{n}.{end}" for n in (1, 2) for end in ("csv", "png")]
    drawing = plot._drawing
    assert isinstance(drawing, PlotDrawing)
    stage.frame()
    assert drawing._message == "saved out/energy-of-5-boxes-002.png and .csv"


def test_a_folder_that_cannot_be_written_is_said(
    show: Show, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").write_text("in the way")
    stage = show(world)
    plot = stage.view.add_plot(energies())
    stage.press_key(key.E)
    stage.frame()
    assert plot._drawing is not None
    assert plot._drawing._message.startswith("not saved: ")


def test_a_press_on_the_plot_takes_no_body(show: Show, world: World) -> None:
    world.gravity = (0.0, 0.0)
    esper.create_entity(Transform(), Velocity(), Shape.box(2, 2), Mass())
    stage = show(world)
    plot = stage.view.add_plot(energies())
    stage.frame()
    left, bottom, width, height = plot.box
    x, y = round(left + 0.5 * width), round(bottom + 0.4 * height)
    stage.look_at(-(x - 400) / 40.0, -(y - 300) / 40.0, 40.0)
    assert stage.pixel_of(0.0, 0.0) == (x, y)
    stage.send("on_mouse_press", x, y, LEFT, 0)
    stage.send("on_mouse_release", x, y, LEFT, 0)
    assert stage.view.drag.entity is None
    zoom = stage.view.camera.target_pixel
    stage.send("on_mouse_scroll", x, y, 0, 1)
    assert stage.view.camera.target_pixel == zoom
    top = stage.pixel_of(0.0, 0.0)[1] + 35
    stage.look_at(0.0, 0.0, 40.0)
    stage.send("on_mouse_press", 400, 300, LEFT, 0)
    assert stage.view.drag.entity is not None
    stage.send("on_mouse_drag", x, top, 1, 1, LEFT, 0)
    stage.send("on_mouse_release", x, y, LEFT, 0)
    assert stage.view.drag.entity is None


def test_the_camera_leaves_room_for_it(show: Show, world: World) -> None:
    world.gravity = (0.0, 0.0)
    esper.create_entity(Transform(), Velocity(), Shape.box(4, 4), Mass())
    stage = show(world)
    plot = stage.view.add_plot(energies())
    stage.view.fit()
    stage.frame(120)
    right, low = stage.view.camera.to_screen(2.0, -2.0)
    left, bottom, _, height = plot.box
    assert right < left or low > bottom + height
