"""Pictures and films can be read again."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arcade
import esper
import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image, ImageSequence

from ecs_physics import Color, Mass, Shape, Transform, Velocity, World
from ecs_physics.view import Recorder, screenshot

Show = Callable[..., Any]


@pytest.fixture
def stage(show: Show, world: World) -> Any:
    world.gravity = (0.0, 0.0)
    esper.create_entity(Transform(-4, 0), Velocity(3, 0), Shape.box(2, 2), Mass(), Color("#FF0000"))
    stage = show(world)
    stage.look_at(0.0, 0.0, 50.0)
    return stage


def red_column(image: Image.Image) -> float:
    """The middle of what is red, px from the left."""
    pixels = np.asarray(image.convert("RGB"), np.int64)
    return float(np.nonzero((pixels[:, :, 0] > 180) & (pixels[:, :, 1] < 60))[1].mean())


def test_a_screenshot(stage: Any, window: arcade.Window, tmp_path: Path) -> None:
    path = screenshot(window, tmp_path / "new" / "folder" / "shot.png")
    with Image.open(path) as image:
        assert image.size == window.get_framebuffer_size()
        assert image.format == "PNG"
        assert red_column(image) == pytest.approx(200.0, abs=2.0)


def film(stage: Any, window: arcade.Window, path: Path, frames: int = 12) -> Path:
    with Recorder(path, fps=20) as recorder:
        for _ in range(frames):
            stage.frame(6)
            recorder.add(window)
    return path


def test_a_gif(stage: Any, window: arcade.Window, tmp_path: Path) -> None:
    path = film(stage, window, tmp_path / "film.gif")
    with Image.open(path) as image:
        seen = [red_column(each) for each in ImageSequence.Iterator(image)]
        assert image.info["duration"] == 50
    assert len(seen) == 12
    assert np.diff(seen) == pytest.approx([15.0] * 11, abs=2.0)  # 3 m/s, 0.1 s, 50 px/m


def frames_of(path: Path, size: tuple[int, int], fps: int) -> list[Image.Image]:
    """The pictures of a film that should have this size and speed."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path), "-f", "rawvideo"]
    done = subprocess.run([*command, "-pix_fmt", "rgb24", "-"], capture_output=True, check=True)
    about = done.stderr.decode()
    assert f"{size[0]}x{size[1]}" in about
    assert f"{fps} fps" in about
    length = 3 * size[0] * size[1]
    return [
        Image.frombytes("RGB", size, done.stdout[start : start + length])
        for start in range(0, len(done.stdout), length)
    ]


def test_a_video(stage: Any, window: arcade.Window, tmp_path: Path) -> None:
    path = film(stage, window, tmp_path / "film.mp4")
    frames = frames_of(path, (800, 600), fps=20)
    assert len(frames) == 12
    assert red_column(frames[-1]) - red_column(frames[0]) == pytest.approx(165.0, abs=6.0)


def test_a_window_that_changes_its_size_meanwhile(tmp_path: Path) -> None:
    with Recorder(tmp_path / "film.mp4") as recorder:
        recorder.add_picture(Image.new("RGB", (101, 61), "red"))
        recorder.add_picture(Image.new("RGB", (300, 200), "red"))
    assert len(frames_of(recorder.path, (100, 60), fps=30)) == 2


def test_what_a_recorder_refuses(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"film\.txt.*\.gif"):
        Recorder(tmp_path / "film.txt")
    with pytest.raises(ValueError, match="fps = 0"):
        Recorder(tmp_path / "film.gif", fps=0)
    with pytest.raises(ValueError, match="no frames"):
        Recorder(tmp_path / "film.gif").close()


def test_a_film_of_a_world_that_is_stepped_by_hand(
    stage: Any, world: World, window: arcade.Window, tmp_path: Path
) -> None:
    with Recorder(tmp_path / "film.gif") as recorder:
        for _ in range(3):
            world.step(0.1)
            recorder.add(window)
    assert stage.view.head_up._numbers["time"].text == "0.3 s"
    with Image.open(recorder.path) as image:
        seen = [red_column(each) for each in ImageSequence.Iterator(image)]
    assert seen == pytest.approx([215.0, 230.0, 245.0], abs=2.0)
