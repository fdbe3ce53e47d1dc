"""How a kernel is compiled: two decorators, a cache that cannot go stale, and a warm-up.

Numba stamps a cached function with its own file only, so a changed callee or constant in
another file would silently run old code. Here each kernel file has a cache folder that carries a
digest of the file and of all that it imports from this package, of the versions of Python, Numba
and NumPy and of the flags; a change of any of them is another folder, and all but the newest few
are removed.
"""

import hashlib
import importlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, update_wrapper, wraps
from pathlib import Path
from typing import Any, Final

import numba
import numpy as np
import platformdirs
from numba import types
from numpy.typing import NDArray

from ecs_physics.kernels.second_process import begin, end, start, wait_for

BOUNDSCHECK: Final = os.environ.get("ECS_PHYSICS_BOUNDSCHECK", "") == "1"
"""Debug switch: an index outside an array raises instead of reading foreign memory."""

_config: Any = numba.config  # its names are made at run time

JIT_OFF: Final = bool(_config.DISABLE_JIT)
"""True under NUMBA_DISABLE_JIT=1: kernels are then the plain Python functions."""

KEPT_VERSIONS: Final = 4
"""Newest cache folders of a file to keep. Fewer: switching between checkouts compiles anew."""

_ROOT: Final = Path(__file__).parents[1]
_PACKAGE: Final = __name__.partition(".")[0]
_IMPORTED: Final = re.compile(rf"^from ({_PACKAGE}(?:\.\w+)+) import ", re.MULTILINE)
"""How a kernel file imports from this package; tests/kernels/test_compile.py keeps it to that."""

FLAGS: Final[dict[str, Any]] = {
    "fastmath": False,  # gave different bits cold and from the cache
    "error_model": "numpy",  # no branch at a division; kernels never raise
    "boundscheck": BOUNDSCHECK,
    "nogil": True,
    "_nrt": False,  # nothing is allocated in a kernel; counting references spills all registers
    "no_cfunc_wrapper": True,  # C calls no kernel, and the way in for it takes long to compile
}

_NOT_FROM_PYTHON: Final[dict[str, Any]] = {"no_cpython_wrapper": True}
"""Of a function that only kernels call."""

_FIRST: Final = ("narrow_phase", "flight", "time_of_impact", "hash_grid")
"""Files that take long to compile and share functions: this process begins with their kernels..."""
_LAST: Final = (
    "prepare_contacts",
    "fill_blocks",
    "blocks",
    "soft_step",
    "impacts",
    "wide_contact",
)
"""... and ends with these, while a second one begins at the end, and so shares what these do."""

_LEAST_SHARED_WORK: Final = 6
"""Kernels for which starting a second Python pays."""

# What kernels are given, for the type checker and the reader.
Table = NDArray[Any]
Record = Any
Reals = NDArray[np.float64]
Reals32 = NDArray[np.float32]
Integers = NDArray[np.int64]
Integers32 = NDArray[np.int32]

# The same for the compiler: the names that signatures are written with.
integer = types.int64
real = types.float64
real32 = types.float32
boolean = types.boolean
reals = types.float64[::1]
reals2 = types.float64[:, ::1]
reals3 = types.float64[:, :, ::1]
reals32 = types.float32[::1]
reals32_2 = types.float32[:, ::1]
reals32_3 = types.float32[:, :, ::1]
integers = types.int64[::1]
integers2 = types.int64[:, ::1]
integers32 = types.int32[::1]
integers32_2 = types.int32[:, ::1]
integers32_3 = types.int32[:, :, ::1]


def table(dtype: np.dtype[Any]) -> types.Array:
    """The type of a table of `dtype` in a kernel's signature."""
    return types.Array(numba.from_dtype(dtype), 1, "C")


@dataclass(frozen=True)
class Kernel:
    """A kernel that Python calls: its dispatcher and the one signature it is compiled for."""

    name: str
    module: str
    signature: Any
    dispatcher: Any
    ready: Path
    parallel: bool
    feature: str


_waiting: list[Kernel] = []
_features_waiting: set[str] = set()


