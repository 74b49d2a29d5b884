# SPDX-License-Identifier: MIT
import gc
import pickle

import numpy
import pytest
from conftest import CELSIUS, SMILES, needs_rdkit

import l2r


def test_a_generator(motif):
    assert len(motif) == 100 and motif.task == "multiclass" and motif.n_classes == 2
    assert motif.labels.shape == (100, 1) and set(motif.classes) == {0, 1}
    assert (numpy.bincount(motif.parts) == [60, 20, 20]).all()
    assert motif.summary()["sound"] is True
    assert "100 graphs" in repr(motif) and "<svg" in motif._repr_html_()


def test_arrays_are_lent_and_read_only(motif):
    labels = motif[:50].labels
    gc.collect()
    assert (labels == motif.labels[:50]).all()  # the data set lives as long as its array
    assert motif.labels.ctypes.data == motif.labels.ctypes.data
    with pytest.raises(ValueError):
        labels[0] = 2


def test_arrays_in_and_out(cycles):
    sizes, index, y = cycles
    x = numpy.arange(2 * sum(sizes), dtype="f4").reshape(-1, 2)
    data = l2r.Dataset.from_arrays(sizes, index, edge_counts=sizes, x=x, y=y, parts=["train", "test"] * 20,
                                   environments=["a", "b"] * 20, weights=numpy.arange(40))
    assert data.task == "binary" and (data.x == x).all() and (data.labels[:, 0] == y).all()
    assert data.environment_names == ["a", "b"] and data.weights[7] == 7
    nodes, edges, arcs = data.sizes()
    assert nodes.tolist() == sizes == edges.tolist() and arcs.sum() == 2 * sum(sizes)
    again = l2r.Dataset.from_arrays(nodes, data.edge_index(True), x=data.x, y=data.labels, is_global=True)
    assert (again.edge_index() == data.edge_index()).all() and again.n_edges == data.n_edges


@pytest.mark.parametrize("change, words", [
    ({"x": [[1.0]]}, "x has 1 rows"), ({"y": [1]}, "y has 1 rows"), ({"edge_counts": [1] * 40}, "add up to 40"),
    ({"edge_counts": None}, "edge_counts is missing"), ({"task": "ranking"}, "task = 'ranking'"),
    ({"parts": ["exam"] * 40}, "part = 'exam'"), ({"weights": [-1.0] * 40}, "weight")])
def test_wrong_arrays_get_a_sentence(cycles, change, words):
    sizes, index, y = cycles
    with pytest.raises(l2r.ArgumentError, match=words):
        l2r.Dataset.from_arrays(sizes, index, **{"edge_counts": sizes, "y": y, **change})


def test_subsets_sums_and_relabelling(motif):
    half = motif[10:20]
    assert len(half) == 10 and (half.labels == motif.labels[10:20]).all()
    assert len(motif[numpy.array([3, 1])]) == 2 and len(motif[5]) == 1 and len(motif[motif.labels[:, 0] == 1]) == 50
    assert len(half + motif[:5]) == 15
    other = motif.relabel(numpy.linspace(0, 1, 100), weights=numpy.ones(100))
    assert other.task == "regression" and other.n_edges == motif.n_edges
    with_dose = motif.with_columns(numpy.arange(100.0), ["dose"])
    assert with_dose.columns[42, 0] == 42
    assert sum(len(one) for one in half) == 10


def test_save_export_pickle(motif, tmp_path):
    motif.save(tmp_path / "motif.l2r")
    motif.export(tmp_path / "tu")
    for other in (l2r.Dataset(tmp_path / "motif.l2r"), l2r.Dataset(tmp_path / "tu", cache=False),
                  pickle.loads(pickle.dumps(motif))):
        assert len(other) == 100 and (other.edge_index() == motif.edge_index()).all()


@needs_rdkit()
def test_smiles_from_lists_tables_and_bytes(boiling, tmp_path):
    assert boiling.smiles[1] == "CCO" and boiling.task == "regression" and boiling.labels[0] == 65
    data = l2r.Dataset.from_smiles(["CCO", None, "C1CC", "CC"], [1, 2, 3, 4], names=["a", "b", "c", "d"])
    assert data.source_rows.tolist() == [0, 3] and data.row_names == ["a", "d"]
    assert [row for row, _ in data.rejected] == [1, 2] and "SMILES" in data.rejected[1][1]
    with pytest.raises(l2r.FormatError, match="smiles:0: not a valid SMILES"):
        l2r.Dataset(["C1CC"], on_bad_smiles="fail")
    table = "smiles,celsius\n" + "".join(f"{s},{c}\n" for s, c in zip(SMILES, CELSIUS))
    (tmp_path / "boiling.csv").write_text(table)
    for other in (l2r.Dataset(tmp_path / "boiling.csv", cache=False), l2r.Dataset.from_bytes("b.csv", table.encode())):
        assert len(other) == 24 and other.task_names == ["celsius"]
    assert other.notes and "<svg" in other.svg(3)


@needs_rdkit()
def test_missing_labels_of_several_tasks():
    data = l2r.Dataset(["C", "CC", "CCC"], y=[[0, 1], [numpy.nan, 0], [1, numpy.nan]])
    assert data.task == "binary" and data.n_tasks == 2 and numpy.isnan(data.labels).sum() == 2


def test_what_is_no_data():
    with pytest.raises(ValueError, match="no data"):
        l2r.Dataset(3)
    with pytest.raises(ValueError, match="no graph"):
        l2r.Dataset([3])
    with pytest.raises(ValueError, match="y goes with"):
        l2r.Dataset("motif", y=[1])
