"""The command line: run a level, list the bundled levels, check a level file.

Standard output carries the answer alone; progress and complaints go to standard error.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import esper
import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from ecs_physics.levels import Level, LevelError, bundled_levels, load, read
from ecs_physics.world import World

if TYPE_CHECKING:
    from PIL.Image import Image

    from ecs_physics.view import SimulationView

BAD_INPUT: Final = 2
"""Exit code for a level, an option or a file that cannot be used."""

NO_SCREEN: Final = 3
"""Exit code where a picture was asked for and no screen can be had."""

PATIENCE: Final = 1.0
"""s before a progress bar appears. Less: it flashes up in short runs."""

FRAMES_A_SECOND: Final = 30.0
"""Of a film, at most about this many. More: bigger files."""

HEAD_UP_TIME: Final = 0.25
"""s. Time after which a view shows new numbers."""

INSTALL: Final = "apt-get install -y --no-install-recommends libgl1 libfontconfig1 libfreetype6"
"""What a Debian machine needs to draw."""

WORLD: Final = "python -m ecs_physics run"
"""Name of the esper world that a level runs in."""

DEFAULT_STEPS: Final = 600
DEFAULT_DT: Final = 1.0 / 60.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with `arguments` (those of the process by default).

    Returns:
        The exit code: 0, `BAD_INPUT` or `NO_SCREEN`.
    """
    options = _parser().parse_args(arguments)
    try:
        code: int = options.command(options)
    except (ValueError, OSError) as error:  # the framework says in them what to do instead
        return _complain("\n".join([str(error), *getattr(error, "__notes__", ())]), BAD_INPUT)
    except KeyboardInterrupt:
        return _complain("interrupted", 130)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m ecs_physics",
        description="2-D rigid bodies: run a level file without a window, and tell how it went.",
        epilog="A window with demos: python -m games (in a checkout of the project).",
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    run = commands.add_parser(
        "run",
        help="run a level for a number of steps",
        description="Run a level for a number of steps and print how it went: a table, or JSON.",
        epilog="hash is over the bits of all poses and velocities: runs with equal hashes were "
        "the same to the last bit. max_penetration is the deepest overlap in m at the end.",
    )
    run.add_argument("level", metavar="LEVEL", help="a level file, or the name of a bundled level")
    run.add_argument(
        "--steps",
        type=_whole_number,
        default=DEFAULT_STEPS,
        metavar="N",
        help=f"steps to run (default {DEFAULT_STEPS})",
    )
    run.add_argument(
        "--dt",
        type=_positive_number,
        metavar="S",
        help="seconds of a step (default: what the level says, else 1/60)",
    )
    run.add_argument(
        "--threads", type=_thread_count, default=1, metavar="T", help="threads to use (default 1)"
    )
    run.add_argument("--json", action="store_true", help="print one JSON object, not a table")
    run.add_argument(
        "--screenshot",
        type=_file_ending_in(".png", ".jpg"),
        metavar="FILE",
        help="write a picture of the end (.png or .jpg)",
    )
    run.add_argument(
        "--video",
        type=_file_ending_in(".mp4", ".gif", ".webm", ".mov"),
        metavar="FILE",
        help="write a film of the run (.mp4, .gif, .webm or .mov)",
    )
    run.set_defaults(command=_run)

    levels = commands.add_parser("levels", help="list the bundled levels")
    levels.add_argument("--json", action="store_true", help="print a JSON list, not a table")
    levels.set_defaults(command=_levels)

    check = commands.add_parser(
        "check",
        help="check level files without running them",
        description="Check level files; what is wrong in them goes to standard error.",
    )
    check.add_argument("files", metavar="FILE", nargs="+", help="a level file, or a bundled level")
    check.set_defaults(command=_check)
    return parser


def _whole_number(text: str) -> int:
    """An argument that counts something: 0, 1, 2, ..."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r}: give a whole number, 0 or more")
    return int(text)


def _thread_count(text: str) -> int:
    if _whole_number(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r}: give 1 or more")
    return int(text)


def _positive_number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not 0.0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r}: give a number above 0")
    return number


def _file_ending_in(*endings: str) -> Callable[[str], Path]:
    def file(text: str) -> Path:
        if Path(text).suffix.lower() not in endings:
            raise argparse.ArgumentTypeError(
                f"{text!r}: give a path ending in {', '.join(endings)}"
            )
        return Path(text)

    return file


def _complain(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code


# -- check, levels ----------------------------------------------------------------------------


def _check(options: argparse.Namespace) -> int:
    code = 0
    for file in options.files:
        try:
            level = read(file)
        except LevelError as error:
            code = _complain(str(error), BAD_INPUT)
        else:
            bodies = sum(1 for _ in level.single_bodies())
            print(f"{file}: good, {bodies} {'body' if bodies == 1 else 'bodies'}")
    return code


def _levels(options: argparse.Namespace) -> int:
    levels = {name: read(name) for name in bundled_levels()}
    if options.json:
        rows = [
            {"name": name, "title": level.title, "description": level.description}
            for name, level in levels.items()
        ]
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return 0
    if not levels:
        return _complain("no bundled levels here: they come with a checkout of the project", 0)
    table = Table(box=None, pad_edge=False)
    table.add_column("name", style="bold")
    table.add_column("what it shows")
    for name, level in levels.items():
        table.add_row(name, Text(f"{level.title}. {level.description}"))
    Console().print(table)
    return 0


# -- run --------------------------------------------------------------------------------------


def _run(options: argparse.Namespace) -> int:
    level = read(options.level)
    dt = options.dt or level.world.dt or DEFAULT_DT
    with _new_world(options.threads) as world:
        load(options.level, world)
        watch = _Watch(world)
        if options.screenshot or options.video:
            code = _run_in_window(options, level, watch, dt)
            if code:
                return code
        else:
            for _ in _with_progress(options.steps):
                watch.step(dt)
        _print_answer(_answer(options, watch), options.json)
    return 0


@contextmanager
def _new_world(threads: int) -> Iterator[World]:
    """An empty world, of which nothing is left in esper afterwards."""
    before = esper.current_world
    world = World(threads=threads, name=WORLD)
    try:
        yield world
    finally:
        world.close()
        esper.switch_world(before)
        esper.delete_world(WORLD)


class _Watch:
    """Steps a world, and counts the seconds of wall time that its steps took."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.seconds = 0.0

    def step(self, dt: float) -> None:
        start = time.perf_counter()
        self.world.step(dt)
        self.seconds += time.perf_counter() - start


