# SPDX-License-Identifier: MIT
"""Trained models: predictions, representations, scores, distances from the training graphs, explanations.

A model may be used by any number of threads: each call takes a copy that nobody else is using.
"""
from __future__ import annotations

import contextlib
import copy
import ctypes
import os
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple, Optional, Union

import numpy

from l2r import _convert as convert
from l2r import _interrupts as interrupts
from l2r import _native as native
from l2r import settings
from l2r.dataset import Dataset
from l2r.explanation import Explanation
from l2r.split import Split

Array = convert.Array
Path = Union[str, os.PathLike[str]]


class Answers(NamedTuple):
    """Everything about predictions that a model says, a row each."""

    values: Array  # [n × outputs]: probabilities, or values
    spread: Array  # [n × outputs]: standard deviation over members or models; NaN for one
    distance: Array  # [n]: from the training graphs; 1 is usual in training
    applicability: Array  # [n]: share of validation graphs that lie at least as far out


class Model:
    """A trained model; `l2r.load` opens one, `l2r.train` makes one."""

    def __init__(self, handle: native.Handle, folder: Optional[str] = None) -> None:
        self._handle = handle
        self._idle: list[native.Handle] = []
        self._lock = threading.Lock()
        self.folder = folder  # of its run, from which the report is made

    # ---- what it answers ----

    @property
    def task(self) -> str:
        """"multiclass", "binary" or "regression"."""
        return native.word("l2r_task_name", native.call("l2r_predictor_task", self._handle)) or ""

    @property
    def n_outputs(self) -> int:
        """Columns of an answer: classes, or tasks."""
        return int(native.call("l2r_predictor_n_outputs", self._handle))

    @property
    def classes(self) -> list[Any]:
        """The source's numbers of the classes of a multi-class model."""
        if self.task != "multiclass":
            return []
        return [native.call("l2r_predictor_class", self._handle, k) for k in range(self.n_outputs)]

    @property
    def n_members(self) -> int:
        """Networks and trees whose mean the model is."""
        return int(native.call("l2r_predictor_n_members", self._handle))

    def member(self, k: int) -> Model:
        """Member k alone, not calibrated."""
        return Model(native.make("l2r_predictor", "l2r_predictor_member", self._handle, k))

    @property
    def options(self) -> settings.Options:
        """The options that build it, and by which its data was read and split; `Run.options` has those of training."""
        return settings.described(native.call("l2r_predictor_config", self._handle))

    @property
    def signature(self) -> dict[str, Any]:
        """What the model remembers of its data."""
        made: dict[str, Any] = native.data("l2r_predictor_signature_json", self._handle)
        return made

    # ---- predictions ----

    def predict(self, data: Any, graphs: Any = None) -> Array:
        """[n × outputs]: probabilities of classes or of 1, or values; NaN for rows that are no molecule.

        data: a Dataset, or whatever one can be made of, as SMILES. graphs: numbers, a part's name is for `evaluate`.
        """
        return self._rows(data, graphs, lambda m, d, g: m._probabilities(m._score(d, g)[0]))

    def decision(self, data: Any, graphs: Any = None) -> Array:
        """[n × outputs]: logits, or values."""
        return self._rows(data, graphs, lambda m, d, g: m._score(d, g)[0])

    def embed(self, data: Any, graphs: Any = None) -> Array:
        """[n × width]: the learned representation Z, the row that the last linear layer reads."""
        return self._rows(data, graphs, lambda m, d, g: m._score(d, g, with_z=True)[1])

    def intervals(self, data: Any, coverage: float = 0.0, graphs: Any = None) -> tuple[Array, Array]:
        """Low and high [n × outputs], between which a new value lies with probability `coverage` (0: of training)."""
        both = self._rows(data, graphs, lambda m, d, g: m._intervals(m._score(d, g)[0], coverage))
        return both[:, :self.n_outputs], both[:, self.n_outputs:]

    def applicability(self, data: Any, graphs: Any = None) -> tuple[Array, Array]:
        """Distance [n] from the training graphs (1 is usual in training), and the share [n] of validation graphs that
        lie at least as far out; 0: the prediction is a guess."""

        def both(model: _User, data: Dataset, graphs: Array) -> Array:
            made = numpy.empty((2, len(graphs)), dtype=numpy.float32)
            interrupts.call("l2r_predictor_applicability", made[0], made[1], model.handle, data._handle, graphs,
                        len(graphs))
            return numpy.asarray(made.T)

        rows = self._rows(data, graphs, both)
        return rows[:, 0], rows[:, 1]

    def spread(self, data: Any, graphs: Any = None) -> Array:
        """[n × outputs]: the standard deviation over the members of a committee."""
        return self._rows(data, graphs, lambda m, d, g: m._members(d, g)[1])

    def predict_members(self, data: Any, graphs: Any = None) -> Array:
        """[n × outputs × members]: what each member of a committee answers, before calibration."""
        return self._rows(data, graphs, lambda m, d, g: m._members(d, g)[0])

    def evaluate(self, data: Any, part: Optional[str] = None, *, split: Optional[Split] = None, graphs: Any = None,
                 metrics: Any = None) -> dict[str, Any]:
        """Scores against labels: {"rocauc": 0.79, …, "loss": 0.5, "n": 152, …}; None where one is not defined.

        part: of `split`, or of the split that the model was trained with (a model in the folder of its run).
        """
        data = data if isinstance(data, Dataset) else Dataset(data)
        if part is not None:
            split = split or self.split(data)
            graphs = split[part]
        numbers = _numbers(graphs, data)
        names = settings.as_text(metrics) if metrics is not None else None
        with self._user() as user:
            found = interrupts.make("l2r_evaluation", "l2r_predictor_evaluate", user.handle, data._handle, numbers,
                                len(numbers), names)
        made: dict[str, Any] = native.data("l2r_evaluation_json", found)
        return made

    def calibrate(self, data: Any, method: str = "platt", *, coverage: float = 0.0, graphs: Any = None) -> Model:
        """The model calibrated anew on labels that it has not seen: probabilities by `method`, intervals of a
        regression for this coverage (0: as before)."""
        data = data if isinstance(data, Dataset) else Dataset(data)
        numbers = _numbers(graphs, data)
        other = copy.deepcopy(self)
        native.call("l2r_predictor_calibrate", other._handle, method, coverage, data._handle, numbers, len(numbers))
        return other

    def parameters(self, member: int = 0) -> dict[str, Array]:
        """The parameters of a member by name, lent: they may be changed. Trees have none."""
        made = {}
        for i in range(native.call("l2r_predictor_n_parameters", self._handle, member)):
            found = native.struct("l2r_parameter")
            native.call("l2r_predictor_parameter", found, self._handle, member, i)
            lent = native.lent(self._handle, found.value, (found.rows, found.columns), "f4", writable=True)
            assert lent is not None
            made[found.name.decode()] = lent
        with self._lock:
            self._idle.clear()  # copies have the parameters of before
        return made

    def explain(self, data: Any, graph: int = 0, **options: Any) -> Explanation:
        """Which nodes and edges the answer for a graph rests on: explainer="shapley", "occlusion", …"""
        data = data if isinstance(data, Dataset) else Dataset(data)
        config = settings.for_explanation(options)
        user = native.make("l2r_predictor", "l2r_predictor_copy", self._handle)
        made = interrupts.make("l2r_explanation", "l2r_explanation_new", user, data._handle, graph, config)
        return Explanation(made, user, data)

    def report(self, **options: Any) -> Any:
        """The page of `l2r.report` about the run of a model that lies in its folder; notebooks show it."""
        from l2r import pages
        return pages.report(self, **options)

    # ---- what it was trained on ----

    def split(self, data: Dataset) -> Split:
        """The split that it was trained with, for a model in the folder of its run."""
        return Split(native.make("l2r_split", "l2r_predictor_split", self._handle, data._handle))

    def weights(self, data: Dataset) -> Array:
        """[graphs]: the weights that the method gave the training graphs last, 1 for the others."""
        made = numpy.empty(len(data), dtype=numpy.float32)
        native.call("l2r_predictor_weights", made, self._handle, data._handle)
        return made

    def trained_on(self, data: Dataset) -> bool:
        """Are these the graphs and labels that it was trained on?"""
        return bool(native.call("l2r_predictor_trained_on", self._handle, data._handle))

    # ---- files ----

    def save(self, path: Path) -> None:
        """Writes a .safetensors file, which the program and `l2r.load` read."""
        native.call("l2r_predictor_save", self._handle, os.fspath(path))

    def export(self, path: Path) -> None:
        """Writes an ONNX graph, of a committee the mean of its members; `member(k).export(path)` has one alone."""
        native.call("l2r_predictor_export", self._handle, os.fspath(path))

    def to_bytes(self) -> bytes:
        """The content of that file."""
        content, n = ctypes.c_void_p(), ctypes.c_size_t()
        native.call("l2r_predictor_to_bytes", ctypes.byref(content), ctypes.byref(n), self._handle)
        return native.taken_bytes(content, n.value)

    @classmethod
    def from_bytes(cls, content: bytes) -> Model:
        """A model from the content of a file."""
        return cls(native.make("l2r_predictor", "l2r_predictor_from_bytes", content, len(content)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Model.from_bytes, (self.to_bytes(),)

    def __deepcopy__(self, memo: Any) -> Model:
        return Model(native.make("l2r_predictor", "l2r_predictor_copy", self._handle))

    def __repr__(self) -> str:
        options = self.options
        kind = f"committee of {self.n_members}" if self.n_members > 1 else options["model"].value
        return f"<l2r.Model {kind}, method {options['method'].value}: {self.task}, {self.n_outputs} outputs>"

    # ---- inside ----

    @contextlib.contextmanager
    def _user(self) -> Iterator[_User]:
        """A copy that no other thread is using, kept for the next call."""
        with self._lock:
            handle = self._idle.pop() if self._idle else None
        handle = handle or native.make("l2r_predictor", "l2r_predictor_copy", self._handle)
        yield _User(handle)
        with self._lock:
            self._idle.append(handle)

    def _rows(self, data: Any, graphs: Any, make: Any) -> Array:
        """What `make` says of graphs; of SMILES a row for each, NaN where it is no molecule."""
        if isinstance(data, Dataset) or graphs is not None or not convert.is_molecules(data):
            opened = data if isinstance(data, Dataset) else Dataset(data)
            numbers = _numbers(graphs, opened)
            with self._user() as user:
                made: Array = make(user, opened, numbers)
            return made
        opened = Dataset([*data, "C"])  # one row at least is a molecule
        return opened.aligned(self._rows(opened, None, make), len(data) + 1)[:-1]


class _User:
    """One thread's model: the calls that need it."""

    def __init__(self, handle: native.Handle) -> None:
        self.handle = handle
        self.n_outputs = int(native.call("l2r_predictor_n_outputs", handle))

    def _score(self, data: Dataset, graphs: Array, with_z: bool = False) -> tuple[Array, Optional[Array]]:
        output = numpy.empty((len(graphs), self.n_outputs), dtype=numpy.float32)
        width = native.call("l2r_predictor_width", self.handle) if with_z else 0
        z = numpy.empty((len(graphs), width), dtype=numpy.float32) if with_z else None
        interrupts.call("l2r_predictor_embed", z, output, self.handle, data._handle, graphs, len(graphs))
        return output, z

    def _members(self, data: Dataset, graphs: Array) -> tuple[Array, Array]:
        n = native.call("l2r_predictor_n_members", self.handle)
        members = numpy.empty((n, len(graphs), self.n_outputs), dtype=numpy.float32)
        spread = numpy.empty(members.shape[1:], dtype=numpy.float32)
        interrupts.call("l2r_predictor_predict_members", members, spread, self.handle, data._handle, graphs,
                        len(graphs))
        return numpy.moveaxis(members, 0, -1), spread

    def _probabilities(self, output: Array) -> Array:
        native.call("l2r_predictor_probabilities", output, self.handle, len(output))
        return output

    def _intervals(self, output: Array, coverage: float) -> Array:
        low, high = numpy.empty_like(output), numpy.empty_like(output)
        native.call("l2r_predictor_intervals", low, high, output, self.handle, len(output), coverage)
        return numpy.hstack([low, high])


def _numbers(graphs: Any, data: Dataset) -> Array:
    if graphs is None:
        return numpy.arange(len(data), dtype=numpy.int64)
    chosen = numpy.asarray(graphs)
    if chosen.dtype == bool:
        chosen = numpy.flatnonzero(chosen)
    return numpy.ascontiguousarray(numpy.atleast_1d(chosen), dtype=numpy.int64)


def load(path: Path) -> Model:
    """A model from the folder of a run or a .safetensors file."""
    made = native.make("l2r_predictor", "l2r_predictor_open", os.fspath(path))
    return Model(made, os.fspath(path) if os.path.isdir(path) else None)


def import_model(out: Path, *paths: Path) -> None:
    """Makes models of checkpoints of chemprop 2: files, folders or wheels. out: a new .safetensors file or folder; what
    predicts different columns goes to a folder of its own in it. `load` reads each."""
    native.call("l2r_predictor_import", os.fspath(out), native.texts([os.fspath(path) for path in paths]), len(paths))
