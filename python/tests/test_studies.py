# SPDX-License-Identifier: MIT
"""Searches and tables, which the program makes."""
import os
import signal
import threading

import pytest

import l2r

SPACE = {"lr": (0.001, 0.01), "hidden": [4, 8]}
QUICK = {"epochs": 2, "layers": 2, "batch_size": 16}


def test_a_search(motif, tmp_path):
    study = l2r.tune(motif, "gin", ["erm", "l2r"], space=SPACE, trials=3, seeds=[0, 1], out=tmp_path / "study", **QUICK)
    assert len(study.trials) == 6 and study.metric == "accuracy" and set(study.winners) == {"erm", "l2r"}
    assert study.best["method"] in study.winners and study.best["hidden"] in (4, 8)
    valid = [trial["valid"] for trial in study.trials]
    assert study.trials[0]["options"]["lr"] <= 0.01 and max(valid) in (valid[0], valid[3])
    run = study.train(out=tmp_path / "winner")
    assert run.options["lr"].value == pytest.approx(study.best["lr"]) and run.options["epochs"].value == 2
    assert run.score("valid") is not None and "6 trials" in repr(study)


def test_a_search_goes_on_in_its_folder(motif, tmp_path, capfd):
    first = l2r.tune(motif, "gcn", space=SPACE, trials=2, out=tmp_path, progress=False, **QUICK)
    assert capfd.readouterr().err == ""
    again = l2r.tune(motif, "gcn", space=SPACE, trials=3, out=tmp_path, progress=True, **QUICK)
    assert "2 of them done before" in capfd.readouterr().err
    assert [t for t in again.trials if t["trial"] < 2] == sorted(first.trials, key=again.trials.index)
    pandas = pytest.importorskip("pandas")
    assert isinstance(again.to_frame(), pandas.DataFrame) and {"lr", "valid"} <= set(again.to_frame())


def test_errors_of_the_program_are_exceptions_in_keywords(motif, tmp_path):
    with pytest.raises(l2r.ArgumentError, match="`batch_size`: 0 is outside") as caught:
        l2r.tune(motif, "gin", space=SPACE, batch_size=0)
    assert "--" not in str(caught.value)
    with pytest.raises(l2r.Error, match="colour"):
        l2r.tune(motif, "gin", space={"colour": [1, 2]})
    with pytest.raises(ValueError, match="3 ends"):
        l2r.tune(motif, "gin", space={"lr": (1, 2, 3)})
    with pytest.raises(l2r.Error, match="table-of-nothing"):
        l2r.reproduce("table-of-nothing", out=tmp_path)
    with pytest.raises(FileNotFoundError):
        l2r.tune(tmp_path / "nowhere.csv")


def test_ctrl_c_ends_a_search(motif, tmp_path):
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        l2r.tune(motif, "gin", space=SPACE, trials=1000, epochs=1000, out=tmp_path)
    timer.join()


def test_the_program_may_be_missing(motif, monkeypatch):
    monkeypatch.setenv("L2R_PROGRAM", "/nowhere/l2r")
    with pytest.raises(l2r.MissingModuleError, match="/nowhere/l2r"):
        l2r.tune(motif)


def test_tables_are_made_again(tmp_path):
    assert {"table1", "shift"} <= set(l2r.reproduce())
    made = l2r.reproduce("motif-1000", quick=True, out=tmp_path, only="GCN", seeds=[0], epochs=1)
    assert "|" in made.tables["motif-1000"] and made.results[0]["config"]["epochs"] == 1
    assert made._repr_markdown_() and "motif-1000" in repr(made)
    n = len(made.results)
    again = l2r.reproduce("motif-1000", quick=True, out=tmp_path, only="GCN", seeds=[0], epochs=1)
    assert len(again.results) == n
