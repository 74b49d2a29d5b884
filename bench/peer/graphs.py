# SPDX-License-Identifier: MIT
"""The graphs that `l2r-bench export` has written, as PyTorch Geometric's Data objects.

The tables are parsed once; what they hold is kept beside them as a few large tensors (graphs.pt), the way PyTorch
Geometric's own data sets keep theirs, and each graph's tensors are parts of those. So a measurement that starts again
reads one binary file, and its memory is not that of a parser of text.
"""
import json
import pathlib

import numpy
import pandas
import torch
from torch_geometric.data import Data


def table(path, kind=numpy.int64):
    return torch.from_numpy(pandas.read_csv(path, header=None, skipinitialspace=True).to_numpy(dtype=kind))


def categories(values, names):
    """Category numbers of the source's integers; names: a sorted list per column, or None when they are numbers."""
    if names is None:
        return values
    columns = [torch.searchsorted(torch.tensor(column), values[:, k].contiguous()) for k, column in enumerate(names)]
    return torch.stack(columns, dim=1)


def parse(folder, about):
    prefix = str(next(folder.glob("*_A.txt")))[:-len("_A.txt")]
    arcs, graph_of = table(f"{prefix}_A.txt") - 1, table(f"{prefix}_graph_indicator.txt")[:, 0] - 1
    nodes = torch.bincount(graph_of, minlength=about["graphs"])
    first = torch.cumsum(nodes, 0) - nodes
    label = f"{prefix}_graph_labels.txt"
    label = label if pathlib.Path(label).exists() else f"{prefix}_graph_attributes.txt"
    big = {"nodes": nodes, "arcs": torch.bincount(graph_of[arcs[:, 0]], minlength=about["graphs"]),
           "edge_index": (arcs - first[graph_of[arcs[:, 0]]][:, None]).t().contiguous(),
           "x": categories(table(f"{prefix}_node_labels.txt"), about["node_values"]), "y": table(label, numpy.float32)}
    if about["edge_columns"]:
        big["edge_attr"] = categories(table(f"{prefix}_edge_labels.txt"), about["edge_values"])
    if about["task"] == "multiclass":
        big["y"] = torch.unique(big["y"], return_inverse=True)[1]
    return big


def adjacency(arcs, n):
    from torch_sparse import SparseTensor
    return SparseTensor(row=arcs[1].clone(), col=arcs[0].clone(), sparse_sizes=(n, n))


def prepare(folder):
    """Parses the tables if that was not done yet: in a process of its own, whose memory nobody measures."""
    folder = pathlib.Path(folder)
    if not (folder / "graphs.pt").exists():
        torch.save(parse(folder, json.loads((folder / "data.json").read_text())), folder / "graphs.pt")


def read(folder, with_edges=True, as_adjacency=False):
    """(what data.json says, list of Data)"""
    folder = pathlib.Path(folder)
    prepare(folder)
    about, big = json.loads((folder / "data.json").read_text()), torch.load(folder / "graphs.pt")
    nodes, arcs, graphs = big["nodes"].tolist(), big["arcs"].tolist(), []
    node = arc = 0
    for i, (n, m) in enumerate(zip(nodes, arcs)):
        data = Data(x=big["x"][node:node + n], y=big["y"][i:i + 1])
        edges = big["edge_index"][:, arc:arc + m]
        if as_adjacency:
            data.adj_t = adjacency(edges, n)
        else:
            data.edge_index = edges
        if with_edges and "edge_attr" in big:
            data.edge_attr = big["edge_attr"][arc:arc + m]
        graphs.append(data)
        node, arc = node + n, arc + m
    return about, graphs


if __name__ == "__main__":
    import sys
    prepare(sys.argv[1])
