"""A demo where no display is: on a virtual screen, as a picture and a film."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.progress import track

from games.menu.show import Show

if TYPE_CHECKING:
    import arcade

OUT: Final = Path(__file__).parents[2] / "out"
"""Where pictures and films go: the checkout's own folder for what can be made again."""

SIZE: Final = (960, 540)
"""px, width and height."""
SECONDS: Final = 3.0
"""s, length of the film."""
FRAMES_A_SECOND: Final = 20
"""Of the film."""
PICTURE_AT: Final = 0.6
"""What part of the film has passed when the picture is taken."""


def film(show: Show, window: "arcade.Window", folder: Path) -> list[Path]:
    """Run a demo for `SECONDS` in a window; return its picture and its film, in `folder`."""
    from ecs_physics.view import Recorder, screenshot
    from games.menu.window import DemoView

    view = DemoView(show, window=window)
    window.show_view(view)
    frames = round(SECONDS * FRAMES_A_SECOND)
    picture = folder / "demo.png"
    console = Console(stderr=True)
    what = f"drawing {show.entry.title}"
    with Recorder(folder / "demo.gif", FRAMES_A_SECOND) as recorder:
        for frame in track(range(frames), what, console=console, transient=True):
            window.switch_to()
            view.on_draw()
            recorder.add(window)
            if frame == int(PICTURE_AT * frames):
                screenshot(window, picture)
            view.on_update(1.0 / FRAMES_A_SECOND)
    window.hide_view()
    return [picture, recorder.path]
