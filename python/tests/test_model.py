# SPDX-License-Identifier: MIT
import pickle
import threading

import numpy
import pytest
from conftest import CELSIUS, SMALL, SMILES, needs_rdkit

import l2r


@pytest.fixture(scope="module")
def committee(boiling):
    split = l2r.Split(boiling, split="random")
    return l2r.train(boiling, "gin", members="gin,forest:trees=10,mlp", split=split, **SMALL).model


def test_predictions_are_probabilities(run, motif):
    p = run.model.predict(motif)
    assert p.shape == (100, 2) and numpy.allclose(p.sum(axis=1), 1, atol=1e-6)
    assert numpy.allclose(run.model.predict(motif, [7, 3]), p[[7, 3]], atol=1e-5)
    ones = motif.labels[:, 0] == 1
    assert numpy.allclose(run.model.predict(motif, ones), p[ones], atol=1e-5)
    assert run.model.decision(motif).argmax(axis=1).tolist() == p.argmax(axis=1).tolist()
    assert run.model.embed(motif).shape == (100, 8)
    assert run.model.task == "multiclass" and run.model.classes == [0, 1]
    distance, share = run.model.applicability(motif)
    assert (distance > 0).all() and (share <= 1).all()


def test_save_load_bytes_pickle(run, motif, tmp_path):
    run.model.save(tmp_path / "model.safetensors")
    expected = run.model.predict(motif)
    for other in (l2r.load(tmp_path / "model.safetensors"), pickle.loads(pickle.dumps(run.model)),
                  l2r.Model.from_bytes(run.model.to_bytes())):
        assert (other.predict(motif) == expected).all()
    assert run.model.options["hidden"].value == 8 and "gin" in repr(run.model)


def test_export_import(run, tmp_path):
    run.model.export(tmp_path / "model.onnx")
    assert b"prediction" in (tmp_path / "model.onnx").read_bytes()
    (tmp_path / "text.pt").write_text("no checkpoint")
    with pytest.raises(l2r.FormatError, match="text.pt"):
        l2r.import_model(tmp_path / "imported", tmp_path / "text.pt")


def test_eight_threads_predict_at_once(run, motif):
    expected, made = run.model.predict(motif), [None] * 8

    def work(k):
        for _ in range(5):
            made[k] = run.model.predict(motif)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((one == expected).all() for one in made)


def test_evaluate(run, motif):
    scores = run.model.evaluate(motif, metrics=["accuracy", "rocauc"])
    assert scores["n"] == 100 and {"accuracy", "rocauc"} <= set(scores)
    with pytest.raises(ValueError, match="rmse"):
        run.model.evaluate(motif, metrics="rmse")


def test_explain(run, motif):
    found = run.model.explain(motif, 4, explainer="occlusion")
    nodes = motif.sizes()[0][4]
    assert len(found.nodes) == len(found.node_effects) == nodes and found.ends.shape == (len(found.edges), 2)
    assert found.graph == 4 and 0 <= found.score("answer") <= 1 and found.score("no such score") is None
    assert "<svg" in found._repr_svg_() and found.to_dict()["graph"] == 4


@needs_rdkit()
def test_molecules_of_any_kind(committee, boiling):
    rows = committee.predict([*SMILES[:2], "no molecule", None])
    assert rows.shape == (4, 1) and numpy.isnan(rows[2:]).all()
    assert numpy.allclose(rows[:2], committee.predict(boiling, [0, 1]), rtol=1e-5)
    assert numpy.isnan(committee.applicability(["no molecule", "C"])[0]).tolist() == [True, False]


@needs_rdkit()
def test_members_and_intervals(committee, boiling):
    assert committee.n_members == 3
    mean = numpy.mean([committee.member(k).predict(boiling) for k in range(3)], axis=0)
    assert numpy.allclose(mean, committee.predict(boiling), atol=1e-3)
    assert (committee.spread(boiling) > 0).all()
    low, high = committee.intervals(boiling, 0.5)
    assert low.shape == high.shape == (len(CELSIUS), 1) and (low <= high).all()
