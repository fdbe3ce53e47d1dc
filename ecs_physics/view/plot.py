"""A live plot: the last values of a few series against time, in a window, a picture or a table."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import arcade
import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from ecs_physics.view.canvas import Box, Canvas, is_in, shortened, text_width
from ecs_physics.view.look import BODY_COLORS, NUMBER_SIZE, TEXT_SIZE, Rgb, Theme, rgb_of, theme
from ecs_physics.view.screen import open_window
from ecs_physics.view.ticks import round_up, tick_text, ticks

HEADER: Final = 28
"""px. Height of the title, and of the tab that is left of a folded plot."""
INSET: Final = 12
"""px. Between the plot's border and what is in it."""
LEGEND_LINE: Final = 18
"""px. Height of a line of the legend."""
VALUE_ROOM: Final = 62
"""px. For the newest value of a series, in the legend."""
LOW: Final = 170
"""px. A plot lower than this leaves the newest values out."""
LINE_WIDTH: Final = 1.7
"""px, of a series."""
Y_TICK_ROOM: Final = 34
"""px. Ticks of the value axis are no nearer together than this."""
X_TICK_ROOM: Final = 58
"""px. Ticks of the time axis are no nearer together than this."""
SHRINK: Final = 0.4
"""The value axis shrinks where the values need less than this part of it. Nearer to 1: it
changes at every swing; 0: one high value flattens all that follows."""
FINEST: Final = 1e-4
"""The value axis spans at least this part of the values' size: rounding errors stay unseen."""
LARGEST: Final = 1e290
"""Larger values are drawn as this, so that their differences stay finite."""
LEGEND_DRAWS: Final = 12
"""The newest values are written anew in every 12th picture: laying digits out is slow."""
MESSAGE_DRAWS: Final = 240
"""Pictures in which the plot says where it was saved."""

Reals = NDArray[np.float64]


