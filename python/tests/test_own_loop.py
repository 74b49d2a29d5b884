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


def test_two_halves_are_a_step(motif):
    whole, halves = (l2r.Training(motif, "gin", **SMALL) for _ in range(2))
    for _ in range(5):
        graphs = halves.next_graphs
        batch = halves.forward()
        assert (batch.graphs == graphs).all() and batch.z.shape == (len(graphs), 8)
        assert batch.losses.shape == (len(graphs),)
        assert (batch.labels == motif.labels[graphs]).all() and batch.weights is None
        assert halves.backward() == whole.step()
    assert (halves.model().decision(motif) == whole.model().decision(motif)).all()


def test_weights_and_gradients_come_from_outside(motif):
    def after(change):
        training = l2r.Training(motif, "gin", **{**SMALL, "batch_size": 60}, dropout=0)
        batch = training.forward()
        change(training, batch)
        return training.model().decision(motif)

    plain = after(lambda training, batch: training.backward())
    assert (after(lambda training, batch: training.backward(numpy.ones(60))) == plain).all()
    assert (after(lambda training, batch: training.backward(batch.labels[:, 0])) != plain).any()
    assert (after(lambda training, batch: training.backward(d_z=0.1 * batch.z)) != plain).any()
    with pytest.raises(ValueError, match="weights has 3 rows"):
        after(lambda training, batch: training.backward([1, 1, 1]))
    with pytest.raises(ValueError, match="d_z has 60 rows|columns, expected 8"):
        after(lambda training, batch: training.backward(d_z=batch.z[:, :3]))


def test_the_loop_is_that_of_train(motif):
    run = l2r.train(motif, "gin", "l2r", **SMALL)
    training = l2r.Training(motif, "gin", "l2r", **SMALL)
    model = training.run()
    assert (model.decision(motif) == run.model.decision(motif)).all()
    assert training.best_epoch == run.best_epoch and training.best_score == pytest.approx(run.score("valid"))
    assert len(training.history) == 3 and training.is_over
    batched = l2r.Training(motif, "gin", "l2r", **SMALL)
    assert (batched.run(lambda batch: None).decision(motif) == model.decision(motif)).all()


def test_functions_that_return_weights(motif):
    seen = []

    def per_batch(batch):
        seen.append(len(batch.graphs))
        return l2r.decorrelate(batch.z, n_steps=2) if len(batch.z) >= 8 else None

    def per_epoch(whole):
        assert sorted(whole.graphs) == list(range(60)) and whole.z.shape == (60, 8)
        return 2 * whole.losses / whole.losses.mean()

    plain = l2r.Training(motif, "gin", **SMALL).run()
    assert (l2r.Training(motif, "gin", **SMALL).run(per_batch).decision(motif) != plain.decision(motif)).any()
    assert sum(seen) == 3 * 60
    training = l2r.Training(motif, "gin", **SMALL)
    epochs = []
    training.run(per_epoch=per_epoch, on_epoch=lambda at: epochs.append(at.n_epochs) or at.n_epochs < 2)
    assert epochs == [1, 2] and training.weights[:60].std() > 0 and (training.weights[60:] == 1).all()
    training.set_weights(None)
    with pytest.raises(ValueError, match="erm weights all graphs equally"):
        _ = training.weights
    with pytest.raises(ZeroDivisionError):
        l2r.Training(motif, "gin", **SMALL).run(lambda batch: 1 / 0)


def test_a_batch_that_is_left_alone_is_stepped(motif):
    training, other = (l2r.Training(motif, "gin", **SMALL) for _ in range(2))
    assert len(list(training.batches())) == 8 and training.n_epochs == 1
    other.epoch()
    assert (training.model().decision(motif) == other.model().decision(motif)).all()


def test_the_best_model_is_kept(training, motif):
    with pytest.raises(l2r.Error):
        training.restore()
    training.epoch()
    score, is_best = training.validate()
    assert 0 <= score <= 1 and is_best and training.best_epoch == 1
    kept = training.model().decision(motif)
    training.keep(2.0)
    training.epoch()
    assert training.validate()[1] is False
    training.restore()
    assert (training.model().decision(motif) == kept).all() and training.best_score == 2


def test_a_new_head(motif):
    training = l2r.Training(motif, "gin", "headfit", **SMALL)
    training.run()
    taken, numbers = training.fit_head()
    assert isinstance(taken, bool) and isinstance(numbers, dict)
    assert training.fit_head(numpy.ones(100))[0] is True


def test_it_goes_on_from_bytes_and_files(training, motif, tmp_path):
    training.step()
    content = training.to_bytes()
    training.save(tmp_path / "training")
    others = l2r.Training.from_bytes(content, motif), l2r.Training.open(tmp_path / "training", motif)
    losses = {one.epoch() for one in (training, *others)}
    assert len(losses) == 1
    decisions = [one.model().decision(motif) for one in (training, *others)]
    assert (decisions[0] == decisions[1]).all() and (decisions[0] == decisions[2]).all()
    with pytest.raises(l2r.FormatError):
        l2r.Training.from_bytes(content, motif[:50])


def test_an_optimiser_of_torch_moves_the_parameters(motif):
    torch = pytest.importorskip("torch")
    training = l2r.Training(motif, "gin", **{**SMALL, "batch_size": 60}, dropout=0)
    training.learning_rate = 0  # gradients alone
    pairs = [(torch.from_numpy(value), torch.from_numpy(gradient)) for value, gradient in training.parameters().values()
             if gradient is not None]
    for value, gradient in pairs:
        value.grad = gradient
    optimiser = torch.optim.SGD([value for value, _ in pairs], lr=0.1)
    losses = []
    for _ in range(30):
        losses.append(training.step())
        optimiser.step()
    assert losses[-1] < losses[0]
