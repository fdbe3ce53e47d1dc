"""The tables of a world: one dtype object for each, in which components and contacts live.

Tables of bodies are aligned: row `i` of each belongs to the same body for that body's whole
life. `entity` is the esper id of the row's owner, and 0 where the row is free or its body has
no such component; the other fields of such a row hold the component's default.

Numba compares dtypes by identity first: always use these objects, never an equal copy.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

FREE: Final = 0
"""Value of `BODY["kind"]` in a free row, as well as of every `entity` field there."""
STATIC: Final = 1
KINEMATIC: Final = 2
DYNAMIC: Final = 3
SLEEPING: Final = 4
"""A dynamic body asleep: systems leave it as it is, since they look for DYNAMIC."""

OTHER: Final = 0
"""Value of `PART["form"]`: any part that is none of the following."""
BOX: Final = 1
"""A rectangle, not too long. Eight pairs of these collide at once, ..."""
CIRCLE: Final = 2
"""... and of circles, not too large."""

TRANSFORM: Final = np.dtype(
    [
        ("entity", "i8"),
        ("x", "f8"),  # m, of the origin of the shape's own coordinates
        ("y", "f8"),  # m
        ("angle", "f8"),  # rad, counter-clockwise
    ],
    align=True,
)

VELOCITY: Final = np.dtype(
    [
        ("entity", "i8"),
        ("x", "f8"),  # m/s, of the centre of mass
        ("y", "f8"),  # m/s
        ("omega", "f8"),  # rad/s
    ],
    align=True,
)

MASS: Final = np.dtype(
    [
        ("entity", "i8"),
        ("density", "f8"),  # kg/m^2, NaN where the mass was given
        ("mass", "f8"),  # kg
        ("inertia", "f8"),  # kg m^2, about the centre of mass
        ("center_x", "f8"),  # m, centre of mass in the shape's coordinates
        ("center_y", "f8"),  # m
    ],
    align=True,
)

FORCE: Final = np.dtype(
    [
        ("entity", "i8"),
        ("x", "f8"),  # N, at the centre of mass
        ("y", "f8"),  # N
        ("torque", "f8"),  # N m
    ],
    align=True,
)

GRAVITY_SCALE: Final = np.dtype([("entity", "i8"), ("factor", "f8")], align=True)

DAMPING: Final = np.dtype(
    [
        ("entity", "i8"),
        ("linear", "f8"),  # 1/s
        ("angular", "f8"),  # 1/s
    ],
    align=True,
)

LOCKED_AXES: Final = np.dtype(
    [("entity", "i8"), ("x", "?"), ("y", "?"), ("angle", "?")], align=True
)

TRAITS: Final = np.dtype(
    [
        ("entity", "i8"),
        ("category", "u8"),  # bits: what the body is, for filters
        ("mask", "u8"),  # bits: the categories that it meets
        ("group", "i4"),  # not 0: of one group, > 0 always meet and < 0 never do
        ("is_sensor", "?"),
        ("is_bullet", "?"),
        ("is_one_way", "?"),
        ("one_way_x", "f8"),  # unit vector in the shape's axes: the side that stops others
        ("one_way_y", "f8"),
        ("sleep_speed", "f8"),  # m/s, NaN: the world's; 0: never sleeps
        ("sleep_time", "f8"),  # s, NaN: the world's
    ],
    align=True,
)

BODY: Final = np.dtype(
    [
        ("entity", "i8"),
        ("kind", "i4"),  # FREE, STATIC, KINEMATIC, DYNAMIC or SLEEPING
        ("first_part", "i4"),  # head of the body's list of parts, -1 for none
        ("x", "f8"),  # m, centre of mass in the world
        ("y", "f8"),  # m
        ("angle", "f8"),  # rad
        ("start_angle", "f8"),  # rad, as this step began; up to here is what each substep reads
        ("inverse_mass_x", "f8"),  # 1/kg, 0 for what cannot be pushed along x
        ("inverse_mass_y", "f8"),  # 1/kg
        ("inverse_inertia", "f8"),  # 1/(kg m^2)
        ("cos", "f8"),  # of the angle
        ("sin", "f8"),
        ("center_x", "f8"),  # m, centre of mass in the shape's coordinates
        ("center_y", "f8"),  # m
        ("extent", "f8"),  # m, farthest point of the shape from the centre of mass
        ("core", "f8"),  # m, the least `core` of its parts, 0 without any
        ("friction", "f8"),
        ("restitution", "f8"),
        ("rolling_resistance", "f8"),
        ("surface_speed", "f8"),  # m/s
        ("start_x", "f8"),  # m, centre of mass as this step began
        ("start_y", "f8"),
        ("seen_x", "f8"),  # the transform as the last step left it: where the
        ("seen_y", "f8"),  # columns differ from it, somebody has moved the body
        ("seen_angle", "f8"),
        ("changed", "?"),  # shape or kind is new: parts must be placed again
        ("teleported", "?"),  # the pose was written from outside before this step
    ],
    align=True,
)

PART: Final = np.dtype(
    [
        ("body", "i4"),  # row of the body, -1 where the part's row is free
        ("next", "i4"),  # next part of the same body, -1 for none
        ("first_vertex", "i4"),  # row of its first vertex in the vertex arrays
        ("count", "i4"),  # vertices: 1 circle, 2 capsule or segment, 3 and more polygon
        ("radius", "f8"),  # m, rounding around the vertices
        ("core", "f8"),  # m, of a circle inside it, rounding included: half of how thick it is
        ("one_sided", "?"),  # a chain's edge: solid from its left side only (see shapes.py)
        ("form", "u1"),  # BOX, CIRCLE or OTHER
        ("moved", "?"),  # its fat box is new, so pairs must be searched
        ("seams", "u1"),  # 0: no static neighbour; else 1 + number of its free edges (seams.py);
        # of a chain's edge: 1 + 2, the ends (tail, head) at which another body goes on
        ("first_edge", "i4"),  # row of the first free edge in the vertex arrays, 4 rows each
        ("lower_x", "f8"),  # m, bounding box in the world, rounding included
        ("lower_y", "f8"),
        ("upper_x", "f8"),
        ("upper_y", "f8"),
        ("swept_lower_x", "f8"),  # m, the box around what it may touch in this step
        ("swept_lower_y", "f8"),
        ("swept_upper_x", "f8"),
        ("swept_upper_y", "f8"),
        ("fat_lower_x", "f4"),  # m, the box that pairs are found with: half the memory to search
        ("fat_lower_y", "f4"),
        ("fat_upper_x", "f4"),
        ("fat_upper_y", "f4"),
    ],
    align=True,
)


def column_of(dtype: np.dtype[Any], field: str) -> int:
    """Which of a row's columns a field is, where the table is seen as numbers of eight bytes."""
    assert dtype.fields is not None
    return int(dtype.fields[field][1]) // 8


