# SPDX-License-Identifier: MIT
"""Training: data and options in, a `Run` out."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy

from l2r import _convert as convert
from l2r import _native as native
from l2r import errors, settings
from l2r._interrupts import Interruptible
from l2r.chart import Chart, histogram, lines
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
    """A finished training: `model`, `score`, `history`, `weights`, `split`."""

    def __init__(self, result: native.Handle, model: Model, notes: list[str], folder: Optional[str]) -> None:
        self._handle = result
        self.model = model
        self.notes = notes
        self.folder = folder

    @property
    def result(self) -> dict[str, Any]:
        """Everything that is known about the scores of the run, as in result.json."""
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

    @property
    def conclusion(self) -> Optional[str]:
        """What the method has to say at the end."""
        return native.word("l2r_result_conclusion", self._handle)

    @property
    def options(self) -> settings.Options:
        """The options of the run with all that it chose by itself."""
        return settings.described(native.call("l2r_result_config", self._handle))

    def score(self, part: Union[str, int] = "test", metric: Optional[str] = None) -> Optional[float]:
        """A part's score at the best epoch; None: the part is empty, or was not scored by this metric."""
        made = float(native.call("l2r_result_score", self._handle, convert.part_number(part), metric))
        return None if numpy.isnan(made) else made

    def evaluation(self, part: Union[str, int] = "test") -> dict[str, Any]:
        """All scores of a part, as `Model.evaluate` gives them."""
        found = native.make("l2r_evaluation", "l2r_result_evaluation", self._handle, convert.part_number(part))
        made: dict[str, Any] = native.data("l2r_evaluation_json", found)
        return made

    @property
    def history(self) -> dict[str, Array]:
        """Curves with a number for each epoch: "loss", "valid/rocauc", …, of members of a committee "2-forest/loss"."""
        n, made = ctypes.c_int64(), {}
        for k in range(native.call("l2r_result_n_curves", self._handle)):
            name = native.word("l2r_result_curve_name", self._handle, k) or ""
            found = native.call("l2r_result_curve", ctypes.byref(n), self._handle, name)
            curve = native.lent(self._handle, found, (n.value,), "f8")
            if curve is not None:
                made[name] = curve
        return made

    def to_frame(self) -> Any:
        """The history as a DataFrame of pandas."""
        import pandas
        return pandas.DataFrame({name: pandas.Series(curve) for name, curve in self.history.items()})

    @property
    def split(self) -> Optional[Split]:
        """The split that it was trained with."""
        found = native.call("l2r_result_split", self._handle)
        return Split(native.Handle("l2r_split", found, owner=self._handle)) if found else None

    @property
    def weights(self) -> Array:
        """[graphs], lent: the weights that the method gave the training graphs last, 1 for the others."""
        n = ctypes.c_int64()
        found = native.call("l2r_result_weights", ctypes.byref(n), self._handle)
        made = native.lent(self._handle, found, (n.value,), "f4")
        if made is None:
            method = self.options["method"].value
            raise errors.refuse(f"method {method} weighs all graphs equally", errors.NotTrainedError)
        return made

    @property
    def ess(self) -> float:
        """Effective sample size of the training graphs' weights, 1: equal weights."""
        from l2r.reweight import ess
        split = self.split
        return ess(self.weights if split is None else self.weights[split.train])

    def plot(self, *curves: str) -> Chart:
        """The history as a drawing that notebooks show: curves by name; without names the losses and the metric."""
        history = self.history
        chosen = curves or [name for name in history if name.endswith(("loss", f"/{self.metric}"))]
        missing = [name for name in chosen if name not in history]
        if missing:
            raise errors.refuse(f"there is no curve {missing[0]!r}; there are: {', '.join(history)}")
        return lines({name: history[name] for name in chosen}, "epoch")

    def plot_weights(self) -> Chart:
        """How the weights of the training graphs are distributed."""
        split = self.split
        return histogram(self.weights if split is None else self.weights[split.train], "weight", "graphs")

    def report(self, **options: Any) -> Any:
        """The page of `l2r.report` about a run in a folder (out=…); notebooks show it."""
        from l2r import pages
        return pages.report(self, **options)

    def __repr__(self) -> str:
        test = self.score("test")
        tail = "" if test is None else f", test {self.metric} {test:.4f}"
        epochs = native.call("l2r_result_n_epochs", self._handle)
        return f"<l2r.Run {self.model!r}: best epoch {self.best_epoch} of {epochs}{tail}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{part}</td><td>{score:.4f}</td></tr>" for part in ("train", "valid", "test")
                       for score in [self.score(part)] if score is not None)
        return f"<table><tr><th>part</th><th>{self.metric}</th></tr>{rows}</table>"


class Listener(Interruptible):
    """Callbacks of `l2r_train`: collects notes, calls the user's functions, and stops on Ctrl-C.

    The run in a folder is saved first. An exception in a callback stops the run and is raised as it was.
    """

    def __init__(self, on_epoch: Optional[Callable[[Progress], Any]], on_batch: Optional[Callable[[Progress], Any]],
                 bar: Any = None) -> None:
        super().__init__()
        self.notes: list[str] = []
        self.caught: list[BaseException] = []
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
        return bool(self.caught) or self.pressed

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._bar is not None:
            self._bar(None)
        super().__exit__(kind, error, trace)
        if self.caught and not isinstance(self.caught[0], StopIteration):
            raise self.caught[0]


def train(data: Any, model: Optional[str] = None, method: Optional[str] = None, *, y: Any = None,
          split: Union[None, str, Split] = None, out: Union[None, str, os.PathLike[str]] = None,
          resume: bool = False, on_epoch: Optional[Callable[[Progress], Any]] = None,
          on_batch: Optional[Callable[[Progress], Any]] = None, progress: Optional[bool] = None, **options: Any) -> Run:
    """Trains a model.

    data: a `Dataset`, or what one is made of (with y). model, method: as `l2r.models()` and `l2r.methods()` list them;
    without a model, molecules get a committee and other graphs a GIN. split: a `Split`, or the name of a rule. out: a
    folder that the run is written to, from which resume=True goes on. on_epoch, on_batch: called with a `Progress`;
    returning False stops. progress: a bar; None: on terminals and in notebooks, where tqdm is there. Other keywords are
    options: `l2r.options(model, method)`.

    >>> import l2r
    >>> run = l2r.train("motif:train=30,valid=10,test=10", "gin", epochs=2, hidden=8, layers=2)
    >>> len(run.history["loss"]), run.metric
    (2, 'accuracy')
    """
    if isinstance(split, str):
        options, split = {**options, "split": split}, None
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
    folder = None if out is None else os.fspath(out)
    made = Model(native.Handle("l2r_predictor", predictor.value), folder)
    return Run(native.Handle("l2r_result", result.value), made, listener.notes, folder)
