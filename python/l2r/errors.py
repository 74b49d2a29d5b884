# SPDX-License-Identifier: MIT
"""What goes wrong, as exceptions.

Every exception of this package is an `l2r.Error`, and also the built-in exception that says the same, so that
``except FileNotFoundError`` and ``except l2r.Error`` both work. `status` is the library's word: "argument", "io", …

>>> import l2r
>>> try:
...     l2r.options(model="gin", epochs=-1)
... except ValueError as error:
...     print(type(error).__name__, error.status)
ArgumentError argument
"""
from __future__ import annotations

import re
from typing import Optional


class Error(Exception):
    """An error of l2r; its text is one sentence: what, where, what was expected.

    Where they are known: `option`, the keyword that it is about, `path` and `line` of a file, and the `graph`.
    """

    status = "unknown"
    option: Optional[str] = None
    path: Optional[str] = None
    line: Optional[int] = None
    graph: Optional[int] = None


class ArgumentError(Error, ValueError):
    """A value is outside its accepted range."""

    status = "argument"


class SystemCallError(Error, OSError):
    """The operating system refused: a full disk, no permission."""

    status = "io"


class MissingFileError(SystemCallError, FileNotFoundError):
    """There is no such file."""


class FormatError(Error, ValueError):
    """The content of a file is not what its format promises."""

    status = "format"


class OutOfMemoryError(Error, MemoryError):
    """Out of memory."""

    status = "memory"


class DivergedError(Error, ArithmeticError):
    """A loss or tensor stopped being finite."""

    status = "diverged"


class InterruptedRunError(Error):
    """The run was stopped by a callback; a run in a folder has saved where it stands."""

    status = "interrupted"


class NetworkError(Error, ConnectionError):
    """A download failed."""

    status = "network"


class MissingModuleError(Error, ImportError):
    """This build or machine has not what the call needs: RDKit, XGBoost, a module."""

    status = "missing"


class NotTrainedError(Error, AttributeError):
    """The object has not what was asked for, because of how it was made."""

    status = "state"


KINDS = {
    kind.status: kind
    for kind in (ArgumentError, SystemCallError, FormatError, OutOfMemoryError, DivergedError, InterruptedRunError,
                 NetworkError, MissingModuleError)
}
_MISSING_FILE = re.compile(r"no such (file|folder|model)", re.IGNORECASE)
_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)")
_OPTION = re.compile(r"`([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(=[^`]*)?`")


def in_keywords(sentence: str) -> str:
    """A sentence of the library or the program with its options as Python spells them.

    >>> in_keywords("`batch-size` = 0; expected 1 …")
    '`batch_size` = 0; expected 1 …'
    >>> in_keywords("--batch-size: 0 is outside 1..100")
    '`batch_size`: 0 is outside 1..100'
    """
    sentence = _FLAG.sub(lambda found: f"`{found[1]}`", sentence)
    return _OPTION.sub(lambda found: f"`{found[1].replace('-', '_')}{found[2] or ''}`", sentence)


def status_of(sentence: str) -> str:
    """The status of a sentence that came without one, as from the program."""
    return "io" if _MISSING_FILE.search(sentence) else "unknown"


def from_status(status: str, sentence: str, option: str = "", path: str = "", line: int = 0, graph: int = -1) -> Error:
    """The exception for a status, its sentence, and what it is about."""
    kind: type[Error] = KINDS.get(status, Error)
    if kind is SystemCallError and _MISSING_FILE.search(sentence):
        kind = MissingFileError
    made = kind(in_keywords(sentence))
    made.option, made.path, made.line = option.replace("-", "_") or None, path or None, line or None
    made.graph = graph if graph >= 0 else None
    return made


def refuse(sentence: str, kind: Optional[type[Error]] = None) -> Error:
    """An error of this package itself, to be raised."""
    return (kind or ArgumentError)(sentence)
