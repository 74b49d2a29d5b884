#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a step on P ranks should cost: python3 bench/ranks/model.py

    T(P) = max share of the compute + serial work + Σ over the all-reduces of a step (latency and bandwidth)
    all-reduce of n bytes over P ranks:   2 ⌈log2 P⌉ α  +  2 (P − 1)/P · n β          (recursive halving and doubling)

The compute of a step is measured on one rank, the bytes are counted from the shapes as the program counts them.
Imbalance: graphs are dealt out whole, so that the largest share is above the mean by about half a graph. α and β are
those of the network, stated below, not measured here.
"""
import math


def gin_parameters(layers, hidden, embeddings, bonds, outputs):
    """Trainable numbers of GIN with an MLP D → 2D → D, batch norm in and after it, learned eps and bond embeddings."""
    mlp = hidden * 2 * hidden + 2 * hidden + 2 * 2 * hidden + 2 * hidden * hidden + hidden
    return embeddings * hidden + layers * (mlp + 2 * hidden + 1 + bonds * hidden) + hidden * outputs + outputs


def step_calls(layers, hidden, parameters):
    """Bytes of each all-reduce of a step: batch norm forwards and back (Σ and Σ of squares, doubles), gradients in
    buckets as src/fit/ranks.c makes them, the loss and a flag."""
    buckets = min(8, max(1, parameters * 4 >> 18))
    norms = [2 * width * 8 for _ in range(layers) for width in (2 * hidden, hidden)]
    return 2 * norms + [parameters * 4 / buckets] * buckets + [16]


def reduce_seconds(ranks, size, latency, bandwidth):
    if ranks == 1:
        return 0.0
    return 2 * math.ceil(math.log2(ranks)) * latency + 2 * (ranks - 1) / ranks * size / bandwidth


def step_seconds(ranks, batch, compute, serial, calls, latency, bandwidth, nodes_deviation=0.5):
    share = 1 / ranks + (nodes_deviation / batch if ranks > 1 else 0)
    return min(share, 1) * compute + serial + sum(reduce_seconds(ranks, size, latency, bandwidth) for size in calls)


def table(title, batch, compute, serial, calls, latency, bandwidth, graphs, counts):
    print(f"\n{title}\n{sum(calls):.0f} bytes in {len(calls)} calls a step; latency {latency * 1e6:.1f} µs, "
          f"{bandwidth / 1e9:.1f} GB/s; "
          f"{compute * 1e3:.1f} ms of compute and {serial * 1e3:.2f} ms of serial work a step of {batch} graphs")
    print("| ranks | graphs a rank | compute ms | serial ms | communication ms | step ms | speed-up | efficiency | "
          "epoch |")
    print("|---|---|---|---|---|---|---|---|---|")
    one = step_seconds(1, batch, compute, serial, calls, latency, bandwidth)
    for ranks in counts:
        step = step_seconds(ranks, batch, compute, serial, calls, latency, bandwidth)
        talk = sum(reduce_seconds(ranks, size, latency, bandwidth) for size in calls)
        seconds = graphs / batch * step
        print(f"| {ranks} | {batch / ranks:.1f} | {(step - talk - serial) * 1e3:.2f} | {serial * 1e3:.2f} | "
              f"{talk * 1e3:.2f} | {step * 1e3:.2f} | "
              f"{one / step:.{2 if ranks < 10 else 0}f} | {one / step / ranks:.0%} | {seconds / 3600:.2f} h |")


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(description="speed-up of GIN on ranks of one core each")
    parser.add_argument("--compute", type=float, required=True,
                        help="measured seconds a graph on one rank with one thread, GIN 5×300")
    parser.add_argument("--optimiser", type=float, required=True,
                        help="measured seconds of zeroing, clipping and Adam a parameter")
    given = parser.parse_args()
    EMBEDDINGS, BONDS = 174, 13  # rows of OGB's atom and bond vocabularies
    parameters = gin_parameters(5, 300, EMBEDDINGS, BONDS, 1)
    calls = step_calls(5, 300, parameters)
    print(f"GIN 5×300: {parameters} parameters")
    table("Batch of 128 on one machine, to be compared with measure.py", 128, 128 * given.compute,
          parameters * given.optimiser, calls, 2e-6, 3e9,
          4_000_000, (1, 2))
    for batch in (512, 4096, 32768):
        table(f"Batch of {batch}, between machines", batch, batch * given.compute, parameters * given.optimiser, calls,
              2e-6, 12.5e9, 4_000_000,
              (1, 2, 8, 64, 512))
