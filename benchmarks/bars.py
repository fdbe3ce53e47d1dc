"""The whole table: what is measured, and the bar that it has to clear."""

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.compare import Row, compared, run_module
from benchmarks.scenes import SCENES

LATER_STEPS = 50
"""How many times `steps` the memory of a world is watched for: 10,000 of the usual 200."""

RATIO_BARS = {
    "pyramid_5050": 4.5,
    "pyramid_820": 3.5,
    "pyramid_55": 1.8,
    "circles_1000": 2.0,
    "circles_5000": 2.8,
    "frame_5000": 4.5,
    "rays": 3.0,
    "joint_grid": 2.0,
    "ragdolls": 2.0,
    "tumbler": 2.5,
}
"""How many times as fast as pymunk 7, at least."""


@dataclass(frozen=True)
class Bar:
    """One line of the table; `value` is None where it could not be measured."""

    what: str
    value: float | None
    unit: str
    bar: float
    at_least: bool = False
    note: str = ""

    @property
    def met(self) -> bool | None:
        if self.value is None:
            return None
        return self.value >= self.bar if self.at_least else self.value <= self.bar


def table(steps: int, rounds: int, pymunk: Path | None) -> None:
    """Measure everything, and print the table."""
    shown = Table(title="ecs_physics against its bars")
    for heading in ("what", "measured", "bar", "met", "how"):
        shown.add_column(heading, justify="right" if heading in ("measured", "bar") else "left")
    progress = Console(stderr=True)
    with progress.status("measuring") as status:
        for bar in measured(steps, rounds, pymunk, lambda what: status.update(f"measuring {what}")):
            if not progress.is_terminal:
                progress.print(f"benchmarks: measured {bar.what}", highlight=False)
            value = "-" if bar.value is None else f"{bar.value:.3g} {bar.unit}"
            limit = f"{'>=' if bar.at_least else '<='} {bar.bar:g} {bar.unit}"
            met = {True: "yes", False: "[bold red]no[/]", None: "-"}[bar.met]
            shown.add_row(bar.what, value, limit, met, bar.note)
    Console().print(shown)


def measured(
    steps: int, rounds: int, pymunk: Path | None, say: Callable[[str], None]
) -> Iterator[Bar]:
    """Measure one line after the other; `say` is told what comes next."""
    run_module("benchmarks.single", "start")  # compiles the kernels if need be
    rows: dict[str, Row] = {}
    for scene in SCENES:
        say(scene)
        rows[scene] = row = compared(scene, steps, rounds, pymunk)
        if scene in RATIO_BARS:
            other = "no pymunk" if row.pymunk_ms is None else f"pymunk's {row.pymunk_ms:.3g}"
            note = f"{row.ours_ms:.3g} ms a step against {other}"
            yield Bar(scene, row.ratio, "x", RATIO_BARS[scene], True, note)

    frame, spawn = rows["frame_5000"].ours_ms, rows["spawn_5000"].ours_ms
    note = f"{spawn:.3g} ms a step against {frame:.3g}"
    yield Bar("spawn_5000: more than frame_5000", spawn - frame, "ms", 1.0, note=note)
    yield Bar("small_10", rows["small_10"].ours_ms, "ms", 0.1)
    yield Bar("rays: 10,000 in one call", rows["rays"].ours_ms, "ms", 15.0)
    yield Bar("sleeping", rows["sleeping"].ours_ms, "ms", 0.02, note="5000 boxes asleep")

    taken = rows["snapshot"]
    yield Bar("snapshot", taken.ours_ms, "ms", 2.0, note="5000 bodies: the longer of both ways")

    say("two threads")
    one, two = threads(steps, rounds)
    note = f"{two:.3g} ms a step against {one:.3g}"
    yield Bar("pyramid_5050: two threads against one", one / two, "x", 1.3, True, note)

    say("memory")
    memory = run_module("benchmarks.single", "memory", str(steps), str(LATER_STEPS * steps))
    yield Bar("memory of 5050 boxes", memory["resident"], "MB", 250.0)
    note = f"over {LATER_STEPS * steps} steps"
    yield Bar("memory: growth", memory["growth"], "MB", 1.0, note=note)

    say("start")
    started = min(start() for _ in range(rounds))
    yield Bar("start to first step", started, "s", 1.5, note="kernels cached")
    say("first run")
    with tempfile.TemporaryDirectory() as folder:
        yield Bar("first run", start(XDG_CACHE_HOME=folder), "s", 25.0, note="nothing cached")

    say("drawing")
    yield Bar("drawing 5050 shapes", drawing(steps), "ms", 1.0, note="Python's work a frame")


def threads(steps: int, rounds: int) -> tuple[float, float]:
    """Milliseconds a step of pyramid_5050 with one thread and with two, measured in turn."""
    times: dict[str, list[float]] = {"1": [], "2": []}
    for _ in range(rounds):
        for count, found in times.items():
            found.append(run_module("benchmarks.ours", "pyramid_5050", str(steps), count)["ms"])
    return min(times["1"]), min(times["2"])


def start(**environment: str) -> float:
    """Seconds from starting an interpreter to the end of the first step of a small world."""
    begin = time.time()
    run = run_module("benchmarks.single", "start", environment=environment)
    return float(run["first_step_at"]) - begin


def drawing(steps: int) -> float | None:
    """Milliseconds a frame; None where there is no screen, not even a virtual one.

    GALLIUM_NOOP makes Mesa drop what it should draw: its software renderer would do part of
    that in our own thread, and it would count as Python's work.
    """
    try:
        environment = {"GALLIUM_NOOP": "1"}
        run = run_module("benchmarks.single", "drawing", str(steps), environment=environment)
    except RuntimeError:
        return None
    return float(run["ms"])
