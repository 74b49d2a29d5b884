# SPDX-License-Identifier: MIT
"""What all estimators share: their parameters, fitting, and what is beside predictions.

    _inputs.py     X  →  rows  →  Dataset                  Smiles, Graphs, Table
    _targets.py    y  →  labels;  outputs  →  answers      Classifier, Regressor

An estimator is an input, a target and this (estimators.py).
"""
from __future__ import annotations

import inspect
import warnings
from typing import Any, Optional

import numpy

from l2r import _native as native
from l2r import _sklearn as sk
from l2r import errors
from l2r.dataset import Dataset
from l2r.explanation import Explanation
from l2r.model import Model
from l2r.split import Split
from l2r.training import train

Array = numpy.ndarray[Any, Any]
_NO_OPTIONS = ("model", "method", "valid_fraction", "random_state")
_LEAST = 20  # rows of which some validate


class Estimator(sk.ClassNamePrefixFeaturesOutMixin, sk.TransformerMixin, sk.BaseEstimator):  # type: ignore[misc]
    """Parameters are options of `l2r.train`; None is the library's default. Any other option is one, too."""

    default_model: Optional[str] = None
    _x_types = ""  # what X is, in scikit-learn's words
    _several = False  # does y have several columns?
    model_: Optional[Model]
    constant_: Optional[Array]

    def __init__(self, model: Optional[str] = None, method: Optional[str] = None, *, members: Any = None,
                 features: Any = None, epochs: Optional[int] = None, batch_size: Optional[int] = None,
                 lr: Optional[float] = None, hidden: Optional[int] = None, layers: Optional[int] = None,
                 dropout: Optional[float] = None, valid_fraction: float = 0.1, random_state: Any = None,
                 **options: Any) -> None:
        self.model = model
        self.method = method
        self.members = members
        self.features = features
        self.epochs = epochs
        self.batch_size = batch_size
        self.lr = lr
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.valid_fraction = valid_fraction
        self.random_state = random_state
        for name, value in options.items():
            setattr(self, name, value)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every parameter by its name."""
        listed = inspect.signature(type(self).__init__).parameters
        return {name: value for name, value in vars(self).items()
                if name[0] != "_" and name[-1] != "_" and (name in listed or value is not None)}

    def set_params(self, **parameters: Any) -> Any:
        """Sets parameters; any option of `l2r.train` is one."""
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    # ---- fitting ----

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, environments: Any = None,
            eval_set: Any = None) -> Any:
        """Trains. sample_weight [n]: what each row's loss is multiplied by; 0 leaves it out. environments [n]: where
        each row comes from, for methods that use it. eval_set: (X, y) that choose the epoch and calibrate intervals;
        without it `valid_fraction` of the rows do."""
        rows = self._read(X, reset=True)
        n = self._length(rows)
        labels, task = self._encode(y, reset=True)
        sk.check_consistent_length(numpy.empty(n), labels)
        weights = sk.sample_weight(sample_weight, numpy.empty((n, 1)))
        places = None if environments is None else numpy.asarray(environments).astype(str)
        which = self._order(rows, labels, weights)
        rows, labels = self._take(rows, which), labels[which]
        places = None if places is None else places[which]
        weights = None if weights is None or self._repeats(weights) else weights[which]
        self.model_, self.constant_ = None, self._constant(rows, labels, weights, task)
        if self.constant_ is None:
            self._train(rows, labels, task, weights, places, eval_set)
        return self

    def _train(self, rows: Any, labels: Array, task: str, weights: Any, places: Any, eval_set: Any) -> None:
        n = len(labels)
        parts = numpy.zeros(n, dtype=numpy.uint8)
        if eval_set is not None:
            others = self._read(eval_set[0], reset=False)
            rows = self._join(rows, others)
            labels = numpy.concatenate([labels, self._encode(eval_set[1], reset=False)[0]])
            parts = numpy.concatenate([parts, numpy.ones(len(labels) - n, dtype=numpy.uint8)])
            weights = None if weights is None else numpy.concatenate([weights, numpy.ones(len(labels) - n)])
            places = None if places is None else numpy.concatenate([places, ["eval_set"] * (len(labels) - n)])
        elif self.valid_fraction > 0 and n >= _LEAST:
            order = numpy.random.RandomState(self._seed() % 2**32).permutation(n)
            parts[order[:max(1, round(self.valid_fraction * n))]] = 1
        data = self._dataset(rows, labels, task, weights=weights, environments=places)
        if len(data) < len(parts):
            warnings.warn(f"{len(parts) - len(data)} rows are no molecule and were left out, such as row "
                          f"{data.rejected[0][0]}: {data.rejected[0][1]}", stacklevel=3)
            parts = parts[data.source_rows]
        options = {name: value for name, value in self.get_params().items()
                   if name not in _NO_OPTIONS and value is not None}
        run = train(data, self.model or self.default_model, self.method, split=Split.from_parts(data, parts),
                    progress=False, **{"seed": self._seed(), **self._fixed_options(), **options})
        self.model_, self.history_ = run.model, {name: curve.copy() for name, curve in run.history.items()}

    def _seed(self) -> int:
        seed = self.random_state
        if seed is not None and not isinstance(seed, (int, numpy.integer)):
            seed = seed.randint(2**31)
        return int(seed or 0)

    def _constant(self, rows: Any, labels: Array, weights: Any, task: str) -> Optional[Array]:
        """Outputs where there is nothing to learn: one class, or rows that are all alike."""
        if task != "regression" and labels.ndim == 1 and len(numpy.unique(labels)) > 1 and self._varies(rows):
            return None
        if (task == "regression" or labels.ndim == 2) and self._varies(rows):
            return None
        if task == "multiclass":
            labels = numpy.eye(int(labels.max()) + 1)[labels.astype(int)]
        known = numpy.ma.masked_invalid(labels.reshape(len(labels), -1))
        made: Any = numpy.ma.average(known, axis=0, weights=weights)
        return numpy.asarray(made.filled(numpy.nan))

    # ---- what a fitted estimator can do ----

    def _outputs(self, X: Any) -> Array:
        """[n × outputs]: probabilities or values."""
        sk.check_is_fitted(self)
        rows = self._read(X, reset=False)
        if self.model_ is None:
            assert self.constant_ is not None
            return numpy.tile(self.constant_, (self._length(rows), 1))
        return self._aligned(rows, self.model_.predict)

    def transform(self, X: Any) -> Array:
        """[n × width]: the learned representation Z."""
        sk.check_is_fitted(self)
        rows = self._read(X, reset=False)
        if self.model_ is None:
            return numpy.zeros((self._length(rows), 1))
        return self._aligned(rows, self.model_.embed)

    @property
    def _n_features_out(self) -> int:
        return 1 if self.model_ is None else int(native.call("l2r_predictor_width", self.model_._handle))

    def applicability(self, X: Any) -> tuple[Array, Array]:
        """Distance [n] from the training rows (1 is usual in training), and the share [n] of validation rows that lie
        at least as far out; 0: the prediction is a guess."""
        model = self._fitted()
        made = self._aligned(self._read(X, reset=False), lambda data: numpy.stack(model.applicability(data), axis=1))
        return made[:, 0], made[:, 1]

    def explain(self, X: Any, row: int = 0, **options: Any) -> Explanation:
        """Which atoms and bonds, or nodes and edges, the answer for a row rests on."""
        return self._fitted().explain(self._dataset(self._take(self._read(X, reset=False), [row])), 0, **options)

    def _fitted(self) -> Model:
        sk.check_is_fitted(self)
        if self.model_ is None:
            raise errors.refuse("the training rows or their labels are all alike, so there is no model",
                                       errors.NotTrainedError)
        return self.model_

    def _aligned(self, rows: Any, make: Any) -> Array:
        """A row of what `make` says for each of `rows`, NaN where it became no graph."""
        data = self._dataset(rows)
        return data.aligned(make(data).astype(numpy.float64), self._length(rows))

    # ---- what scikit-learn's checks must know, before and after its version 1.6 ----

    def _more_tags(self) -> dict[str, Any]:
        return {"X_types": [self._x_types], "allow_nan": True, "requires_y": True, "multioutput": self._several}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.two_d_array = self._x_types == "2darray"
        tags.input_tags.string = self._x_types == "string"
        tags.target_tags.required = True
        tags.target_tags.multi_output = self._several
        return tags

    # ---- of the input and of the target ----

    def _read(self, X: Any, reset: bool) -> Any:
        raise NotImplementedError

    def _dataset(self, rows: Any, labels: Any = None, task: Optional[str] = None, **about: Any) -> Dataset:
        raise NotImplementedError

    def _encode(self, y: Any, reset: bool) -> tuple[Array, str]:
        raise NotImplementedError

    def _length(self, rows: Any) -> int:
        return len(rows)

    def _take(self, rows: Any, which: Any) -> Any:
        return [rows[i] for i in which]

    def _join(self, rows: Any, others: Any) -> Any:
        return [*rows, *others]

    def _order(self, rows: Any, labels: Array, weights: Optional[Array]) -> Array:
        """Which rows are trained on, in which order."""
        return numpy.arange(len(labels)) if weights is None else numpy.flatnonzero(weights)

    def _repeats(self, weights: Array) -> bool:
        """Are these weights numbers of repetitions, which `_order` makes?"""
        return bool((weights == weights[:1]).all())

    def _varies(self, rows: Any) -> bool:
        return True

    def _fixed_options(self) -> dict[str, Any]:
        return {}
