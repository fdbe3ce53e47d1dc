"""The environments that other engines live in: made on demand, kept in the user's cache folder."""

import os
import subprocess
import sys
from pathlib import Path

import platformdirs
from rich.console import Console

PYMUNK = "pymunk>=7,<8"


class PeerError(RuntimeError):
    """A peer's environment could not be made; says why and what to do."""


def pymunk_python() -> Path:
    """The interpreter of the environment that has pymunk; makes that where it is missing.

    Raises:
        PeerError: where it cannot be made, for want of a network say.
    """
    version = f"py{sys.version_info.major}.{sys.version_info.minor}"
    folder = Path(platformdirs.user_cache_dir("ecs_physics")) / "peers" / f"pymunk-7-{version}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    complete = folder / "complete"  # written last: half an environment is made anew
    if not complete.exists():
        Console(stderr=True).print(f"benchmarks: installing {PYMUNK} in {folder}", highlight=False)
        run([sys.executable, "-m", "venv", "--clear", str(folder)])
        pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
        run([*pip, PYMUNK])
        complete.touch()
    return python


def run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise PeerError(
            f"pymunk could not be installed: `{' '.join(command)}` said {' '.join(last)!r}; "
            "pip must be able to reach a package index (or leave it out with --peers none)"
        )