class Plot:
    """Keeps the last values of some series, and draws them against time.

    push() and save_csv() need no window. `view.add_plot(plot)` shows it at the bottom right.
    Where time goes back, as after a restart, the plot begins anew. A value that is not finite
    leaves a gap.

        plot = Plot("Energy", ["kinetic", "potential", "total"], unit="J")
        plot.push(world.time, (kinetic, potential, kinetic + potential))    # once a step

    Args:
        title: a few words; names the files of export().
        series: their names.
        unit: of the values.
        length: how many values of each series are kept.
        colors: "#RRGGBB" of each series; those of bodies, in turn, where left out.

    Raises:
        ValueError: for no series, two of one name, as many colours as there are not series, or a
            length below 2.
    """

    def __init__(
        self,
        title: str,
        series: Sequence[str],
        *,
        unit: str = "",
        length: int = 1000,
        colors: Sequence[str] = (),
    ) -> None:
        self.series = list(series)
        if not self.series or len(set(self.series)) < len(self.series):
            raise ValueError(f"series = {self.series!r}: give at least one name, each once")
        if colors and len(colors) != len(self.series):
            raise ValueError(f"{len(colors)} colors for {len(self.series)} series: give as many")
        if not isinstance(length, int) or length < 2:
            raise ValueError(f"length = {length!r}: give a whole number of at least 2")
        self.title = title
        self.unit = unit
        self.length = length
        self.colors: list[Rgb] = [rgb_of(color) for color in colors] or [
            BODY_COLORS[number % len(BODY_COLORS)] for number in range(len(self.series))
        ]
        self.small_window = False
        self._fold: bool | None = None
        # Each row is written twice, `length` apart: the last values are always one slice.
        self._ring = np.zeros((2 * length, 1 + len(self.series)))
        self._count = 0
        self.pushed = 0  # values of each series there ever were
        self._drawing: PlotDrawing | None = None
        self.box: Box = (0.0, 0.0, 0.0, 0.0)

    # -- values -----------------------------------------------------------------------------

    def push(self, time: float, values: Sequence[float] | Mapping[str, float] | ArrayLike) -> None:
        """Add the values of all series at `time`, s: in their order, or by name.

        Raises:
            ValueError: for more or fewer values than series, or a time that is not finite.
            KeyError: for a mapping that lacks a series.
        """
        if isinstance(values, Mapping):
            values = [values[name] for name in self.series]
        row = np.asarray(values, np.float64).ravel()
        if len(row) != len(self.series):
            raise ValueError(f"{len(row)} values: give one each for {', '.join(self.series)}")
        if not np.isfinite(time):
            raise ValueError(f"time = {time!r}: give a finite number of seconds")
        if self._count and time < self._ring[self.pushed % self.length - 1, 0]:
            self.clear()
        for place in (self.pushed % self.length, self.pushed % self.length + self.length):
            self._ring[place, 0] = time
            self._ring[place, 1:] = row
        self.pushed += 1
        self._count = min(self._count + 1, self.length)

    def clear(self) -> None:
        """Forget all values."""
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def times(self) -> Reals:
        """Times of the values that are kept, (n,), s, oldest first."""
        return self._rows()[:, 0]

    @property
    def values(self) -> Reals:
        """The values that are kept, (n, number of series), oldest first."""
        return self._rows()[:, 1:]

    def _rows(self) -> Reals:
        end = (self.pushed - 1) % self.length + self.length + 1
        return self._ring[end - self._count : end]

    # -- files ------------------------------------------------------------------------------

    def save_csv(self, path: str | Path) -> Path:
        """Write the values that are kept as a table: time and each series, a row each time."""
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        unit = f" ({self.unit})" if self.unit else ""
        with target.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(["time (s)", *(name + unit for name in self.series)])
            table.writerows(self._rows().tolist())
        return target

    def save_png(
        self,
        path: str | Path,
        width: int = 1200,
        height: int = 600,
        window: arcade.Window | None = None,
    ) -> Path:
        """Write a picture of the plot alone, of any size in px.

        It is drawn by the window given, the current one, or one that is opened unseen.

        Raises:
            NoScreenError: where no window can be had; says what to install.
            ValueError: for a size that leaves no room for the plot.
        """
        if width < 200 or height < 120:
            raise ValueError(f"picture of {width} x {height}: give at least 200 x 120")
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        own = None
        if window is None:
            try:
                window = arcade.get_window()
            except RuntimeError:
                window = own = open_window(320, 240, self.title, visible=False)
        try:
            _picture(self, window, width, height).save(target)
        finally:
            if own is not None:
                own.close()
        return target

    def export(
        self, folder: str | Path = "out", window: arcade.Window | None = None
    ) -> tuple[Path, Path]:
        """Write picture and table side by side, under the next free number; their paths."""
        words = "".join(each if each.isalnum() else " " for each in self.title.lower())
        name = "-".join(words.split()) or "plot"
        number = 1
        while any((Path(folder) / f"{name}-{number:03}{end}").exists() for end in (".png", ".csv")):
            number += 1
        base = Path(folder) / f"{name}-{number:03}"
        table = self.save_csv(base.with_suffix(".csv"))
        return self.save_png(base.with_suffix(".png"), window=window), table

    # -- in a window ------------------------------------------------------------------------

    @property
    def folded(self) -> bool:
        """Whether only a tab is seen. None set: as the window's size asks for."""
        return self.small_window if self._fold is None else self._fold

    @folded.setter
    def folded(self, value: bool | None) -> None:
        self._fold = value

    def place(self, right: float, bottom: float, width: float, height: float) -> Box:
        """Lay out above `bottom` and left of `right`; the box taken."""
        if self.folded:
            width, height = text_width(self.title, TEXT_SIZE, True) + 2 * INSET + 26, HEADER
        self.box = (right - width, bottom, width, height)
        return self.box

    def draw(self, window: arcade.Window) -> None:
        """Draw it where it was placed."""
        self._drawing_for(window).draw(self.box, folded=self.folded)

    def press(self, x: float, y: float, window: arcade.Window) -> None:
        """The left button went down: fold, or save."""
        left, bottom, width, height = self.box
        if self.folded or is_in((left + width - 34, bottom + height - HEADER, 34, HEADER), x, y):
            self.folded = not self.folded
        elif is_in((left + width - 90, bottom + height - HEADER, 56, HEADER), x, y):
            self.save_shown(window)

    def save_shown(self, window: arcade.Window) -> None:
        """Write picture and table to out/, and say so on the plot."""
        try:
            picture, _ = self.export(window=window)
        except OSError as error:
            self._drawing_for(window).say(f"not saved: {error.strerror or error}")
        else:
            self._drawing_for(window).say(f"saved {picture.as_posix()} and .csv")

    def _drawing_for(self, window: arcade.Window) -> "PlotDrawing":
        if self._drawing is None or self._drawing.window is not window:
            self._drawing = PlotDrawing(self, window)
        return self._drawing


