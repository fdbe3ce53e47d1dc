"""Buffers and textures on the graphics card that grow with what is written into them."""

from typing import Any, Final

import arcade
import numpy as np
from arcade import gl

ROW_TEXELS: Final = 1024
"""Texels in a row of a table's texture. Shaders find texel i at (i & 1023, i >> 10)."""


def unit_quad(context: arcade.ArcadeContext) -> gl.BufferDescription:
    """The corners (-1, -1) to (1, 1) of a quad as a triangle strip, named in_corner."""
    corners = np.array([-1, -1, 1, -1, -1, 1, 1, 1], np.float32)
    return gl.BufferDescription(context.buffer(data=corners.tobytes()), "2f", ["in_corner"])


class GrowingBuffer:
    """A buffer of records of one dtype, and the geometry that shaders read it by.

    With `corners` each record is one instance of that quad, else one vertex. arcade's own
    Buffer.write truncates data that is too long and takes wrong types in silence; write() here
    checks the dtype and grows.
    """

    def __init__(
        self,
        context: arcade.ArcadeContext,
        dtype: np.dtype[Any],
        formats: str,
        attributes: list[str],
        corners: gl.BufferDescription | None = None,
    ) -> None:
        self._context = context
        self._dtype = dtype
        self._formats = formats
        self._attributes = attributes
        self._corners = corners
        self._count = 0
        self._reserve(64)

    def _reserve(self, capacity: int) -> None:
        self._capacity = capacity
        self._buffer = self._context.buffer(reserve=capacity * self._dtype.itemsize, usage="stream")
        each = gl.BufferDescription(
            self._buffer,
            self._formats,
            self._attributes,
            instanced=self._corners is not None,
        )
        content = [each] if self._corners is None else [self._corners, each]
        self._geometry = self._context.geometry(content)

    def write(self, records: np.ndarray[Any, Any]) -> None:
        """Replace the content by `records`."""
        if records.dtype != self._dtype:
            raise ValueError(f"records of {records.dtype}: this buffer holds {self._dtype}")
        if len(records) > self._capacity:
            self._reserve(max(len(records), 2 * self._capacity))
        elif len(records):
            self._buffer.orphan()
        if len(records):
            self._buffer.write(records.tobytes())
        self._count = len(records)

    def render(self, program: gl.Program) -> None:
        """Draw every record: as one instance of the quad, or as a corner of a triangle."""
        if self._count and self._corners is not None:
            mode = self._context.TRIANGLE_STRIP
            self._geometry.render(program, mode=mode, instances=self._count)
        elif self._count:
            mode = self._context.TRIANGLES
            self._geometry.render(program, mode=mode, vertices=self._count)


class TableTexture:
    """A table of (n, 4) values in a texture, which shaders fetch by row number.

    `values` is the array to write into: float32, or uint8 read as 0 to 1. upload() sends it.
    """

    def __init__(self, context: arcade.ArcadeContext, dtype: type[np.float32 | np.uint8]) -> None:
        self._context = context
        self._dtype = dtype
        self._texture: Any = None
        self.values = np.zeros((0, 4), dtype)

    def reserve(self, rows: int) -> None:
        """Make room for `rows`; what is there stays."""
        if rows <= len(self.values) and self._texture is not None:
            return
        height = max(1, -(-rows // ROW_TEXELS))
        height = 1 << (height - 1).bit_length()
        values = np.zeros((height * ROW_TEXELS, 4), self._dtype)
        values[: len(self.values)] = self.values
        self.values = values
        self._texture = self._context.texture(
            (ROW_TEXELS, height),
            components=4,
            dtype="f4" if self._dtype is np.float32 else "f1",
            filter=(gl.enums.NEAREST, gl.enums.NEAREST),
        )

    def upload(self, rows: int) -> None:
        """Send the first `rows` of `values`."""
        height = max(1, -(-rows // ROW_TEXELS))
        self._texture.write(self.values[: height * ROW_TEXELS], viewport=(ROW_TEXELS, height))

    def use(self, unit: int) -> None:
        """Bind the texture for shaders that read texture `unit`."""
        self._texture.use(unit)
