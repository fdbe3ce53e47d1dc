"""The fields of a block of rows: `lanes[block, field, lane]`, float32; see joint_rows.py."""

from typing import Final

from ecs_physics.kernels.joint_lists import ROW_IMPULSE, ROW_SIDE

JACOBIAN: Final = 0  # six: of v_x, v_y, omega of A, then of B
MASS_AX: Final = 6  # inverse masses, 1/kg, and inertias
MASS_AY: Final = 7
INERTIA_A: Final = 8
MASS_BX: Final = 9
MASS_BY: Final = 10
INERTIA_B: Final = 11
MASS: Final = 12  # kg or kg m^2, effective
GAP: Final = 13  # m or rad, the measure less what it should be
IMPULSE: Final = ROW_IMPULSE  # N s or N m s
TOTAL: Final = 15  # summed over the substeps
RATE: Final = 16  # 1/s, how fast a gap is closed
SCALE: Final = 17
IMPULSE_SCALE: Final = 18
RELAX_RATE: Final = 19  # the same three while relaxing
RELAX_SCALE: Final = 20
RELAX_IMPULSE_SCALE: Final = 21
SPEED: Final = 22  # m/s or rad/s, of the measure as wanted
LOWEST: Final = 23  # N s or N m s, bounds of the impulse
HIGHEST: Final = 24
IS_LIMIT: Final = 25  # 1 for a limit, else 0
SIDE: Final = ROW_SIDE  # of a limit: 1 lower, -1 upper, 0 not known
ARM_AX: Final = 27  # m, of swings (joint_swings.py): the pin from the centres of mass
ARM_AY: Final = 28
ARM_BX: Final = 29
ARM_BY: Final = 30
RANGE: Final = 31  # rad, of swings: from the one limit to the other
KIND: Final = 32  # of the whole block; in its first lane 1 where all of its rows are swings
ROW_FIELDS: Final = 33
