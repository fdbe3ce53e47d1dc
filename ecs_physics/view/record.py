"""Pictures and films of a window."""

from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import arcade
import imageio_ffmpeg
import numpy as np
from PIL import Image

FILMS: Final = (".gif", ".mp4")
"""Endings of the films that a Recorder writes."""


def picture(window: arcade.Window) -> Image.Image:
    """What has been drawn in the window since the last flip, as an RGB picture."""
    window.switch_to()
    width, height = window.get_framebuffer_size()
    data = window.ctx.screen.read(viewport=(0, 0, width, height), components=3)
    return Image.frombytes("RGB", (width, height), data).transpose(Image.Transpose.FLIP_TOP_BOTTOM)


def screenshot(window: arcade.Window, path: str | Path) -> Path:
    """Draw the window's view and write it to `path` (its ending says the format, as .png)."""
    draw(window)
    target = _writable(path)
    picture(window).save(target)
    return target


def draw(window: arcade.Window) -> None:
    """Let the window's view draw itself, as the next frame would, also outside of arcade.run()."""
    window.switch_to()
    window.dispatch_events()
    view = window.current_view
    if view is not None:
        view.on_draw()  # an event sent by dispatch_event would wait for arcade.run()


class Recorder:
    """Writes a film of a window: .gif (pillow) or .mp4 (ffmpeg).

    Args:
        path: of the film; its ending says the kind.
        fps: frames a second that it plays at. A GIF counts in hundredths of a second: up to 50.

    Raises:
        ValueError: for another ending, or frames a second outside 1 to 240.

    Also a context manager that closes itself.
    """

    def __init__(self, path: str | Path, fps: float = 30.0) -> None:
        if not 1.0 <= fps <= 240.0:
            raise ValueError(f"fps = {fps!r}: give a number from 1 to 240")
        if Path(path).suffix.lower() not in FILMS:
            raise ValueError(f"film {str(path)!r}: give a path that ends in {' or '.join(FILMS)}")
        self.path = _writable(path)
        self.fps = fps
        self.frames = 0
        self._pictures: list[Image.Image] = []
        self._palette: Image.Image | None = None
        self._film: Any = None
        self._size = (0, 0)

    def add(self, window: arcade.Window, *, redraw: bool = True) -> None:
        """Draw the window's view, and add that as the next frame.

        From inside of on_draw() give redraw=False: it takes what has been drawn so far.
        """
        if redraw:
            draw(window)
        self.add_picture(picture(window))

    def add_picture(self, image: Image.Image) -> None:
        """Add a picture; one of another size than the first is scaled to it."""
        if self.frames == 0:  # films want even sides
            self._size = (image.width & ~1, image.height & ~1)
        if image.size != self._size:
            image = image.resize(self._size)
        self.frames += 1
        if self.path.suffix.lower() == ".gif":
            self._add_to_gif(image)
        else:
            self._add_to_film(image)

    def _add_to_gif(self, image: Image.Image) -> None:
        if self._palette is None:  # one palette for all, so that colours do not flicker
            self._palette = image.quantize(256, dither=Image.Dither.NONE)
        self._pictures.append(image.quantize(palette=self._palette, dither=Image.Dither.NONE))

    def _add_to_film(self, image: Image.Image) -> None:
        if self._film is None:
            self._film = imageio_ffmpeg.write_frames(
                str(self.path), self._size, fps=self.fps, macro_block_size=2
            )
            self._film.send(None)
        self._film.send(np.ascontiguousarray(image.convert("RGB")))

    def close(self) -> Path:
        """Write what is left, and return the film's path.

        Raises:
            ValueError: where no frame was added.
        """
        if self.frames == 0:
            raise ValueError(f"film {str(self.path)!r} has no frames: add(window) at least once")
        if self._pictures:
            first, *others = self._pictures
            first.save(
                self.path,
                save_all=True,
                append_images=others,
                duration=max(20, round(1000.0 / self.fps / 10.0) * 10),
                loop=0,
            )
            self._pictures = []
        if self._film is not None:
            self._film.close()
            self._film = None
        return self.path

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None or self.frames:
            self.close()


def _writable(path: str | Path) -> Path:
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    return target
