# SPDX-License-Identifier: MIT
"""GCN, GIN, SGC, JKNet and PNA in plain PyTorch, written from the papers and from OGB's description of its baselines,
to compare the library with. Nothing here is made for speed: plain aggregations are products with a dense adjacency
matrix.

    Kipf & Welling 2017, eq. 2     H' = D^-1/2 (A + I) D^-1/2 H W + b,    D the degrees of A + I
    Xu et al. 2019, eq. 4.1        h'_v = MLP((1 + eps) h_v + sum over neighbours u of h_u)
    Wu et al. 2019, eq. 8          H' = (D^-1/2 (A + I) D^-1/2)^K H W + b, the only layer; no bond features
    Xu et al. 2018, section 4      GCN layers with ReLU after each, then W [h^1 .. h^L] + b, or their largest;
                                   "last": a plain GCN
    Corso et al. 2020, eq. 8       h'_v = U [h_v, S(d_v) (x) (mean, max, min, std) of M [h_u, h_v, e_uv] + b] + c with
                                   S = 1, log(d+1)/delta, delta/log(d+1); std = sqrt(variance + 1e-5); the blocks of M
                                   and U are modules of their own, and M's block for e_uv is part of its embedding
    OGB, bond features             GCN: message ReLU(W h_u + e_uv) / sqrt(d_u d_v), own part ReLU(W h_v + root) / d_v
                                   GIN: message ReLU(h_u + e_uv)
    OGB, virtual node              one learned row per graph, added to the nodes before each layer and updated between
                                   layers by an MLP of itself plus the sum of the nodes

Module names are chosen so that state_dict() has the names of the library's parameters. Numbers have torch's default
type.
"""
import torch
from torch import nn

from diffpool_reference import SoftPool


class Graphs:
    """Several graphs as one of several components. Every edge counts once, whatever its direction and however often it
    is listed; its features are those of its first listing."""

    def __init__(self, graphs):
        sizes = [g["n_nodes"] for g in graphs]
        self.n_nodes, self.n_graphs = sum(sizes), len(graphs)
        self.owner = torch.tensor([i for i, n in enumerate(sizes) for _ in range(n)])
        first, pairs = 0, {}
        for g, n in zip(graphs, sizes):
            for k, (u, v) in enumerate(g["edges"]):
                pairs.setdefault((first + min(u, v), first + max(u, v)), g["edge_rows"][k] if "edge_rows" in g else [])
            first += n
        arcs = {}
        for (u, v), row in pairs.items():
            arcs[u, v] = arcs[v, u] = row
        self.source, self.target = (torch.tensor([a[i] for a in arcs], dtype=torch.long) for i in (0, 1))
        self.edge_rows = torch.tensor(list(arcs.values()), dtype=torch.long).reshape(len(arcs), -1)
        self.adjacency = torch.zeros(self.n_nodes, self.n_nodes)
        self.adjacency[self.target, self.source] = 1
        self.node_rows = torch.tensor([row for g in graphs for row in g["node_rows"]], dtype=torch.long)
        self.node_real = torch.tensor([row for g in graphs for row in g["node_real"]])

    def nodes_of(self, x):
        return [x[self.owner == i] for i in range(self.n_graphs)]

    def sum(self, x):
        return torch.zeros(self.n_graphs, x.shape[1]).index_add(0, self.owner, x)


def embed(tables, rows):
    return sum(table(rows[:, k]) for k, table in enumerate(tables))


def tables(vocabulary, dim):
    return nn.ModuleList(nn.Embedding(v, dim) for v in vocabulary)


def smoothing(graphs):
    a = graphs.adjacency.clone().fill_diagonal_(0) + torch.eye(graphs.n_nodes)
    scale = torch.diag(a.sum(1) ** -0.5)
    return scale @ a @ scale


class GCNLayer(nn.Module):
    def __init__(self, dim, edge_vocabulary, **_):
        super().__init__()
        self.linear = nn.Linear(dim, dim)
        self.bonds = bool(edge_vocabulary)
        if self.bonds:
            self.edge_embedding = tables(edge_vocabulary, dim)
            self.root = nn.Embedding(1, dim)

    def forward(self, h, graphs):
        if not self.bonds:
            return self.linear(smoothing(graphs) @ h)
        degree = graphs.adjacency.sum(1) + 1
        x = self.linear(h)
        weight = (degree[graphs.source] * degree[graphs.target]) ** -0.5
        message = weight[:, None] * torch.relu(x[graphs.source] + embed(self.edge_embedding, graphs.edge_rows))
        own = torch.relu(x + self.root.weight) / degree[:, None]
        return torch.zeros_like(x).index_add(0, graphs.target, message) + own


