"""Repeated groups in a level file: the table of one body, and where its copies stand."""

import math
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from ecs_physics.levels.body import Body
from ecs_physics.levels.table import MOST_BODIES, Count, Pair, Table


class GroupTable(Table):
    """What all groups have."""

    body: Body
    """the table of one body; its x and y are the place of the group"""
    spacing: Pair
    """[x, y] in m from one body to the next, and from one row to the next"""
    turn: float = 0.0
    """rad, by which each body is turned further than the one before it"""


class Stack(GroupTable):
    """`count` bodies, each `spacing` from the one before: a tower, a row, a staircase."""

    kind: Literal["stack"]
    count: Count
    """how many bodies"""

    @property
    def size(self) -> int:
        """How many bodies it has."""
        return self.count

    def places(self) -> list[tuple[float, float]]:
        """(x, y) in m of each body from the group's place, which is that of the first."""
        dx, dy = self.spacing
        return [(i * dx, i * dy) for i in range(self.count)]


class Pyramid(GroupTable):
    """Rows of bodies, each one body shorter than the row below it."""

    kind: Literal["pyramid"]
    rows: Count
    """how many rows, which is also the number of bodies in the lowest"""

    @property
    def size(self) -> int:
        """How many bodies it has."""
        return self.rows * (self.rows + 1) // 2

    def places(self) -> list[tuple[float, float]]:
        """(x, y) in m of each body from the middle of the lowest row; from below and the left."""
        dx, dy = self.spacing
        return [
            ((i - (self.rows - row - 1) / 2) * dx, row * dy)
            for row in range(self.rows)
            for i in range(self.rows - row)
        ]


class Grid(GroupTable):
    """Rows and columns of bodies."""

    kind: Literal["grid"]
    columns: Count
    """how many bodies in a row"""
    rows: Count
    """how many rows"""

    @property
    def size(self) -> int:
        """How many bodies it has."""
        return self.columns * self.rows

    def places(self) -> list[tuple[float, float]]:
        """(x, y) in m of each body from the middle of the lowest row; from below and the left."""
        dx, dy = self.spacing
        return [
            ((i - (self.columns - 1) / 2) * dx, row * dy)
            for row in range(self.rows)
            for i in range(self.columns)
        ]


def members(group: Stack | Pyramid | Grid) -> list[Body]:
    """The single bodies of a group; those of a named one are called `name[0]`, `name[1]`, ..."""
    body = group.body
    bodies = []
    for index, (x, y) in enumerate(group.places()):
        own: dict[str, Any] = {"x": body.x + x, "y": body.y + y}
        if group.turn:
            own["angle"] = body.angle + index * group.turn
        if body.name is not None:
            own["name"] = f"{body.name}[{index}]"
        bodies.append(body.model_copy(update=own))
    return bodies


def _within_limits(group: Stack | Pyramid | Grid) -> Stack | Pyramid | Grid:
    if group.size > MOST_BODIES:
        raise ValueError(f"a group of {group.size} bodies: give at most {MOST_BODIES}")
    if not all(math.isfinite(m.x + m.y + m.angle) for m in members(group)):
        raise ValueError(
            f"spacing = {list(group.spacing)}, turn = {group.turn}: the last bodies would be at "
            "infinity, give less"
        )
    return group


Group = Annotated[
    Annotated[Stack | Pyramid | Grid, Field(discriminator="kind")], AfterValidator(_within_limits)
]
