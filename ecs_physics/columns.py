"""A table of columns that grows by doubling, and the component objects that look into it."""

from typing import Any

import numpy as np

from ecs_physics.components import Columns, RowComponent


class ColumnTable:
    """The rows of one component type.

    `rows` is the structured array that kernels read; `views` are the memory views that bound
    components read and write through (a memory view gives a plain float, and faster than NumPy
    does). Growing replaces both in place, so that components never dangle. `views.written` says
    whether somebody has written through them, or was given the array to write to, since it was last
    set to False.
    """

    def __init__(self, component: type[RowComponent], capacity: int) -> None:
        self.component = component
        self.default = np.array([(0, *component.DEFAULTS)], component.TABLE)
        self._default_row = (0, *component.DEFAULTS)
        self.rows = np.repeat(self.default, capacity)
        self.bound: list[RowComponent | None] = [None] * capacity
        self.views = Columns()
        self.views.written = False
        self._look_again()

    def grow(self, capacity: int) -> None:
        """Make room for `capacity` rows; what is there stays."""
        grown = np.repeat(self.default, capacity)
        grown[: len(self.rows)] = self.rows
        self.rows = grown
        self.bound.extend([None] * (capacity - len(self.bound)))
        self._look_again()

    def exchange(self, row: int, component: RowComponent | None) -> None:
        """Give `row` to a component that was alone, or to none; who had it keeps its values."""
        held = self.bound[row]
        if held is not None:
            held._release()
        self.bound[row] = component
        if component is None:
            self.rows[row] = self._default_row
            return
        owner: Any = component._owner
        self.rows[row] = (owner.entity, *component._values())
        component._columns = self.views
        component._row = row

    def release(self, row: int) -> None:
        """Let the component of `row`, if any, keep its values alone; the row holds defaults."""
        self.exchange(row, None)

    def seat(self, row: int, component: RowComponent | None) -> None:
        """Let `component` look into `row`, whose values stay as they are."""
        self.bound[row] = component
        if component is not None:
            component._columns = self.views
            component._row = row

    def _look_again(self) -> None:
        names = self.component.TABLE.names or ()
        fields: list[Any] = [self.rows[name] for name in names[1:]]
        self.views[:] = [memoryview(field) for field in fields]
