"""Direct calls of kernels."""

import numpy as np

from ecs_physics.kernels.bodies import clear_forces
from ecs_physics.kernels.compile import BOUNDSCHECK, JIT_OFF, integer, kernel, warm_up
from ecs_physics.kernels.direct_calls import direct
from ecs_physics.tables import FORCE


def test_a_direct_call_does_what_the_kernel_does() -> None:
    warm_up()
    forces = np.ones(5, FORCE)
    direct(clear_forces)(3, forces)
    assert forces["x"].tolist() == [0.0, 0.0, 0.0, 1.0, 1.0]
    is_plain = JIT_OFF or BOUNDSCHECK
    assert (direct(clear_forces) is clear_forces) == is_plain


def test_what_is_not_compiled_yet_is_called_as_ever() -> None:
    @kernel(integer(integer), feature="test direct calls")
    def twice(number: int) -> int:
        return 2 * number

    assert direct(twice) is twice
    assert twice(4) == 8
