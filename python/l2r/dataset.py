# SPDX-License-Identifier: MIT
"""Data sets: many graphs, read-only, which any number of threads may use.

    l2r.Dataset("motif:mu=0.9")                   a generator, a folder, an archive, a table of SMILES, an SD file
    l2r.Dataset(["CCO", "CC"], y=[78.4, -88.6])   SMILES, or molecules of RDKit
    l2r.Dataset(graphs)                           graphs of NetworkX or PyTorch Geometric
    l2r.Dataset.from_arrays(…)                    flat arrays

Arrays of a data set are lent: NumPy looks at the library's own memory, which lives as long as the array.
"""
from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any, Optional, Union

import numpy

from l2r import _convert as convert
from l2r import _interrupts as interrupts
from l2r import _native as native
from l2r import errors, settings

Array = convert.Array


class Dataset:
    """Many graphs with what is known about them.

    >>> import l2r
    >>> data = l2r.Dataset(["CCO", "CCC", "no molecule"], y=[78.4, -42.1, 0.0])
    >>> len(data), data.task, data.rejected[0][0]
    (2, 'regression', 2)
    """

    def __init__(self, source: Any, y: Any = None, **options: Any) -> None:
        self._opened: dict[str, Any] = {}  # where from and how, for the options of a run
        if isinstance(source, native.Handle):
            self._handle = source
        elif isinstance(source, (str, os.PathLike)):
            if y is not None:
                raise errors.refuse("y goes with SMILES or graphs; a file has its own labels (target_columns)")
            config = settings.for_data(options) if options else None
            self._handle = interrupts.make("l2r_dataset", "l2r_dataset_open", os.fspath(source), config)
            self._opened = {"data": os.fspath(source), **options}
        elif isinstance(source, Dataset):
            self._handle, self._opened = source._handle, source._opened
        elif convert.is_molecules(source):
            self._handle = Dataset.from_smiles(source, y, **options)._handle
        else:
            from l2r import interchange
            self._handle = interchange.dataset_of(source, y, **options)._handle

    # ---- in ----

    @classmethod
    def from_smiles(cls, smiles: Any, y: Any = None, *, task: Optional[str] = None,
                    names: Optional[Sequence[str]] = None,
                    task_names: Optional[Sequence[str]] = None, weights: Any = None, environments: Any = None,
                    parts: Any = None, columns: Any = None, column_names: Optional[Sequence[str]] = None,
                    bounds: Any = None, name: str = "smiles", **options: Any) -> Dataset:
        """Molecules, a row each. y [rows × tasks]: NaN is missing; columns [rows × columns]: numbers beside the graph.

        bounds: 1 where the value is the label or more, -1 where it is the label or less. Rows that are no molecule
        are left out and listed in `rejected`; options are those of reading, as on_bad_smiles="fail".
        """
        texts = convert.smiles(smiles)
        n = len(texts)
        values, task, n_tasks = convert.labels(y, task, n)
        n_places, places, place_names = convert.environments(environments, n)
        extra = convert.numbers(columns, "f4", "columns", n, columns=_width(columns))
        width = 0 if extra is None else extra.shape[1]
        if width and column_names is None:
            column_names = [f"column {k}" for k in range(width)]
        rows = native.struct(
            "l2r_smiles", name=name, n_rows=n, smiles=native.texts(texts), task=convert.task_number(task),
            n_tasks=n_tasks, labels=values, names=convert.names(names, n, "names"),
            task_names=convert.names(task_names, n_tasks, "task_names"),
            bounds=convert.numbers(bounds, "i1", "bounds", n, columns=n_tasks) if bounds is not None else None,
            weights=convert.numbers(weights, "f4", "weights", n), parts=convert.parts(parts, n),
            n_environments=n_places, environments=places, environment_names=native.texts(place_names),
            n_columns=width, columns=extra, column_names=convert.names(column_names, width, "column_names"))
        config = settings.for_data(options) if options else None
        return cls(interrupts.make("l2r_dataset", "l2r_dataset_from_smiles", rows, config))

    @classmethod
    def from_arrays(cls, node_counts: Any, edge_index: Any, *, edge_counts: Any = None, x: Any = None,
                    edge_attr: Any = None, node_rows: Any = None, edge_rows: Any = None, y: Any = None,
                    task: Optional[str] = None,
                    weights: Any = None, parts: Any = None, environments: Any = None, node_marks: Any = None,
                    bounds: Any = None, task_names: Optional[Sequence[str]] = None, is_global: bool = False,
                    degree_as_feature: bool = False, name: str = "arrays") -> Dataset:
        """Graphs one after the other. edge_index [2 × edges]; x, edge_attr: real columns of nodes and edges;
        node_rows, edge_rows: categorical ones, numbers from 0. is_global: node numbers count through all graphs, and
        edge_counts may be left out.

        >>> import l2r
        >>> data = l2r.Dataset.from_arrays([3, 2], [[0, 1, 0], [1, 2, 1]], edge_counts=[2, 1], y=[1, 0])
        >>> data.n_nodes, data.n_edges
        (5, 3)
        """
        counts = convert.numbers(node_counts, "i8", "node_counts")
        assert counts is not None
        n = len(counts)
        index = numpy.ascontiguousarray(edge_index, dtype=numpy.int64).reshape(2, -1)
        if edge_counts is None:
            if not is_global:
                raise errors.refuse("edge_counts is missing; node numbers within each graph need it")
            graph = numpy.searchsorted(numpy.cumsum(counts), index[0], side="right")
            edge_counts = numpy.bincount(graph, minlength=n)
        edge_numbers = convert.numbers(edge_counts, "i8", "edge_counts", n)
        nodes, edges = int(counts.sum()), index.shape[1]
        if edge_numbers is not None and int(edge_numbers.sum()) != edges:
            raise errors.refuse(f"edge_index has {edges} edges, but edge_counts add up to {edge_numbers.sum()}")
        columns = {key: None if rows is None else convert.numbers(rows, kind, key, length, columns=_width(rows))
                   for key, rows, kind, length in (("x", x, "f4", nodes), ("edge_attr", edge_attr, "f4", edges),
                                                   ("node_rows", node_rows, "i4", nodes),
                                                   ("edge_rows", edge_rows, "i4", edges))}
        widths = {key: 0 if rows is None else rows.shape[1] for key, rows in columns.items()}
        values, task, n_tasks = convert.labels(y, task, n)
        n_places, places, place_names = convert.environments(environments, n)
        arrays = native.struct(
            "l2r_arrays", name=name, task=convert.task_number(task), n_tasks=n_tasks, n_graphs=n, node_counts=counts,
            edge_counts=edge_numbers, edge_index=index, edge_index_is_global=is_global,
            n_node_columns=widths["node_rows"], node_rows=columns["node_rows"],
            n_edge_columns=widths["edge_rows"], edge_rows=columns["edge_rows"],
            n_node_reals=widths["x"], node_real=columns["x"], n_edge_reals=widths["edge_attr"],
            edge_real=columns["edge_attr"], labels=values, weights=convert.numbers(weights, "f4", "weights", n),
            parts=convert.parts(parts, n), n_environments=n_places, environments=places,
            environment_names=native.texts(place_names), degree_as_feature=degree_as_feature,
            node_marks=convert.numbers(node_marks, "u1", "node_marks", nodes),
            bounds=convert.numbers(bounds, "i1", "bounds", n, columns=n_tasks) if bounds is not None else None,
            task_names=convert.names(task_names, n_tasks, "task_names"))
        return cls(native.make("l2r_dataset", "l2r_dataset_from_arrays", arrays))

    @classmethod
    def from_bytes(cls, name: str, content: bytes, **options: Any) -> Dataset:
        """A table or SD file from its bytes; the name says which: "a.csv", "a.sdf.gz"."""
        config = settings.for_data(options) if options else None
        return cls(interrupts.make("l2r_dataset", "l2r_dataset_from_bytes", name, content, len(content), config))

    @classmethod
    def generate(cls, generator: str, **options: Any) -> Dataset:
        """Graphs of a generator, as "motif"; `l2r.registry("generators")` lists them."""
        config = settings.for_generator(generator, options)
        return cls(native.make("l2r_dataset", "l2r_dataset_generate", generator, config))

    # ---- what it holds ----

    def __len__(self) -> int:
        return int(self._get("n_graphs"))

    @property
    def shape(self) -> tuple[int]:
        """(graphs,): what scikit-learn looks at before it takes rows."""
        return (len(self),)

    @property
    def name(self) -> str:
        return native.word("l2r_dataset_name", self._handle) or ""

    @property
    def n_nodes(self) -> int:
        """Nodes of all graphs."""
        return int(self._get("n_nodes"))

    @property
    def n_edges(self) -> int:
        """Edges of all graphs; each counts once."""
        return int(self._get("n_edges"))

    @property
    def task(self) -> str:
        """"multiclass", "binary" or "regression"."""
        return native.word("l2r_task_name", self._get("task")) or ""

    @property
    def n_tasks(self) -> int:
        """Label columns."""
        return int(self._get("n_tasks"))

    @property
    def n_classes(self) -> int:
        """Classes of a multi-class set; 0 otherwise."""
        return int(self._get("n_classes"))

    @property
    def task_names(self) -> list[Optional[str]]:
        return [native.word("l2r_dataset_task_name", self._handle, k) for k in range(self.n_tasks)]

    @property
    def labels(self) -> Array:
        """[graphs × tasks], lent: class numbers, 0 and 1, or values; NaN: missing."""
        found = self._lent("labels", (len(self), self.n_tasks), "f4")
        assert found is not None
        return found

    @property
    def classes(self) -> Array:
        """The source's number of each class."""
        return numpy.array([native.call("l2r_dataset_class", self._handle, k) for k in range(self.n_classes)])

    @property
    def weights(self) -> Optional[Array]:
        """[graphs], lent: what each graph's loss is multiplied by; None: 1 everywhere."""
        return self._lent("weights", (len(self),), "f4")

    @property
    def bounds(self) -> Optional[Array]:
        """[graphs × tasks], lent: 1: the value is the label or more, -1: or less; None: 0 everywhere."""
        return self._lent("bounds", (len(self), self.n_tasks), "i1")

    @property
    def environments(self) -> Optional[Array]:
        """[graphs], lent: the environment of each graph, numbered from 0; None: there are none."""
        return self._lent("environments", (len(self),), "i4")

    @property
    def environment_names(self) -> list[Optional[str]]:
        names = range(self._get("n_environments"))
        return [native.word("l2r_dataset_environment_name", self._handle, k) for k in names]

    @property
    def scaffolds(self) -> Optional[Array]:
        """[graphs], lent: the scaffold of each molecule, numbered by first sight."""
        return self._lent("scaffolds", (len(self),), "i4")

    @property
    def parts(self) -> Optional[Array]:
        """[graphs], lent: the part of each graph in the split that came with the data; None: none did."""
        return self._lent("parts", (len(self),), "u1")

    @property
    def columns(self) -> Optional[Array]:
        """[graphs × columns], lent: numbers about whole graphs; None: there are none."""
        return self._lent("column_values", (len(self), self._get("n_columns")), "f4")

    @property
    def smiles(self) -> list[Optional[str]]:
        """The SMILES of every graph; None: it is no molecule."""
        return [native.word("l2r_dataset_smiles", self._handle, g) for g in range(len(self))]

    @property
    def row_names(self) -> list[Optional[str]]:
        """The name of every molecule in its table."""
        return [native.word("l2r_dataset_row_name", self._handle, g) for g in range(len(self))]

    @property
    def source_rows(self) -> Array:
        """[graphs]: the row that each graph comes from: its index among SMILES, the line of a table; -1: unknown."""
        found = self._lent("source_rows", (len(self),), "i8")
        return numpy.full(len(self), -1) if found is None else found

    def aligned(self, answers: Array, n_rows: int) -> Array:
        """Answers, a row for each graph, as a row for each row of the source, NaN where it became no graph."""
        if len(answers) == n_rows:
            return answers
        full = numpy.full((n_rows, *answers.shape[1:]), numpy.nan, dtype=answers.dtype)
        full[self.source_rows] = answers
        return full

    @property
    def rejected(self) -> list[tuple[int, str]]:
        """Rows that became no graph: their number and why."""
        found, row, reason = [], ctypes.c_int64(), ctypes.create_string_buffer(256)
        for i in range(min(self._get("n_dropped"), 10000)):
            native.call("l2r_dataset_dropped_row", ctypes.byref(row), reason, len(reason), self._handle, i)
            found.append((row.value, reason.value.decode("utf-8", "replace")))
        return found

    @property
    def notes(self) -> list[str]:
        """What the reader understood, and what it left out."""
        return (native.word("l2r_dataset_notes", self._handle) or "").splitlines()

    @property
    def node_start(self) -> Array:
        """[graphs + 1], lent: graph g has the nodes node_start[g] .. node_start[g+1]-1."""
        found = self._lent("node_start", (len(self) + 1,), "i8")
        assert found is not None
        return found

    @property
    def x(self) -> Optional[Array]:
        """[nodes × columns], lent: real columns of the nodes of all graphs."""
        return self._lent("node_real", (self.n_nodes, self._get("n_node_reals")), "f4")

    def node_rows(self) -> Array:
        """[nodes × columns]: categorical columns of the nodes, copied."""
        made = numpy.empty((self.n_nodes, self._get("n_node_columns")), dtype=numpy.int32)
        native.call("l2r_dataset_node_rows", made, self._handle)
        return made

    def edge_index(self, is_global: bool = False) -> Array:
        """[2 × arcs], copied: every edge in both directions; node numbers within the graph, or through all."""
        made = numpy.empty((2, self._get("n_arcs")), dtype=numpy.int64)
        native.call("l2r_dataset_edge_index", made, self._handle, is_global)
        return made

    def edge_rows(self) -> tuple[Array, Array]:
        """[arcs × columns] twice, copied: categorical and real columns of the arcs."""
        arcs = self._get("n_arcs")
        rows = numpy.empty((arcs, self._get("n_edge_columns")), dtype=numpy.int32)
        reals = numpy.empty((arcs, self._get("n_edge_reals")), dtype=numpy.float32)
        native.call("l2r_dataset_edge_rows", rows if rows.size else None, reals if reals.size else None, self._handle)
        return rows, reals

    def sizes(self) -> tuple[Array, Array, Array]:
        """[graphs] three times: nodes, edges and arcs of every graph."""
        made = tuple(numpy.empty(len(self), dtype=numpy.int64) for _ in range(3))
        native.call("l2r_dataset_sizes", *made, self._handle)
        return made  # type: ignore[return-value]

    def summary(self) -> dict[str, Any]:
        """Counts, sizes, label rates, and whether the data is sound."""
        made: dict[str, Any] = native.data("l2r_dataset_summary_json", self._handle)
        return made

    # ---- others made of it ----

    def __getitem__(self, which: Union[int, slice, Sequence[int], Array]) -> Dataset:
        """The graphs of a number, slice, list or mask, in this order, copied."""
        found = numpy.arange(len(self))[which]
        chosen = numpy.ascontiguousarray(numpy.atleast_1d(found), dtype=numpy.int64)
        return Dataset(native.make("l2r_dataset", "l2r_dataset_subset", self._handle, chosen, len(chosen)))

    def __iter__(self) -> Iterator[Dataset]:
        return (self[g] for g in range(len(self)))

    def __add__(self, other: Dataset) -> Dataset:
        return Dataset([self, other])

    def relabel(self, y: Any = None, *, task: Optional[str] = None, weights: Any = None, parts: Any = None,
                environments: Any = None, bounds: Any = None, task_names: Optional[Sequence[str]] = None,
                name: Optional[str] = None) -> Dataset:
        """The same graphs, shared, with other labels, weights, parts or environments."""
        n = len(self)
        values, kind, n_tasks = convert.labels(y, task or (None if y is not None else self.task), n)
        n_places, places, place_names = convert.environments(environments, n)
        about = native.struct(
            "l2r_relabelling", name=name, labels=values, task=convert.task_number(kind), n_tasks=n_tasks,
            weights=convert.numbers(weights, "f4", "weights", n), parts=convert.parts(parts, n),
            n_environments=n_places, environments=places, environment_names=native.texts(place_names),
            bounds=convert.numbers(bounds, "i1", "bounds", n, columns=n_tasks) if bounds is not None else None,
            task_names=convert.names(task_names, n_tasks, "task_names"))
        return Dataset(native.make("l2r_dataset", "l2r_dataset_relabel", self._handle, about))

    def with_columns(self, values: Any, names: Optional[Sequence[str]] = None) -> Dataset:
        """The same graphs, shared, with numbers about each as a whole: values [graphs × columns], NaN: missing."""
        rows = convert.numbers(values, "f4", "values", len(self), columns=_width(values))
        assert rows is not None
        if names is None:
            names = [f"column {k}" for k in range(rows.shape[1])]
        texts = convert.names(names, rows.shape[1], "names")
        return Dataset(native.make("l2r_dataset", "l2r_dataset_with_columns", self._handle, rows, texts, rows.shape[1]))

    # ---- out ----

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes a file that `Dataset` maps into memory."""
        native.call("l2r_dataset_save", self._handle, os.fspath(path))

    def export(self, folder: Union[str, os.PathLike[str]]) -> None:
        """Writes a folder in the TU layout."""
        native.call("l2r_dataset_export", self._handle, os.fspath(folder))

    def svg(self, graph: int = 0) -> str:
        """A drawing of a graph, of a molecule its structural formula."""
        return native.text("l2r_dataset_svg", self._handle, graph)

    def to_pyg(self) -> list[Any]:
        """Graphs of PyTorch Geometric (`torch_geometric.data.Data`)."""
        from l2r import interchange
        return interchange.to_pyg(self)

    def to_networkx(self) -> list[Any]:
        """Graphs of NetworkX."""
        from l2r import interchange
        return interchange.to_networkx(self)

    def __repr__(self) -> str:
        return (f"<l2r.Dataset {self.name!r}: {len(self)} graphs, {self.n_nodes} nodes, {self.n_edges} edges, "
                f"{self.task}, {self.n_tasks} {'task' if self.n_tasks == 1 else 'tasks'}>")

    def _repr_html_(self) -> str:
        drawings = "".join(f"<td>{self.svg(g)}</td>" for g in range(min(len(self), 4)))
        return f"<p>{repr(self)[1:-1]}</p><table><tr>{drawings}</tr></table>"

    def __reduce__(self) -> tuple[Any, ...]:
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "data.l2r")
            self.save(path)
            with open(path, "rb") as file:
                return _from_saved, (file.read(),)

    def _get(self, what: str) -> Any:
        return native.call(f"l2r_dataset_{what}", self._handle)

    def _lent(self, what: str, shape: tuple[int, ...], kind: str) -> Optional[Array]:
        return native.lent(self._handle, self._get(what), shape, kind)


def _from_saved(content: bytes) -> Dataset:
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.l2r")
        with open(path, "wb") as file:
            file.write(content)
        return Dataset(path, cache=False)


def _width(rows: Any) -> int:
    shape = numpy.shape(rows)
    return int(shape[1]) if len(shape) > 1 else 1


def as_json(value: Any) -> str:
    """A value as JSON, NumPy's numbers among them."""
    return json.dumps(value, default=lambda number: number.item())
