# SPDX-License-Identifier: MIT
import os
import signal

import numpy
import pytest
from conftest import SMALL

import l2r


def test_a_run_says_how_it_went(run, motif):
    assert len(run.history["loss"]) == 3 and (run.history["loss"] > 0).all() and "valid/accuracy" in run.history
    assert run.options["hidden"].value == 8 and len(run.split.test) == 20 and run.evaluation("valid")["n"] == 20
    assert run.metric == "accuracy" and 1 <= run.best_epoch <= 3 and run.seconds > 0
    assert run.score("test") == run.model.evaluate(motif[80:])["accuracy"]
    assert run.score("id-test") is None
    assert run.result["metric"] == "accuracy" and "accuracy" in repr(run) and "<table>" in run._repr_html_()


def test_a_folder_is_what_the_program_reads(motif, tmp_path):
    folder = tmp_path / "run"
    run = l2r.train(motif, "gcn", out=folder, **SMALL)
    assert (folder / "result.json").exists()
    loaded = l2r.load(folder)
    assert (loaded.predict(motif) == run.model.predict(motif)).all()
    assert len(loaded.split(motif).test) == 20 and loaded.trained_on(motif)
    assert loaded.evaluate(motif, "test")["n"] == 20
    with pytest.raises(l2r.Error, match="run"):
        l2r.train(motif, "gcn", out=folder, **SMALL)


def test_a_split_of_ones_own(motif):
    split = l2r.Split.from_indices(motif, range(40), range(40, 70), range(70, 100))
    run = l2r.train(motif, "gin", split=split, **SMALL)
    assert run.score("test") == pytest.approx(run.model.evaluate(motif, "test", split=split)["accuracy"])
    with pytest.raises(ValueError, match="split is for 100 graphs"):
        l2r.train(motif[:50], "gin", split=split)


def test_weights_are_learned(motif):
    run = l2r.train(motif, "gin", "l2r", **SMALL)
    assert run.weights.shape == (100,) and run.weights[:60].std() > 0 and (run.weights[60:] == 1).all()
    assert 0 < run.ess <= 1 and run.conclusion
    with pytest.raises(AttributeError, match="weighs all graphs equally"):
        _ = l2r.train(motif, "gin", **SMALL).weights


def test_callbacks_see_epochs_and_batches(motif):
    seen = []
    l2r.train(motif, "gin", on_epoch=lambda at: seen.append(("epoch", at.epoch, at.valid)),
              on_batch=lambda at: seen.append(("batch", at.batch, at.valid)), **SMALL)
    assert [one[1] for one in seen if one[0] == "epoch"] == [1, 2, 3]
    assert len([one for one in seen if one[0] == "batch"]) >= 3 * 7
    assert all((one[2] is None) == (one[0] == "batch") for one in seen)


def test_an_exception_in_a_callback_stops_the_run(motif):
    def fail(at):
        raise RuntimeError(f"enough after {at.epoch}")

    with pytest.raises(RuntimeError, match="enough after 1"):
        l2r.train(motif, "gin", on_epoch=fail, **SMALL)
    with pytest.raises(l2r.InterruptedRunError):
        l2r.train(motif, "gin", on_epoch=lambda at: False, **SMALL)


def test_ctrl_c_stops_saves_and_raises(motif, tmp_path):
    before = signal.getsignal(signal.SIGINT)
    folder = tmp_path / "run"

    def interrupt(at):
        if at.epoch == 2:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        l2r.train(motif, "gin", out=folder, on_epoch=interrupt, **{**SMALL, "epochs": 500})
    assert signal.getsignal(signal.SIGINT) is before
    assert not (folder / "result.json").exists()
    assert (folder / "config.json").exists()


def test_resuming_gives_the_bits_of_a_run_in_one_go(motif, tmp_path):
    whole = l2r.train(motif, "gin", **{**SMALL, "epochs": 6})
    with pytest.raises(l2r.InterruptedRunError):
        l2r.train(motif, "gin", out=tmp_path / "run", on_epoch=lambda at: at.epoch < 3, **{**SMALL, "epochs": 6})
    resumed = l2r.train(motif, "gin", out=tmp_path / "run", resume=True, **{**SMALL, "epochs": 6})
    assert (resumed.model.predict(motif) == whole.model.predict(motif)).all()


def test_labels_may_be_missing(cycles):
    sizes, index, y = cycles
    y = numpy.array([y, numpy.logical_not(y)], dtype="f4").T
    y[::3, 0] = numpy.nan
    data = l2r.Dataset.from_arrays(sizes, index, edge_counts=sizes, y=y, degree_as_feature=True)
    run = l2r.train(data, "gin", split=l2r.Split(data, split="random"), **SMALL)
    assert run.model.predict(data).shape == (40, 2)


def test_members_have_curves_of_their_own(motif):
    run = l2r.train(motif, "gin", members="gin,gcn", **SMALL)
    assert any(name.startswith("2-gcn/") for name in run.history)
    pandas = pytest.importorskip("pandas")
    assert isinstance(run.to_frame(), pandas.DataFrame) and len(run.to_frame()) == 3
