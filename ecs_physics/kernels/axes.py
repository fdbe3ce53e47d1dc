"""Cosine and sine of an angle: in half of libm's time, and with the same bits on every machine."""

import math
from fractions import Fraction
from typing import Final

from ecs_physics.kernels.compile import inlined

_HALF_PI: Final = Fraction("3.14159265358979323846264338327950288419716939937510") / 2
_BITS: Final = 2**32

HIGH: Final = math.floor(_HALF_PI * _BITS) / _BITS
"""The first 33 bits of a quarter turn: a multiple of it up to 2**20 is exact."""

MIDDLE: Final = math.floor((_HALF_PI - Fraction(HIGH)) * _BITS**2) / _BITS**2
"""The next 33 bits or fewer."""

LOW: Final = float(_HALF_PI - Fraction(HIGH) - Fraction(MIDDLE))
"""The rest."""

QUARTERS_PER_RADIAN: Final = 2.0 / math.pi

FARTHEST: Final = 1e6
"""rad. Larger angles are left to libm: multiples of HIGH would be rounded."""

# Coefficients of both series; what the next terms would add is below the last bit.
_2 = 1.0 / 2.0
_3 = 1.0 / math.factorial(3)
_4 = 1.0 / math.factorial(4)
_5 = 1.0 / math.factorial(5)
_6 = 1.0 / math.factorial(6)
_7 = 1.0 / math.factorial(7)
_8 = 1.0 / math.factorial(8)
_9 = 1.0 / math.factorial(9)
_10 = 1.0 / math.factorial(10)
_11 = 1.0 / math.factorial(11)
_12 = 1.0 / math.factorial(12)
_13 = 1.0 / math.factorial(13)
_14 = 1.0 / math.factorial(14)
_15 = 1.0 / math.factorial(15)
_16 = 1.0 / math.factorial(16)


@inlined
def cos_sin(angle: float) -> tuple[float, float]:
    """Cosine and sine of an angle in radians, each to about its last bit.

    Whole quarter turns are taken off, exactly and in three steps (W. J. Cody and W. Waite,
    "Software Manual for the Elementary Functions", 1980), and the rest, at most an eighth of a
    turn, goes into the Taylor series. Not a matter of where the angle came from: an angle has the
    same axes on every way through a step.
    """
    if not abs(angle) < FARTHEST:
        return math.cos(angle), math.sin(angle)
    quarters = math.floor(angle * QUARTERS_PER_RADIAN + 0.5)
    rest = ((angle - quarters * HIGH) - quarters * MIDDLE) - quarters * LOW
    s = rest * rest
    even = _8 - s * (_10 - s * (_12 - s * (_14 - s * _16)))
    cos = 1.0 - s * (_2 - s * (_4 - s * (_6 - s * even)))
    odd = _7 - s * (_9 - s * (_11 - s * (_13 - s * _15)))
    sin = rest * (1.0 - s * (_3 - s * (_5 - s * odd)))
    is_odd = quarters & 1 == 1
    x = sin if is_odd else cos
    y = cos if is_odd else sin
    return (-x if (quarters + 1) & 2 == 2 else x), (-y if quarters & 2 == 2 else y)
