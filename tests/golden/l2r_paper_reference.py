#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes l2r_paper.json: the method of the L2R-GNN paper as `--method l2r --form paper` computes it, by PyTorch's
autograd in float64 and torch.optim, step by step from the paper's equations.

    l2r_paper_reference.py > l2r_paper.json

    Eq. 8, 9   θ ← θ - η ∇_θ (1/B) Σ_n w_n ℓ_n                                                       w fixed
    Eq. 2      S_ij = 1/(R-1) Σ_n (w_n u(Ẑ_ni) - 1/R Σ_m w_m u(Ẑ_mi))' (w_n v(Ẑ_nj) - 1/R Σ_m w_m v(Ẑ_mj))
    Eq. 10     w ← argmin Σ_{i<j} I_ij ‖S_ij‖², Ẑ = [queue; Z(θ)], by T steps of Adam on s, w = B softmax(s), from equal
               weights; the loss is divided by its start; I_ij = 1 for variables of different clusters
    queue      Z_q ← α Z_q + (1-α) Z, likewise w; the first batch fills it

The network is that of models/gin-plain.safetensors with its graphs and initial numbers; Z is that of the look-ahead
pass, which normalises by the batch. Random features are drawn as the library draws them (dependence_reference.py).
"""
import json
import pathlib
import sys

import torch

from dependence_reference import FOURIER, Stream, counts, draw_set, features, graphs_of, network_of, read_case, short
from models_reference import losses

HERE = pathlib.Path(__file__).resolve().parent
SEED, STEPS, RATE, INNER_RATE, MOMENTUM, CLUSTERS, ROUNDS = 17, 20, 0.05, 0.02, 0.9, 4, 3
torch.set_default_dtype(torch.float64)


def cross_covariance(w, u, v):
    """Eq. 2, term by term."""
    a, b = w[:, None] * u, w[:, None] * v
    return (a - a.mean(0)).T @ (b - b.mean(0)) / (len(w) - 1)


def dependence(w, u, cluster):
    d = len(u)
    return sum(cross_covariance(w, u[i], u[j]).square().sum()
               for i in range(d) for j in range(i + 1, d) if counts("across", cluster, i, j))


def inner_loop(z, queue, cluster, drawn):
    fixed_z, fixed_w = queue
    u = features(torch.cat([fixed_z, z]), *drawn)

    def value(w):
        return dependence(torch.cat([fixed_w, w]), u, cluster)

    s = torch.zeros(len(z), requires_grad=True)
    adam = torch.optim.Adam([s], lr=INNER_RATE)
    start = value(torch.ones(len(z)))
    for _ in range(STEPS):
        adam.zero_grad()
        (value(len(z) * torch.softmax(s, 0)) / start).backward()
        adam.step()
    w = (len(z) * torch.softmax(s, 0)).detach()
    return w, float(start), float(value(w))


def main():
    tensors, meta = read_case(HERE / "models" / "gin-plain.safetensors")
    graphs, (classes, labels) = graphs_of(tensors), torch.unique(tensors["labels"], return_inverse=True)
    network = network_of(tensors, meta, len(classes))
    seen, rounds = [], []
    network.head.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    n = len(labels)
    torch.manual_seed(SEED)
    w = torch.exp(0.4 * torch.randn(n)).float().double()
    first = w = (w / w.mean()).float().double()
    queue = None
    for step in range(ROUNDS):
        each = losses(meta["task"], network(graphs), labels, None, None, None)
        train = (w * each).mean()
        network.zero_grad()
        train.backward()
        with torch.no_grad():
            for p in network.parameters():
                if p.grad is not None:
                    p -= RATE * p.grad
            network(graphs)
        z = seen[-1]
        d = z.shape[1]
        cluster = [i % CLUSTERS for i in range(d)]
        held = queue or (z[:0], w[:0])
        w, before, after = inner_loop(z, held, cluster, draw_set(Stream(SEED, FOURIER, step), d, 5))
        queue = tuple(MOMENTUM * q + (1 - MOMENTUM) * x for q, x in zip(queue, (z, w))) if queue else (z, w)
        rounds.append({"loss": float(train.detach()), "z": short(z), "before": before, "after": after, "w": short(w)})
    json.dump({"case": "gin-plain", "seed": SEED, "rate": RATE, "clusters": CLUSTERS, "first": short(first),
               "cluster": cluster, "rounds": rounds}, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
