"""Windows where there is a display, and where there is none; each in a process of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

needs_xvfb = pytest.mark.skipif(
    shutil.which("Xvfb") is None and os.environ.get("REQUIRE_WINDOW") != "1",
    reason="no Xvfb: apt-get install xvfb",
)
linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="about X displays")


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {key: value for key, value in os.environ.items() if key != "DISPLAY"}
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**inherited, "PYTHONPATH": str(ROOT), **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )


@linux_only
@needs_xvfb
def test_without_a_display_a_virtual_screen_is_used_and_ended(tmp_path: Path) -> None:
    done = run(
        "from ecs_physics import World\n"
        "from ecs_physics.levels import load\n"
        "from ecs_physics.view import SimulationView, open_window, screenshot\n"
        "from ecs_physics.view.screen import _VirtualScreen\n"
        "world = World()\n"
        "level = load('seesaw', world)\n"
        "window = open_window(640, 480, 'unseen', visible=False)\n"
        "window.show_view(SimulationView(world, level=level))\n"
        f"print(screenshot(window, {str(tmp_path / 'shot.png')!r}))\n"
        "print(_VirtualScreen.process.pid)\n"
    )
    assert done.returncode == 0, done.stderr
    path, process = done.stdout.split()
    assert Path(path).stat().st_size > 1000
    assert not Path(f"/proc/{process}").exists()


@linux_only
def test_without_xvfb_it_says_what_to_install(tmp_path: Path) -> None:
    done = run("from ecs_physics.view import open_window; open_window()", PATH=str(tmp_path))
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert "NoScreenError" in last
    assert "apt-get install" in last
    assert "xvfb" in last


@linux_only
def test_playing_without_a_display_says_what_to_do() -> None:
    done = run("from ecs_physics.view import play; play('seesaw')")
    assert done.returncode == 1
    assert "NoScreenError: there is no display" in done.stderr


@linux_only
@needs_xvfb
def test_a_display_that_cannot_be_reached() -> None:
    done = run("from ecs_physics.view import open_window; open_window()", DISPLAY=":987")
    assert done.returncode == 1
    assert "NoScreenError: a window could not be opened" in done.stderr


@linux_only
@needs_xvfb
@pytest.mark.parametrize(
    "game",
    [
        "from ecs_physics import World\n"
        "from ecs_physics.levels import load\n"
        "from ecs_physics.view import play\n"
        "world = World()\n"
        "level = load('seesaw', world)\n"
        "play(world, level)\n",
        "from ecs_physics.view import play\nplay('seesaw')\n",
    ],
)
def test_a_game_in_ten_lines(game: str) -> None:
    """It runs until its window is closed, here after some steps by a clock."""
    around = (
        "import arcade, pyglet\n"
        "from ecs_physics.view.screen import start_virtual_screen\n"
        "start_virtual_screen()\n"
        "def end(dt):\n"
        "    window = arcade.get_window()\n"
        "    if window.current_view.world.steps > 10:\n"
        "        print('played')\n"
        "        window.close()\n"
        "pyglet.clock.schedule_interval(end, 0.1)\n"
    )
    done = run(around + game)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "played\n"


def test_the_package_itself_never_loads_arcade() -> None:
    done = run(
        "import sys, ecs_physics, ecs_physics.levels, ecs_physics.systems.drag\n"
        "print('arcade' in sys.modules or 'pyglet' in sys.modules)"
    )
    assert done.stdout == "False\n", done.stderr
