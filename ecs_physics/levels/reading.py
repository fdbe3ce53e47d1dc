"""Find a level file, read it and check it."""

import difflib
import tomllib
from os import PathLike
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from ecs_physics.levels.errors import LevelError, problems
from ecs_physics.levels.level import Level

BUNDLED: Final = Path(__file__).parents[2] / "assets" / "levels"
"""Where a checkout keeps its levels; an installed package has none."""


def bundled_levels() -> list[str]:
    """The names of the levels of this checkout, sorted; none where the package is installed."""
    return sorted(path.stem for path in BUNDLED.glob("*.toml"))


def read(source: str | PathLike[str]) -> Level:
    """Read a level from a file and check all of it.

    Args:
        source: the path of a file, or the name of a bundled level, such as "pyramid": a text
            without a folder and without the ending ".toml".

    Raises:
        LevelError: naming the file and all that is wrong in it.
    """
    path = find(source)
    data = _parsed(path)
    try:
        return Level.model_validate(data)
    except ValidationError as error:
        raise LevelError(path, problems(error, data)) from None


def find(source: str | PathLike[str]) -> Path:
    """The path that `source`, a path or the name of a bundled level, stands for.

    Raises:
        LevelError: for a file or a name that does not exist.
    """
    if isinstance(source, str) and Path(source).name == source and not source.endswith(".toml"):
        path = BUNDLED / f"{source}.toml"
        if not path.is_file():
            raise LevelError(source, [_not_bundled(source)])
        return path
    path = Path(source)
    if not path.is_file():
        what = "a folder, not a file" if path.is_dir() else "no such file"
        raise LevelError(path, [f"{what}; give the path of a level file or {_names()}"])
    return path


def _not_bundled(name: str) -> str:
    nearest = difflib.get_close_matches(name, bundled_levels(), n=1)
    guess = f' did you mean "{nearest[0]}"?' if nearest else ""
    return f"no bundled level of this name;{guess} give {_names()}, or the path of a .toml file"


def _names() -> str:
    names = bundled_levels()
    if names:
        return f"one of the bundled levels {', '.join(names)}"
    return (
        "the name of a bundled level from a checkout of the project (an installed package has no "
        f"levels: there is no {BUNDLED})"
    )


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise LevelError(path, [f"byte {error.start} is not UTF-8: save it as UTF-8"]) from None
    except OSError as error:
        raise LevelError(path, [f"cannot be read: {error.strerror}"]) from None
    except RecursionError:
        raise LevelError(path, ["lists in lists deeper than can be read"]) from None
    except ValueError as error:
        raise LevelError(path, [f"is not valid TOML: {error}"]) from None
