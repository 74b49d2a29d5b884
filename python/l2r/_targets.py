# SPDX-License-Identifier: MIT
"""What estimators predict: classes or values."""
from __future__ import annotations

from typing import Any, Union

import numpy

from l2r import _sklearn as sk
from l2r import errors
from l2r._estimator import Estimator

Array = numpy.ndarray[Any, Any]


class Classifier(sk.ClassifierMixin, Estimator):  # type: ignore[misc]
    """y [n]: classes of any kind; or [n × tasks]: 0, 1, or NaN where it is missing."""

    _several = False
    classes_: Array

    def _encode(self, y: Any, reset: bool) -> tuple[Array, str]:
        made = sk.target(self, y, numeric=False)
        if made.ndim == 2:
            if reset:
                self.classes_ = numpy.array([0, 1])
            return made, "binary"
        sk.check_classification_targets(made)
        if reset:
            self.classes_ = numpy.unique(made)
        numbers = numpy.searchsorted(self.classes_, made)
        if (self.classes_[numpy.minimum(numbers, len(self.classes_) - 1)] != made).any():
            raise errors.refuse("eval_set has a class that y does not have")
        return numbers, "binary" if len(self.classes_) <= 2 else "multiclass"

    def predict_proba(self, X: Any) -> Array:
        """[n × classes], or [n × tasks]: the probability of 1 for each of several tasks. NaN: no molecule."""
        p = self._outputs(X)
        if p.shape[1] > 1:
            return p
        return numpy.ones_like(p) if len(self.classes_) == 1 else numpy.hstack([1 - p, p])

    def predict(self, X: Any) -> Any:
        """The most probable class of each row, or [n × tasks] 0 and 1."""
        p = self._outputs(X)
        if numpy.isnan(p).any():
            row = int(numpy.flatnonzero(numpy.isnan(p).any(axis=1))[0])
            raise errors.refuse(f"row {row} is no molecule, so it has no class; predict_proba has NaN there")
        if len(self.classes_) == 1:
            return numpy.full(len(p), self.classes_[0])
        if self._is_several:
            return (p > 0.5).astype(int)
        return self.classes_[p.argmax(axis=1) if p.shape[1] > 1 else (p[:, 0] > 0.5).astype(int)]

    @property
    def _is_several(self) -> bool:
        model = self.model_
        return model is not None and model.task == "binary" and model.n_outputs > 1


class Regressor(sk.RegressorMixin, Estimator):  # type: ignore[misc]
    """y [n], or [n × tasks] where NaN is a missing value."""

    _several = True

    def _encode(self, y: Any, reset: bool) -> tuple[Array, str]:
        made = sk.target(self, y, numeric=True)
        if reset:
            self._is_column = made.ndim == 1
        return made, "regression"

    def predict(self, X: Any, return_std: bool = False,
                return_interval: Union[bool, float] = False) -> Union[Array, tuple[Array, ...]]:
        """Values [n] or [n × tasks], NaN: no molecule. return_std: also the standard deviation over the members of a
        committee. return_interval: also [n × 2] or [n × tasks × 2], between which a new value lies with this
        probability (True: the one of training); it needs validation rows."""
        values = self._outputs(X)
        answers = [values]
        if return_std:
            answers.append(self._aside(X, lambda model, data: model.spread(data)))
        if return_interval is not False:
            coverage = 0.0 if return_interval is True else float(return_interval)
            answers.append(self._aside(X, lambda model, data: numpy.stack(model.intervals(data, coverage), axis=-1)))
        if self._is_column:
            answers = [answer[:, 0] for answer in answers]
        return answers[0] if len(answers) == 1 else tuple(answers)

    def _aside(self, X: Any, make: Any) -> Array:
        model = self._fitted()
        rows = self._read(X, reset=False)
        made: Array = self._aligned(rows, lambda data: make(model, data))
        return made
