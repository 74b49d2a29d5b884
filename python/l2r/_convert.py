# SPDX-License-Identifier: MIT
"""What users hold, as arrays that the library reads: labels, SMILES, columns of frames."""
from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Optional

import numpy

from l2r import _native as native
from l2r import errors

Array = numpy.ndarray[Any, Any]
TASKS = ("multiclass", "binary", "regression")
PARTS = ("train", "valid", "test", "id-valid", "id-test", "none")


def numbers(values: Any, kind: str, name: str, length: Optional[int] = None, columns: int = 0) -> Optional[Array]:
    """A contiguous array of a kind, checked for its length; columns 0: one dimension. None stays None."""
    if values is None:
        return None
    made: Array = numpy.ascontiguousarray(values, dtype=kind)
    made = made.reshape(len(made), -1) if columns else made.reshape(-1)
    if length is not None and len(made) != length:
        raise errors.refuse(f"{name} has {len(made)} rows, expected {length}")
    if columns and made.shape[1] != columns:
        raise errors.refuse(f"{name} has {made.shape[1]} columns, expected {columns}")
    return made


def labels(y: Any, task: Optional[str], n: int) -> tuple[Optional[Array], str, int]:
    """Labels as float32 [n × tasks], NaN: missing, and their task, found out where it is not given.

    >>> labels([0, 1, 1], None, 3)[1:]
    ('binary', 1)
    >>> labels([0.5, 1.5], None, 2)[1:]
    ('regression', 1)
    >>> labels([0, 1, 2], None, 3)[1:]
    ('multiclass', 1)
    >>> labels([65, 78, 97], None, 3)[1:]
    ('regression', 1)
    """
    if task is not None and task not in TASKS:
        raise errors.refuse(f"task = {task!r}; expected one of {', '.join(TASKS)}")
    if y is None:
        return None, task or "regression", 1
    made = numpy.ascontiguousarray(y, dtype=numpy.float32)
    made = made.reshape(len(made), -1)
    if len(made) != n:
        raise errors.refuse(f"y has {len(made)} rows, expected {n}")
    if task is None:
        known = made[~numpy.isnan(made)]
        known = known if len(known) else numpy.array([0.5])
        whole = bool(numpy.all(known == numpy.rint(known)))
        if whole and bool(numpy.all((known == 0) | (known == 1))):
            task = "binary"
        elif whole and made.shape[1] == 1 and numpy.array_equal(numpy.unique(known), numpy.arange(known.max() + 1)):
            task = "multiclass"  # 0 … classes-1, each of which occurs
        else:
            task = "regression"
    return made, task, made.shape[1]


def task_number(task: str) -> int:
    """A task's number in the interface."""
    return native.constant(f"L2R_TASK_{task.upper()}")


def parts(given: Any, n: int) -> Optional[Array]:
    """Parts by name or number, a number for each graph."""
    if given is None:
        return None
    made = numpy.empty(len(given), dtype=numpy.uint8)
    for i, part in enumerate(given):
        made[i] = part_number(part)
    return numbers(made, "u1", "parts", n)


def part_number(part: Any) -> int:
    """A part's number: "test" or 2."""
    if isinstance(part, str):
        word = part.replace("_", "-")
        if word not in PARTS:
            raise errors.refuse(f"part = {part!r}; expected one of {', '.join(PARTS)}")
        return PARTS.index(word)
    return len(PARTS) - 1 if part is None else int(part)


def environments(given: Any, n: int) -> tuple[int, Optional[Array], Optional[list[str]]]:
    """How many, numbers [n], and names, from words or numbers of any kind."""
    if given is None:
        return 0, None, None
    names, found = numpy.unique(numpy.asarray(given).astype(str), return_inverse=True)
    made = numbers(found, "i4", "environments", n)
    return len(names), made, [str(name) for name in names]


def smiles(given: Iterable[Any]) -> list[Optional[str]]:
    """SMILES as text or None; molecules of RDKit are written as SMILES."""
    return [_one_smiles(value) for value in given]


def _one_smiles(value: Any) -> Optional[str]:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, (str, numpy.str_)):
        return str(value)
    if type(value).__module__.startswith("rdkit.") and hasattr(value, "GetNumAtoms"):
        from rdkit import Chem
        return str(Chem.MolToSmiles(value))
    if type(value).__module__ == "pandas._libs.missing":
        return None
    raise errors.refuse(f"{value!r} is neither a SMILES nor a molecule of RDKit")


def is_molecules(source: Any) -> bool:
    """Is this a list or column of SMILES or molecules?"""
    if isinstance(source, (str, bytes)) or not hasattr(source, "__iter__"):
        return False
    first = next((v for v in source if v is not None), None)
    return isinstance(first, str) or (first is not None and hasattr(first, "GetNumAtoms"))


def names(given: Optional[Sequence[Any]], n: int, name: str) -> Any:
    """Texts for the interface, checked for their length."""
    if given is not None and len(given) != n:
        raise errors.refuse(f"{name} has {len(given)} entries, expected {n}")
    return native.texts(given)