class GINLayer(nn.Module):
    def __init__(self, dim, edge_vocabulary, factor, normalise, **_):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1, 1))
        self.bonds = bool(edge_vocabulary)
        if self.bonds:
            self.edge_embedding = tables(edge_vocabulary, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, factor * dim),
                                 norm_of(normalise)(factor * dim),
                                 nn.ReLU(), nn.Linear(factor * dim, dim))

    def forward(self, h, graphs):
        if self.bonds:
            message = torch.relu(h[graphs.source] + embed(self.edge_embedding, graphs.edge_rows))
            neighbours = torch.zeros_like(h).index_add(0, graphs.target, message)
        else:
            neighbours = graphs.adjacency @ h
        return self.mlp((1 + self.eps) * h + neighbours)


class PNALayer(nn.Module):
    def __init__(self, dim, edge_vocabulary, aggregators, scalers, **_):
        super().__init__()
        self.aggregators, self.scalers, self.bonds = aggregators, scalers, bool(edge_vocabulary)
        self.source = nn.Linear(dim, dim, bias=False)
        self.target = nn.Linear(dim, dim) if aggregators != ["std"] else None
        if self.bonds:
            self.edge_embedding = tables(edge_vocabulary, dim)
        self.self = nn.Linear(dim, dim)
        self.neighbours = nn.Linear(len(aggregators) * len(scalers) * dim, dim, bias=False)

    def forward(self, h, graphs):
        message = self.source(h)[graphs.source]
        if self.target is not None:
            message = message + self.target(h)[graphs.target]
        if self.bonds:
            message = message + embed(self.edge_embedding, graphs.edge_rows)
        delta = torch.log(graphs.adjacency.sum(1) + 1).mean()
        return self.self(h) + self.neighbours(torch.stack([self.statistics(message[graphs.target == v], delta)
                                                           for v in range(graphs.n_nodes)]))

    def statistics(self, m, delta):
        degree = len(m)
        if degree == 0:
            return torch.zeros(self.neighbours.in_features)
        log = torch.log(torch.tensor(degree + 1.0))
        scale = {"identity": 1, "amplification": log / delta, "attenuation": delta / log}
        value = {"mean": m.mean(0), "max": m.max(0).values, "min": m.min(0).values,
                 "std": torch.sqrt(((m - m.mean(0)) ** 2).mean(0) + 1e-5)}
        return torch.cat([scale[s] * value[a] for s in self.scalers for a in self.aggregators])


