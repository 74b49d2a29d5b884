# SPDX-License-Identifier: MIT
"""A training loop of one's own, step by step, with parameters that may be read and written between two steps."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Optional, Union

import numpy

from l2r import _convert as convert
from l2r import _native as native
from l2r import errors, settings
from l2r.dataset import Dataset
from l2r.model import Model
from l2r.split import Split

Array = convert.Array


class Training:
    """Network, optimiser, schedule, method and position; one thread at a time, in the process that made it.

    What follows the last epoch of `l2r.train` is not part of it: calibration, and the head fit of method headfit.

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

    def _call(self, what: str, *arguments: Any) -> Any:
        if os.getpid() != self._process:
            raise errors.refuse("this training belongs to the process that made it; a child of fork makes its own",
                                errors.NotTrainedError)
        return native.call(f"l2r_training_{what}", *arguments)

    def _loss_of(self, what: str) -> float:
        loss = ctypes.c_double()
        self._call(what, ctypes.byref(loss), self._handle)
        return loss.value

    def step(self) -> float:
        """Trains on the next batch; its loss."""
        return self._loss_of("step")

    def epoch(self) -> float:
        """The steps that are left of this epoch; the mean loss of its graphs."""
        return self._loss_of("epoch")

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
