# SPDX-License-Identifier: MIT
"""Estimators with scikit-learn's conventions; they need scikit-learn.

    l2r.SmilesClassifier   SmilesRegressor    X: SMILES, RDKit molecules, or a frame with a column of them
    l2r.GraphClassifier    GraphRegressor     X: a Dataset, graphs of NetworkX or PyTorch Geometric
    l2r.TableClassifier    TableRegressor     X: a matrix of numbers

`clone`, `cross_val_score`, `GridSearchCV`, `Pipeline`, `CalibratedClassifierCV`, `set_output` and pickling work.
Parameters are the options of `l2r.train`, also those that a signature does not list.
"""
from __future__ import annotations

from typing import Any, Optional

from l2r._estimator import Estimator
from l2r._inputs import Graphs, Smiles, Table
from l2r._targets import Classifier, Regressor


class _Tagged(Estimator):
    """What scikit-learn's checks must know of an estimator, for its versions before and after 1.6."""

    _x_types = ""
    _several = False

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


class SmilesClassifier(Smiles, Classifier, _Tagged):
    """Classes of molecules; without `model` and `members` a committee of graph networks, perceptrons and trees.

    >>> import l2r
    >>> smiles, acid = ["CC(=O)O", "CCO", "CCC(=O)O", "CCCO"] * 3, [1, 0, 1, 0] * 3
    >>> model = l2r.SmilesClassifier("forest", trees=20).fit(smiles, acid)
    >>> model.predict(["CCCC(=O)O", "CCCCO"]).tolist()
    [1, 0]
    """


class SmilesRegressor(Smiles, Regressor, _Tagged):
    """Values of molecules; ``predict(X, return_std=True, return_interval=0.9)`` says how sure they are."""

    _several = True


class GraphClassifier(Graphs, Classifier, _Tagged):
    """Classes of graphs."""

    default_model = "gin"


class GraphRegressor(Graphs, Regressor, _Tagged):
    """Values of graphs."""

    default_model = "gin"
    _several = True


class _TableEstimator(Table, _Tagged):
    default_model = "forest"

    def __init__(self, model: Optional[str] = "forest", method: Optional[str] = None, *, trees: Optional[int] = None,
                 depth: Optional[int] = None, epochs: Optional[int] = None, batch_size: Optional[int] = None,
                 lr: Optional[float] = None, hidden: Optional[int] = None, layers: Optional[int] = None,
                 dropout: Optional[float] = None, valid_fraction: float = 0.0, random_state: Any = None,
                 **options: Any) -> None:
        super().__init__(model, method, epochs=epochs, batch_size=batch_size, lr=lr, hidden=hidden, layers=layers,
                         dropout=dropout, valid_fraction=valid_fraction, random_state=random_state, trees=trees,
                         depth=depth, **options)


class TableClassifier(Classifier, _TableEstimator):
    """Classes of rows of numbers: model "forest", "boost" or "mlp".

    >>> import l2r, numpy
    >>> X = numpy.random.default_rng(0).normal(size=(200, 3))
    >>> l2r.TableClassifier(trees=50).fit(X, X[:, 0] > 0).score(X, X[:, 0] > 0) > 0.95
    True
    """


class TableRegressor(Regressor, _TableEstimator):
    """Values of rows of numbers: model "forest", "boost" or "mlp"."""

    _several = True
