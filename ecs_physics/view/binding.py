"""What a control shows and changes: an attribute, an entry of a dictionary, one number of two."""

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Protocol

Reason = str
"""Why a value was refused; empty where it was taken."""


class Bound(Protocol):
    """A value that lives elsewhere."""

    def get(self) -> Any:
        """The value as it is now."""
        ...

    def set(self, value: Any) -> Reason:
        """Change it, or say why not."""
        ...


class Binding:
    """An attribute of an object, or an entry of a dictionary.

    Raises:
        AttributeError: where the owner has no such attribute or entry.
    """

    def __init__(self, owner: Any, attribute: str) -> None:
        has = attribute in owner if isinstance(owner, Mapping) else hasattr(owner, attribute)
        if not has:
            kind = type(owner).__name__
            raise AttributeError(
                f"{kind} has no {attribute!r} that a panel could show: set it first"
            )
        self._owner = owner
        self._attribute = attribute

    def get(self) -> Any:
        """The value as it is now."""
        if isinstance(self._owner, Mapping):
            return self._owner[self._attribute]
        return getattr(self._owner, self._attribute)

    def set(self, value: Any) -> Reason:
        """Change it; where the owner refuses the value, return what it says."""
        try:
            if isinstance(self._owner, MutableMapping):
                self._owner[self._attribute] = value
            else:
                setattr(self._owner, self._attribute, value)
        except (ValueError, TypeError, ArithmeticError) as error:
            return str(error) or f"{value!r} was refused"
        return ""


class ComponentBinding:
    """One number of an attribute that holds several, such as gravity's x."""

    def __init__(self, whole: Binding, index: int) -> None:
        self._whole = whole
        self._index = index

    def get(self) -> float:
        """The number as it is now."""
        return float(self._whole.get()[self._index])

    def set(self, value: float) -> Reason:
        """Change it and leave the others; where the owner refuses it, return what it says."""
        numbers = [float(each) for each in self._whole.get()]
        numbers[self._index] = value
        return self._whole.set(tuple(numbers))


@dataclass(frozen=True)
class Limits:
    """Which numbers are taken: from `low` to `high`, whole ones only where `whole`."""

    low: float | None = None
    high: float | None = None
    whole: bool = False

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            value = getattr(self, name)
            if value is not None and not isfinite(value):
                raise ValueError(f"{name} = {value!r}: give a finite number or None")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ValueError(f"low = {self.low!r}, high = {self.high!r}: give low < high")

    def read(self, text: str) -> float:
        """The number that `text` says: an int where whole numbers are wanted.

        Raises:
            ValueError: for text that is no number, or a number outside the limits; says what to
                give instead, in a few words.
        """
        words = text.strip().replace("\N{MINUS SIGN}", "-")
        if not words:
            raise ValueError("empty: give a number")
        try:
            value = float(words)
        except ValueError:
            hint = f"write {words.replace(',', '.')}" if "," in words else "give a number"
            raise ValueError(f"{words!r} is no number: {hint}") from None
        if not isfinite(value):
            raise ValueError(f"{words}: give a finite number")
        if self.whole and value != round(value):
            raise ValueError(f"{words}: give a whole number")
        if not (self.low is None or value >= self.low) or not (
            self.high is None or value <= self.high
        ):
            raise ValueError(f"{words}: give {self.words()}")
        return int(value) if self.whole else value

    def words(self) -> str:
        """The limits in words."""
        if self.low is None:
            return f"at most {self.high:g}"
        if self.high is None:
            return f"at least {self.low:g}"
        return f"{self.low:g} to {self.high:g}"

    def kept(self, value: float) -> float:
        """The nearest number that is taken."""
        if self.low is not None:
            value = max(value, self.low)
        if self.high is not None:
            value = min(value, self.high)
        return round(value) if self.whole else value