class Scale:
    """The value axis: grows at once, shrinks only where the values need much less of it."""

    def __init__(self) -> None:
        self.low = 0.0
        self.high = 0.0

    def follow(self, values: Reals) -> None:
        """Take all finite values in."""
        if len(values) == 0 or not np.isfinite(values).all():
            values = values[np.isfinite(values)]
        if len(values) == 0:
            if self.high <= self.low:
                self.low, self.high = 0.0, 1.0
            return
        low, high = float(values.min()), float(values.max())
        wanted = _span(max(low, -LARGEST), min(high, LARGEST))
        now = self.high - self.low
        outside = low < self.low or high > self.high
        if now <= 0.0 or outside or wanted[1] - wanted[0] < SHRINK * now:
            self.low, self.high = wanted


def _span(low: float, high: float) -> tuple[float, float]:
    """A round span around the values; from 0 where they are not far from it."""
    if 0.0 < low < 0.5 * high:
        low = 0.0
    elif 0.5 * low < high < 0.0:
        high = 0.0
    size = max(abs(low), abs(high))
    if high - low < FINEST * size or size == 0.0:
        half = 0.5 * FINEST * size if size else 1.0
        low, high = 0.5 * low + 0.5 * high - half, 0.5 * low + 0.5 * high + half
    step = round_up((high - low) / 5.0)
    return float(np.floor(low / step + 1e-9) * step), float(np.ceil(high / step - 1e-9) * step)


