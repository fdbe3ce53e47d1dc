"""Functions that a user gives to a world, plain or compiled by Numba, as kernels can call them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import numba
from numba.core.registry import CPUDispatcher

from ecs_physics.kernels.compile import warm_up


@dataclass(frozen=True, slots=True)
class UserFunction:
    """A function of the user's, and, where it is compiled, one around it for a kernel to call.

    `name` says where it was given, for errors.
    """

    name: str
    function: Callable[..., Any]
    compiled: Any = None

    @classmethod
    def of(cls, name: str, function: Any, wrap: Callable[[Any], Any]) -> Self:
        """Check what was given; `wrap` makes of a compiled one what the kernel's type asks for.

        Raises:
            ValueError: for what cannot be called, or what Numba cannot compile for it.
        """
        if not callable(function) or isinstance(function, type):
            raise ValueError(f"{name} = {function!r}: give a function, or None for none")
        warm_up()
        if not isinstance(function, CPUDispatcher):
            return cls(name, function)
        try:
            return cls(name, function, wrap(function))
        except (numba.core.errors.NumbaError, KeyError) as error:  # an unknown field is a KeyError
            raise ValueError(
                f"{name} = {function.py_func.__name__}: Numba cannot compile it for what it is "
                f"called with; leave its njit out to have it called as plain Python.\n{error}"
            ) from error

    @contextmanager
    def noting(self, about: str = "") -> Iterator[None]:
        """Let what it raises carry a note that names it, and what it was asked about."""
        try:
            yield
        except Exception as error:
            error.add_note(f"raised by {self.name}{about}")
            raise
