"""The command line of the benchmarks."""

import argparse
import sys
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.bars import table
from benchmarks.compare import Row, as_json, compared
from benchmarks.peers import PeerError, pymunk_python
from benchmarks.scenes import FIRST_TIMED_STEP, SCENES, STEPS

PEERS = ("pymunk", "none")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what the arguments say; standard output carries the answer alone.

    Returns:
        The exit code: 0, or 1 where an engine could not be measured.
    """
    options = parser().parse_args(arguments)
    pymunk, code = None, 0
    try:
        if options.peers == ["pymunk"]:
            pymunk = pymunk_python()
    except PeerError as error:
        say(str(error))
        code = 1
    try:
        if options.scenes is None and not options.json:
            table(options.steps, options.rounds, pymunk)
            return code
        rows = []
        for scene in options.scenes or SCENES:
            rows.append(compared(scene, options.steps, options.rounds, pymunk))
            say(f"measured {scene}")
    except RuntimeError as error:
        say(str(error))
        return 1
    if options.json:
        print(as_json(rows))
    else:
        show(rows)
    return code


def say(text: str) -> None:
    Console(stderr=True).print(f"benchmarks: {text}", highlight=False, markup=False)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Time a step of pinned scenes in this engine and in pymunk 7, in turn. "
        "Without --scenes and --json: the whole table of bars, with start, memory and drawing.",
        epilog=f"A time is the median of the steps from {FIRST_TIMED_STEP} on, of the quickest "
        "round. pymunk is installed, once, in an environment of its own in the user's cache "
        "folder, and runs with its tree and its spatial hash: the quicker counts.",
    )
    made.add_argument(
        "--scenes",
        type=names(tuple(SCENES)),
        metavar="A,B",
        help=f"only these, of {', '.join(SCENES)}",
    )
    made.add_argument(
        "--peers",
        type=names(PEERS),
        default=["pymunk"],
        metavar="PEER",
        help="pymunk (usual), or none to time ours alone",
    )
    made.add_argument(
        "--json",
        action="store_true",
        help="print [{scene, bodies, ours_ms, pymunk_ms, ratio}, ...], one object a scene",
    )
    made.add_argument(
        "--steps",
        type=whole_number,
        default=STEPS,
        metavar="N",
        help=f"steps of a run (usual: {STEPS}; fewer for a quick look)",
    )
    made.add_argument(
        "--rounds",
        type=whole_number,
        default=2,
        metavar="N",
        help="runs of each engine (usual: 2; more on a busy machine)",
    )
    return made


def names(known: tuple[str, ...]) -> Callable[[str], list[str]]:
    """A reader of comma-separated names."""

    def read(text: str) -> list[str]:
        given = [name.strip() for name in text.split(",") if name.strip()]
        unknown = [name for name in given if name not in known]
        if unknown or not given:
            raise argparse.ArgumentTypeError(
                f"{', '.join(unknown) or repr(text)}: choose from {', '.join(known)}"
            )
        return given

    return read


def whole_number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: give a whole number from 1")
    return int(text)


def show(rows: list[Row]) -> None:
    shown = Table()
    for heading in ("scene", "bodies", "ours, ms", "pymunk, ms", "times as fast"):
        shown.add_column(heading, justify="left" if heading == "scene" else "right")
    for row in rows:
        peer = "-" if row.pymunk_ms is None else f"{row.pymunk_ms:.3f}"
        ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
        shown.add_row(row.scene, str(row.bodies), f"{row.ours_ms:.3f}", peer, ratio)
    Console().print(shown)


if __name__ == "__main__":
    sys.exit(main())
