"""Round numbers: steps of an axis or a slider, and how a value on them is written."""

from decimal import Decimal
from math import ceil, floor, isfinite, log10
from typing import Final

LONGEST: Final = 1e6
"""Numbers from here on are written with a power of ten."""
MOST_DECIMALS: Final = 6
"""Numbers with more decimals than this are written with a power of ten."""


def round_down(size: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is at most `size` (above 0)."""
    power = float(f"1e{floor(log10(size))}")
    if power > size:  # the logarithm was rounded up
        power *= 0.1
    return next(each * power for each in (5.0, 2.0, 1.0) if each * power <= size * (1.0 + 1e-9))


def round_up(size: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is at least `size` (above 0)."""
    down = round_down(size)
    if down >= size * (1.0 - 1e-9):
        return down
    return round_down(down * 2.5 if f"{down:e}".startswith("2") else down * 2.0)


def ticks(low: float, high: float, parts: int) -> tuple[list[float], float]:
    """Round places from `low` to `high`, at most `parts` steps of one size; and that size."""
    width = max(high - low, 1e-12 * max(abs(low), abs(high)), 1e-300)  # one number has no span
    step = round_up(width / max(parts, 1))
    first, last = ceil(low / step - 1e-6), floor(high / step + 1e-6)
    return [number * step for number in range(first, last + 1)], step


def decimals(step: float) -> int:
    """How many decimals a multiple of `step` needs."""
    exponent = Decimal(repr(float(step))).normalize().as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0


def number_text(value: float, step: float) -> str:
    """`value` with the decimals of `step`; with more where it lies between two steps."""
    if isinstance(value, int):
        return str(value)
    if not isfinite(value):
        return str(value)
    places = decimals(step)
    short = abs(value) < LONGEST and places <= MOST_DECIMALS
    if short and abs(round(value, places) - value) <= 1e-9 * max(abs(value), step):
        return f"{value if round(value, places) else 0.0:.{places}f}"
    return f"{value:.6g}"


def tick_text(value: float, step: float) -> str:
    """The label of a tick: a multiple of `step`."""
    places = decimals(step)
    if value == 0.0 or abs(value) < 1e-6 * step:
        return "0"
    if abs(value) >= LONGEST or places > MOST_DECIMALS:
        digits = floor(log10(abs(value)) + 1e-9) - floor(log10(step) + 1e-9) + 1
        return f"{value:.{max(digits, 1)}g}"
    return f"{value:.{places}f}"
