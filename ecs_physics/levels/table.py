"""What every table of a level file has in common: strictness, and the kinds of its values."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, Strict

MOST_BODIES = 100_000
"""Bodies of one group. More: a typing error fills the memory before anyone can stop it."""

Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1, le=MOST_BODIES)]
Bits = Annotated[int, Field(ge=-(2**63), lt=2**64)]
"""64 of them; TOML's own numbers go from -2**63 to 2**63 - 1, and -1 has all bits."""
Pair = Annotated[tuple[float, float], Strict(False)]
"""Written as [x, y]: a list, since TOML knows no tuples."""


class Table(BaseModel):
    """A table of a level file: immutable, with known keys, finite numbers and exact types.

    `True` is not a number here, 1.5 not a count and "1" neither; a whole number does for a float.
    The text below a field says in one phrase what is right, and stands in error messages.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
    )

    def given(self) -> dict[str, Any]:
        """The values that were given, by key; what was left out has its default elsewhere."""
        return {key: getattr(self, key) for key in sorted(self.model_fields_set)}

    @classmethod
    def known_keys(cls) -> list[str]:
        """Every key that may stand in such a table."""
        return list(cls.model_fields)


def differing(model: type[Table], values: dict[str, Any]) -> dict[str, Any]:
    """Those of `values` that are not as `model` has them by default, down to the sign of zero."""
    fields = model.model_fields
    return {
        key: value
        for key, value in values.items()
        if fields[key].is_required() or repr(value) != repr(fields[key].default)
    }
