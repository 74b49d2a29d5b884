# SPDX-License-Identifier: MIT
import os

import numpy
import pytest
from conftest import SMALL

import l2r


@pytest.fixture
def training(motif):
    return l2r.Training(motif, "gin", **SMALL)


def test_steps_epochs_and_scores(training, motif):
    first = training.step()
    assert first > 0 and training.n_batches == 8 and training.n_epochs == 0
    assert training.epoch() > 0 and training.n_epochs == 1
    assert training.evaluate("train")["n"] == 60
    assert (training.model().predict(motif) >= 0).all()
    with pytest.raises(ValueError, match="erm weights all graphs equally"):
        _ = training.weights


def test_weights_that_the_method_learned(motif):
    training = l2r.Training(motif, "gin", "l2r", **SMALL)
    for _ in range(3):
        training.epoch()
    assert training.weights.shape == (100,) and training.weights[:60].std() > 0


def test_parameters_are_lent(training, motif):
    training.step()
    before = training.model().decision(motif)
    named = training.parameters()
    value, gradient = next((v, g) for v, g in named.values() if g is not None and numpy.abs(g).sum() > 0)
    value -= 0.5 * gradient
    assert (training.model().decision(motif) != before).any()
    assert any(g is None for _, g in named.values())  # running statistics


def test_an_optimiser_of_ones_own_learns(motif):
    training = l2r.Training(motif, "gin", **{**SMALL, "batch_size": 60}, dropout=0)
    losses = []
    for _ in range(30):
        before = {name: value.copy() for name, (value, _) in training.parameters().items()}
        losses.append(training.step())
        for name, (value, gradient) in training.parameters().items():
            if gradient is not None:  # gradient descent instead of the step that was made
                value[:] = before[name] - 0.1 * gradient
    assert losses[-1] < losses[0]


def test_the_rate(training):
    rate = training.learning_rate
    training.learning_rate = 0.5
    assert training.learning_rate == 0.5
    training.learning_rate = None
    assert training.learning_rate == rate
    with pytest.raises(ValueError):
        training.learning_rate = -1


def test_a_child_process_is_told_to_make_its_own(training):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:  # no test may go on here
        try:
            training.step()
        except l2r.NotTrainedError as error:
            os.write(write, str(error).encode())
        finally:
            os._exit(0)
    os.close(write)
    assert b"belongs to the process" in os.read(read, 1000)
    os.waitpid(child, 0)
    os.close(read)
