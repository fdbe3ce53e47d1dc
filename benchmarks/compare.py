"""Our engine and its peers, in turn, on the same scenes: each run a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

SPATIAL_HASH_CELL = "1.2"
"""m. Of pymunk's spatial hash: among .5 to 2 about the fastest for bodies 1 m wide."""


@dataclass(frozen=True)
class Row:
    """A scene's times of a step; `ratio` says how many times as fast ours is."""

    scene: str
    bodies: int
    ours_ms: float
    pymunk_ms: float | None
    ratio: float | None


def as_json(rows: list[Row]) -> str:
    """A JSON list, one object a line."""
    return "[" + ",\n ".join(json.dumps(asdict(row)) for row in rows) + "]"


def compared(scene: str, steps: int, rounds: int, pymunk: Path | None) -> Row:
    """Time one scene in both engines, in turn; the quickest round of each counts.

    pymunk runs with its tree and with its spatial hash, since either may suit the scene.
    """
    ours, peers = [], []
    for _ in range(rounds):
        ours.append(run_module("benchmarks.ours", scene, str(steps)))
        if pymunk is not None:
            for index in ([], [SPATIAL_HASH_CELL]):
                given = ["benchmarks.pymunk_peer", scene, str(steps), *index]
                peers.append(run_module(*given, python=pymunk))
    ours_ms = min(run["ms"] for run in ours)
    peer_ms = min((run["ms"] for run in peers), default=None)
    ratio = None if peer_ms is None else round(peer_ms / ours_ms, 2)
    return Row(scene, ours[0]["bodies"], round(ours_ms, 4), peer_ms and round(peer_ms, 4), ratio)


def run_module(
    module: str,
    *arguments: str,
    python: Path | str = sys.executable,
    environment: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Run a module of this checkout in a process of its own; its last line of output is JSON."""
    command = [str(python), "-m", module, *arguments]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"`{' '.join(command)}` ended with exit code {done.returncode}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer
