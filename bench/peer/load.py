# SPDX-License-Identifier: MIT
"""Reads a data set in OGB's csv.gz layout the way the OGB package does, for a comparison with `l2r-bench load`; one
line of JSON out.

    PYTHONPATH=… python3 bench/peer/load.py FOLDER

The procedure: pandas.read_csv of each table, then a loop over the graphs that cuts their rows out of the arrays, writes
every bond in both directions and makes one dictionary a graph (first time), then one Data object of tensors a graph
with its labels (second time). Each table is read whole, as there.
"""
import json
import pathlib
import sys
import time

import numpy
import pandas
import torch
from torch_geometric.data import Data

from measure import memory


def table(folder, name):
    return pandas.read_csv(folder / "raw" / f"{name}.csv.gz", compression="gzip", header=None).values


def read_dictionaries(folder):
    edges = table(folder, "edge").T.astype(numpy.int64)
    n_nodes = table(folder, "num-node-list")[:, 0].astype(numpy.int64).tolist()
    n_edges = table(folder, "num-edge-list")[:, 0].astype(numpy.int64).tolist()
    atoms, bonds = table(folder, "node-feat"), table(folder, "edge-feat")
    graphs, node, edge = [], 0, 0
    for n, m in zip(n_nodes, n_edges):
        both = numpy.repeat(edges[:, edge:edge + m], 2, axis=1)  # each bond twice, the second time turned round
        both[0, 1::2] = edges[1, edge:edge + m]
        both[1, 1::2] = edges[0, edge:edge + m]
        graphs.append({"edge_index": both, "edge_feat": numpy.repeat(bonds[edge:edge + m], 2, axis=0),
                       "node_feat": atoms[node:node + n], "num_nodes": n})
        node, edge = node + n, edge + m
    return graphs


def to_data(graph, label):
    return Data(edge_index=torch.from_numpy(graph["edge_index"]), edge_attr=torch.from_numpy(graph["edge_feat"]),
                x=torch.from_numpy(graph["node_feat"]), y=label, num_nodes=graph["num_nodes"])


def main():
    folder, imported = pathlib.Path(sys.argv[1]), memory("VmRSS")
    start = time.perf_counter()
    dictionaries = read_dictionaries(folder)
    raw = time.perf_counter() - start
    labels = torch.from_numpy(table(folder, "graph-label").astype(numpy.float32))
    graphs = [to_data(graph, labels[i:i + 1]) for i, graph in enumerate(dictionaries)]
    total = time.perf_counter() - start
    print(json.dumps({"program": "pandas", "pandas": pandas.__version__, "torch": torch.__version__,
                      "graphs": len(graphs),
                      "nodes": sum(graph.num_nodes for graph in graphs),
                      "arcs": sum(graph.num_edges for graph in graphs),
                      "dictionary_seconds": raw, "seconds": total, "memory_after_import": imported,
                      "peak_memory": memory("VmHWM")}))


if __name__ == "__main__":
    main()
