# SPDX-License-Identifier: MIT
"""The report, the server, and charts."""
import json
import urllib.request

import numpy
import pytest
from conftest import SMALL, SMILES, needs_rdkit

import l2r
from l2r import chart


def test_the_report_of_runs(motif, tmp_path):
    run = l2r.train(motif, "gin", "l2r", out=tmp_path / "a", **SMALL)
    other = l2r.train("motif:train=60,valid=20,test=20", "gcn", out=tmp_path / "b", **SMALL)
    page = run.report()
    assert page.html.startswith("<!") and "<iframe" in page._repr_html_()
    both = l2r.report(run, tmp_path / "b", title="Two & more")
    assert "Two &amp; more" in both.html and "gcn" in both.html
    both.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == both.html
    assert l2r.load(tmp_path / "b").report().html == other.report().html
    with pytest.raises(l2r.NotTrainedError, match="out="):
        l2r.train(motif, "gin", **SMALL).report()
    with pytest.raises(l2r.Error):
        l2r.report(tmp_path / "c")


@needs_rdkit()
def test_a_server_predicts(boiling):
    model = l2r.train(boiling, "gin", split=l2r.Split(boiling, split="random"), **SMALL).model
    if "serve" not in l2r.program.run("help"):
        pytest.skip("built without l2r serve")
    with l2r.serve(model) as server:
        assert server.is_running and server.url in server._repr_html_()
        question = urllib.request.Request(server.url + "api/predict", data=json.dumps({"smiles": SMILES[:2]}).encode(),
                                          headers={"Content-Type": "application/json"})
        said = json.loads(urllib.request.urlopen(question, timeout=60).read())
        assert "CCO" in json.dumps(said)
    assert not server.is_running and "stopped" in repr(server)
    server.stop()
    with pytest.raises(l2r.Error, match="nowhere"):
        l2r.serve("/nowhere/at/all")


def test_charts(motif, tmp_path):
    run = l2r.train(motif, "gin", "l2r", **SMALL)
    drawn = run.plot()
    assert drawn.svg.count("<path") > 2 and "valid/accuracy" in drawn._repr_svg_()
    run.plot("loss").save(tmp_path / "loss.svg")
    assert (tmp_path / "loss.svg").read_text().startswith("<svg")
    assert run.plot_weights().svg.count("<rect") == 30
    with pytest.raises(ValueError, match="no curve 'lost'"):
        run.plot("lost")
    flat = chart.lines({"a & b": numpy.array([1.0, numpy.nan, 1.0])}, "epoch").svg
    assert "a &amp; b" in flat and "nan" not in flat
    assert "nan" not in chart.lines({"a": numpy.array([numpy.nan])}, "epoch").svg
