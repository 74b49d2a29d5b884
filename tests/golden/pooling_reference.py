# SPDX-License-Identifier: MIT
"""TopKPool and SAGPool in plain PyTorch, written from the papers (Cangea et al. 2018, Gao & Ji 2019; Lee et al. 2019,
the hierarchical architecture), on top of the GCN layer of models_reference.py.

    after each layer    s = h p / |p|  or  s = GCN(h), one column;  h = (h * tanh(s))[kept nodes], arcs between them
    readout             sum over the levels of [max | mean] (with readout "sum": [max | sum]; with "max": max alone)

Of every graph the ceil(ratio n) nodes of highest score stay, ties by node number. As in the library, scores are
compared in steps of 2^-12 of the power of two above the graph's largest, so that rounding decides nothing.
"""
import copy
import math
from fractions import Fraction

import torch
from torch import nn

from models_reference import Network, embed


def chosen(graphs, score, ratio):
    """Numbers of the nodes that stay, rising."""
    keep = []
    for g in range(graphs.n_graphs):
        nodes = (graphs.owner == g).nonzero()[:, 0].tolist()
        values = [float(score[v]) for v in nodes]
        largest = max((abs(x) for x in values), default=0)
        step = 2.0 ** (math.frexp(largest)[1] - 12) if largest > 0 else 1.0
        best = sorted(zip(nodes, values), key=lambda pair: (-round(pair[1] / step), pair[0]))
        keep += sorted(node for node, _ in best[:math.ceil(Fraction(ratio) * len(nodes))])
    return torch.tensor(keep, dtype=torch.long)


def induced(graphs, keep):
    """The graphs on the nodes that stay."""
    place = torch.full((graphs.n_nodes,), -1)
    place[keep] = torch.arange(len(keep))
    stays = (place[graphs.source] >= 0) & (place[graphs.target] >= 0)
    level = copy.copy(graphs)
    level.n_nodes, level.owner = len(keep), graphs.owner[keep]
    level.source, level.target = place[graphs.source[stays]], place[graphs.target[stays]]
    level.edge_rows, level.adjacency = graphs.edge_rows[stays], graphs.adjacency[keep][:, keep]
    return level


class Direction(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.direction = nn.Parameter(torch.zeros(1, dim))

    def forward(self, h, graphs):
        return h @ self.direction[0] / self.direction.norm()


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.linear = nn.Linear(dim, 1, bias=False)
        self.bias = nn.Parameter(torch.zeros(1, 1))

    def forward(self, h, graphs):
        a = graphs.adjacency.clone().fill_diagonal_(0) + torch.eye(graphs.n_nodes)
        scale = torch.diag(a.sum(1) ** -0.5)
        return (self.linear(scale @ a @ scale @ h) + self.bias)[:, 0]


class PoolNetwork(Network):
    """The last argument holds the options of these models alone: {"pool-ratio": 0.8}."""

    def __init__(self, model, dim, n_layers, outputs, *others):
        super().__init__("gcn", dim, n_layers, outputs, *others)
        self.dim, self.ratio = dim, str(others[-1]["pool-ratio"])  # the decimal number that is meant
        self.pools = nn.ModuleList({"topkpool": Direction, "sagpool": Attention}[model](dim) for _ in range(n_layers))
        self.head = nn.Linear(dim if self.readout == "max" else 2 * dim, outputs)

    def read(self, h, graphs):
        parts = graphs.nodes_of(h)
        largest = torch.stack([x.max(0).values for x in parts])
        if self.readout == "max":
            return largest
        other = [x.mean(0) if self.readout == "mean" else x.sum(0) for x in parts]
        return torch.cat([largest, torch.stack(other)], 1)

    def forward(self, graphs):
        h, z = torch.zeros(graphs.n_nodes, self.dim), 0
        if len(self.node_embedding):
            h = h + embed(self.node_embedding, graphs.node_rows)
        if self.node_linear is not None:
            h = h + self.node_linear(graphs.node_real)
        v = self.virtual["embedding"].weight.repeat(graphs.n_graphs, 1) if self.virtual_node else None
        for i, (layer, norm, pool) in enumerate(zip(self.layers, self.norms, self.pools)):
            if self.virtual_node:
                h = h + v[graphs.owner]
            out = torch.relu(norm(layer(h, graphs)))
            if self.virtual_node and i + 1 < len(self.layers):
                update = self.virtual[str(i)](v + graphs.sum(h))
                v = v + update if self.residual else update
            h = out + h if self.residual else out
            score = pool(h, graphs)
            keep = chosen(graphs, score, self.ratio)
            h, graphs = h[keep] * torch.tanh(score[keep])[:, None], induced(graphs, keep)
            z = z + self.read(h, graphs)
        return self.head(z)
