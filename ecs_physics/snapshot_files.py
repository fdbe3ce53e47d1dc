"""The file of a snapshot: what its numbers, arrays and values look like as bytes.

A header of fixed size, then a body that zlib has packed: a JSON document that describes everything
but the arrays, and the bytes of the arrays one after the other. The header says how long the body
is and what SHA-256 it has, so that a file that has lost or changed a bit is refused before anything
in it is looked at. Nothing is unpickled: a file makes numbers, texts and values of this package.
"""

import dataclasses
import hashlib
import json
import os
import struct
import tempfile
import zlib
from os import PathLike
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ecs_physics.component_values import VALUE_COMPONENTS, type_name
from ecs_physics.shapes import PARAMETER_NAMES, Shape

MAGIC: Final = b"ecs_physics snapshot\n"
VERSION: Final = 1
"""Of the file's form; files of another one are refused."""

_HEADER: Final = struct.Struct(f"<{len(MAGIC)}sIQQ32s")
"""Magic, version, bytes of the packed body and of the JSON document in it, SHA-256 of the body."""

_KEYS: Final = {"time", "steps", "settings", "states", "values", "esper", "entities"}
"""Of a snapshot's content."""

_UNREADABLE: Final = (
    *(ValueError, TypeError, LookupError, AttributeError, OverflowError),
    *(RecursionError, zlib.error),
)
"""What reading something else raises, though its SHA-256 is right."""

_PACKING_LEVEL: Final = 1
_VALUE_TYPES: Final = {type_name(each): each for each in VALUE_COMPONENTS}
_PLAIN: Final = (bool, int, float, str, type(None))


def save(path: str | PathLike[str], content: dict[str, Any]) -> None:
    """Write a snapshot's content, all of it or nothing.

    Raises:
        ValueError: for a value that is no plain data.
        OSError: where the file cannot be written.
    """
    arrays: list[NDArray[Any]] = []
    document = {"content": _encoded(content, arrays)}
    described = [(np.lib.format.dtype_to_descr(each.dtype), each.shape) for each in arrays]
    text = json.dumps(document | {"arrays": described}, separators=(",", ":")).encode()
    packer = zlib.compressobj(_PACKING_LEVEL)
    pieces = [packer.compress(text)]
    pieces.extend(packer.compress(np.ascontiguousarray(each).tobytes()) for each in arrays)
    body = b"".join([*pieces, packer.flush()])
    digest = hashlib.sha256(body).digest()
    header = _HEADER.pack(MAGIC, VERSION, len(body), len(text), digest)
    _replace(Path(path), header + body)


def _replace(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def load(path: str | PathLike[str]) -> dict[str, Any]:
    """Read what `save` has written.

    Raises:
        ValueError: for a file that is damaged, cut short, of another version or no snapshot.
        OSError: where the file cannot be read.
    """
    data = Path(path).read_bytes()
    if not data.startswith(MAGIC):
        raise ValueError(f"{path}: no snapshot of ecs_physics: give one that Snapshot.save wrote")
    if len(data) < _HEADER.size:
        raise ValueError(f"{path}: the snapshot is cut short: save it again")
    _, version, length, text_length, digest = _HEADER.unpack_from(data)
    if version != VERSION:
        raise ValueError(
            f"{path}: a snapshot of version {version}, but this ecs_physics reads version "
            f"{VERSION}: save it again with this one"
        )
    body = data[_HEADER.size :]
    if len(body) < length:
        raise ValueError(f"{path}: the snapshot is cut short: save it again")
    if len(body) > length or hashlib.sha256(body).digest() != digest:
        raise ValueError(f"{path}: the snapshot is damaged: save it again")
    try:
        return _unpacked(zlib.decompress(body), text_length)
    except _UNREADABLE as error:
        raise ValueError(f"{path}: no snapshot that this ecs_physics can read: {error}") from error


def _unpacked(body: bytes, text_length: int) -> dict[str, Any]:
    document = json.loads(body[:text_length])
    arrays: list[NDArray[Any]] = []
    at = text_length
    for descr, shape in document["arrays"]:
        dtype = np.lib.format.descr_to_dtype(_described(descr))
        if dtype.hasobject:
            raise ValueError("an array of objects")
        count = int(np.prod(shape, dtype=np.int64))
        read = np.frombuffer(body, dtype, count, at) if count else np.zeros(0, dtype)
        arrays.append(read.reshape(shape).copy())
        at += arrays[-1].nbytes
    content: dict[str, Any] = _decoded(document["content"], arrays)
    if content.keys() != _KEYS:
        raise ValueError(f"it has {sorted(content)}")
    return content


def _described(descr: Any) -> Any:
    """A description of a dtype as NumPy wants it: JSON has no tuples."""
    if isinstance(descr, str):
        return descr
    return [
        (tuple(name) if isinstance(name, list) else name, _described(form), *map(tuple, shape))
        for name, form, *shape in descr
    ]


def _encoded(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """As JSON can write it; what it does not know is a list of a tag and what belongs to it."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is list:
        return ["list", *(_encoded(each, arrays) for each in value)]
    if kind is tuple:
        return ["tuple", *(_encoded(each, arrays) for each in value)]
    if kind is dict:
        items = ([_encoded(name, arrays), _encoded(each, arrays)] for name, each in value.items())
        return ["dict", *items]
    if kind in (set, frozenset):
        return [kind.__name__, *(_encoded(each, arrays) for each in value)]
    if isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
        arrays.append(np.asarray(value))
        return ["array" if isinstance(value, np.ndarray) else "scalar", len(arrays) - 1]
    if kind is Shape:
        return ["shape", value.kind, _encoded(value.parameters, arrays)]
    if kind in VALUE_COMPONENTS:
        fields = {each.name: getattr(value, each.name) for each in dataclasses.fields(kind)}
        return ["value", type_name(kind), _encoded(fields, arrays)]
    raise ValueError(
        f"{value!r} of a registered component cannot be written to a file: give "
        "World.register(..., to_state=..., from_state=...) that make plain data of it"
    )


def _decoded(value: Any, arrays: list[NDArray[Any]]) -> Any:
    if type(value) is not list:
        return value
    tag, *rest = value
    if tag == "dict":
        return {_decoded(name, arrays): _decoded(each, arrays) for name, each in rest}
    if tag == "array":
        return arrays[rest[0]]
    if tag == "scalar":
        return arrays[rest[0]][()]
    if tag == "shape":
        kind, parameters = rest
        if kind not in PARAMETER_NAMES:
            raise ValueError(f"a shape of kind {kind!r}")
        return getattr(Shape, kind)(*_decoded(parameters, arrays))
    if tag == "value":
        return _VALUE_TYPES[rest[0]](**_decoded(rest[1], arrays))
    makers: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
    return makers[tag](_decoded(each, arrays) for each in rest)
