# SPDX-License-Identifier: MIT
"""DiffPool (Ying et al. 2018, sections 3.1 and 3.3) as a readout, with dense matrices:

    assignment     S = softmax of a GCN layer's rows, over the clusters (eq. 6)
    pooling        X' = S^T H of each graph (eq. 3), its rows one behind the other
    own loss       mean over graphs of |A - S S^T|^2 / n^2 and of the mean entropy of a row of S, times a weight
"""
import torch
from torch import nn


class SoftPool(nn.Module):
    def __init__(self, dim, clusters, weight):
        super().__init__()
        self.assign = nn.Linear(dim, clusters)
        self.width, self.weight = clusters * dim, weight

    def forward(self, h, graphs):
        a = graphs.adjacency.clone().fill_diagonal_(0) + torch.eye(graphs.n_nodes)
        scale = torch.diag(a.sum(1) ** -0.5)
        shares = torch.softmax(self.assign(scale @ a @ scale @ h), 1)
        rows, each = [], []
        for i in range(graphs.n_graphs):
            mine = graphs.owner == i
            s, adjacency = shares[mine], graphs.adjacency[mine][:, mine]
            rows.append((s.T @ h[mine]).reshape(-1))
            each.append(((adjacency - s @ s.T) ** 2).mean() + torch.distributions.Categorical(s).entropy().mean())
        self.loss = self.weight * torch.stack(each).mean()
        return torch.stack(rows)
