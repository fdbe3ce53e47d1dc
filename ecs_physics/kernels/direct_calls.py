"""Direct calls: Python's way into a kernel without a look at the types of what it is given."""

from typing import Any, Final

from ecs_physics.kernels.compile import BOUNDSCHECK, JIT_OFF


class _Entries(dict[Any, Any]):
    """Kernels and their machine code: to look into `overloads` takes longer than a call of it."""

    def __missing__(self, kernel: Any) -> Any:
        compiled = () if JIT_OFF or BOUNDSCHECK else tuple(kernel.overloads.values())
        if not compiled:
            return kernel
        self[kernel] = compiled[0].entry_point
        return self[kernel]


_entries: Final = _Entries()

direct: Final = _entries.__getitem__
"""The machine code of a kernel as a function, where it is compiled by now: `direct(kernel)(...)`.

For calls that every step makes: Numba's look at the types costs .04 us an argument, more than half
of what the call of a small kernel takes. Numbers are still converted and arrays unpacked, but an
array of a wrong dtype would be read as if it were right. Who calls it answers for that; under
ECS_PHYSICS_BOUNDSCHECK=1 types are looked at as ever.
"""
