# SPDX-License-Identifier: MIT
import numpy
import pytest

import l2r


def test_rules_indices_parts_and_folds(motif, tmp_path):
    official = l2r.Split(motif)
    assert [len(official[p]) for p in ("train", "valid", "test", "id_valid")] == [60, 20, 20, 0]
    assert official.rule == "official" and "60 train" in repr(official)
    drawn = l2r.Split(motif, split="random", split_seed=3)
    listed = l2r.Split.from_indices(motif, drawn.train, drawn.valid, drawn.test)
    assert (listed.parts == drawn.parts).all()
    assert (l2r.Split.from_parts(motif, listed.parts).test == drawn.test).all()
    folds = [l2r.Split.fold(motif, k, 4).test for k in range(4)]
    assert (numpy.sort(numpy.concatenate(folds)) == numpy.arange(100)).all()
    drawn.save(tmp_path / "split.json")
    assert (l2r.Split.open(tmp_path / "split.json", motif).train == drawn.train).all()
    with pytest.raises(ValueError, match="part = 'exam'"):
        drawn["exam"]
    with pytest.raises(l2r.ArgumentError):
        l2r.Split.from_indices(motif, [0, 1], [1])
