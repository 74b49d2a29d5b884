# SPDX-License-Identifier: MIT
"""A training loop of one's own, step by step: weights and gradients from outside, parameters to read and write.

    training = l2r.Training(data, "gin")
    while not training.is_over:
        for batch in training.batches():                  # Z, outputs, losses, labels of its graphs
            training.backward(weights_of(batch.z, batch.losses))
        training.validate()                               # keeps the best epoch
    training.restore()
    model = training.model()

`Training.run` is this loop with functions that return weights.
"""
from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterator
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy

from l2r import _convert as convert
from l2r import _native as native
from l2r import errors, settings
from l2r._interrupts import Interruptible
from l2r.dataset import Dataset
from l2r.model import Model
from l2r.reweight import as_array
from l2r.split import Split

Array = convert.Array


class Batch(NamedTuple):
    """Graphs after their forward pass, a row each; arrays of `Training.forward` are lent until the next step."""

    graphs: Array  # [n]: their numbers in the data set
    z: Array  # [n × width]: the representation
    output: Array  # [n × outputs]: logits, or values in units of standard deviations
    losses: Array  # [n]
    labels: Array  # [n × tasks], copied
    weights: Optional[Array]  # [n]: those of the method; None: 1


Weigh = Callable[[Batch], Any]


def _copied(batch: Batch) -> Batch:
    parts: list[Any] = [None if part is None else part.copy() for part in batch]
    return Batch(*parts)


def _joined(batches: list[Batch]) -> Batch:
    parts: list[Any] = [None if part[0] is None else numpy.concatenate(part) for part in zip(*batches)]
    return Batch(*parts)


