"""What CONTACT["disabled"] says of a pair: why it is not solved, though its parts may touch.

Only rows that are SOLVED go into `ContactTable.active`; of all others `count` becomes 0 once the
rules have seen the points that the narrow phase found.
"""

from typing import Final

SOLVED: Final = 0
DISABLED: Final = 1
"""For this step: by World.pre_solve."""
PASSING: Final = 2
"""Through a one-way body, until the parts have parted or it has got to the other side."""
UNDECIDED: Final = 3
"""With a one-way body, and without points so far: the first ones decide."""
DROPPING: Final = 4
"""Through a one-way body that it stood on, until it is within."""
REFUSED: Final = 5
"""By World.contact_filter, as long as the pair lasts; from here on sensors do not notice it."""
UNASKED: Final = 6
"""World.contact_filter has not been asked yet."""
