"""Opening a window, also where no display is: on a virtual screen."""

import atexit
import os
import shutil
import subprocess
import sys
from typing import Final

import arcade

from ecs_physics.view.look import load_fonts, theme

SCREEN_SIZE: Final = "1920x1080x24"
"""Width, height and depth of a virtual screen."""
PATIENCE: Final = 20.0
"""s. How long a virtual screen may take to start."""

INSTALL: Final = (
    "apt-get install -y --no-install-recommends libgl1 libfontconfig1 libfreetype6 xvfb xauth"
)
"""What a Debian machine without a display needs to open a window all the same."""


class NoScreenError(RuntimeError):
    """There is no display, or one that cannot draw; says what to install."""


class _VirtualScreen:
    process: subprocess.Popen[bytes] | None = None


def has_display() -> bool:
    """Whether a window would have a display to appear on."""
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY"))
    return True


def start_virtual_screen() -> None:
    """Start Xvfb, let this process use it as its display, and end it at exit.

    Raises:
        NoScreenError: where Xvfb is missing or does not start.
    """
    program = shutil.which("Xvfb")
    if program is None:
        raise NoScreenError(
            "there is no display (DISPLAY is not set), and no Xvfb to make a virtual one: "
            f"install it ({INSTALL}), or run where a display is"
        )
    read_end, write_end = os.pipe()
    command = [program, "-displayfd", str(write_end), "-screen", "0", SCREEN_SIZE]
    process = subprocess.Popen(
        [*command, "-nolisten", "tcp"], pass_fds=(write_end,), stderr=subprocess.DEVNULL
    )
    os.close(write_end)
    number = _read_line(read_end)
    if not number:
        process.kill()
        process.wait()
        raise NoScreenError(f"Xvfb did not start: try `Xvfb :99` by hand, or install {INSTALL}")
    os.environ["DISPLAY"] = f":{number}"
    _VirtualScreen.process = process
    atexit.register(stop_virtual_screen)


def stop_virtual_screen() -> None:
    """End the Xvfb that start_virtual_screen() has started, if any."""
    process, _VirtualScreen.process = _VirtualScreen.process, None
    if process is not None:
        process.terminate()
        process.wait()
        os.environ.pop("DISPLAY", None)


def is_virtual() -> bool:
    """Whether windows appear on a virtual screen that this process has started."""
    return _VirtualScreen.process is not None


def _read_line(descriptor: int) -> str:
    """The first line written to a pipe; empty where none comes in time."""
    import select

    with os.fdopen(descriptor) as pipe:
        ready, _, _ = select.select([pipe], [], [], PATIENCE)
        return pipe.readline().strip() if ready else ""


def _can_move_to_virtual_screen() -> bool:
    """Whether Xvfb is there, and no window has tied this process to the real display yet."""
    if not sys.platform.startswith("linux") or shutil.which("Xvfb") is None:
        return False
    try:
        arcade.get_window()
    except RuntimeError:
        return True
    return False


def open_window(
    width: int = 1280,
    height: int = 720,
    title: str = "ecs_physics",
    *,
    visible: bool = True,
    virtual: bool = True,
) -> arcade.Window:
    """Open a window that can be resized; where there is no display, on a virtual screen.

    Args:
        width: px.
        height: px.
        title: shown in the window's frame.
        visible: False to draw into it unseen, for pictures. X gives hidden windows no pixels, so
            on Linux that takes a virtual screen; without Xvfb the window is seen after all.
        virtual: False to refuse where there is no real display.

    Raises:
        NoScreenError: where no window can be had; names what to install.
    """
    if not has_display():
        if not virtual:
            raise NoScreenError(
                "there is no display (DISPLAY is not set): run this where a display is, "
                "or draw into a picture (python -m ecs_physics run LEVEL --screenshot F)"
            )
        start_virtual_screen()
    elif not visible and virtual and _can_move_to_virtual_screen():
        start_virtual_screen()
    try:
        window = arcade.Window(
            width,
            height,
            title,
            resizable=True,
            antialiasing=False,  # shaders smooth edges themselves
            vsync=not is_virtual(),
            visible=visible or sys.platform.startswith("linux"),
        )
    except Exception as error:
        raise NoScreenError(
            f"a window could not be opened ({type(error).__name__}: {error}): "
            f"OpenGL 3.3 is needed; on Debian: {INSTALL}"
        ) from error
    window.set_minimum_size(480, 320)
    window.background_color = theme().background
    load_fonts()
    return window
