"""Direct calls: Python's way into a kernel without a look at the types of what it is given."""

from typing import Any, Final

from ecs_physics.kernels.compile import BOUNDSCHECK, JIT_OFF

_entries: Final[dict[Any, Any]] = {}
"""What has been asked for: to look into `overloads` takes longer than the call that it is for."""


def direct(kernel: Any) -> Any:
    """The machine code of a kernel as a function, where it is compiled by now.

    For calls that every step makes: Numba's look at the types costs .04 us an argument, more than
    half of what the call of a small kernel takes. Numbers are still converted and arrays unpacked,
    but an array of a wrong dtype would be read as if it were right. Who calls it answers for that;
    under ECS_PHYSICS_BOUNDSCHECK=1 types are looked at as ever.
    """
    known = _entries.get(kernel)
    if known is not None:
        return known
    compiled = () if JIT_OFF or BOUNDSCHECK else tuple(kernel.overloads.values())
    if not compiled:
        return kernel
    entry: Any = compiled[0].entry_point
    _entries[kernel] = entry
    return entry