FITTED_BOX: Final = column_of(PART, "lower_x")
SWEPT_BOX: Final = column_of(PART, "swept_lower_x")
"""From these columns of PART on: a box, lower x and y and upper x and y."""

LINE: Final = 64
"""Bytes that a processor reads from memory at once."""

CONTACT: Final = np.dtype(
    [
        # One line: all that passes over many rows look at.
        ("part_a", "i4"),
        ("part_b", "i4"),
        ("body_a", "i4"),
        ("body_b", "i4"),
        ("count", "i4"),  # points of the manifold: 0, 1 or 2
        ("feature_0", "i4"),  # which features of the two parts make the point
        ("feature_1", "i4"),
        ("is_sensor", "?"),  # one of the two is: never has points
        ("is_touching", "?"),  # its begin event has been told, its end has not
        ("is_asleep", "?"),  # both bodies are asleep or immovable: the points stay as they are
        ("disabled", "u1"),  # 0 no, 1 for this step, 2 until the parts have parted
        ("separation_0", "f8"),  # m, negative = overlap
        ("separation_1", "f8"),
        ("approach_0", "f8"),  # m/s, at which the gap closed there when the step began
        ("approach_1", "f8"),
        # The second: with the third, what the solver reads, four numbers at a time.
        ("normal_x", "f8"),  # unit vector from A to B
        ("normal_y", "f8"),
        ("friction", "f8"),  # of the pair
        ("surface_speed", "f8"),  # m/s, wanted along (normal_y, -normal_x), B relative to A
        ("normal_impulse_0", "f8"),  # N s, of the last substep: warm start
        ("normal_impulse_1", "f8"),
        ("tangent_impulse_0", "f8"),  # N s, along (normal_y, -normal_x), on B
        ("tangent_impulse_1", "f8"),
        # The third.
        ("anchor_ax_0", "f8"),  # m, point 0 from the centre of mass of A, world axes
        ("anchor_ax_1", "f8"),
        ("anchor_ay_0", "f8"),
        ("anchor_ay_1", "f8"),
        ("anchor_bx_0", "f8"),  # m, the same point from the centre of mass of B
        ("anchor_bx_1", "f8"),
        ("anchor_by_0", "f8"),
        ("anchor_by_1", "f8"),
        # The fourth.
        ("restitution", "f8"),
        ("rolling_resistance", "f4"),  # m
        ("rolling_impulse", "f4"),  # N m s
        ("total_normal_0", "f8"),  # N s, summed over the whole step
        ("total_normal_1", "f8"),
        ("total_tangent_0", "f8"),
        ("total_tangent_1", "f8"),
        ("entity_a", "i8"),
        ("entity_b", "i8"),
    ],
    align=True,
)
"""Four lines of memory, if an array of it begins with one (`in_lines`)."""

CONTACTS: Final = np.dtype(
    [
        ("entity_a", "i8"),
        ("entity_b", "i8"),
        ("count", "i4"),  # points in use: 1 or 2
        ("normal_x", "f8"),  # unit vector from A to B
        ("normal_y", "f8"),
        ("x", "f8", (2,)),  # m, points in the world, carried along with A since they were found
        ("y", "f8", (2,)),
        ("separation", "f8", (2,)),  # m, negative = overlap
        ("normal_impulse", "f8", (2,)),  # N s over the step, pushing B along the normal
        ("tangent_impulse", "f8", (2,)),  # N s over the step, on B along (normal_y, -normal_x)
    ]
)
"""What `World.contacts` shows of the touching rows of CONTACT."""


def in_lines(rows: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array of zeros that begins where a line of memory does, for tables of whole lines.

    NumPy's own begin anywhere: then a row lies in a line more than it needs.
    """
    size = rows * dtype.itemsize
    memory = np.zeros(size + LINE, np.uint8)
    first = -memory.ctypes.data % LINE
    return memory[first : first + size].view(dtype)
