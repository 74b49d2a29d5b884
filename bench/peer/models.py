# SPDX-License-Identifier: MIT
"""The networks of the measurement in PyTorch Geometric, layer for layer what l2r trains (see src/models,
src/nn/stack.c).

Without bond features the layers are PyTorch Geometric's own GINConv and GCNConv. With bond features they are
MessagePassing modules of the same equations as OGB's molecule models:

    GIN   h'_v = MLP((1 + eps) h_v + sum over u of ReLU(h_u + e_uv))
    GCN   x = W h + b;  h'_v = ReLU(x_v + root) / d_v + sum over u of ReLU(x_u + e_uv) / sqrt(d_v d_u),  d = degree + 1

After each layer: batch norm, ReLU (not after the last), dropout. Then the mean over the nodes and a linear head.
"""
import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.nn import GCNConv, GINConv, MessagePassing, global_mean_pool
from torch_geometric.utils import degree


class EmbeddingSum(nn.Module):
    """One table per feature column, the rows added."""

    def __init__(self, vocabulary, dim):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(size, dim) for size in vocabulary)
        for table in self.tables:
            nn.init.xavier_uniform_(table.weight)

    def forward(self, rows):
        out = self.tables[0](rows[:, 0])
        for k in range(1, len(self.tables)):
            out = out + self.tables[k](rows[:, k])
        return out


def make_mlp(dim):
    return nn.Sequential(nn.Linear(dim, 2 * dim), nn.BatchNorm1d(2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))


class BondGIN(MessagePassing):
    def __init__(self, dim, bonds):
        super().__init__(aggr="add")
        self.mlp = make_mlp(dim)
        self.eps = nn.Parameter(torch.zeros(1))
        self.bonds = EmbeddingSum(bonds, dim)

    def forward(self, x, edge_index, edge_attr):
        return self.mlp((1 + self.eps) * x + self.propagate(edge_index, x=x, bond=self.bonds(edge_attr)))

    def message(self, x_j, bond):
        return F.relu(x_j + bond)


class BondGCN(MessagePassing):
    def __init__(self, dim, bonds):
        super().__init__(aggr="add")
        self.linear = nn.Linear(dim, dim)
        self.root = nn.Embedding(1, dim)
        self.bonds = EmbeddingSum(bonds, dim)

    def forward(self, x, edge_index, edge_attr):
        x = self.linear(x)
        row, col = edge_index
        size = degree(row, x.size(0), dtype=x.dtype) + 1
        inverse = size.pow(-0.5)
        norm = inverse[row] * inverse[col]
        out = self.propagate(edge_index, x=x, bond=self.bonds(edge_attr), norm=norm)
        return out + F.relu(x + self.root.weight) / size.view(-1, 1)

    def message(self, x_j, bond, norm):
        return norm.view(-1, 1) * F.relu(x_j + bond)


class Network(nn.Module):
    """workload: a row of `l2r-bench workloads`; about: the data.json of `l2r-bench export`."""

    def __init__(self, workload, about):
        super().__init__()
        dim, n_layers = workload["hidden"], workload["layers"]
        self.dropout = workload["dropout"]
        self.with_bonds = workload["edge-features"] and bool(about["edge_columns"])
        self.atoms = EmbeddingSum(about["node_columns"], dim)
        if self.with_bonds:
            kind = {"gin": BondGIN, "gcn": BondGCN}[workload["model"]]
            self.layers = nn.ModuleList(kind(dim, about["edge_columns"]) for _ in range(n_layers))
        elif workload["model"] == "gin":
            self.layers = nn.ModuleList(GINConv(make_mlp(dim), train_eps=True) for _ in range(n_layers))
        else:
            self.layers = nn.ModuleList(GCNConv(dim, dim) for _ in range(n_layers))
        self.norms = nn.ModuleList(nn.BatchNorm1d(dim) for _ in range(n_layers))
        self.head = nn.Linear(dim, about["outputs"])

    def forward(self, batch):
        """edge_index is either two rows of node numbers or, when it has one, the batch's sparse adjacency `adj_t`."""
        h = self.atoms(batch.x)
        edges = batch.adj_t if "adj_t" in batch else batch.edge_index
        for i, (layer, norm) in enumerate(zip(self.layers, self.norms)):
            h = norm(layer(h, edges, batch.edge_attr) if self.with_bonds else layer(h, edges))
            if i + 1 < len(self.layers):
                h = F.relu(h)
            h = F.dropout(h, self.dropout, self.training)
        return self.head(global_mean_pool(h, batch.batch, batch.num_graphs))
