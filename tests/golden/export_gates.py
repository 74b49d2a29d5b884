#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes gates.json: gates on edges and their information term (GSAT) and all gradients, by autograd through the
published definitions, in float64. Run: export_gates.py > gates.json

    arcs     sigmoid of MLP([h_u | h_v]): linear, instance norm over the graph's arcs, ReLU, twice; linear
    edges    mean of both directions
    value    mean over arcs of the divergence from r, plus the mean over edges of weight times gate
"""
import json
import sys

import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(3)
D = 3


def narrow(x):
    """float32 values held in float64, so that both builds of the library start from the same numbers."""
    return x.float().double().requires_grad_()


# Two graphs and a lone node between them: a square with a diagonal, and a path with a branch.
EDGES = [(0, 1), (1, 2), (2, 3), (0, 3), (0, 2), (5, 6), (6, 7), (6, 8)]
NODE_START = [0, 4, 5, 9]
arcs = sorted([(v, u) for u, v in EDGES] + EDGES)  # (receiver, sender), as the library lists them
graph_of = [next(g for g in range(3) if v < NODE_START[g + 1]) for v, _ in arcs]

h = narrow(torch.randn(9, D))
weights = {
    "sender": narrow(torch.randn(4 * D, D)), "receiver": narrow(torch.randn(4 * D, D)),
    "receiver_bias": narrow(torch.randn(4 * D)),
    "second": narrow(0.5 * torch.randn(D, 4 * D)), "second_bias": narrow(torch.randn(D)),
    "last": narrow(torch.randn(1, D)), "last_bias": narrow(torch.randn(1)),
}


def instance_norm(x):
    out = torch.zeros_like(x)
    for g in set(graph_of):
        rows = torch.tensor(graph_of) == g
        y = x[rows]
        out[rows] = (y - y.mean(0)) / (y.var(0, unbiased=False) + 1e-5).sqrt()
    return out


def forward(r, edge_weight):
    receiver, sender = torch.tensor(arcs).T
    w = weights
    first = torch.cat([w["sender"], w["receiver"]], 1)
    x = torch.cat([h[sender], h[receiver]], 1) @ first.T + w["receiver_bias"]
    x = instance_norm(x).relu() @ w["second"].T + w["second_bias"]
    x = instance_norm(x).relu() @ w["last"].T + w["last_bias"]
    att = x[:, 0].sigmoid()
    edges = torch.stack([(att[arcs.index((v, u))] + att[arcs.index((u, v))]) / 2 for u, v in sorted(EDGES)])
    information = (att * torch.log(att / r + 1e-6) + (1 - att) * torch.log((1 - att) / (1 - r + 1e-6) + 1e-6)).mean()
    return att, edges, information, information + (edge_weight * edges).mean()


def case(r):
    edge_weight = narrow(torch.randn(len(EDGES))).detach()
    att, edges, information, value = forward(r, edge_weight)
    names = ["h", *weights]
    gradients = torch.autograd.grad(value, [h, *weights.values()])
    return {"r": r, "edge_weight": edge_weight.tolist(), "arcs": att.tolist(), "edges": edges.tolist(),
            "information": float(information.detach()), "value": float(value.detach()),
            "gradient": {n: g.flatten().tolist() for n, g in zip(names, gradients)}}


json.dump({
    "dim": D, "node_start": NODE_START, "receiver": [v for v, _ in arcs], "sender": [u for _, u in arcs],
    "input": {"h": h.flatten().tolist(), **{n: w.flatten().tolist() for n, w in weights.items()}},
    "cases": [case(0.7), case(0.9), case(0.5)],
}, sys.stdout, indent=None, separators=(",", ":"))
print()
