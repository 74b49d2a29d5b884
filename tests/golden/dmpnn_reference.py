# SPDX-License-Identifier: MIT
"""D-MPNN (Yang et al. 2019) in plain PyTorch, arc by arc in a loop, to compare the library with.

    p_vw = x_v + e_vw,   h_vw = relu(p_vw),   then n - 1 times  h_vw = relu(p_vw + W sum of h_uv over u in N(v), u != w)
    h_v  = relu(norm(U x_v + V sum of h_uv over u in N(v) + b))

x_v and e_vw are sums of embeddings: the paper's W_i applied to one-hot features. A self loop is one arc v -> v that
does not hear itself. Module names are those of the library's parameters.
"""
import torch
from torch import nn

from models_reference import Head, embed, norm_of, tables


class DMPNNNetwork(nn.Module):
    def __init__(self, model, dim, n_layers, outputs, node_vocabulary, n_node_reals, edge_vocabulary, readout="mean",
                 normalise=True, residual=False, virtual_node=False, factor=2, own=None, head=(0, 0)):
        super().__init__()
        self.readout, self.residual, self.n_steps, self.dim = readout, residual, n_layers, dim
        self.node_embedding = tables(node_vocabulary, dim)
        self.node_linear = nn.Linear(n_node_reals, dim, bias=False) if n_node_reals else None
        if virtual_node:  # one layer: the learned row is added to all nodes and never updated
            self.virtual = nn.ModuleDict({"embedding": nn.Embedding(1, dim)})
        if edge_vocabulary:
            self.edge_embedding = tables(edge_vocabulary, dim)
        if n_layers > 1:
            self.message = nn.Linear(dim, dim, bias=False)
        self.self = nn.Linear(dim, dim)
        self.neighbours = nn.Linear(dim, dim, bias=False)
        self.norms = nn.ModuleList([norm_of(normalise)(dim)])
        self.head = Head(dim, outputs, *head)

    def encode(self, graphs):
        x = torch.zeros(graphs.n_nodes, self.dim)
        if len(self.node_embedding):
            x = x + embed(self.node_embedding, graphs.node_rows)
        if self.node_linear is not None:
            x = x + self.node_linear(graphs.node_real)
        return x + self.virtual["embedding"].weight if hasattr(self, "virtual") else x

    def forward(self, graphs):
        x, arcs = self.encode(graphs), list(zip(graphs.source.tolist(), graphs.target.tolist()))
        p = x[graphs.source]
        if hasattr(self, "edge_embedding"):
            p = p + embed(self.edge_embedding, graphs.edge_rows)
        h, zero = torch.relu(p), torch.zeros(self.dim)
        for _ in range(self.n_steps - 1):
            heard = [sum((h[k] for k, (u, to) in enumerate(arcs) if to == v and (u, to) != (w, v)), zero)
                     for v, w in arcs]
            h = torch.relu(p + self.message(torch.stack(heard)))
        arriving = torch.zeros(graphs.n_nodes, self.dim).index_add(0, graphs.target, h)
        out = torch.relu(self.norms[0](self.self(x) + self.neighbours(arriving)))
        out = out + x if self.residual else out
        of_graph = {"mean": lambda y: y.mean(0), "sum": lambda y: y.sum(0), "scaled": lambda y: y.sum(0) / 100,
                    "max": lambda y: y.max(0).values}[self.readout]
        return self.head(torch.stack([of_graph(y) for y in graphs.nodes_of(out)]))
