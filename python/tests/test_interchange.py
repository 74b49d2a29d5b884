# SPDX-License-Identifier: MIT
import types

import numpy
import pytest

import l2r


def ring(n, kind):
    """What looks like a graph of PyTorch Geometric: node features of a kind, both directions of every edge."""
    a, b = numpy.arange(n), (numpy.arange(n) + 1) % n
    index = numpy.array([numpy.concatenate([a, b]), numpy.concatenate([b, a])])
    return types.SimpleNamespace(edge_index=index, num_nodes=n, x=numpy.arange(2 * n).reshape(n, 2).astype(kind),
                                 edge_attr=(index.sum(axis=0) % 3).astype(kind), y=numpy.array([n % 2]))


@pytest.mark.parametrize("kind", ["f4", "i8"])
def test_from_pyg(kind):
    data = l2r.Dataset([ring(5, kind), ring(6, kind)])
    assert len(data) == 2 and data.n_nodes == 11 and data.n_edges == 11 and data.labels[:, 0].tolist() == [1, 0]
    features = data.x if kind == "f4" else data.node_rows()
    assert features[5:].tolist() == numpy.arange(12).reshape(6, 2).tolist()
    rows, reals = data.edge_rows()
    edge_features, index = (reals if kind == "f4" else rows), data.edge_index()
    assert (edge_features[:, 0] == index.sum(axis=0) % 3).all()


def test_to_pyg_and_back(motif):
    pytest.importorskip("torch_geometric")
    graphs = motif.to_pyg()
    again = l2r.Dataset(graphs)
    assert again.n_edges == motif.n_edges and (again.labels == motif.labels).all()
    assert graphs[0].num_nodes == motif.sizes()[0][0]


def test_networkx_both_ways(motif):
    networkx = pytest.importorskip("networkx")
    graphs = motif[:10].to_networkx()
    again = l2r.Dataset(graphs)
    assert again.n_edges == motif[:10].n_edges and again.n_nodes == motif[:10].n_nodes
    named = networkx.Graph([("a", "b"), ("b", "c")])
    data = l2r.Dataset([named, networkx.path_graph(4)], y=[0, 1])
    assert data.sizes()[0].tolist() == [3, 4] and data.n_edges == 5
    for node in named:
        named.nodes[node]["x"] = [0.5, 1.5]
    assert l2r.Dataset([named], y=[0.5]).x.tolist() == [[0.5, 1.5]] * 3


def test_data_sets_in_a_list(motif):
    assert len(l2r.Dataset([motif[:3], motif[5:9]])) == 7


def test_torch_shares_parameters(motif):
    torch = pytest.importorskip("torch")
    training = l2r.Training(motif, "gin", hidden=8, layers=2, dropout=0, batch_size=60)
    tensors = {name: torch.from_numpy(value) for name, (value, _) in training.parameters().items()}
    training.step()
    assert all((tensors[name].numpy() == value).all() for name, (value, _) in training.parameters().items())
    before = training.model().decision(motif)
    torch.nn.init.zeros_(next(tensor for name, tensor in tensors.items() if tensor.abs().sum() > 0))
    assert (training.model().decision(motif) != before).any()