def _with_progress(steps: int) -> Iterator[int]:
    """Count from 0 to `steps`, with a bar on standard error once it has taken a while."""
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = progress.add_task("steps", total=steps)
    start, shown = time.monotonic(), False
    try:
        for step in range(steps):
            yield step
            progress.update(task, completed=step + 1)
            if not shown and time.monotonic() - start > PATIENCE:
                progress.start()
                shown = True
    finally:
        if shown:
            progress.stop()


def _run_in_window(options: argparse.Namespace, level: Level, watch: _Watch, dt: float) -> int:
    """Run the level before a camera; the window is not seen."""
    try:
        from ecs_physics import view
    except ImportError as error:  # arcade without the system's graphics libraries
        return _complain(f"no pictures here: {error}; on Debian: {INSTALL}", NO_SCREEN)
    with ExitStack() as stack:
        try:
            window = view.open_window(title=level.title, visible=False)
        except view.NoScreenError as error:
            return _complain(str(error), NO_SCREEN)
        stack.callback(window.close)
        scene = view.SimulationView(watch.world, title=level.title, dt=dt, window=window)
        window.show_view(scene)
        stack.callback(window.hide_view)
        if level.view is not None:
            scene.camera.move_to(*level.view.center, zoom=window.width / level.view.width)
            scene.camera.snap()
        steps_a_frame = max(1, round(1.0 / (FRAMES_A_SECOND * dt)))
        film = None
        if options.video:
            fps = max(1.0, 1.0 / (steps_a_frame * dt))
            film = stack.enter_context(view.Recorder(options.video, fps))
        for step in _with_progress(options.steps):
            if film is not None and step % steps_a_frame == 0:
                film.add_picture(_drawn(scene))
            scene.stepping.paused = True  # so that it makes the one step that it is asked for
            scene.stepping.single_step()
            scene.stepping.advance(0.0, watch.step)
            scene.step_ms = 1000.0 * watch.seconds / (step + 1)
            scene.on_update(dt if step + 1 < options.steps else HEAD_UP_TIME)
            scene.stepping.paused = False
        end = _drawn(scene)
        if film is not None:
            film.add_picture(end)
        if options.screenshot:
            options.screenshot.parent.mkdir(parents=True, exist_ok=True)
            end.save(options.screenshot)
    return 0


def _drawn(scene: "SimulationView") -> "Image":
    """A picture of the world as it is now."""
    from ecs_physics.view.record import picture

    scene.window.switch_to()
    scene.on_draw()
    return picture(scene.window)


def _answer(options: argparse.Namespace, watch: _Watch) -> dict[str, Any]:
    world, steps = watch.world, options.steps
    contacts = world.contacts
    used = np.arange(2) < contacts["count"][:, None]
    overlaps = -contacts["separation"][used]
    return {
        "level": options.level,
        "bodies": len(world.entities()),
        "steps": steps,
        "time": world.time,
        "ms_per_step": 1000.0 * watch.seconds / steps if steps else 0.0,
        "contacts": int((contacts["count"] > 0).sum()),
        "max_penetration": max(0.0, float(overlaps.max(initial=0.0))),
        "hash": world.hash(),
    }


def _print_answer(answer: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(answer, allow_nan=False, ensure_ascii=False))
        return
    shown = {
        "level": answer["level"],
        "bodies": str(answer["bodies"]),
        "steps": str(answer["steps"]),
        "time": f"{answer['time']:.6g} s",
        "ms per step": f"{answer['ms_per_step']:.3f} ms",
        "contacts": str(answer["contacts"]),
        "max penetration": f"{1000.0 * answer['max_penetration']:.3f} mm",
        "hash": answer["hash"],
    }
    table = Table.grid(padding=(0, 1))  # 80 letters wide: the hash fits
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in shown.items():
        table.add_row(name, Text(value))
    Console().print(table)
