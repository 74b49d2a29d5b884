# SPDX-License-Identifier: MIT
"""What estimators read: SMILES, graphs, or tables of numbers, as rows from which a data set can be made."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy

from l2r import _convert as convert
from l2r import _sklearn as sk
from l2r import errors
from l2r._estimator import Estimator
from l2r.dataset import Dataset

Array = numpy.ndarray[Any, Any]
_TREES = ("forest", "boost")
_MOST_REPEATED = 10  # rows that a row may become on average, where weights are whole numbers
_BATCH = 512  # the default of eval_batch_size


class Molecules(NamedTuple):
    """Rows of SMILES, with the numbers of a frame beside them."""

    smiles: list[Optional[str]]
    columns: Optional[Array]
    names: Optional[list[str]]


def _molecules(X: Any) -> Molecules:
    """A list or column of SMILES or RDKit molecules, or a frame: its first column of text, its columns of numbers."""
    if hasattr(X, "columns") and hasattr(X, "__getitem__"):
        names = [str(name) for name in X.columns]
        columns = {name: numpy.asarray(X[name]) for name in X.columns}
        texts = [name for name in X.columns if columns[name].dtype.kind in "OUST"]
        if not texts:
            raise errors.refuse(f"no column of X has SMILES; it has {', '.join(names)}")
        numbers = [name for name in X.columns if columns[name].dtype.kind in "iufb"]
        values = numpy.stack([columns[name].astype("f4") for name in numbers], axis=1) if numbers else None
        return Molecules(convert.smiles(columns[texts[0]]), values, [str(name) for name in numbers] or None)
    if isinstance(X, numpy.ndarray) and X.ndim == 2 and X.shape[1] == 1:
        X = X[:, 0]
    if isinstance(X, str) or not hasattr(X, "__iter__") or getattr(X, "ndim", 1) != 1:
        raise errors.refuse("X is no list or column of SMILES")
    return Molecules(convert.smiles(X), None, None)


class Smiles(Estimator):
    """X: SMILES or RDKit molecules: a list, array or column, or a frame with a column of them and some of numbers."""

    _x_types = "string"

    names_: Optional[list[str]]  # columns of numbers beside the SMILES

    def _read(self, X: Any, reset: bool) -> Molecules:
        """Columns of numbers are found by the names that they had in `fit`."""
        rows = _molecules(X)
        if reset:
            self.names_ = rows.names
            return rows
        given, wanted = rows.names or [], self.names_ or []
        missing = [name for name in wanted if name not in given]
        if missing:
            raise errors.refuse(f"X has no column of numbers {missing[0]!r}, which it had in fit")
        if not wanted or rows.columns is None:
            return Molecules(rows.smiles, None, None)
        return Molecules(rows.smiles, rows.columns[:, [given.index(name) for name in wanted]], wanted)

    def _dataset(self, rows: Molecules, labels: Any = None, task: Optional[str] = None, **about: Any) -> Dataset:
        return Dataset.from_smiles(rows.smiles, labels, task=task, columns=rows.columns, column_names=rows.names,
                                   **about)

    def _aligned(self, rows: Molecules, make: Any) -> Array:
        """With methane, so that one row at least is a molecule."""
        methane = Molecules(["C"], None if rows.columns is None else rows.columns[-1:], rows.names)
        made: Array = super()._aligned(self._join(rows, methane), make)
        return made[:-1]

    def _length(self, rows: Molecules) -> int:
        return len(rows.smiles)

    def _take(self, rows: Molecules, which: Any) -> Molecules:
        columns = None if rows.columns is None else rows.columns[which]
        return Molecules([rows.smiles[i] for i in which], columns, rows.names)

    def _join(self, rows: Molecules, others: Molecules) -> Molecules:
        bare = rows.columns is None or others.columns is None
        columns = None if bare else numpy.vstack([rows.columns, others.columns])  # type: ignore[list-item]
        return Molecules(rows.smiles + others.smiles, columns, rows.names)


class Graphs(Estimator):
    """X: a `Dataset`, or a list of graphs of NetworkX or PyTorch Geometric."""

    _x_types = "graphs"
    default_model = "gin"

    def _read(self, X: Any, reset: bool) -> Dataset:
        if isinstance(X, Dataset):
            return X
        graphs = list(X)
        return Dataset(graphs) if isinstance(graphs[0], Dataset) else Dataset(graphs, y=[0] * len(graphs))

    def _dataset(self, rows: Dataset, labels: Any = None, task: Optional[str] = None, **about: Any) -> Dataset:
        return rows if labels is None else rows.relabel(labels, task=task, **about)

    def _take(self, rows: Dataset, which: Any) -> Dataset:
        return rows[which]

    def _join(self, rows: Dataset, others: Dataset) -> Dataset:
        unlabelled = [data.relabel(numpy.zeros(len(data)), task="regression") for data in (rows, others)]
        return unlabelled[0] + unlabelled[1]


class Table(Estimator):
    """X: a matrix of numbers; NaN is missing, and counts as the column's median. The order of rows does not
    matter, and whole weights are repetitions."""

    _x_types = "2darray"
    default_model = "forest"
    medians_: Array

    def __init__(self, model: Optional[str] = "forest", method: Optional[str] = None, *, trees: Optional[int] = None,
                 depth: Optional[int] = None, epochs: Optional[int] = None, batch_size: Optional[int] = None,
                 lr: Optional[float] = None, hidden: Optional[int] = None, layers: Optional[int] = None,
                 dropout: Optional[float] = None, valid_fraction: float = 0.0, random_state: Any = None,
                 **options: Any) -> None:
        super().__init__(model, method, epochs=epochs, batch_size=batch_size, lr=lr, hidden=hidden, layers=layers,
                         dropout=dropout, valid_fraction=valid_fraction, random_state=random_state, trees=trees,
                         depth=depth, **options)

    def _read(self, X: Any, reset: bool) -> Array:
        made: Array = sk.table(self, X, reset)
        with numpy.errstate(over="ignore"):
            narrow = made.astype(numpy.float32)
        if numpy.isinf(narrow).any():
            raise errors.refuse("X has numbers too large for float32")
        missing = numpy.isnan(narrow)
        if reset:
            known = numpy.ma.masked_array(narrow, missing)
            medians: Any = numpy.ma.median(known, axis=0)  # type: ignore[no-untyped-call]
            self.medians_ = medians.filled(0).astype(numpy.float32)
        return numpy.where(missing, self.medians_, narrow)

    def _order(self, rows: Array, labels: Array, weights: Optional[Array]) -> Array:
        """By their numbers, and whole weights as so many rows."""
        keys = [*labels.reshape(len(labels), -1).T, *rows.T[::-1]]
        order = numpy.lexsort(keys if weights is None else [weights, *keys])
        if weights is None:
            return order
        times = weights if self._repeats(weights) else weights > 0
        return numpy.repeat(order, times[order].astype(int))

    def _repeats(self, weights: Array) -> bool:
        return bool((weights == numpy.rint(weights)).all() and weights.sum() <= _MOST_REPEATED * len(weights))

    def _dataset(self, rows: Array, labels: Any = None, task: Optional[str] = None, **about: Any) -> Dataset:
        """Each row is the numbers of a graph of one node."""
        n = len(rows)
        data = Dataset.from_arrays(numpy.ones(n), numpy.empty((2, 0)), edge_counts=numpy.zeros(n), y=labels, task=task,
                                   node_rows=numpy.zeros((n, 1)), name="table", **about)
        return data.with_columns(rows)

    def _aligned(self, rows: Array, make: Any) -> Array:
        """Networks see whole batches: the last bits of a product depend on how many rows it has."""
        short = 0 if self.model in _TREES else -len(rows) % _BATCH
        full = numpy.vstack([rows, numpy.repeat(rows[-1:], short, axis=0)])
        made: Array = super()._aligned(full, make)
        return numpy.asarray(made[:len(rows)])

    def _take(self, rows: Array, which: Any) -> Array:
        return numpy.asarray(rows[which])

    def _join(self, rows: Array, others: Array) -> Array:
        return numpy.vstack([rows, others])

    def _varies(self, rows: Array) -> bool:
        return bool((rows != rows[0]).any())

    def _fixed_options(self) -> dict[str, Any]:
        return {"features": "none"}
