#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes dependence.json: the weighted dependence between variables by PyTorch's autograd in float64, pair by pair from
its definition, and the second-order term of bi-level training on a small network.

    dependence_reference.py > dependence.json

    u_ia(n) = √2 cos(ω_ia z_ni + φ_ia)  of columns z_i with mean 0 and variance 1;  a constant column is left out
    scaled    F_i = H diag(w) U_i, H = I - 11'/R,   S_ij = F_i' F_j / (R - 1)
    weighted  m_i = U_i' w / R,                     S_ij = (U_i' diag(w) U_j - R m_i m_j') / (R - 1)
    L = ½ Σ over ordered pairs i ≠ j that count of ‖S_ij‖²

The random numbers are drawn as the library says it draws them (Philox4x32-10, Salmon et al. 2011; Box-Muller), written
here once more; inputs are exact in float32. The network is that of models/gin-plain.safetensors with its graphs and
initial numbers.

    second order   v = ∇_θ L at equal weights
                   exact: -η ∇ℓ_n·v / L;  stepped: -η (ℓ_n(θ + εv) - ℓ_n(θ)) / (ε L), ε = 0.01 / ‖v‖
"""
import json
import math
import pathlib
import struct
import sys

import torch

from models_reference import Graphs, Network, losses

FOURIER = 4  # the purpose of the stream of random features
HERE = pathlib.Path(__file__).resolve().parent
torch.set_default_dtype(torch.float64)


class Stream:
    """Philox4x32-10 with the key seed + purpose · 0x9E37…, the place in the upper half of the counter."""

    def __init__(self, seed, purpose, place):
        self.key, self.place = (seed + purpose * 0x9E3779B97F4A7C15) % 2 ** 64, place
        self.blocks, self.words = 0, []

    def block(self):
        c = [self.blocks % 2 ** 32, self.blocks >> 32, self.place % 2 ** 32, self.place >> 32]
        k = [self.key % 2 ** 32, self.key >> 32]
        for _ in range(10):
            a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [(b >> 32) ^ c[1] ^ k[0], b % 2 ** 32, (a >> 32) ^ c[3] ^ k[1], a % 2 ** 32]
            k = [(k[0] + 0x9E3779B9) % 2 ** 32, (k[1] + 0xBB67AE85) % 2 ** 32]
        self.blocks += 1
        return c

    def word(self):
        self.words = self.words or self.block()
        return self.words.pop(0)

    def uniform(self):
        high = self.word()
        return ((high << 32 | self.word()) >> 11) / 2 ** 53

    def normal(self):
        radius = math.sqrt(-2 * math.log(1 - self.uniform()))
        return radius * math.cos(2 * math.pi * self.uniform())


def draw_set(stream, d, n_f):
    """ω, φ [d × n_f]."""
    omega = torch.tensor([stream.normal() for _ in range(d * n_f)])
    phase = torch.tensor([2 * math.pi * stream.uniform() for _ in range(d * n_f)])
    return omega.view(d, n_f), phase.view(d, n_f)


def features(z, omega, phase):
    """U [d × R × n_f]; zeros for a constant column."""
    columns = []
    for i, x in enumerate(z.T):
        constant = float(x.detach().max() - x.detach().min()) == 0
        x = torch.zeros_like(x) if constant else (x - x.mean()) / ((x - x.mean()) ** 2).mean().sqrt()
        u = math.sqrt(2) * torch.cos(x[:, None] * omega[i] + phase[i])
        columns.append(torch.zeros_like(u) if constant else u)
    return torch.stack(columns)


def covariance(w, u, v, scaled):
    rows = len(w)
    if scaled:
        centre = torch.eye(rows) - torch.ones(rows, rows) / rows
        return (centre @ torch.diag(w) @ u).T @ (centre @ torch.diag(w) @ v) / (rows - 1)
    m, k = u.T @ w / rows, v.T @ w / rows
    return (u.T @ torch.diag(w) @ v - rows * torch.outer(m, k)) / (rows - 1)


def counts(pairs, cluster, i, j):
    return i != j and {"all": True, "across": cluster[i] != cluster[j], "within": cluster[i] == cluster[j]}[pairs]


def dependence(w, z, sets, cluster, pairs, scaled):
    first, second = (features(z, *s) for s in (sets[0], sets[-1]))
    d, total = z.shape[1], torch.zeros(())
    for i in range(d):
        for j in range(d):
            if counts(pairs, cluster, i, j):
                total = total + 0.5 * covariance(w, first[i], second[j], scaled).square().sum()
    return total


def narrow(x):
    return x.float().double()


def short(x):
    return [float(f"{value:.12g}") for value in x.detach().reshape(-1).tolist()]


def problem(name, rows, d, n_f, cluster, constant, seed):
    """A representation, weights, and what each kind of dependence makes of them."""
    torch.manual_seed(seed)
    z = narrow(torch.randn(rows, d) * 2 + torch.randn(rows, 1) + torch.arange(d))
    if constant is not None:
        z[:, constant] = 0.75
    w = torch.exp(0.4 * torch.randn(rows))
    w = narrow(w * rows / w.sum())
    drawn = draw_set(Stream(seed, FOURIER, 3), d, n_f)
    case = {"name": name, "rows": rows, "d": d, "features": n_f, "clusters": max(cluster) + 1, "cluster": cluster,
            "seed": seed, "place": 3, "z": short(z), "w": short(w), "omega": short(drawn[0]),
            "phase": short(drawn[1]), "kinds": []}
    for pairs in ("across", "all", "within"):
        for scaled in (False, True):
            a, b = z.clone().requires_grad_(), w.clone().requires_grad_()
            value = dependence(b, a, drawn, cluster, pairs, scaled)
            value.backward()
            case["kinds"].append({"pairs": pairs, "scaled": scaled, "value": float(value), "d_w": short(b.grad),
                                  "d_z": short(a.grad)})
    return case


def read_case(path):
    """Tensors and metadata of a safetensors file."""
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    header, data = json.loads(raw[8:8 + size]), raw[8 + size:]
    meta, tensors = header.pop("__metadata__"), {}
    for name, t in header.items():
        begin, end = t["data_offsets"]
        values = struct.unpack(f"<{(end - begin) // 4}{'f' if t['dtype'] == 'F32' else 'i'}", data[begin:end])
        kind = torch.float64 if t["dtype"] == "F32" else torch.long
        tensors[name] = torch.tensor(values, dtype=kind).view(t["shape"])
    return tensors, {k: json.loads(v) if v[0] in "[{" else v for k, v in meta.items()}


def graphs_of(tensors):
    result, node, edge = [], 0, 0
    for n, m in zip(tensors["graph.nodes"].tolist(), tensors["graph.edges"].tolist()):
        result.append({"n_nodes": n, "edges": tensors["edges"][edge:edge + m].tolist(), "edge_rows": [[]] * m,
                       "node_rows": tensors["node_rows"][node:node + n].tolist(),
                       "node_real": tensors["node_real"][node:node + n].tolist()})
        node, edge = node + n, edge + m
    return Graphs(result)


def network_of(tensors, meta, outputs):
    o = meta["options"]
    network = Network(meta["model"], o["hidden"], o["layers"], outputs, meta["vocabulary"][0], 0, [], o["readout"],
                      o["batch-norm"], o["residual"], o["virtual-node"], o["mlp-factor"])
    for name, p in network.named_parameters():
        at, n, m = meta["places"][name]
        p.data = tensors["initial"][at:at + n * m].view(p.shape).clone()
    return network.train()


def second_order(name, scaled, rate, seed, step):
    tensors, meta = read_case(HERE / "models" / f"{name}.safetensors")
    graphs, (classes, labels) = graphs_of(tensors), torch.unique(tensors["labels"], return_inverse=True)
    network = network_of(tensors, meta, len(classes))
    parameters, z = list(network.parameters()), []
    network.head.register_forward_pre_hook(lambda _, inputs: z.append(inputs[0]))

    def each_loss():
        return losses(meta["task"], network(graphs), labels, None, None, None)

    first = each_loss()
    rows, d = z[0].shape
    drawn = draw_set(Stream(seed, FOURIER, step), d, 5)
    value = dependence(torch.ones(rows), z[0], drawn, list(range(d)), "all", scaled)
    # The head has no part in Z.
    v = torch.autograd.grad(value, parameters, retain_graph=True, allow_unused=True)
    v = [torch.zeros_like(p) if g is None else g for g, p in zip(v, parameters)]
    epsilon = 0.01 / math.sqrt(sum(float(g.square().sum()) for g in v))
    slopes = [torch.autograd.grad(one, parameters, retain_graph=True) for one in first]
    exact = [sum((a * b).sum() for a, b in zip(slope, v)) for slope in slopes]
    with torch.no_grad():
        for p, g in zip(parameters, v):
            p += epsilon * g
        stepped = (each_loss() - first) / epsilon
    return {"case": name, "scaled": scaled, "rate": rate, "seed": seed, "step": step, "z": short(z[0]),
            "value": float(value), "exact": short(-rate * torch.stack(exact) / value),
            "stepped": short(-rate * stepped / value)}


def main():
    golden = {"problems": [problem("five features", 13, 4, 5, [0, 1, 0, 2], None, 11),
                           problem("three features, a constant column", 18, 5, 3, [1, 0, 0, 1, 1], 2, 12),
                           problem("large clusters, an empty one", 11, 9, 5, [0, 0, 2, 0, 2, 0, 0, 2, 0], None, 13)],
              "second_order": [second_order("gin-plain", scaled, 0.05, 21, 7) for scaled in (False, True)]}
    json.dump(golden, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