class Inner:
    """A function that other kernels call: compiled for the types that they give it.

    The code that lets Python call a compiled function takes as long to make as a small function
    itself, so it is left out. Tests call some all the same: then all is compiled anew, with it.
    """

    def __init__(self, function: Callable[..., Any], **flags: Any) -> None:
        # Numba takes whatever a kernel names for what its _numba_type_ says: for the dispatcher.
        self._dispatcher = numba.njit(**_NOT_FROM_PYTHON, **flags, **FLAGS)(function)
        self._numba_type_ = self._dispatcher._numba_type_
        share_versions(self._dispatcher, plain_type if "forceinline" in flags else plain_number)
        self._for_python = numba.njit(**flags, **FLAGS)(function)
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Call it from Python."""
        return self._for_python(*arguments)


def share_versions(dispatcher: Any, wanted: Callable[[Any, int], Any]) -> None:
    """Let compiled code call a function as compiled for `wanted(type, place)` of its arguments.

    By itself Numba compiles a function anew for each number that stands in the code of a caller.
    """
    resolve = dispatcher.get_call_template

    def resolve_wanted(arguments: Any, keywords: Any) -> Any:
        parameters, given = dispatcher._compiler.fold_argument_types(arguments, keywords)
        template, _, _, _ = resolve(tuple(wanted(each, k) for k, each in enumerate(given)), {})
        return template, parameters, given, {}

    dispatcher.get_call_template = resolve_wanted


def plain_type(given: Any, _place: int) -> Any:
    """The type of a value that LLVM will know, since the function melts into its caller."""
    return types.unliteral(given)  # type: ignore[no-untyped-call]


def plain_number(given: Any, _place: int) -> Any:
    """The same but for True and False: these choose a way, and each is worth a version."""
    return given if isinstance(given, types.BooleanLiteral) else plain_type(given, _place)


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function that only other kernels call: for the types its callers give it."""
    return _with_records(function) if JIT_OFF else Inner(function)


def inlined(function: Callable[..., Any]) -> Any:
    """The same for a function that must melt into its callers: small, hot, or called once.

    LLVM would rather call a function that returns many numbers, and pass them through memory.
    Numba lets what such a function calls first melt into it as well.
    """
    return _with_records(function) if JIT_OFF else Inner(function, forceinline=True)


def kernel(
    signature: Any, *, parallel: bool = False, feature: str = ""
) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function that Python calls, for one `signature`, when `warm_up` says so.

    One that belongs to a `feature` which many worlds never use waits until this is asked for.

    One signature only: an accidental Python float for a float32, say, is converted and does
    not compile a second version.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        if JIT_OFF:
            return _with_records(function)
        folder = cache_folder(function.__module__)
        users_folder = _config.CACHE_DIR
        _config.CACHE_DIR = str(folder)  # read while decorating, and by nobody else
        try:
            dispatcher = numba.njit(cache=True, parallel=parallel, **FLAGS)(function)
        finally:
            _config.CACHE_DIR = users_folder
        share_versions(dispatcher, as_signed(signature))
        module = function.__module__
        name = f"{module.rpartition('.')[2]}.{function.__name__}"
        ready = folder / f"{name}.ready"
        _waiting.append(Kernel(name, module, signature, dispatcher, ready, parallel, feature))
        _features_waiting.add(feature)
        return dispatcher

    return decorate


def as_signed(signature: Any) -> Callable[[Any, int], Any]:
    """What a kernel is compiled for where another calls it: its own signature, but for ways."""

    def as_it_is(given: Any, place: int) -> Any:
        return given if isinstance(given, types.BooleanLiteral) else signature.args[place]

    return as_it_is


def can_run_threads() -> bool:
    """Whether two threads would really run at the same time, as barriers between them need."""
    return not JIT_OFF and int(numba.get_num_threads()) > 1


