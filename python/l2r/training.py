# SPDX-License-Identifier: MIT
"""Training: data and options in, a `Run` out."""
from __future__ import annotations

import ctypes
import os
import signal
import threading
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy

from l2r import _convert as convert
from l2r import _native as native
from l2r import errors, settings
from l2r.dataset import Dataset
from l2r.model import Model
from l2r.split import Split

Array = convert.Array


class Progress(NamedTuple):
    """Where training stands, for callbacks. epoch counts from 1; train and valid are None while an epoch runs."""

    epoch: int
    n_epochs: int
    batch: int
    n_batches: int
    loss: float
    metric: str
    train: Optional[float]
    valid: Optional[float]
    best_valid: Optional[float]
    best_epoch: int
    learning_rate: float
    graphs_per_second: float
    seconds: float
    seconds_left: float


def _progress(at: Any) -> Progress:
    values = []
    for name in Progress._fields:
        value = getattr(at.contents, name)
        if isinstance(value, bytes):
            value = value.decode()
        elif isinstance(value, float) and name in ("train", "valid", "best_valid") and value != value:
            value = None
        values.append(value)
    return Progress(*values)


class Run:
    """A finished training: `model`, `scores`, `history`, `weights`, `split`."""

    def __init__(self, result: native.Handle, model: Model, data: Optional[Dataset], history: list[Progress],
                 notes: list[str], split: Optional[Split], folder: Optional[str]) -> None:
        self._handle = result
        self.model = model
        self.data = data
        self.epochs = history
        self.notes = notes
        self.split = split
        self.folder = folder

    @property
    def result(self) -> dict[str, Any]:
        """Everything that is known about the run, as in result.json."""
        made: dict[str, Any] = native.data("l2r_result_json", self._handle)
        return made

    @property
    def metric(self) -> str:
        """The metric that chose the best epoch."""
        return native.word("l2r_result_metric", self._handle) or ""

    @property
    def best_epoch(self) -> int:
        return int(native.call("l2r_result_best_epoch", self._handle))

    @property
    def seconds(self) -> float:
        """Spent in training."""
        return float(native.call("l2r_result_seconds", self._handle))

    def score(self, part: Union[str, int] = "test", metric: Optional[str] = None) -> Optional[float]:
        """A part's score at the best epoch; None: the part is empty, or was not scored by this metric."""
        made = float(native.call("l2r_result_score", self._handle, convert.part_number(part), metric))
        return None if numpy.isnan(made) else made

    @property
    def history(self) -> dict[str, list[Any]]:
        """What each epoch gave: {"epoch": [1, …], "loss": […], "train": […], "valid": […], …}."""
        fields = ("epoch", "loss", "train", "valid", "learning_rate", "graphs_per_second", "seconds")
        return {field: [getattr(at, field) for at in self.epochs] for field in fields}

    def to_frame(self) -> Any:
        """The history as a DataFrame of pandas."""
        import pandas
        return pandas.DataFrame(self.history)

    @property
    def weights(self) -> Array:
        """[graphs]: the weights that the method gave the training graphs last, 1 for the others."""
        if self.data is None:
            raise errors.refuse("the run has no data at hand; `run.model.weights(data)` takes it")
        return self.model.weights(self.data)

    @property
    def ess(self) -> float:
        """Effective sample size of the training graphs' weights, 1: equal weights."""
        from l2r.reweight import ess
        weights = self.weights
        return ess(weights if self.split is None else weights[self.split.train])

    def __repr__(self) -> str:
        test = self.score("test")
        tail = "" if test is None else f", test {self.metric} {test:.4f}"
        return f"<l2r.Run {self.model!r}: best epoch {self.best_epoch} of {len(self.epochs)}{tail}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{part}</td><td>{score:.4f}</td></tr>" for part in ("train", "valid", "test")
                       for score in [self.score(part)] if score is not None)
        return f"<table><tr><th>part</th><th>{self.metric}</th></tr>{rows}</table>"