class GATLayer(nn.Module):
    """GATv2 (Brody et al. 2022, eq. 7), node by node; heads are blocks of the columns."""

    def __init__(self, dim, edge_vocabulary, heads, **_):
        super().__init__()
        self.sender, self.receiver = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.attention = nn.Parameter(torch.zeros(1, dim))
        self.cuts = [k * dim // heads for k in range(heads + 1)]
        self.bonds = bool(edge_vocabulary)
        if self.bonds:
            self.edge_embedding = tables(edge_vocabulary, dim)

    def forward(self, h, graphs):
        said, asked = self.sender(h), self.receiver(h)
        source, target, none = graphs.source.tolist(), graphs.target.tolist(), torch.zeros(1, h.shape[1])
        edges = embed(self.edge_embedding, graphs.edge_rows) if self.bonds else none.repeat(len(source), 1)
        rows = []
        for v in range(graphs.n_nodes):
            arcs = [k for k, u in enumerate(source) if target[k] == v and u != v]
            x = said[[v] + [source[k] for k in arcs]]
            z = nn.functional.leaky_relu(x + asked[v] + torch.cat([none, edges[arcs]]), 0.2)
            rows.append(torch.cat([torch.softmax((self.attention[0, i:j] * z[:, i:j]).sum(1), 0) @ x[:, i:j]
                                   for i, j in zip(self.cuts, self.cuts[1:])]))
        return torch.stack(rows)


class Head(nn.Linear):
    """W x + b of the last of some hidden layers, each with ReLU; with none, of Z."""

    def __init__(self, dim, outputs, hidden, n_hidden):
        super().__init__(hidden if n_hidden else dim, outputs)
        self.hidden = nn.ModuleList(nn.Linear(hidden if i else dim, hidden) for i in range(n_hidden))

    def forward(self, x):
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return super().forward(x)


def norm_of(kind):
    """True: batch norm, "layer": layer norm, False: none."""
    return nn.LayerNorm if kind == "layer" else nn.BatchNorm1d if kind else lambda _: nn.Identity()


class Network(nn.Module):
    def __init__(self, model, dim, n_layers, outputs, node_vocabulary, n_node_reals, edge_vocabulary, readout="mean",
                 normalise=True, residual=False, virtual_node=False, factor=2, own=None, head=(0, 0)):
        super().__init__()
        norm = norm_of(normalise)
        self.readout, self.residual, self.virtual_node = readout, residual, virtual_node
        self.node_embedding = tables(node_vocabulary, dim)
        self.node_linear = nn.Linear(n_node_reals, dim, bias=False) if n_node_reals else None
        self.hops, self.jk = n_layers if model == "sgc" else 0, own["jk"] if model == "jknet" else "last"
        if model == "sgc":
            self.linear, n_layers = nn.Linear(dim, dim), 1
        else:
            layer = {"gcn": GCNLayer, "gin": GINLayer, "jknet": GCNLayer, "pna": PNALayer, "gat": GATLayer}[model]
            self.layers = nn.ModuleList(layer(dim, edge_vocabulary, factor=factor, normalise=normalise, **(own or {}))
                                        for _ in range(n_layers))
        if self.jk == "concat":
            self.join = nn.Linear(n_layers * dim, dim)
        self.norms = nn.ModuleList(norm(dim) for _ in range(n_layers))
        if virtual_node:
            self.virtual = nn.ModuleDict({"embedding": nn.Embedding(1, dim)})
            for i in range(n_layers - 1):
                self.virtual[str(i)] = nn.Sequential(nn.Linear(dim, 2 * dim), norm(2 * dim), nn.ReLU(),
                                                     nn.Linear(2 * dim, dim), norm(dim), nn.ReLU())
        self.dim, self.pool = dim, None
        if readout == "diffpool":
            self.pool = SoftPool(dim, own["pool-clusters"], own["pool-loss"])
        self.head = Head(self.pool.width if self.pool else dim, outputs, *head)

    def smooth(self, h, graphs):
        """SGC's only layer."""
        for _ in range(self.hops):
            h = smoothing(graphs) @ h
        return self.linear(h)

    def jump(self, each):
        if self.jk == "concat":
            return self.join(torch.cat(each, 1))
        return each[-1] if self.jk == "last" else torch.stack(each).max(0).values

    def forward(self, graphs):
        h = torch.zeros(graphs.n_nodes, self.dim)
        if len(self.node_embedding):
            h = h + embed(self.node_embedding, graphs.node_rows)
        if self.node_linear is not None:
            h = h + self.node_linear(graphs.node_real)
        v = self.virtual["embedding"].weight.repeat(graphs.n_graphs, 1) if self.virtual_node else None
        layers, each = [self.smooth] if self.hops else self.layers, []
        for i, (layer, norm) in enumerate(zip(layers, self.norms)):
            last = i + 1 == len(layers)
            if self.virtual_node:
                h = h + v[graphs.owner]
            out = norm(layer(h, graphs))
            if not last or self.jk != "last":
                out = torch.relu(out)
            if self.virtual_node and not last:
                update = self.virtual[str(i)](v + graphs.sum(h))
                v = v + update if self.residual else update
            h = out + h if self.residual else out
            each.append(h)
        h = self.jump(each)
        if self.pool:
            return self.head(self.pool(h, graphs))
        of_graph = {"mean": lambda x: x.mean(0), "sum": lambda x: x.sum(0),
                    "scaled": lambda x: x.sum(0) / 100, "max": lambda x: x.max(0).values}[self.readout]
        return self.head(torch.stack([of_graph(x) for x in graphs.nodes_of(h)]))


def losses(task, out, labels, class_weight, mean, sd):
    """One number a graph: over several tasks the mean over those that are labelled."""
    if task == "multiclass":
        y = labels[:, 0].long()
        each = nn.functional.cross_entropy(out, y, reduction="none")
        return each if class_weight is None else each * class_weight[y]
    known = ~torch.isnan(labels)
    y = torch.where(known, labels, torch.zeros_like(labels))
    if task == "binary":
        each = nn.functional.binary_cross_entropy_with_logits(out, y, pos_weight=class_weight, reduction="none")
    else:
        each = nn.functional.mse_loss(out, (y - mean) / sd, reduction="none")
    return (each * known).sum(1) / known.sum(1).clamp(min=1)