class PlotDrawing:
    """Draws a plot on a canvas of a window."""

    def __init__(self, plot: Plot, window: arcade.Window) -> None:
        self.window = window
        self._plot = plot
        self._canvas = Canvas(window)
        self._scale = Scale()
        self._painted_for: tuple[object, ...] = ()
        self._draws = 0
        self._newest: list[str] = []
        self._message = ""
        self._message_left = 0
        self._axes: Box = (0.0, 0.0, 1.0, 1.0)

    def say(self, message: str) -> None:
        """Show words instead of the legend for some seconds."""
        self._message = message
        self._message_left = MESSAGE_DRAWS

    def draw(self, box: Box, *, folded: bool = False, size: tuple[int, int] | None = None) -> None:
        """Draw the plot in `box`; into a picture of `size` px with its camera where given."""
        self._draws += 1
        self._message_left -= 1
        if self._message_left <= 0:
            self._message = ""
        state = (self._plot.pushed, len(self._plot))
        now: tuple[object, ...] = (box, theme(), folded, state, self._message)
        if now != self._painted_for:
            self._painted_for = now
            self._canvas.begin()
            if folded:
                self._paint_tab(box)
            else:
                self._paint(box, theme(), with_buttons=size is None)
            self._canvas.end()
        self._canvas.draw(size=size)

    def _paint_tab(self, box: Box) -> None:
        look = theme()
        left, bottom, width, height = box
        self._canvas.part("tab")
        self._canvas.box(box, look.panel, look.axis, 6)
        self._canvas.text(self._plot.title, left + INSET, bottom + 9, look.text, bold=True)
        x, y = left + width - INSET - 6, bottom + 0.5 * height
        self._canvas.line([(x - 5, y - 2.5), (x, y + 2.5), (x + 5, y - 2.5)], look.faint_text, 1.8)

    def _paint(self, box: Box, look: Theme, *, with_buttons: bool) -> None:
        left, bottom, width, height = box
        self._canvas.box(box, look.panel, look.axis, 8)
        self._paint_header(box, look, with_buttons=with_buttons)
        legend_top = bottom + height - HEADER
        value_room = VALUE_ROOM if height >= LOW else 14
        room = width - 2 * INSET
        legend_lines = self._paint_legend(left + INSET, legend_top, room, value_room, look)
        self._scale.follow(self._plot.values)
        low, high = self._scale.low, self._scale.high
        top = legend_top - legend_lines * LEGEND_LINE - 8
        base = bottom + 28
        tall = max(top - base, 10.0)
        y_ticks, y_step = ticks(low, high, max(int(tall // Y_TICK_ROOM), 2))
        labels = [tick_text(tick, y_step) for tick in y_ticks]
        margin = max((text_width(label, NUMBER_SIZE) for label in labels), default=0.0) + 8.0
        margin = max(margin, 28.0)
        axes = (left + INSET + margin, base, width - 2 * INSET - margin, tall)
        self._canvas.box(axes, look.background)
        self._canvas.part("y")
        for tick, label in zip(y_ticks, labels, strict=True):
            y = base + (tick - low) / (high - low) * tall
            ink = look.axis if tick == 0.0 else look.grid
            self._canvas.box((axes[0], y - 0.5, axes[2], 1), ink)
            self._canvas.text(
                label, axes[0] - 6, y - 4, look.faint_text, NUMBER_SIZE, anchor="right"
            )
        self._paint_times(axes, look)

    def _paint_header(self, box: Box, look: Theme, *, with_buttons: bool) -> None:
        left, bottom, width, height = box
        base = bottom + height - 20
        plot = self._plot
        title = f"{plot.title}, {plot.unit}" if plot.unit else plot.title
        room = width - 2 * INSET - (86 if with_buttons else 0)
        self._canvas.part("header")
        words = shortened(title, room, TEXT_SIZE, True)
        self._canvas.text(words, left + INSET, base, look.text, bold=True)
        if with_buttons:
            end = left + width - INSET
            self._canvas.text("E", end - 58, base, look.faint_text, NUMBER_SIZE)
            self._canvas.text("save", end - 47, base, look.accent, NUMBER_SIZE)
            x, y = end - 6, base + 5
            marks = [(x - 5, y + 2.5), (x, y - 2.5), (x + 5, y + 2.5)]
            self._canvas.line(marks, look.faint_text, 1.8)

    def _paint_legend(
        self, left: float, top: float, room: float, value_room: float, look: Theme
    ) -> int:
        """Names, colours and newest values; how many lines they take."""
        plot = self._plot
        if not self._newest or self._draws % LEGEND_DRAWS == 0 or len(plot) < 2:
            newest = plot.values[-1].tolist() if len(plot) else [0.0] * len(plot.series)
            self._newest = [f"{value:.4g}" if len(plot) else "" for value in newest]
        x, line = 0.0, 0
        for name, color, value in zip(plot.series, plot.colors, self._newest, strict=True):
            used = 20.0 + text_width(name, NUMBER_SIZE) + 5.0
            if x > 0.0 and x + used + value_room > room + 14.0:
                x, line = 0.0, line + 1
            y = top - LEGEND_LINE * (line + 1) + 6
            if not self._message:
                self._canvas.part(("legend", name))
                self._canvas.line([(left + x + 1, y + 4), (left + x + 13, y + 4)], color, 3)
                self._canvas.text(name, left + x + 20, y, look.text, NUMBER_SIZE)
                shown = value if value_room == VALUE_ROOM else ""
                self._canvas.text(shown, left + x + used, y, look.faint_text, NUMBER_SIZE)
            x += used + value_room
        if self._message:
            self._canvas.part("message")
            words = shortened(self._message, room, NUMBER_SIZE)
            self._canvas.text(words, left, top - LEGEND_LINE + 6, look.accent, NUMBER_SIZE)
        return line + 1

    def _paint_times(self, axes: Box, look: Theme) -> None:
        left, base, width, tall = axes
        name = "time, s"
        name_left = left + width - text_width(name, NUMBER_SIZE)
        self._canvas.part("time")
        self._canvas.text(name, name_left, base - 18, look.faint_text, NUMBER_SIZE)
        times = self._plot.times
        if len(times) == 0:
            return
        start, end = self._time_span(times)
        places, step = ticks(start, end, max(int(width // X_TICK_ROOM), 1))
        for tick in places:
            x = left + (tick - start) / (end - start) * width
            self._canvas.box((x - 0.5, base, 1, tall), look.grid)
            label = tick_text(tick, step)
            half = 0.5 * text_width(label, NUMBER_SIZE)
            if left - 14 <= x - half and x + half < name_left - 6:
                self._canvas.part(("tick", label))
                self._canvas.text(
                    label, x, base - 18, look.faint_text, NUMBER_SIZE, anchor="center"
                )
        self._paint_curves(axes, times, start, end)
        self._canvas.box((left, base, 1, tall), look.axis)
        self._canvas.box((left, base - 0.5, width, 1), look.axis)

    def _time_span(self, times: Reals) -> tuple[float, float]:
        """First and last time of the axis: it fills up to the plot's length, then it moves on."""
        start, end = float(times[0]), float(times[-1])
        if len(times) == 1 or end <= start:
            return start, start + 1.0
        step = (end - start) / (len(times) - 1)
        return start, max(end, start + step * (self._plot.length - 1))

    def _paint_curves(self, axes: Box, times: Reals, start: float, end: float) -> None:
        left, base, width, tall = axes
        low, high = self._scale.low, self._scale.high
        ratio = self.window.get_pixel_ratio()
        times, values = thinned(times, self._plot.values, self._plot.pushed, width * ratio)
        x = left + (times - start) * (width / (end - start))
        y = base + (np.clip(values.T, low, high) - low) * (tall / (high - low))
        y[~np.isfinite(values.T)] = np.nan
        self._canvas.curves(x, y, self._plot.colors, LINE_WIDTH)


def thinned(times: Reals, values: Reals, pushed: int, pixels: float) -> tuple[Reals, Reals]:
    """Of more values than pixels only the least and the largest of each few: it looks the same.

    Args:
        times: (n,).
        values: (n, number of series).
        pushed: how many values there ever were: the same ones stay together while all move on.
        pixels: that they are drawn in.
    """
    together = int(np.ceil(len(times) / max(pixels, 1.0)))
    if together < 3:
        return times, values
    head = (len(times) - pushed) % together
    groups = (len(times) - head) // together
    tail = head + groups * together
    some = values[head:tail].reshape(groups, together, -1)
    pair = np.stack((some.min(axis=1), some.max(axis=1)), axis=1)
    falls = some.argmin(axis=1) > some.argmax(axis=1)
    pair = np.where(falls[:, np.newaxis], pair[:, ::-1], pair)
    ends = times[head:tail].reshape(groups, together)[:, [0, -1]]
    return (
        np.concatenate((times[:head], ends.ravel(), times[tail:])),
        np.concatenate((values[:head], pair.reshape(2 * groups, -1), values[tail:])),
    )


def _picture(plot: Plot, window: arcade.Window, width: int, height: int) -> Image.Image:
    """The plot alone, drawn into a frame buffer that is not seen."""
    window.switch_to()
    context = window.ctx
    frame = context.framebuffer(color_attachments=[context.texture((width, height), components=4)])
    rect = arcade.LBWH(0, 0, width, height)
    camera = arcade.Camera2D(
        viewport=rect,
        position=(0.5 * width, 0.5 * height),
        projection=arcade.LRBT(-0.5 * width, 0.5 * width, -0.5 * height, 0.5 * height),
        render_target=frame,
        window=window,
    )
    with camera.activate():
        frame.clear(color=theme().panel)
        drawing = PlotDrawing(plot, window)
        drawing.draw((0.0, 0.0, float(width), float(height)), size=(width, height))
        data = frame.read(components=3)
    picture = Image.frombytes("RGB", (width, height), data)
    return picture.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
