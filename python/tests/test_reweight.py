# SPDX-License-Identifier: MIT
import numpy
import pytest

import l2r


@pytest.fixture
def z():
    made = numpy.random.default_rng(0).normal(size=(300, 4)).astype("f4")
    made[:, 1] += made[:, 0]
    return made


def test_weights_lower_the_dependence(z):
    found = l2r.decorrelate(z, labels=["a", "b", "c"] * 100, ess=0.7, seed=1, details=True)
    assert found.dependence_after < found.dependence_before and found.ess == pytest.approx(0.7, abs=1e-3)
    assert l2r.ess(found.weights) == pytest.approx(found.ess, abs=1e-4)
    assert found.weights[::3].mean() == pytest.approx(1, abs=1e-4)
    assert l2r.dependence(z, found.weights, seed=1) == pytest.approx(found.dependence_after, rel=1e-3)
    assert (l2r.decorrelate(z.astype("f8"), labels=[0, 1, 2] * 100, ess=0.7, seed=1) == found.weights).all()


def test_options(z):
    found = l2r.decorrelate(z, pairs="across", clusters=[0, 0, 1, 1], details=True, n_steps=5)
    assert found.clusters.tolist() == [0, 0, 1, 1]
    with pytest.raises(ValueError, match="n_steps"):
        l2r.decorrelate(z, steps=5)
    with pytest.raises(ValueError, match="pairs"):
        l2r.decorrelate(z, pairs="some")
    with pytest.raises(ValueError, match="2 dimensions|expected 2"):
        l2r.decorrelate(z[0])
    with pytest.raises(l2r.ArgumentError, match="ess"):
        l2r.decorrelate(z, ess=2)


def test_dlpack_is_enough(z):
    class Tensor:
        def __dlpack__(self, **_):
            return z.__dlpack__()

        def __dlpack_device__(self):
            return z.__dlpack_device__()

    assert (l2r.decorrelate(Tensor(), seed=3, n_steps=5) == l2r.decorrelate(z, seed=3, n_steps=5)).all()


def test_torch_tensors(z):
    torch = pytest.importorskip("torch")
    w = l2r.decorrelate(torch.from_numpy(z).requires_grad_(), seed=3, n_steps=5)
    assert isinstance(w, torch.Tensor) and (w.numpy() == l2r.decorrelate(z, seed=3, n_steps=5)).all()
