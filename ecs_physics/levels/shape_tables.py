"""The shape table of a level file: one model for each constructor of Shape."""

from functools import cached_property
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, Strict, model_validator

from ecs_physics.levels.table import NotNegative, Pair, Positive, Table, differing
from ecs_physics.shapes import PARAMETER_NAMES, Shape


class ShapeTable(Table):
    """Something that becomes a Shape; one that cannot is refused where it is written."""

    @cached_property
    def shape(self) -> Shape:
        """The shape, made once and shared by all bodies that are made from this table."""
        arguments = self.given()
        kind = arguments.pop("kind")
        constructor = getattr(Shape, kind)
        shape: Shape = constructor(**arguments)
        return shape

    @model_validator(mode="after")
    def _can_be_made(self) -> Self:
        _ = self.shape
        return self


class Circle(ShapeTable):
    """A disc."""

    kind: Literal["circle"]
    radius: Positive
    """radius in m"""
    center: Pair = (0.0, 0.0)
    """[x, y] in m"""


class Capsule(ShapeTable):
    """All points within `radius` of the line from `p` to `q`."""

    kind: Literal["capsule"]
    p: Pair
    """[x, y] in m, one end of the middle line"""
    q: Pair
    """[x, y] in m, the other end of the middle line"""
    radius: Positive
    """radius in m"""


class Box(ShapeTable):
    """A rectangle about the origin, with rounded corners where a radius is given."""

    kind: Literal["box"]
    width: Positive
    """full width in m"""
    height: Positive
    """full height in m"""
    radius: NotNegative = 0.0
    """rounding in m, by which it grows all around"""


class Polygon(ShapeTable):
    """Any simple polygon, in either winding; only a convex one can be rounded."""

    kind: Literal["polygon"]
    vertices: Annotated[tuple[Pair, ...], Strict(False), Field(min_length=3)]
    """[[x, y], ...] in m, at least three corners in order around the outline"""
    radius: NotNegative = 0.0
    """rounding in m, by which it grows all around"""


class Segment(ShapeTable):
    """A line from `p` to `q`, solid from both sides."""

    kind: Literal["segment"]
    p: Pair
    """[x, y] in m, one end"""
    q: Pair
    """[x, y] in m, the other end"""
    radius: NotNegative = 0.0
    """rounding in m, by which it grows all around"""


class Chain(ShapeTable):
    """A line of many points; walking along it, its left side is the solid one."""

    kind: Literal["chain"]
    vertices: Annotated[tuple[Pair, ...], Strict(False), Field(min_length=2)]
    """[[x, y], ...] in m; bodies live on the left of the walk along them"""
    closed: bool = False
    """true to join the last point to the first"""


class CompoundPart(Table):
    """A shape and its place in the compound."""

    shape: "AnyShape"
    """a table with a kind"""
    x: float = 0.0
    """m"""
    y: float = 0.0
    """m"""
    angle: float = 0.0
    """rad, counter-clockwise"""


class Compound(ShapeTable):
    """Several shapes that are one body."""

    kind: Literal["compound"]
    parts: Annotated[tuple[CompoundPart, ...], Strict(False), Field(min_length=1)]
    """[{ shape = { ... }, x = ..., y = ..., angle = ... }, ...]"""

    @cached_property
    def shape(self) -> Shape:
        """The shape of all parts together."""
        return Shape.compound([(p.shape.shape, p.x, p.y, p.angle) for p in self.parts])


AnyShape = Annotated[
    Circle | Capsule | Box | Polygon | Segment | Chain | Compound, Field(discriminator="kind")
]
CompoundPart.model_rebuild()
Compound.model_rebuild()

_TABLES: Final[dict[str, type[Table]]] = {
    "circle": Circle,
    "capsule": Capsule,
    "box": Box,
    "polygon": Polygon,
    "segment": Segment,
    "chain": Chain,
}


def shape_table(shape: Shape) -> dict[str, Any]:
    """The table that becomes `shape`, without the values that are as by default."""
    if shape.kind == "compound":
        parts = [
            {"shape": shape_table(part)} | differing(CompoundPart, {"x": x, "y": y, "angle": angle})
            for part, x, y, angle in shape.parameters[0]
        ]
        return {"kind": "compound", "parts": parts}
    values = dict(zip(PARAMETER_NAMES[shape.kind], shape.parameters, strict=True))
    return {"kind": shape.kind} | differing(_TABLES[shape.kind], values)
