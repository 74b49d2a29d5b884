# SPDX-License-Identifier: MIT
"""Graphs of NetworkX and PyTorch Geometric, in and out.

Integer features of nodes and edges are categories, floating ones are real columns. A graph of NetworkX has its features
in the attribute `x` of nodes and edges, and its labels in `graph.graph["y"]`.
"""
from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Optional

import numpy

from l2r import _convert as convert
from l2r import _native as native
from l2r import errors
from l2r.dataset import Dataset

Array = convert.Array


def dataset_of(graphs: Any, y: Any = None, **options: Any) -> Dataset:
    """A data set of a list of graphs, whichever library they are of."""
    items = list(graphs) if hasattr(graphs, "__iter__") else []
    if not items:
        raise errors.refuse(f"{type(graphs).__name__} is no data: expected a path, SMILES, or a list of graphs")
    if isinstance(items[0], Dataset):
        both = (ctypes.c_void_p * len(items))(*(item._handle.address for item in items))
        return Dataset(native.make("l2r_dataset", "l2r_dataset_concatenate", both, len(items)))
    if hasattr(items[0], "edge_index"):
        return from_pyg(items, y, **options)
    if hasattr(items[0], "number_of_nodes"):
        return from_networkx(items, y, **options)
    raise errors.refuse(f"{type(items[0]).__name__} is no graph: expected SMILES, molecules of RDKit, graphs of "
                               "NetworkX or of PyTorch Geometric")


def _array(value: Any) -> Array:
    made = value.detach().cpu().numpy() if hasattr(value, "detach") else numpy.asarray(value)
    return made.reshape(len(made), -1) if made.ndim != 2 else made


def _stacked(parts: Sequence[Optional[Array]]) -> dict[str, Optional[Array]]:
    """Features of all graphs, as real columns or as categories."""
    if any(part is None for part in parts):
        return {"real": None, "rows": None}
    made = numpy.concatenate([part for part in parts if part is not None])
    if made.shape[1] == 0:
        return {"real": None, "rows": None}
    return {"real": made, "rows": None} if made.dtype.kind == "f" else {"real": None, "rows": made}


def _together(n_nodes: list[int], edges: list[Array], x: Sequence[Optional[Array]], e: Sequence[Optional[Array]],
              options: dict[str, Any]) -> Dataset:
    nodes, attributes = _stacked(x), _stacked(e)
    bare = nodes["real"] is None and nodes["rows"] is None
    return Dataset.from_arrays(n_nodes, numpy.concatenate(edges, axis=1), edge_counts=[part.shape[1] for part in edges],
                               x=nodes["real"], node_rows=nodes["rows"], edge_attr=attributes["real"],
                               edge_rows=attributes["rows"], degree_as_feature=bare, **options)


def from_pyg(graphs: Sequence[Any], y: Any = None, **options: Any) -> Dataset:
    """Of `torch_geometric.data.Data`, or anything with edge_index, x, edge_attr, y."""
    if y is None and all(getattr(g, "y", None) is not None for g in graphs):
        y = numpy.concatenate([_array(g.y).reshape(1, -1) for g in graphs])
    sizes = [int(g.num_nodes) for g in graphs]
    edges = [_array(g.edge_index).astype(numpy.int64).reshape(2, -1) for g in graphs]
    x = [None if getattr(g, "x", None) is None else _array(g.x) for g in graphs]
    e = [None if getattr(g, "edge_attr", None) is None else _array(g.edge_attr) for g in graphs]
    return _together(sizes, edges, x, e, {"y": y, "name": "pyg", **options})


def from_networkx(graphs: Sequence[Any], y: Any = None, **options: Any) -> Dataset:
    """Of NetworkX; nodes may have any names."""
    if y is None and all("y" in g.graph for g in graphs):
        y = [g.graph["y"] for g in graphs]
    edges, x, e = [], [], []
    for g in graphs:
        number = {node: i for i, node in enumerate(g.nodes)}
        pairs = [(number[a], number[b]) for a, b in g.edges]
        edges.append(numpy.array(pairs, dtype=numpy.int64).reshape(-1, 2).T)
        x.append(_attributes([values for _, values in g.nodes(data=True)]))
        e.append(_attributes([values for _, _, values in g.edges(data=True)]))
    if all(part is None or not len(part) for part in e):
        e = [None] * len(e)
    return _together([g.number_of_nodes() for g in graphs], edges, x, e, {"y": y, "name": "networkx", **options})


def _attributes(rows: list[dict[str, Any]]) -> Optional[Array]:
    if not rows:
        return numpy.empty((0, 0))
    if any("x" not in row for row in rows):
        return None
    return _array(numpy.array([row["x"] for row in rows]))


def _pieces(data: Dataset) -> Any:
    """Of every graph: nodes, arcs [2 × arcs], features of nodes and arcs, labels."""
    nodes, _, arcs = data.sizes()
    index, real, rows = data.edge_index(), data.x, data.node_rows()
    edge_rows, edge_real = data.edge_rows()
    v = numpy.concatenate([[0], numpy.cumsum(nodes)])
    a = numpy.concatenate([[0], numpy.cumsum(arcs)])
    x = real if real is not None else rows if rows.shape[1] else None
    e = edge_real if edge_real.shape[1] else edge_rows if edge_rows.shape[1] else None
    for g in range(len(data)):
        yield (int(nodes[g]), index[:, a[g]:a[g + 1]], None if x is None else x[v[g]:v[g + 1]],
               None if e is None else e[a[g]:a[g + 1]], data.labels[g])


def to_pyg(data: Dataset) -> list[Any]:
    """Graphs as `torch_geometric.data.Data`: x, edge_index, edge_attr, y."""
    import torch
    from torch_geometric.data import Data
    whole = data.task == "multiclass"

    def tensor(array: Optional[Array], kind: str = "") -> Any:
        return None if array is None else torch.from_numpy(numpy.array(array, dtype=kind or None))

    return [Data(x=tensor(x, "i8" if x is not None and x.dtype.kind == "i" else ""), edge_index=tensor(index),
                 edge_attr=tensor(e, "i8" if e is not None and e.dtype.kind == "i" else ""), num_nodes=n,
                 y=tensor(y.reshape(1, -1) if not whole else y, "i8" if whole else ""))
            for n, index, x, e, y in _pieces(data)]


def to_networkx(data: Dataset) -> list[Any]:
    """Graphs of NetworkX, with `x` of nodes and edges and `graph["y"]`."""
    import networkx
    made = []
    for n, index, x, e, y in _pieces(data):
        graph = networkx.Graph(y=y.tolist())
        graph.add_nodes_from((i, {} if x is None else {"x": x[i].tolist()}) for i in range(n))
        graph.add_edges_from((int(s), int(t), {} if e is None else {"x": e[k].tolist()})
                             for k, (s, t) in enumerate(index.T))
        made.append(graph)
    return made
