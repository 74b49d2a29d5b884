# SPDX-License-Identifier: MIT
"""The peer's side of bench/train.c: the same workload in PyTorch Geometric, one line of JSON out.

    PYTHONPATH=… python3 bench/peer/train.py DATA WORKLOAD [--threads 2] [--graphs N] [--epochs 3] …

torch and torch_geometric are imported from wherever PYTHONPATH says; nothing of them belongs to this project. DATA is a
folder in OGB's csv.gz layout, read completely before the clock starts. What is timed is an epoch: the shuffled DataLoader
puts batches together, forward with dropout, loss, backward, Adam.

Ways to run the same arithmetic faster, for a fair comparison (bench/peer/compare tries them):
    --workers 1      a second process puts the batches together
    --adjacency 1    neighbours as a torch_sparse matrix (fused product) instead of gather and scatter; without bonds only
    --foreach 1      Adam over all tensors at once
    --collated 1     batches are put together once, before the clock: less work than the program compared with does
"""
import argparse
import json
import pathlib
import statistics
import time

import numpy
import pandas
import torch
import torch_geometric
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader

from models import Network

WORKLOADS = pathlib.Path(__file__).resolve().parent.parent / "workloads.json"


def table(folder, name, kind):
    return pandas.read_csv(folder / "raw" / f"{name}.csv.gz", header=None).to_numpy(dtype=kind)


def read_graphs(folder, limit, with_bonds, as_adjacency):
    """The graphs as Data objects; each bond becomes two arcs."""
    n_nodes, n_edges = (table(folder, f"num-{what}-list", numpy.int64)[:, 0] for what in ("node", "edge"))
    edges, bonds = table(folder, "edge", numpy.int64), table(folder, "edge-feat", numpy.int64)
    atoms, labels = table(folder, "node-feat", numpy.int64), table(folder, "graph-label", numpy.float32)
    node, edge, graphs = 0, 0, []
    for i in range(min(limit or len(n_nodes), len(n_nodes))):
        one_way = edges[edge:edge + n_edges[i]].T
        arcs = numpy.concatenate([one_way, one_way[::-1]], axis=1)
        data = Data(x=torch.from_numpy(atoms[node:node + n_nodes[i]]), y=torch.from_numpy(labels[i:i + 1]))
        if as_adjacency:
            from torch_sparse import SparseTensor
            data.adj_t = SparseTensor(row=torch.from_numpy(arcs[1].copy()), col=torch.from_numpy(arcs[0].copy()),
                                      sparse_sizes=(int(n_nodes[i]), int(n_nodes[i])))
        else:
            data.edge_index = torch.from_numpy(arcs)
        if with_bonds:
            data.edge_attr = torch.from_numpy(numpy.tile(bonds[edge:edge + n_edges[i]], (2, 1)))
        graphs.append(data)
        node += n_nodes[i]
        edge += n_edges[i]
    return graphs


def train_epoch(network, optimiser, batches):
    total, count = 0.0, 0
    for batch in batches:
        optimiser.zero_grad()
        output = network(batch)
        known = ~torch.isnan(batch.y)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(output[known], batch.y[known])
        loss.backward()
        optimiser.step()
        total += float(loss) * batch.num_graphs
        count += batch.num_graphs
    return total / count


def collate_once(loader):
    batches = list(loader)
    return lambda: (batches[i] for i in torch.randperm(len(batches)))


def arguments():
    parser = argparse.ArgumentParser(description="Times training in PyTorch Geometric.")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("workload")
    for name, fallback in {"threads": 0, "graphs": 0, "epochs": 5, "warm-up": 1, "batch-size": 0, "workers": 0,
                           "adjacency": 0, "foreach": 0, "collated": 0}.items():
        parser.add_argument(f"--{name}", type=int, default=fallback)
    return parser.parse_args()


def main():
    options = arguments()
    workload = json.loads(WORKLOADS.read_text())[options.workload]
    workload["batch-size"] = options.batch_size or workload["batch-size"]
    if options.threads:
        torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    graphs = read_graphs(options.data, options.graphs, workload["edge-features"], options.adjacency)
    network = Network(workload, graphs[0].y.size(1))
    optimiser = torch.optim.Adam(network.parameters(), lr=0.001, foreach=bool(options.foreach))
    loader = DataLoader(graphs, batch_size=workload["batch-size"], shuffle=True, num_workers=options.workers,
                        persistent_workers=options.workers > 0)
    batches = collate_once(loader) if options.collated else lambda: loader
    network.train()
    for _ in range(options.warm_up):
        train_epoch(network, optimiser, batches())
    seconds, loss, cpu = [], None, time.process_time()
    for _ in range(options.epochs):
        start = time.perf_counter()
        loss = train_epoch(network, optimiser, batches())
        seconds.append(round(time.perf_counter() - start, 6))
    cpu = (time.process_time() - cpu) / options.epochs
    print(json.dumps({
        "program": "torch_geometric", "version": torch_geometric.__version__, "torch": torch.__version__,
        "workload": options.workload, "data": options.data.name, "graphs": len(graphs),
        "threads": torch.get_num_threads(), "batch_size": workload["batch-size"],
        "parameters": sum(p.numel() for p in network.parameters()), "seconds": seconds,
        "cpu_seconds": round(cpu, 6),
        "graphs_per_second": round(len(graphs) / statistics.median(seconds), 3), "loss": round(loss, 6)}))


if __name__ == "__main__":
    main()
