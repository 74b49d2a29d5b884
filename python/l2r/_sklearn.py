# SPDX-License-Identifier: MIT
"""scikit-learn, of which several versions name the same things differently; only this file knows."""
from __future__ import annotations

import warnings
from typing import Any, Optional

import numpy

from l2r import errors

try:
    import sklearn
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        ClassNamePrefixFeaturesOutMixin,
        RegressorMixin,
        TransformerMixin,
    )
    from sklearn.exceptions import DataConversionWarning
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import _check_sample_weight, check_array, check_consistent_length, check_is_fitted
except ImportError as error:
    raise errors.MissingModuleError("the estimators need scikit-learn (pip install scikit-learn); l2r.train does not"
                                    ) from error

__all__ = ["BaseEstimator", "ClassNamePrefixFeaturesOutMixin", "ClassifierMixin", "RegressorMixin", "TransformerMixin",
           "check_classification_targets", "check_consistent_length", "check_is_fitted", "sample_weight", "table",
           "target"]
VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
FINITE = "force_all_finite" if VERSION < (1, 6) else "ensure_all_finite"


def table(estimator: Any, x: Any, reset: bool) -> Any:
    """X as numbers, checked as every estimator does; NaN is a missing number."""
    checks = {"dtype": "float64", FINITE: "allow-nan", "reset": reset}
    if VERSION < (1, 6):
        return estimator._validate_data(x, **checks)
    from sklearn.utils.validation import validate_data
    return validate_data(estimator, x, **checks)


def target(estimator: Any, y: Any, numeric: bool) -> numpy.ndarray[Any, Any]:
    """y [n], or [n × tasks] where NaN is a missing label."""
    if y is None:
        raise errors.refuse(f"This {type(estimator).__name__} estimator requires y to be passed, but the target y "
                            "is None")
    made = numpy.asarray(y)
    several = made.ndim == 2 and made.shape[1] > 1
    if several or numeric:
        made = check_array(made, ensure_2d=False, input_name="y", dtype="float64",
                           **{FINITE: "allow-nan" if several else True})
    else:
        made = check_array(made, ensure_2d=False, input_name="y", dtype=None)
    if made.ndim == 2 and not several:
        warnings.warn("A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                      "(n_samples,), for example using ravel().", DataConversionWarning, stacklevel=3)
        made = made.ravel()
    if made.ndim not in (1, 2):
        raise errors.refuse(f"y has {made.ndim} dimensions, expected 1 or 2")
    answer: numpy.ndarray[Any, Any] = made
    return answer


def sample_weight(weights: Any, x: Any) -> Optional[numpy.ndarray[Any, Any]]:
    """Weights [n], 0 or more; None stays None."""
    if weights is None:
        return None
    made: numpy.ndarray[Any, Any] = _check_sample_weight(weights, x, dtype="float64")
    if (made < 0).any():
        raise errors.refuse(f"sample_weight has {made.min()}, expected 0 or more")
    return made
