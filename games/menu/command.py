"""`python -m games`: standard output carries the answer alone, the rest goes to standard error."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from games.menu.catalogue import Entry, catalogue, find
from games.menu.headless import print_table, run
from games.menu.show import Show

BAD_INPUT: Final = 2
"""Exit code for a name or a setting that cannot be used."""

DEFAULT_STEPS: Final = 600
"""Steps of a run without a window."""

FIRST: Final = "knockdown"
"""The demo that is shown where there is no display for the menu."""

INSTALL: Final = "apt-get install -y xvfb xauth libgl1 libfontconfig1 libfreetype6"
"""What a Debian machine needs to draw without a display."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with `arguments` (those of the process by default).

    Returns:
        The exit code: 0 or `BAD_INPUT`.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.name is None and (options.headless or options.set or options.dt):
        parser.error("name a demo for --headless, --set and --dt; --list names them all")
    if options.steps is not None and not options.headless:
        parser.error("--steps is for --headless")
    if options.json and not (options.list or options.headless):
        parser.error("--json is for --list and --headless")
    try:
        return _command(options)
    except (ValueError, OSError) as error:  # they say what to do instead
        print("\n".join([str(error), *getattr(error, "__notes__", ())]), file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def _command(options: argparse.Namespace) -> int:
    entries = catalogue()
    if options.list:
        _print_list(entries, options.json)
        return 0
    entry = None if options.name is None else find(options.name, entries)
    settings = dict(options.set)
    if options.dt is not None:
        settings["dt"] = options.dt
    if entry is not None and options.headless:
        steps = DEFAULT_STEPS if options.steps is None else options.steps
        _run_headless(entry, settings, steps, options.json)
        return 0
    return _play(entries, entry, settings)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m games",
        description="Demos in a window: a menu of them, or the one that is named.",
        epilog="Every demo can be set gravity=[x, y] (m/s^2), substeps, threads and dt (s); "
        "an unknown key lists all that a demo knows.",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="the demo to open")
    parser.add_argument("--list", action="store_true", help="list the demos")
    parser.add_argument("--headless", action="store_true", help="run it without a window")
    parser.add_argument(
        "--steps",
        type=_whole_number,
        metavar="N",
        help=f"steps to run without a window (default {DEFAULT_STEPS})",
    )
    parser.add_argument(
        "--set",
        type=_setting,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a setting of the demo, as JSON or plain text; may be repeated",
    )
    parser.add_argument("--dt", type=float, metavar="S", help="seconds of a step (default 1/60)")
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")
    return parser


def _whole_number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r}: give a whole number, 0 or more")
    return int(text)


def _setting(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r}: write key=value, such as substeps=8")
    try:
        return key.strip(), json.loads(value)
    except ValueError:  # plain text, or as Python writes it
        return key.strip(), {"True": True, "False": False}.get(value, value)


def _print_list(entries: Sequence[Entry], as_json: bool) -> None:
    if as_json:
        rows = [{"name": e.name, "title": e.title, "description": e.description} for e in entries]
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("name", style="bold", no_wrap=True)
    table.add_column("what it shows")
    for entry in entries:
        table.add_row(entry.name, Text(f"{entry.title}. {entry.description}"))
    Console().print(table)


def _run_headless(entry: Entry, settings: dict[str, Any], steps: int, as_json: bool) -> None:
    with Show(entry, settings) as show:
        answer = run(show, steps)
    if as_json:
        print(json.dumps(answer, allow_nan=False, ensure_ascii=False))
    else:
        print_table(answer)


# -- in a window -------------------------------------------------------------------------------


def _play(entries: list[Entry], entry: Entry | None, settings: dict[str, Any]) -> int:
    """Open the menu or a demo; where there is no display, film one."""
    shown = entry or find(FIRST, entries)
    try:
        import arcade

        from ecs_physics.view import NoScreenError, has_display, open_window
        from games.menu.window import Player
    except ImportError as error:  # arcade without the system's graphics libraries
        why = f"no window can be opened: {error}\non Debian, to draw: {INSTALL}"
        return _without_window(shown, settings, why)
    try:
        window = open_window(title="Demos", virtual=False)
    except NoScreenError as error:
        why = str(error) if has_display() else "there is no display (DISPLAY is not set)"
        return _film(shown, settings, why)
    player = Player(entries, window)
    try:
        if entry is None:
            player.open_menu()
        else:
            player.open(entry, settings)
        arcade.run()
    finally:
        player.close()
    return 0


def _film(entry: Entry, settings: dict[str, Any], why: str) -> int:
    """Draw a demo on a virtual screen, and print where its picture and its film are."""
    from ecs_physics.view import NoScreenError, open_window
    from games.menu.film import OUT, SIZE, film

    print(f"{why}\nso {entry.title} is drawn on a virtual one", file=sys.stderr)
    os.environ.pop("DISPLAY", None)  # one that is set but dead keeps the virtual one away
    try:
        window = open_window(*SIZE, title=entry.title, visible=False)
    except NoScreenError as error:
        return _without_window(entry, settings, str(error))
    try:
        with Show(entry, {**_film_settings(entry), **settings}) as show:
            paths = film(show, window, OUT)
    finally:
        window.close()
    for path in paths:
        print(path)
    return 0


def _without_window(entry: Entry, settings: dict[str, Any], why: str) -> int:
    """Run a demo for its table, where nothing can be drawn."""
    print(f"{why}\nso {entry.title} runs unseen", file=sys.stderr)
    _run_headless(entry, {**_film_settings(entry), **settings}, DEFAULT_STEPS, as_json=False)
    return 0


def _film_settings(entry: Entry) -> dict[str, Any]:
    return dict(getattr(entry.make, "FILM", {}))