class Listener:
    """Callbacks of a call: collects epochs and notes, calls the user's, and stops on Ctrl-C.

    A signal is handled between batches: the run in a folder is saved, then KeyboardInterrupt is raised. An exception in
    a callback stops the run and is raised as it was.
    """

    def __init__(self, on_epoch: Optional[Callable[[Progress], Any]], on_batch: Optional[Callable[[Progress], Any]],
                 bar: Any = None) -> None:
        self.history: list[Progress] = []
        self.notes: list[str] = []
        self.caught: list[BaseException] = []
        self.interrupted = False
        self._users = on_epoch, on_batch
        self._bar = bar
        fields: dict[str, Callable[..., Any]] = {"epoch": self._epoch, "note": self._note, "stop": self._stop}
        if on_batch:
            fields["batch"] = self._batch
        self.struct = native.struct("l2r_callbacks", **{
            name: native.callback_type("l2r_callbacks", name)(native.guarded(body, self.caught, name == "stop"))
            for name, body in fields.items()})

    def _epoch(self, _: Any, at: Any) -> None:
        progress = _progress(at)
        self.history.append(progress)
        if self._bar is not None:
            self._bar(progress)
        if self._users[0] and self._users[0](progress) is False:
            self.caught.append(StopIteration())

    def _batch(self, _: Any, at: Any) -> None:
        if self._users[1] and self._users[1](_progress(at)) is False:
            self.caught.append(StopIteration())

    def _note(self, _: Any, sentence: bytes) -> None:
        self.notes.append(errors.in_keywords(sentence.decode("utf-8", "replace")))

    def _stop(self, _: Any) -> bool:
        return bool(self.caught) or self.interrupted

    def __enter__(self) -> Listener:
        self._before: Any = None
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        if self._bar is not None:
            self._bar(None)
        if self.interrupted:
            raise KeyboardInterrupt
        if self.caught and not isinstance(self.caught[0], StopIteration):
            raise self.caught[0]

    def _interrupt(self, *_: Any) -> None:
        self.interrupted = True


def train(data: Any, model: Optional[str] = None, method: Optional[str] = None, *, y: Any = None,
          split: Optional[Split] = None, out: Optional[Union[str, os.PathLike[str]]] = None, resume: bool = False,
          on_epoch: Optional[Callable[[Progress], Any]] = None, on_batch: Optional[Callable[[Progress], Any]] = None,
          progress: Optional[bool] = None, **options: Any) -> Run:
    """Trains a model.

    data: a `Dataset`, or what one is made of (with y). model, method: as `l2r.models()` and `l2r.methods()` list them;
    without a model, molecules get a committee and other graphs a GIN. out: a folder that the run is written to, from
    which resume=True goes on. on_epoch, on_batch: called with a `Progress`; returning False stops. progress: a bar;
    None: on terminals and in notebooks, where tqdm is there. Other keywords are options: `l2r.options(model, method)`.

    >>> import l2r
    >>> run = l2r.train("motif:train=30,valid=10,test=10", "gin", epochs=2, hidden=8, layers=2)
    >>> len(run.history["loss"]), run.metric
    (2, 'accuracy')
    """
    reading = {name: value for name, value in options.items() if name in settings.options(kind="data")}
    opened = data if isinstance(data, Dataset) else Dataset(data, y, **reading)
    config = settings.for_run(model, method, {**opened._opened, **options})
    from l2r import progress_bar
    bar = progress_bar.bar(progress)
    run = native.struct("l2r_run", config=config, data=opened._handle, split=split._handle if split else None,
                        out=os.fspath(out) if out is not None else None, resume=resume)
    listener = Listener(on_epoch, on_batch, bar)
    run.callbacks = ctypes.pointer(listener.struct)
    result, predictor = ctypes.c_void_p(), ctypes.c_void_p()
    with listener:
        native.call("l2r_train", ctypes.byref(result), ctypes.byref(predictor), run)
    made = Model(native.Handle("l2r_predictor", predictor.value))
    return Run(native.Handle("l2r_result", result.value), made, opened, listener.history, listener.notes, split,
               os.fspath(out) if out is not None else None)
