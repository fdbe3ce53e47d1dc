"""A second Python that compiles while the first does: each takes what nobody has begun.

Both go through one list, the first from its front and the second from its end, until they meet.
To begin a job is to create its file in a folder of the two: only one of them can.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

LONGEST_WAIT: Final = 120.0
"""s, for one job of the other. Shorter: on a slow machine its work is thrown away. Longer: a
stuck process is waited for."""

POLLED: Final = 0.02
"""s between two looks at whether the other has done a job."""


def start(program: str) -> "subprocess.Popen[bytes] | None":
    """Run a program text in a second Python, where that is possible and helps."""
    if (os.cpu_count() or 1) < 2 or not is_plain_python():
        return None
    places = os.pathsep.join(place for place in sys.path if place)
    try:
        return subprocess.Popen(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": places},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None


def is_plain_python() -> bool:
    """Whether sys.executable runs Python: in a packed or embedding program it is that program."""
    is_packed = bool(getattr(sys, "frozen", False))
    return not is_packed and "python" in Path(sys.executable or "").name.lower()


def begin(job: str, begun: Path) -> bool:
    """Take a job, unless the other has: then False. `begun` is the folder of the two."""
    try:
        (begun / job).touch(exist_ok=False)
    except OSError:  # it is there, or the first process has ended and the folder is gone
        return False
    return True


def wait_for(is_done: Callable[[], bool], other: "subprocess.Popen[bytes]") -> None:
    """Wait until the other process has done a job or ended, but not for ever: then end it."""
    last = time.monotonic() + LONGEST_WAIT
    while not is_done() and other.poll() is None:
        if time.monotonic() > last:
            end(other)
        time.sleep(POLLED)


def end(other: "subprocess.Popen[bytes]") -> None:
    """End the other process, whose jobs are done or no longer wanted."""
    other.kill()
    other.wait()
