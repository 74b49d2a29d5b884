# SPDX-License-Identifier: MIT
"""Weights for the rows of any matrix, under which its columns depend less on each other.

Z may be an array of NumPy, a tensor of PyTorch, or anything else with DLPack: float32 in memory of the CPU is lent as
it is, other kinds are converted.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy

from l2r import _convert as convert
from l2r import _interrupts as interrupts
from l2r import _native as native
from l2r import errors

Array = convert.Array
_PAIRS = ("all", "across", "within")


class Decorrelation(NamedTuple):
    """What learning has achieved, on rows that no step has used."""

    weights: Any
    dependence_before: float
    dependence_after: float
    dependence_shuffled: float
    ess: float
    clusters: Array


def as_array(given: Any) -> Array:
    """An array, a tensor, or anything else with DLPack, as an array; without a copy if it is in memory of the CPU."""
    if hasattr(given, "detach"):
        given = given.detach()
        given = given.cpu() if hasattr(given, "cpu") else given
    if not isinstance(given, numpy.ndarray) and hasattr(given, "__dlpack__"):
        given = numpy.from_dlpack(given)
    return numpy.asarray(given)


def matrix(z: Any) -> Array:
    """Z as a contiguous float32 matrix, without a copy where it is one."""
    made = numpy.ascontiguousarray(as_array(z), dtype=numpy.float32)
    if made.ndim != 2:
        raise errors.refuse(f"z has {made.ndim} dimensions, expected 2: a row for each graph")
    return made


def _options(options: dict[str, Any], n_columns: int) -> Any:
    known = {field for field, _ in native.struct_type("l2r_reweight_options")._fields_} - {"size", "stop", "context",
                                                                                              "n_queued"}
    unknown = sorted(set(options) - known)
    if unknown:
        raise errors.refuse(f"there is no option `{unknown[0]}`; there are: {', '.join(sorted(known))}")
    fields = dict(options)
    if "pairs" in fields:
        if fields["pairs"] not in _PAIRS:
            raise errors.refuse(f"pairs = {fields['pairs']!r}; expected one of {', '.join(_PAIRS)}")
        fields["pairs"] = _PAIRS.index(fields["pairs"])
    for name, kind in (("clusters", "i4"), ("importance", "f4"), ("start", "f4"), ("queued_w", "f4")):
        if name in fields:
            fields[name] = convert.numbers(fields[name], kind, name)
    if fields.get("clusters") is not None and "n_clusters" not in fields:
        fields["n_clusters"] = int(fields["clusters"].max()) + 1
    if fields.get("queued_z") is not None:
        fields["queued_z"] = matrix(fields["queued_z"])
        fields["n_queued"] = len(fields["queued_z"])
    for name in ("clusters", "importance"):
        if fields.get(name) is not None and len(fields[name]) != n_columns:
            raise errors.refuse(f"{name} has {len(fields[name])} entries, expected {n_columns}")
    return native.struct("l2r_reweight_options", **fields)


def decorrelate(z: Any, labels: Any = None, *, details: bool = False, **options: Any) -> Any:
    """Weights [n], positive and of mean 1, for the rows of z [n × d], as a tensor where z is one.

    labels [n]: rows with equal labels keep the mean weight 1. details: a `Decorrelation` instead. Options: seed, pairs
    ("all", "across", "within"), n_clusters, clusters, n_features, importance, n_rows, n_steps, learning_rate, ess,
    start, queued_z with queued_w, …: those of struct l2r_reweight_options.

    >>> import l2r, numpy
    >>> z = numpy.random.default_rng(0).normal(size=(200, 3)).astype("f4")
    >>> z[:, 1] += z[:, 0]
    >>> w = l2r.decorrelate(z, ess=0.8, seed=1)
    >>> round(float(w.mean()), 3), round(l2r.ess(w), 2)
    (1.0, 0.8)
    """
    rows = matrix(z)
    n, d = rows.shape
    weights, clusters = numpy.empty(n, dtype=numpy.float32), numpy.zeros(d, dtype=numpy.int32)
    groups = None if labels is None else numpy.unique(numpy.asarray(labels), return_inverse=True)[1]
    found = native.struct("l2r_decorrelation", clusters=clusters)
    interrupts.call("l2r_decorrelate", weights, found, rows, convert.numbers(groups, "i8", "labels", n), n, d,
                _options(options, d))
    made: Any = weights
    if type(z).__module__.startswith("torch"):
        import torch
        made = torch.from_dlpack(weights).to(z.device)
    if not details:
        return made
    return Decorrelation(made, found.dependence_before, found.dependence_after, found.dependence_shuffled, found.ess,
                         clusters)


def dependence(z: Any, weights: Any = None, **options: Any) -> float:
    """How much the columns of z depend on each other under these weights."""
    import ctypes
    rows = matrix(z)
    n, d = rows.shape
    value = ctypes.c_double()
    w = convert.numbers(weights, "f4", "weights", n)
    native.call("l2r_dependence", ctypes.byref(value), None, None, rows, w, n, d, _options(options, d))
    return value.value


def ess(weights: Any) -> float:
    """The effective sample size (Σw)² / (n Σw²), 1 for equal weights."""
    made = convert.numbers(weights, "f4", "weights")
    assert made is not None
    return float(native.call("l2r_ess", made, len(made)))
