"""The table of one joint in a level file: one kind of table for each kind of joint."""

import inspect
import math
import re
from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field, create_model, model_validator

from ecs_physics.joint_row import Joint
from ecs_physics.joints import JOINTS
from ecs_physics.levels.table import Count, Pair, Table

_INDEX: Final = re.compile(r"\[i(?:\+(\d+))?\]")
"""Where the number of a repeated joint stands in the name of a body."""


class JointTable(Table):
    """What all joints have: the names of their bodies, and how many there are of them."""

    KIND: ClassVar[type[Joint]]

    body_a: Annotated[str, Field(min_length=1)]
    """the name of a body"""
    body_b: Annotated[str, Field(min_length=1)] | None = None
    """the name of another body; the world where left out"""
    count: Count = 1
    """how many joints: [i] and [i+1] in the names of the bodies count from 0 and from 1"""

    def joint(self, body_a: int, body_b: int | None) -> Joint:
        """A new joint between two entities."""
        values = {k: v for k, v in self.given().items() if k in self.KIND.ARGUMENTS}
        made = self.KIND.__new__(self.KIND)
        bodies = (body_a,) if body_b is None else (body_a, body_b)
        self.KIND.__init__(made, *bodies, **values)
        return made

    def bodies(self) -> Iterator[tuple[str, str | None]]:
        """The names of the bodies of each joint."""
        for i in range(self.count):
            b = None if self.body_b is None else _numbered(self.body_b, i)
            yield _numbered(self.body_a, i), b

    @model_validator(mode="after")
    def _can_be_made(self) -> Self:
        names = set(inspect.signature(self.KIND.__init__).parameters)
        needs_b = inspect.signature(self.KIND.__init__).parameters.get("body_b")
        if self.body_b is None and needs_b is not None and needs_b.default is inspect._empty:
            raise ValueError("body_b is missing: this kind of joint is between two bodies")
        if self.body_b is not None and "body_b" not in names:
            raise ValueError(f'body_b = "{self.body_b}": this kind of joint has only a body_a')
        self.joint(1, None if self.body_b is None else 2)
        return self


def _numbered(name: str, i: int) -> str:
    return _INDEX.sub(lambda found: f"[{i + int(found[1] or 0)}]", name)


def kind_name(kind: type[Joint]) -> str:
    """What a kind of joint is called in a level file: "revolute", "distance", ..."""
    return kind.__name__.removesuffix("Joint").lower()


def _table(kind: type[Joint]) -> type[JointTable]:
    """The table whose keys are the arguments of a joint."""
    parameters = inspect.signature(kind.__init__).parameters
    fields: dict[str, Any] = {"kind": (Literal[kind_name(kind)], ...)}
    for name in kind.ARGUMENTS:
        default = parameters[name].default
        is_needed = default is inspect._empty
        example = getattr(kind, name)
        type_: Any = Pair if name in _PAIRS else bool if name == "collide_connected" else float
        if not is_needed and (default is None or (type_ is float and math.isinf(default))):
            type_, default = type_ | None, None
        description = example.__doc__.rstrip(".")
        fields[name] = (type_, Field(... if is_needed else default, description=description))
    made: type[JointTable] = create_model(
        f"{kind.__name__}Table", __base__=JointTable, __module__=__name__, **fields
    )
    made.KIND = kind
    return made


_PAIRS: Final = {"anchor_a", "anchor_b", "axis", "target", "velocity", "ground_a", "ground_b"}

JOINT_TABLES: Final[dict[type[Joint], type[JointTable]]] = {kind: _table(kind) for kind in JOINTS}
"""The table of each kind."""

if TYPE_CHECKING:
    AnyJoint = JointTable
else:
    AnyJoint = Annotated[reduce(or_, JOINT_TABLES.values()), Field(discriminator="kind")]


def joint_table(joint: Joint, body_a: str, body_b: str | None) -> dict[str, Any]:
    """The table that becomes a joint, without the values that are as by default."""
    table: dict[str, Any] = {"kind": kind_name(type(joint)), "body_a": body_a}
    if body_b is not None:
        table["body_b"] = body_b
    fields = JOINT_TABLES[type(joint)].model_fields
    for name, value in joint.arguments().items():
        is_none = value is None or (isinstance(value, float) and math.isinf(value))
        if not is_none and (
            fields[name].is_required() or repr(value) != repr(fields[name].default)
        ):
            table[name] = value
    return table
