# SPDX-License-Identifier: MIT
"""Explanations: which nodes and edges of a graph an answer rests on. Notebooks show them as drawings."""
from __future__ import annotations

import ctypes
from typing import Any, Optional

import numpy

from l2r import _convert as convert
from l2r import _native as native
from l2r.dataset import Dataset

Array = convert.Array


class Explanation:
    """What `Model.explain` gives; arrays are lent."""

    def __init__(self, handle: native.Handle, model: native.Handle, data: Dataset) -> None:
        self._handle = handle
        self._model = model
        self._data = data

    def _array(self, what: str, width: int = 0) -> Array:
        n = ctypes.c_int64()
        found = native.call(f"l2r_explanation_{what}", ctypes.byref(n), self._handle)
        kind, shape = ("i4", (n.value, width)) if width else ("f4", (n.value,))
        made = native.lent(self._handle, found, shape, kind)
        return numpy.empty(shape, dtype=kind) if made is None else made

    @property
    def graph(self) -> int:
        """The graph that is explained."""
        return int(native.call("l2r_explanation_graph", self._handle))

    @property
    def nodes(self) -> Array:
        """Importance of every node, 0 … 1."""
        return self._array("nodes")

    @property
    def edges(self) -> Array:
        """Importance of every edge of `ends`, 0 … 1."""
        return self._array("edges")

    @property
    def ends(self) -> Array:
        """[edges × 2]: the undirected edges."""
        return self._array("ends", 2)

    @property
    def columns(self) -> Array:
        """Importance of every feature column, 0 … 1."""
        return self._array("columns")

    @property
    def node_effects(self) -> Array:
        """By how much each node moves the answer, with a sign; empty for masks, which have none."""
        return self._array("node_effects")

    @property
    def edge_effects(self) -> Array:
        """The same for edges."""
        return self._array("edge_effects")

    def score(self, name: str) -> Optional[float]:
        """"p", "fidelity_plus", "value", "baseline", "answer", …; None: not defined."""
        made = float(native.call("l2r_explanation_score", self._handle, name))
        return None if numpy.isnan(made) else made

    def to_dict(self) -> dict[str, Any]:
        """Everything about it, as in the explanations.json of the program."""
        made: dict[str, Any] = native.data("l2r_explanation_json", self._handle, self._model, self._data._handle)
        return made

    @property
    def svg(self) -> str:
        """The drawing."""
        return native.text("l2r_explanation_svg", self._handle, self._model, self._data._handle)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<l2r.Explanation of graph {self.graph}: answer {self.score('answer')}>"