class Training:
    """Network, optimiser, schedule, method and position; one thread at a time, in the process that made it.

    What `l2r.train` does after the last epoch is not part of it: calibration, and distances from the training graphs.

    >>> import l2r
    >>> training = l2r.Training("motif:train=30,valid=10,test=10", "gin", hidden=8, layers=2)
    >>> losses = [training.epoch() for _ in range(3)]
    >>> training.n_epochs, training.evaluate("valid")["n"]
    (3, 10)
    """

    def __init__(self, data: Any, model: Optional[str] = None, method: Optional[str] = None, *,
                 split: Optional[Split] = None, **options: Any) -> None:
        self.data = data if isinstance(data, Dataset) else Dataset(data)
        config = settings.for_run(model, method, {**self.data._opened, **options})
        self._handle = native.make("l2r_training", "l2r_training_new", config, self.data._handle,
                                   split._handle if split else None)
        self._process = os.getpid()
        self._batch: Optional[Batch] = None  # after its forward pass, before its backward one

    def _call(self, what: str, *arguments: Any) -> Any:
        if os.getpid() != self._process:
            raise errors.refuse("this training belongs to the process that made it; a child of fork makes its own",
                                errors.NotTrainedError)
        return native.call(f"l2r_training_{what}", *arguments)

    def _loss_of(self, what: str) -> float:
        loss = ctypes.c_double()
        with Interruptible():
            self._call(what, ctypes.byref(loss), self._handle)
        self._batch = None
        return loss.value

    @property
    def next_graphs(self) -> Array:
        """The graphs of the next batch."""
        n, found = ctypes.c_int64(), ctypes.POINTER(ctypes.c_int64)()
        self._call("next", ctypes.byref(found), ctypes.byref(n), self._handle)
        return numpy.array(found[:n.value], dtype=numpy.int64)

    def forward(self) -> Batch:
        """The first half of a step: the next batch with its Z, outputs and losses. A second call gives the same."""
        found = native.struct("l2r_forward")
        self._call("forward", found, self._handle)

        def lent(name: str, kind: str, *shape: int) -> Any:
            return native.lent(self._handle, getattr(found, name), shape, kind)

        n, graphs = found.n, lent("graphs", "i8", found.n)
        self._batch = Batch(graphs, lent("z", "f4", n, found.width), lent("output", "f4", n, found.n_outputs),
                            lent("losses", "f4", n), self.data.labels[graphs], lent("weights", "f4", n))
        return self._batch

    def backward(self, weights: Any = None, d_z: Any = None) -> float:
        """The second half: minimises (1/n) Σ weights · losses and what model and method add to it; the loss.

        weights [n], 0 or more; None: those of the first half. d_z [n × width]: a gradient of a loss of one's own with
        respect to Z, which is added. Tensors will do.
        """
        batch = self._batch or self.forward()
        n, width = batch.z.shape
        w = None if weights is None else convert.numbers(as_array(weights), "f4", "weights", n)
        d = None if d_z is None else convert.numbers(as_array(d_z), "f4", "d_z", n, columns=width)
        loss = ctypes.c_double()
        self._call("backward", ctypes.byref(loss), self._handle, w, d)
        self._batch = None
        return loss.value

    def batches(self) -> Iterator[Batch]:
        """The batches that are left of this epoch; where the loop does not call `backward`, it is called as it is."""
        epoch = self.n_epochs
        while self.n_epochs == epoch:
            yield self.forward()
            if self._batch is not None:
                self.backward()

    def set_weights(self, weights: Any) -> None:
        """weights [graphs], 0 or more: what losses are multiplied by in all further steps; None: the method's again."""
        made = None if weights is None else convert.numbers(as_array(weights), "f4", "weights", len(self.data))
        self._call("set_weights", self._handle, made)

    def run(self, per_batch: Optional[Weigh] = None, per_epoch: Optional[Weigh] = None,
            on_epoch: Optional[Callable[[Training], Any]] = None) -> Model:
        """Trains to the end, as `l2r.train` would, with weights of one's own; the model of the best epoch.

        per_batch: is given every batch before its step, and returns weights for its graphs, or None. per_epoch: is
        given all graphs of an epoch as their steps saw them, and returns weights for them in the epochs to come, or
        None. on_epoch: is given this training after each epoch; returning False stops.

        >>> import l2r
        >>> training = l2r.Training("motif:train=30,valid=10,test=10", "gin", hidden=8, layers=2, epochs=3)
        >>> training.run(lambda batch: 1 + (batch.losses > 0.7))
        <l2r.Model gin, method erm: multiclass, 2 outputs>
        """
        while not self.is_over:
            seen = []
            if per_batch is None and per_epoch is None:
                self.epoch()
            for batch in self.batches() if per_batch or per_epoch else ():
                seen += [_copied(batch)] if per_epoch else []
                self.backward(per_batch(batch) if per_batch else None)
            if per_epoch:
                self._weigh(per_epoch, seen)
            self.validate()
            if on_epoch and on_epoch(self) is False:
                break
        if self.best_epoch:
            self.restore()
        return self.model()

    def _weigh(self, per_epoch: Weigh, seen: list[Batch]) -> None:
        """Weights for the graphs of an epoch, 1 for the others."""
        whole = _joined(seen)
        given = per_epoch(whole)
        if given is not None:
            weights = numpy.ones(len(self.data), dtype=numpy.float32)
            weights[whole.graphs] = convert.numbers(as_array(given), "f4", "weights", len(whole.graphs))
            self.set_weights(weights)

    def step(self) -> float:
        """Trains on the next batch; its loss."""
        return self._loss_of("step")

    def epoch(self) -> float:
        """The steps that are left of this epoch; the mean loss of its graphs."""
        return self._loss_of("epoch")

    @property
    def is_over(self) -> bool:
        """Would `l2r.train` stop here: by epochs, or by early_stop? A loop may go on."""
        return bool(self._call("is_over", self._handle))

    @property
    def n_epochs(self) -> int:
        """Epochs completed."""
        return int(self._call("n_epochs", self._handle))

    @property
    def n_batches(self) -> int:
        """Batches of an epoch."""
        return int(self._call("n_batches", self._handle))

    @property
    def learning_rate(self) -> float:
        """The rate of the next step; None gives it back to the schedule."""
        return float(self._call("learning_rate", self._handle))

    @learning_rate.setter
    def learning_rate(self, rate: Optional[float]) -> None:
        self._call("set_learning_rate", self._handle, numpy.nan if rate is None else rate)

    def evaluate(self, part: Union[str, int] = "valid") -> dict[str, Any]:
        """Scores of a part of the split, as `Model.evaluate` gives them."""
        found = ctypes.c_void_p()
        self._call("evaluate", ctypes.byref(found), self._handle, convert.part_number(part))
        made: dict[str, Any] = native.data("l2r_evaluation_json", native.Handle("l2r_evaluation", found.value))
        return made

    def validate(self) -> tuple[Optional[float], bool]:
        """The score of the validation graphs, and whether it is the best so far; then the model is kept."""
        score, is_best = ctypes.c_double(), ctypes.c_bool()
        self._call("validate", ctypes.byref(score), ctypes.byref(is_best), self._handle)
        return None if numpy.isnan(score.value) else score.value, is_best.value

    def keep(self, score: Optional[float] = None) -> None:
        """Keeps the model as it stands as the best, by a score of one's own, which `validate` then has to beat."""
        self._call("keep", self._handle, numpy.nan if score is None else score)

    @property
    def best_epoch(self) -> int:
        """The epoch of the model that was kept; 0: none was."""
        return int(self._call("best_epoch", self._handle))

    @property
    def best_score(self) -> Optional[float]:
        """Its score."""
        made = float(self._call("best_score", self._handle))
        return None if numpy.isnan(made) else made

    def restore(self) -> None:
        """Puts the model that was kept into place."""
        self._call("restore", self._handle)

    def fit_head(self, weights: Any = None) -> tuple[bool, dict[str, Any]]:
        """Fits the last linear layer anew, to convergence, under the penalty that validation graphs prefer.

        weights [graphs]: of the training graphs. None: what the method does after the last epoch (headfit, dfr, afr),
        which takes the new head where there is evidence for it. Was it taken, and the numbers of the choice.
        """
        made = None if weights is None else convert.numbers(as_array(weights), "f4", "weights", len(self.data))
        taken, text = ctypes.c_bool(), ctypes.c_char_p()
        self._call("fit_head", ctypes.byref(taken), ctypes.byref(text), self._handle, made)
        return taken.value, json.loads(native.taken(text))

    @property
    def history(self) -> list[dict[str, Any]]:
        """Every epoch: its loss, rate, validation scores, and what the method has to say."""
        made: list[dict[str, Any]] = native.data("l2r_training_history_json", self._handle)
        return made

    def parameters(self) -> dict[str, tuple[Array, Optional[Array]]]:
        """Every parameter with its gradient of the last step (None: a running statistic), lent: they may be written.

        `torch.from_numpy` shares them, so an optimiser of PyTorch can move them.
        """
        made = {}
        for i in range(self._call("n_parameters", self._handle)):
            found = native.struct("l2r_parameter")
            self._call("parameter", found, self._handle, i)
            shape = (found.rows, found.columns)
            value = native.lent(self._handle, found.value, shape, "f4", writable=True)
            assert value is not None
            made[found.name.decode()] = value, native.lent(self._handle, found.gradient, shape, "f4", writable=True)
        return made

    @property
    def weights(self) -> Array:
        """[graphs]: what the method gave the training graphs last, 1 for the others."""
        made = numpy.empty(len(self.data), dtype=numpy.float32)
        self._call("weights", made, self._handle)
        return made

    def model(self) -> Model:
        """The model as it stands, which shares nothing with the training."""
        found = ctypes.c_void_p()
        self._call("predictor", ctypes.byref(found), self._handle)
        return Model(native.Handle("l2r_predictor", found.value))

    # ---- stopping and going on ----

    def to_bytes(self) -> bytes:
        """Everything on which further steps depend, between two steps."""
        content, n = ctypes.c_void_p(), ctypes.c_size_t()
        self._call("to_bytes", ctypes.byref(content), ctypes.byref(n), self._handle)
        return native.taken_bytes(content, n.value)

    @classmethod
    def from_bytes(cls, content: bytes, data: Dataset, split: Optional[Split] = None) -> Training:
        """Goes on with the same bits; the same data and split as before."""
        return cls._of("from_bytes", data, split, content, len(content))

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """The same as a file."""
        self._call("save", self._handle, os.fspath(path))

    @classmethod
    def open(cls, path: Union[str, os.PathLike[str]], data: Dataset, split: Optional[Split] = None) -> Training:
        """From a file of `save`."""
        return cls._of("open", data, split, os.fspath(path))

    @classmethod
    def _of(cls, how: str, data: Dataset, split: Optional[Split], *content: Any) -> Training:
        made = cls.__new__(cls)
        made.data, made._process, made._batch = data, os.getpid(), None
        made._handle = native.make("l2r_training", f"l2r_training_{how}", *content, data._handle,
                                   split._handle if split else None)
        return made
