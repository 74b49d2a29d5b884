# SPDX-License-Identifier: MIT
"""The C interface by ctypes, made from what the library says of itself (`l2r_abi_json`).

Nothing about the interface is typed here: structs, enums and calls are made on first use from the JSON of the library
that runs, so they cannot be out of date.

    call("l2r_dataset_open", out, b"motif", None)     a call; a status other than 0 raises; the error is added
    struct("l2r_run", out=b"runs/a")                  a struct, its size set
    Handle("l2r_dataset", pointer)                    frees itself

ctypes releases the interpreter's lock during a call, and takes it back in callbacks.
"""
from __future__ import annotations

import ctypes
import functools
import json
import os
import pathlib
import re
from typing import Any, Callable, Optional

import numpy

from l2r import errors

_PLAIN: dict[str, Any] = {
    "void": None, "bool": ctypes.c_bool, "char": ctypes.c_char, "int": ctypes.c_int, "float": ctypes.c_float,
    "double": ctypes.c_double, "size_t": ctypes.c_size_t, "int8_t": ctypes.c_int8, "uint8_t": ctypes.c_uint8,
    "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64}


def _library_path() -> str:
    """The library of this package; L2R_LIBRARY names another, such as that of a build folder."""
    named = os.environ.get("L2R_LIBRARY")
    if named:
        return named
    folder = pathlib.Path(__file__).resolve().parent / "lib"
    for path in sorted(folder.glob("libl2r.so*")):
        return str(path)
    raise errors.MissingModuleError(
        f"libl2r.so is not in {folder}; install the package (`pip install .`), or let L2R_LIBRARY name the file")


@functools.cache
def library() -> ctypes.CDLL:
    """The library, loaded once, with its symbols for this package alone."""
    path = _library_path()
    try:
        made = ctypes.CDLL(path, mode=os.RTLD_LOCAL | os.RTLD_NOW)
    except OSError as error:
        raise errors.MissingModuleError(f"{path} cannot be loaded: {error}") from error
    threads = os.environ.get("OMP_NUM_THREADS", "")
    if threads.isdigit() and int(threads) > 0:
        made.l2r_threads_set_default(int(threads))
    return made


@functools.cache
def abi() -> dict[str, Any]:
    """What the library says of its interface."""
    function = library().l2r_abi_json
    function.restype = ctypes.c_char_p
    made: dict[str, Any] = json.loads(function())
    return made


@functools.cache
def constant(name: str) -> int:
    """The value of an enum or constant: constant("L2R_PART_TEST")."""
    for values in (abi()["constants"], *abi()["enums"].values()):
        if name in values:
            return int(values[name])
    raise KeyError(name)


@functools.cache
def _type(kind: str) -> Any:
    """A type as C writes it, as one of ctypes."""
    found = re.fullmatch(r"(?:const )?(.*?)((?: ?\*(?:const)?)*)(?: \[(\d+)\])?", kind)
    assert found
    base, stars, count = found[1], found[2].count("*"), found[3]
    made: Any
    if base in ("void", "char") and stars:
        made, stars = ctypes.c_void_p if base == "void" else ctypes.c_char_p, stars - 1
    elif base.startswith("struct ") and base[7:] in abi()["handles"]:
        made, stars = ctypes.c_void_p, stars - 1
    elif base.startswith("struct "):
        made = struct_type(base[7:])
    else:
        made = _PLAIN.get(base, ctypes.c_int)
    for _ in range(stars):
        made = ctypes.POINTER(made)
    return made * int(count) if count else made


@functools.cache
def callback_type(struct_name: str, field: str) -> Any:
    """The function type of a struct's callback."""
    callback = next(f["callback"] for f in abi()["structs"][struct_name]["fields"] if f["name"] == field)
    return ctypes.CFUNCTYPE(_type(callback["returns"]), *(_type(a["type"]) for a in callback["arguments"]))


@functools.cache
def struct_type(name: str) -> Any:
    """A struct as a class of ctypes."""
    fields = abi()["structs"][name]["fields"]
    made: Any = type(name, (ctypes.Structure,), {})
    made._fields_ = [(f["name"], callback_type(name, f["name"]) if "callback" in f else
                      _type(f["type"])) for f in fields]
    assert ctypes.sizeof(made) == abi()["structs"][name]["size"], name
    return made


def struct(name: str, /, **fields: Any) -> Any:
    """A struct with these fields; NumPy arrays are lent and kept alive by it. None is 0."""
    made = struct_type(name)()
    if hasattr(made, "size"):
        made.size = ctypes.sizeof(made)
    made.kept = fields
    types = dict(made._fields_)
    for key, value in fields.items():
        if isinstance(value, numpy.ndarray):
            value = ctypes.cast(value.ctypes.data, types[key])
        elif isinstance(value, str):
            value = value.encode()
        elif isinstance(value, Handle):
            value = value.pointer
        elif isinstance(value, ctypes.Structure):
            value = ctypes.pointer(value)
        if value is not None:
            setattr(made, key, value)
    return made


def texts(values: Optional[Any]) -> Any:
    """An array of C strings, None where there is none; None is NULL."""
    if values is None:
        return None
    return (ctypes.c_char_p * len(values))(*(None if v is None else str(v).encode() for v in values))


class _Function:
    """A call of the library, its arguments checked by their types, its status by an exception."""

    def __init__(self, name: str) -> None:
        said = abi()["functions"][name]
        self.call = getattr(library(), name)
        self.kinds = [_type(argument["type"]) for argument in said["arguments"]]
        self.call.argtypes = self.kinds
        self.call.restype = _type(said["returns"])
        self.checked = said["returns"] == "enum l2r_status" and bool(said["arguments"]) and (
            said["arguments"][-1]["type"] == "struct l2r_error *")

    def __call__(self, *arguments: Any) -> Any:
        given = [self._argument(a, k) for a, k in zip(arguments, self.kinds)]
        if not self.checked:
            return self.call(*given)
        error = struct_type("l2r_error")()
        status = self.call(*given, ctypes.byref(error))
        if status != 0:
            name = function("l2r_status_name")(status).decode()
            raise errors.from_status(name, error.message.decode("utf-8", "replace"), error.option.decode(),
                                     error.path.decode("utf-8", "replace"), error.line, error.graph)
        return None

    @staticmethod
    def _argument(value: Any, kind: Any) -> Any:
        if isinstance(value, Handle):
            return value.pointer
        if isinstance(value, numpy.ndarray):
            return ctypes.cast(value.ctypes.data, kind)
        if isinstance(value, str):
            return value.encode()
        if isinstance(value, ctypes.Structure):
            return ctypes.byref(value)
        return value


@functools.cache
def function(name: str) -> _Function:
    """A call by its name."""
    return _Function(name)


def call(name: str, *arguments: Any) -> Any:
    """Makes a call. Strings become bytes, arrays pointers; an error is raised."""
    return function(name)(*arguments)


def text(name: str, *arguments: Any) -> str:
    """A call that hands over a text by its first argument."""
    made = ctypes.c_char_p()
    call(name, ctypes.byref(made), *arguments)
    return taken(made)


def taken(made: ctypes.c_char_p) -> str:
    """A text that the library has handed over, which is freed."""
    try:
        return (made.value or b"").decode("utf-8", "replace")
    finally:
        library().l2r_free(made)


def taken_bytes(made: ctypes.c_void_p, n: int) -> bytes:
    """The same for bytes."""
    try:
        return ctypes.string_at(made, n)
    finally:
        library().l2r_free(made)


def data(name: str, *arguments: Any) -> Any:
    """A call that hands over JSON by its first argument, as Python's objects."""
    return json.loads(text(name, *arguments))


def word(name: str, *arguments: Any) -> Optional[str]:
    """A getter that lends a text, or None."""
    made = call(name, *arguments)
    return None if made is None else made.decode("utf-8", "replace")


class Handle:
    """An object of the library, freed with this one."""

    def __init__(self, kind: str, address: Optional[int], owner: Optional[Handle] = None) -> None:
        self.kind = kind
        self.address = address
        self.owner = owner  # lends it, and frees it
        self._free = function(abi()["handles"][kind]).call

    @property
    def pointer(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.address)

    def __del__(self) -> None:
        address, self.address = getattr(self, "address", None), None
        if address and self.owner is None:
            self._free(ctypes.c_void_p(address))


def make(kind: str, name: str, *arguments: Any) -> Handle:
    """A call that puts a new object into its first argument."""
    made = ctypes.c_void_p()
    call(name, ctypes.byref(made), *arguments)
    return Handle(kind, made.value)


class _Lent:
    """What NumPy wraps: numbers of an object, which lives as long as the array."""

    def __init__(self, owner: Any, address: int, shape: tuple[int, ...], kind: str, writable: bool) -> None:
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (address, not writable), "shape": shape,
                                    "typestr": numpy.dtype(kind).str}


def lent(owner: Any, found: Any, shape: tuple[int, ...], kind: str,
         writable: bool = False) -> Optional[numpy.ndarray[Any, Any]]:
    """An array that the library lends, without copying, or None for NULL."""
    address = ctypes.cast(found, ctypes.c_void_p).value
    if not address:
        return None
    return numpy.asarray(_Lent(owner, address, shape, kind, writable))


def guarded(body: Callable[..., Any], caught: list[BaseException], otherwise: Any = None) -> Callable[..., Any]:
    """A callback that no exception leaves; the first is kept in `caught`, to be raised after the call."""

    def call_it(*arguments: Any) -> Any:
        try:
            return body(*arguments)
        except BaseException as error:  # pylint: disable=broad-except
            caught.append(error)
            return otherwise

    return call_it
