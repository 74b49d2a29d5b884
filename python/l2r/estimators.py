# SPDX-License-Identifier: MIT
"""Estimators with scikit-learn's conventions; they need scikit-learn.

    l2r.SmilesClassifier   SmilesRegressor    X: SMILES, RDKit molecules, or a frame with a column of them
    l2r.GraphClassifier    GraphRegressor     X: a Dataset, graphs of NetworkX or PyTorch Geometric
    l2r.TableClassifier    TableRegressor     X: a matrix of numbers

`clone`, `cross_val_score`, `GridSearchCV`, `Pipeline`, `CalibratedClassifierCV`, `set_output` and pickling work.
Parameters are the options of `l2r.train`, also those that a signature does not list.
"""
from __future__ import annotations

from l2r._inputs import Graphs, Smiles, Table
from l2r._targets import Classifier, Regressor


class SmilesClassifier(Smiles, Classifier):
    """Classes of molecules; without `model` and `members` a committee of graph networks, perceptrons and trees.

    >>> import l2r
    >>> smiles, acid = ["CC(=O)O", "CCO", "CCC(=O)O", "CCCO"] * 3, [1, 0, 1, 0] * 3
    >>> model = l2r.SmilesClassifier("forest", trees=20).fit(smiles, acid)
    >>> model.predict(["CCCC(=O)O", "CCCCO"]).tolist()
    [1, 0]
    """


class SmilesRegressor(Smiles, Regressor):
    """Values of molecules; ``predict(X, return_std=True, return_interval=0.9)`` says how sure they are."""


class GraphClassifier(Graphs, Classifier):
    """Classes of graphs."""


class GraphRegressor(Graphs, Regressor):
    """Values of graphs."""


class TableClassifier(Table, Classifier):
    """Classes of rows of numbers: model "forest", "boost" or "mlp".

    >>> import l2r, numpy
    >>> X = numpy.random.default_rng(0).normal(size=(200, 3))
    >>> l2r.TableClassifier(trees=50).fit(X, X[:, 0] > 0).score(X, X[:, 0] > 0) > 0.95
    True
    """


class TableRegressor(Table, Regressor):
    """Values of rows of numbers: model "forest", "boost" or "mlp"."""