def _with_records(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let plain Python read `row.field` of a table as compiled code does."""

    @wraps(function)
    def with_records(*arguments: Any) -> Any:
        return function(*(_as_records(argument) for argument in arguments))

    return with_records


def _as_records(argument: Any) -> Any:
    is_table = type(argument) is np.ndarray and argument.dtype.names is not None
    return argument.view(np.recarray) if is_table else argument


@inlined
def at(row: int) -> Any:
    """A row as an index that is not negative: Numba then leaves out what counts from the end.

    For tables that a hot kernel reads at many places.
    """
    return np.uint64(row)


def warm_up(feature: str = "", *, parallel: bool = False) -> None:
    """Compile, or load from the cache, every kernel that has been imported and is not ready.

    Those of a feature only where it is named, and those for several threads, which take long, only
    where `parallel` asks for them.

    Loading is silent; where something must be compiled, a progress bar on standard error says
    what and how far.
    """
    if feature and feature not in _features_waiting:
        return
    _features_waiting.discard(feature)
    kernels = [each for each in _waiting if each.feature in ("", feature)]
    kernels = [each for each in kernels if parallel or not each.parallel]
    if not kernels:
        return
    _waiting[:] = [each for each in _waiting if each not in kernels]
    cold = [k for k in kernels if not k.ready.exists()]
    if not cold:
        for each in kernels:
            _make_ready(each)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        console.print(f"ecs_physics: compiling {len(cold)} kernels, once for this version")
    with (
        Progress(
            TextColumn("compiling {task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        ) as progress,
        tempfile.TemporaryDirectory(prefix="ecs_physics-", ignore_cleanup_errors=True) as begun,
    ):
        task = progress.add_task("kernels", total=len(kernels))
        for each in _compiled(kernels, cold, Path(begun)):
            ready = sum(other.ready.exists() for other in kernels)
            progress.update(task, description=each.name, completed=ready)


def _compiled(kernels: list[Kernel], cold: list[Kernel], begun: Path) -> Iterator[Kernel]:
    """Make kernels ready, with the help of a second process, and tell each before it is."""
    shared = _shared(cold)
    helper = _start_helper(shared, begun) if len(shared) >= _LEAST_SHARED_WORK else None
    left = []
    try:
        for each in _in_order(kernels):
            if helper is not None and each in shared and not begin(each.name, begun):
                left.append(each)
                continue
            yield each
            _make_ready(each)
        for each in left:
            yield each
            if helper is not None:
                wait_for(each.ready.exists, helper)
            _make_ready(each)  # it lies in the cache; what does not is compiled here
    finally:
        if helper is not None:
            end(helper)


def _shared(cold: list[Kernel]) -> list[Kernel]:
    """The kernels that a second process can compile as well."""
    return [k for k in cold if k.module.startswith(f"{_PACKAGE}.") and not k.parallel]


def _in_order(kernels: list[Kernel]) -> list[Kernel]:
    """In the order in which this process compiles; the second one takes them from the end."""

    def place(each: Kernel) -> int:
        file = each.module.rpartition(".")[2]
        if file in _FIRST:
            return _FIRST.index(file) - len(_FIRST)
        return _LAST.index(file) + 1 if file in _LAST else 0

    return sorted(kernels, key=place)


def _start_helper(shared: list[Kernel], begun: Path) -> "subprocess.Popen[bytes] | None":
    names = [each.name for each in _in_order(shared)]
    modules = sorted({each.module for each in shared})
    call = f"help_to_compile({names}, {modules}, {str(begun)!r})"
    return start(f"from {__name__} import help_to_compile; {call}")


def help_to_compile(names: list[str], modules: list[str], begun: str) -> None:
    """Compile those of the named kernels that nobody has begun: what a second process does."""
    for module in modules:
        importlib.import_module(module)
    kernels = {each.name: each for each in _waiting}
    for name in reversed(names):
        if begin(name, Path(begun)):
            _make_ready(kernels[name])


def compile_module(module: str) -> None:
    """Compile the kernels of a module and those that it imports."""
    importlib.import_module(module)
    sources = {path.stem for path in _sources(module)}
    for each in _waiting:
        if each.name.partition(".")[0] in sources and not each.parallel:
            _make_ready(each)


def _make_ready(each: Kernel) -> None:
    each.dispatcher.compile(each.signature)
    each.dispatcher.disable_compile()
    if not each.ready.exists():
        each.ready.touch()


@cache
def cache_folder(module: str) -> Path:
    """The cache folder of a kernel file as it is now, created; all but the newest are removed."""
    try:
        return _make_folder(Path(platformdirs.user_cache_dir("ecs_physics")) / "kernels", module)
    except OSError:  # a read-only home: compile anew after each boot, rather than not at all
        return _make_folder(Path(tempfile.gettempdir()) / f"ecs_physics-{_user()}", module)


def _make_folder(base: Path, module: str) -> Path:
    name = module.rpartition(".")[2]
    folder = base / f"{name}-{source_digest(module)}"
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    with tempfile.TemporaryFile(dir=folder):
        pass  # it can be written to
    versions = sorted(base.glob(f"{name}-*"), key=lambda path: path.stat().st_mtime)
    for old in versions[:-KEPT_VERSIONS]:
        shutil.rmtree(old, ignore_errors=True)
    return folder


def source_digest(module: str) -> str:
    """A digest of all that decides what machine code the kernels of a module become."""
    digest = hashlib.sha256()
    for path in sorted(_sources(module)):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    versions = (platform.python_version(), numba.__version__, np.__version__, str(FLAGS))
    digest.update(repr(versions).encode())
    return digest.hexdigest()[:20]


def _sources(module: str) -> set[Path]:
    """The file of a module and those of everything that it imports from this package."""
    found: set[Path] = set()
    waiting = [_file_of(module)]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting.extend(_file_of(each) for each in _IMPORTED.findall(path.read_text("utf-8")))
    return found


def _file_of(module: str) -> Path:
    """Where a module of this package lies; other modules (a test's kernels) are their own file."""
    inside, _, rest = module.partition(".")
    if inside == _PACKAGE and rest:
        path = _ROOT.joinpath(*rest.split("."))
        return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return Path(str(sys.modules[module].__file__))


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
