"""What is wrong with a level file, in words: where, which value, and what would be right."""

import difflib
import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, get_args, get_origin

from pydantic import ValidationError

from ecs_physics.levels.level import Level
from ecs_physics.levels.table import Table

MOST_PROBLEMS: Final = 10
"""Problems of one file that a message lists. More: the first ones scroll out of sight."""

LONGEST_VALUE: Final = 60
"""Letters of a value that a message shows."""

_MISSING: Final = object()
_Location = tuple[int | str, ...]


class LevelError(ValueError):
    """A level that cannot be read, built or written.

    Attributes:
        file: the file or level name as it was given.
        problems: one line for each thing that is wrong, such as
            `bodies[3].shape.radius = -1: must be more than 0 (radius in m)`.
    """

    def __init__(self, file: object, problems: Sequence[str]) -> None:
        self.file = str(file)
        self.problems = tuple(problems)
        super().__init__(self._message())

    def _message(self) -> str:
        if len(self.problems) == 1:
            return f"{self.file}: {self.problems[0]}"
        shown = self.problems[:MOST_PROBLEMS]
        lines = [f"{self.file}: {len(self.problems)} problems", *(f"  {line}" for line in shown)]
        hidden = len(self.problems) - len(shown)
        if hidden:
            lines.append(f"  ... and {hidden} more")
        return "\n".join(lines)


def problems(error: ValidationError, data: Any) -> list[str]:
    """Say in one line each what is wrong with `data`, which did not become a Level."""
    details: list[dict[str, Any]] = [dict(each) for each in error.errors(include_url=False)]
    places: list[_Location] = [detail["loc"] for detail in details]
    return [
        _problem(detail, _Place(detail["loc"], data))
        for detail in details
        if not (detail["type"] == "too_short" and _is_wrong_inside(detail["loc"], places))
    ]


def _is_wrong_inside(list_place: _Location, places: list[_Location]) -> bool:
    """Whether an item of a list is wrong: pydantic then counts the list without it."""
    depth = len(list_place)
    return any(len(place) > depth and place[:depth] == list_place for place in places)


class _Place:
    """A place in a level file: its path as an author writes it, and the models it belongs to."""

    def __init__(self, location: _Location, data: Any) -> None:
        self.path = ""
        self.description = ""
        self.parents: list[type[Table]] = []
        models: list[type[Table]] = [Level]
        value, kind = data, _MISSING
        for step in location:
            if kind is not _MISSING and step == kind:
                # pydantic names the kind of a table as a step of its own; authors do not.
                models = [m for m in models if step in _kinds(m)]
                kind = _MISSING
                continue
            self.parents = models
            if isinstance(step, int):
                self.path += f"[{step}]"
                is_there = isinstance(value, list | tuple) and step < len(value)
                value = value[step] if is_there else _MISSING
            else:
                self.path += f".{step}" if self.path else step
                value = value.get(step, _MISSING) if isinstance(value, dict) else _MISSING
                fields = [m.model_fields[step] for m in models if step in m.model_fields]
                self.description = next((f.description for f in fields if f.description), "")
                models = [m for field in fields for m in _tables_in(field.annotation)]
            if isinstance(value, dict) and any(_kinds(m) for m in models):
                kind = value.get("kind", _MISSING)
        self.models = models


def _kinds(model: type[Table]) -> tuple[str, ...]:
    field = model.model_fields.get("kind")
    return () if field is None else get_args(field.annotation)


def _tables_in(annotation: Any) -> Iterator[type[Table]]:
    """The table models that a field's type mentions."""
    if isinstance(annotation, type) and issubclass(annotation, Table):
        yield annotation
    elif get_origin(annotation) is not Literal:
        for argument in get_args(annotation):
            yield from _tables_in(argument)


_RULES: Final = {
    "finite_number": "must be finite",
    "float_type": "must be a number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "bool_type": "must be true or false",
    "string_type": "must be a text in quotes",
    "string_too_short": "must not be empty",
    "string_pattern_mismatch": "is not of the right form",
    "tuple_type": "must be a list",
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
    "dict_type": "must be a table",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than_equal": "must be at most {le:g}",
    "too_short": "must have {min_length} or more items, not {actual_length}",
    "too_long": "must have {max_length} or fewer items, not {actual_length}",
}


def _problem(detail: dict[str, Any], place: _Place) -> str:
    kind, value, context = detail["type"], detail["input"], detail.get("ctx", {})
    wanted = f" ({place.description})" if place.description else ""
    if kind == "missing":
        return f"{place.path}: is missing{wanted}"
    if kind == "extra_forbidden":
        key = place.path.rpartition(".")[2]
        return f"{place.path}: unknown key; {_suggestion(key, _known_keys(place.parents))}"
    if kind == "union_tag_not_found":
        return f"{place.path}.kind: is missing; {_suggestion('', _known_kinds(place.models))}"
    if kind == "union_tag_invalid":
        tag = value["kind"]
        known = _known_kinds(place.models)
        return f"{place.path}.kind = {_shown(tag)}: unknown; {_suggestion(str(tag), known)}"
    if kind == "value_error":
        message = str(context["error"])
        return f"{place.path}: {message}" if place.path else message
    rule = _RULES[kind].format(**context) if kind in _RULES else detail["msg"]
    return f"{place.path} = {_shown(value)}: {rule}{wanted}"


def _known_keys(models: list[type[Table]]) -> list[str]:
    return list(dict.fromkeys(key for model in models for key in model.known_keys()))


def _known_kinds(models: list[type[Table]]) -> list[str]:
    return [kind for model in models for kind in _kinds(model)]


def _suggestion(given: str, known: list[str]) -> str:
    nearest = difflib.get_close_matches(given, known, n=1, cutoff=0.6)
    listed = ", ".join(known)
    return f'did you mean "{nearest[0]}"? Known: {listed}' if nearest else f"known: {listed}"


def _shown(value: Any) -> str:
    """A value as TOML writes it, cut where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except ValueError:
        text = type(value).__name__
    text = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}.get(text, text)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 3]}..."
