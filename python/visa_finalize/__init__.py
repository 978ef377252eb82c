"""vISA in, native Intel Gen machine code out, and an emulator to run it on.

What is refused raises :class:`Error`, whose ``faults`` say what was found where, and what is allowed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from . import _native
from ._native import (
    Binary,
    Code,
    Error,
    Fault,
    Info,
    Input,
    Kernel,
    Relocation,
    Report,
    Symbol,
)

__all__ = [
    "Argument",
    "Binary",
    "Code",
    "Error",
    "Fault",
    "Info",
    "Input",
    "Kernel",
    "Local",
    "Relocation",
    "Report",
    "Symbol",
    "assemble",
    "disassemble",
    "finalize",
    "info",
    "platforms",
    "retarget",
    "run",
]

Data = Union[bytes, bytearray, memoryview, str, "os.PathLike[str]"]
"""Bytes of an object, the text of vISA assembly, or the path of a file with either."""

Option = Union[bool, int, str]


@dataclass(frozen=True)
class Local:
    """An argument in shared local memory."""

    bytes: int


def _bytes(data: Data) -> bytes:
    if isinstance(data, os.PathLike):
        with open(data, "rb") as file:
            return file.read()
    return data.encode() if isinstance(data, str) else bytes(data)


def _options(options: dict[str, Option]) -> list[tuple[str, str]]:
    def text(value: Option) -> str:
        return ("false", "true")[value] if isinstance(value, bool) else str(value)

    return [(name.replace("_", "-"), text(value)) for name, value in options.items()]


def platforms() -> list[str]:
    """The names of all platforms."""
    return _native.platforms()


def finalize(
    data: Data, platform: str, *, kernel: str | None = None, threads: int = 1, **options: Option
) -> list[Binary]:
    """Machine code for every kernel of an object or text, or for the one that is named.

    Options are those of the C library with ``_`` for ``-``: ``opt_level`` (0, 1, 2), ``grf`` ("128", "256", "auto"),
    ``strict``, ... Errors name all of them.
    """
    return _native.finalize(_bytes(data), platform, kernel, threads, _options(options))


def retarget(data: Data, platform: str, **options: Option) -> bytes:
    """The object, or compiled program, with code for the platform in it."""
    return _native.retarget(_bytes(data), platform, _options(options))


def info(data: Data, *, platform: str | None = None) -> Info:
    """What an object or text holds: kernels, inputs, code that it carries."""
    return _native.info(_bytes(data), platform)


def disassemble(code: bytes, platform: str, *, json: bool = False) -> str:
    """Machine code in IGA's syntax, or as IGA's JSON."""
    return _native.disassemble(code, platform, json)


def assemble(text: str, platform: str, *, compact: bool = False) -> bytes:
    """The machine code of a listing in IGA's syntax."""
    return _native.assemble(text, platform, compact)


Argument = Union["np.ndarray[Any, Any]", "np.generic", Local, None]


def run(
    data: Data,
    platform: str,
    args: Sequence[Argument] = (),
    *,
    global_size: int | Sequence[int],
    local_size: int | Sequence[int] | None = None,
    kernel: str | None = None,
    interpret: bool = False,
    fast: bool = False,
    max_instructions: int = 1_000_000_000,
    **options: Option,
) -> Report:
    """Finalizes a kernel and runs it on the emulator (or, to ``interpret``, its vISA as it is).

    Arrays are buffers, and hold what the kernel left in them afterwards; NumPy scalars (``np.float32(1.5)``) are
    values, ``Local(bytes)`` is shared local memory, ``None`` a null pointer. ``fast`` leaves out the checks that
    fill ``Report.findings``.
    """
    arguments = list(args)
    after = _native.run(
        _bytes(data),
        platform,
        kernel,
        [_argument(i, a) for i, a in enumerate(arguments)],
        _size(global_size),
        None if local_size is None else _size(local_size),
        interpret,
        fast,
        max_instructions,
        _options(options),
    )
    report, buffers = after
    for array, contents in zip(arguments, buffers):
        if isinstance(array, np.ndarray) and contents is not None and array.flags.writeable:
            array[...] = np.frombuffer(contents, array.dtype).reshape(array.shape)
    return report


def _argument(index: int, argument: Argument) -> tuple[bool, bytes] | int | None:
    if argument is None:
        return None
    if isinstance(argument, Local):
        return argument.bytes
    if isinstance(argument, np.ndarray):
        if argument.dtype.hasobject:
            raise TypeError(f"argument {index}: an array of objects has no bytes")
        return True, argument.tobytes()
    if isinstance(argument, np.generic):
        return False, argument.tobytes()
    raise TypeError(
        f"argument {index}: found {type(argument).__name__}, allowed: an array, a NumPy scalar such as "
        "np.float32(1.5), Local, None"
    )


def _size(size: int | Sequence[int]) -> tuple[int, int, int]:
    sizes = (size,) if isinstance(size, int) else tuple(size)
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"found {len(sizes)} dimensions, allowed: 1 to 3")
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z
