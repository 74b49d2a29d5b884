# SPDX-License-Identifier: MIT
"""FactorGCN (Yang et al. 2020) in plain PyTorch: another layer in the Network of models_reference.py. With x = W h + b
and d the degrees with self loops, for each factor k

    weight of the arc u -> v    sigmoid(a_k x_u + c_k x_v + bond) / sqrt(d_u d_v), of a node to itself without bond
    output                      block k of the columns: weighted sums of block k of x
    own loss                    cross entropy of a linear classifier that predicts k from the mean over a graph's nodes
                                of ReLU(weighted sums of V x + v), in training mode; the layer keeps it as `loss`
"""
import torch
from torch import nn

from models_reference import Network, embed, tables


class FactorLayer(nn.Module):
    def __init__(self, dim, edge_vocabulary, factors, factor_loss):
        super().__init__()
        self.factors, self.factor_loss = factors, factor_loss
        self.linear, self.gates = nn.Linear(dim, dim), nn.Linear(dim, 2 * factors)
        if edge_vocabulary:
            self.edge_embedding = tables(edge_vocabulary, factors)
        if factor_loss:
            self.encode, self.classify = nn.Linear(dim, dim // factors), nn.Linear(dim // factors, factors)

    def arcs(self, graphs, scores):
        """Source, target and weights [arcs x factors] of all arcs, those of nodes to themselves included once."""
        others = graphs.source != graphs.target
        nodes = torch.arange(graphs.n_nodes)
        source, target = torch.cat([graphs.source[others], nodes]), torch.cat([graphs.target[others], nodes])
        logits = scores[source, :self.factors] + scores[target, self.factors:]
        if hasattr(self, "edge_embedding"):
            bonds = embed(self.edge_embedding, graphs.edge_rows[others])
            logits = logits + torch.cat([bonds, torch.zeros(graphs.n_nodes, self.factors)])
        degree = torch.zeros(graphs.n_nodes).index_add(0, target, torch.ones(len(target)))
        return source, target, torch.sigmoid(logits) * ((degree[source] * degree[target]) ** -0.5)[:, None]

    def forward(self, h, graphs):
        x = self.linear(h)
        source, target, weight = self.arcs(graphs, self.gates(x))

        def neighbours(values, k):
            return torch.zeros_like(values).index_add(0, target, weight[:, k, None] * values[source])

        if self.training and self.factor_loss:
            encoded = self.encode(x)
            seen = [torch.relu(neighbours(encoded, k)) for k in range(self.factors)]
            means = torch.stack([part.mean(0) for one in seen for part in graphs.nodes_of(one)])
            which = torch.arange(self.factors).repeat_interleave(graphs.n_graphs)
            self.loss = self.factor_loss * nn.functional.cross_entropy(self.classify(means), which)
        first = [k * x.shape[1] // self.factors for k in range(self.factors + 1)]
        return torch.cat([neighbours(x[:, first[k]:first[k + 1]], k) for k in range(self.factors)], 1)


class FactorNetwork(Network):
    """The last argument holds the options of this model alone: {"factors": 4, "factor-loss": 0.5}."""

    def __init__(self, model, dim, n_layers, outputs, node_vocabulary, n_node_reals, edge_vocabulary, *others):
        super().__init__("gcn", dim, n_layers, outputs, node_vocabulary, n_node_reals, edge_vocabulary, *others)
        self.layers = nn.ModuleList(FactorLayer(dim, edge_vocabulary, others[-1]["factors"], others[-1]["factor-loss"])
                                    for _ in range(n_layers))
