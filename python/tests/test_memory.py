# SPDX-License-Identifier: MIT
"""Memory does not grow over cycles of fitting, predicting and freeing. L2R_CYCLES says how many; the second half
counts."""
import gc
import os

import numpy
import pytest

import l2r

CYCLES = int(os.environ.get("L2R_CYCLES", "200"))
MOST = 1_500_000  # bytes that the allocator may keep by chance


def resident():
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grown(cycle):
    """Bytes by which the process has grown over the second half of the cycles."""
    for _ in range(CYCLES // 2):
        cycle()
    before = resident()
    for _ in range(CYCLES - CYCLES // 2):
        cycle()
    return resident() - before


def test_fit_predict_free():
    whole = l2r.Dataset("motif:train=16,valid=6,test=6")

    def cycle():
        data = whole[numpy.arange(len(whole))].relabel(whole.labels)
        run = l2r.train(data, "gcn", "l2r", split=l2r.Split.from_indices(data, range(16), range(16, 22)), epochs=1,
                        hidden=4, layers=1, on_epoch=lambda at: None)
        l2r.Model.from_bytes(run.model.to_bytes()).predict(data)
        assert run.history and len(run.weights) == 28
        with pytest.raises(l2r.ArgumentError):
            l2r.options("gcn", epochs=-1)

    assert grown(cycle) < MOST


def test_estimators_are_freed():
    pytest.importorskip("sklearn")
    X = numpy.random.RandomState(0).normal(size=(40, 3))

    def cycle():
        made = l2r.TableRegressor(trees=3).fit(X, X[:, 0])
        assert len(made.predict(X)) == len(made.applicability(X)[0])

    assert grown(cycle) < MOST
