# SPDX-License-Identifier: MIT
"""The peer's side of `l2r-bench train` and `l2r-bench infer`: the same workload in PyTorch Geometric, one line of JSON
out.

    PYTHONPATH=… python3 bench/peer/measure.py train DATA WORKLOAD [--threads 2] [--epochs 3] …

torch and torch_geometric are imported from wherever PYTHONPATH says; nothing of them belongs to this project. DATA is a
folder from `l2r-bench export`, read completely before the clock starts; WORKLOAD is a row of `l2r-bench workloads`.
What is timed is
    train   an epoch: the shuffled DataLoader puts batches together, forward with dropout, loss, backward, Adam
    infer   a pass: batches, forward in eval mode without gradients, outputs kept

Ways to run the same arithmetic faster, for a fair comparison (bench/peer/compare tries them):
    --workers 1      a second process puts the batches together
    --adjacency 1    neighbours as a torch_sparse matrix (fused product) instead of gather and scatter; no bonds
    --foreach 1      Adam over all tensors at once
    --collated 1     batches are put together once, before the clock: less work than the program compared with does
"""
import argparse
import json
import statistics
import time

import torch
import torch_geometric
from torch_geometric.loader import DataLoader

import graphs as graph_files
from models import Network


def memory(what):
    """VmHWM (largest) or VmRSS (now) of this process, in bytes."""
    with open("/proc/self/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith(what))


def loss_of(output, batch):
    if batch.y.dtype == torch.int64:
        return torch.nn.functional.cross_entropy(output, batch.y.view(-1))
    known = ~torch.isnan(batch.y)
    return torch.nn.functional.binary_cross_entropy_with_logits(output[known], batch.y[known])


def train_epoch(network, optimiser, batches):
    total, count = 0.0, 0
    for batch in batches:
        optimiser.zero_grad()
        loss = loss_of(network(batch), batch)
        loss.backward()
        optimiser.step()
        total += float(loss) * batch.num_graphs
        count += batch.num_graphs
    return total / count


@torch.inference_mode()
def infer_pass(network, batches):
    return torch.cat([network(batch) for batch in batches])


def collate_once(loader):
    batches = list(loader)
    return lambda: (batches[i] for i in torch.randperm(len(batches)))


def arguments():
    parser = argparse.ArgumentParser(description="Times a network in PyTorch Geometric.")
    parser.add_argument("mode", choices=["train", "infer"])
    parser.add_argument("data")
    parser.add_argument("workload", type=json.loads)
    parser.add_argument("--dropout", type=float, help="instead of the workload's")
    for name, fallback in {"threads": 0, "epochs": 5, "warm-up": 1, "batch-size": 0, "workers": 0, "adjacency": 0,
                           "foreach": 0, "collated": 0}.items():
        parser.add_argument(f"--{name}", type=int, default=fallback)
    return parser.parse_args()


def workload_of(options):
    workload = dict(options.workload)
    workload["batch"] = options.batch_size or workload["batch-size" if options.mode == "train" else "eval-batch-size"]
    if options.dropout is not None:
        workload["dropout"] = options.dropout
    return workload


def prepare(options, workload):
    """A function that makes one pass and returns its loss (None without), the graphs and the number of parameters."""
    training = options.mode == "train"
    about, graphs = graph_files.read(options.data, workload["edge-features"], bool(options.adjacency))
    network = Network(workload, about)
    loader = DataLoader(graphs, batch_size=workload["batch"], shuffle=training, num_workers=options.workers,
                        persistent_workers=options.workers > 0)
    batches = collate_once(loader) if options.collated else lambda: loader
    network.train(training)
    optimiser = torch.optim.Adam(network.parameters(), lr=workload["lr"], foreach=bool(options.foreach))

    def one_pass():
        if training:
            return train_epoch(network, optimiser, batches())
        infer_pass(network, batches())
        return None

    return one_pass, graphs, sum(p.numel() for p in network.parameters())


def main():
    options = arguments()
    workload = workload_of(options)
    imported = memory("VmRSS")
    if options.threads:
        torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    one_pass, graphs, parameters = prepare(options, workload)
    for _ in range(options.warm_up):
        one_pass()
    seconds, loss, cpu = [], None, time.process_time()
    for _ in range(options.epochs):
        start = time.perf_counter()
        loss = one_pass()
        seconds.append(round(time.perf_counter() - start, 6))
    cpu = (time.process_time() - cpu) / options.epochs
    print(json.dumps({
        "program": "torch_geometric", "version": torch_geometric.__version__, "torch": torch.__version__,
        "extensions": {"scatter": torch_geometric.typing.WITH_TORCH_SCATTER,
                       "sparse": torch_geometric.typing.WITH_TORCH_SPARSE},
        "workload": workload["name"], "graphs": len(graphs), "threads": torch.get_num_threads(),
        "batch_size": workload["batch"], "dropout": workload["dropout"], "parameters": parameters, "seconds": seconds,
        "cpu_seconds": round(cpu, 6), "graphs_per_second": round(len(graphs) / statistics.median(seconds), 3),
        "loss": loss, "memory_after_import": imported, "peak_memory": memory("VmHWM")}))


if __name__ == "__main__":
    main()
