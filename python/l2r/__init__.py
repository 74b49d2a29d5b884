# SPDX-License-Identifier: MIT
"""l2r: graph neural networks that keep working when the test graphs differ from the training graphs.

    import l2r

    data = l2r.Dataset("motif:mu=0.9")                 # or SMILES, a CSV, a TU folder, graphs of PyG or NetworkX
    run = l2r.train(data, "gin", method="headfit")     # a Run: run.model, run.history, run.score("test")
    run.model.predict(data)                            # probabilities or values
    run.model.explain(data, graph=3)                   # a drawing in notebooks
    run.model.save("model.safetensors")                # the program reads it, and l2r.load

Estimators with scikit-learn's conventions (they need scikit-learn):

    l2r.SmilesRegressor().fit(smiles, y).predict(others, return_std=True)

Weights for the rows of any matrix, as from PyTorch:

    w = l2r.decorrelate(z, ess=0.8)

`l2r.models()`, `l2r.methods()` and `l2r.options("gin", "l2r")` list what there is. Keywords are the options of the
program, with underscores: ``batch_size=64`` is ``--batch-size 64``. All errors are `l2r.Error`.

Parts are loaded when they are first used, so that ``import l2r`` takes milliseconds.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from l2r.chart import Chart as Chart
    from l2r.dataset import Dataset as Dataset
    from l2r.errors import ArgumentError as ArgumentError
    from l2r.errors import DivergedError as DivergedError
    from l2r.errors import Error as Error
    from l2r.errors import FormatError as FormatError
    from l2r.errors import InterruptedRunError as InterruptedRunError
    from l2r.errors import MissingFileError as MissingFileError
    from l2r.errors import MissingModuleError as MissingModuleError
    from l2r.errors import NetworkError as NetworkError
    from l2r.errors import NotTrainedError as NotTrainedError
    from l2r.errors import OutOfMemoryError as OutOfMemoryError
    from l2r.errors import SystemCallError as SystemCallError
    from l2r.estimators import GraphClassifier as GraphClassifier
    from l2r.estimators import GraphRegressor as GraphRegressor
    from l2r.estimators import SmilesClassifier as SmilesClassifier
    from l2r.estimators import SmilesRegressor as SmilesRegressor
    from l2r.estimators import TableClassifier as TableClassifier
    from l2r.estimators import TableRegressor as TableRegressor
    from l2r.explanation import Explanation as Explanation
    from l2r.model import Model as Model
    from l2r.model import import_model as import_model
    from l2r.model import load as load
    from l2r.own_loop import Batch as Batch
    from l2r.own_loop import Training as Training
    from l2r.pages import Page as Page
    from l2r.pages import Server as Server
    from l2r.pages import report as report
    from l2r.pages import serve as serve
    from l2r.reweight import Decorrelation as Decorrelation
    from l2r.reweight import decorrelate as decorrelate
    from l2r.reweight import dependence as dependence
    from l2r.reweight import ess as ess
    from l2r.settings import get_threads as get_threads
    from l2r.settings import has as has
    from l2r.settings import higher_is_better as higher_is_better
    from l2r.settings import methods as methods
    from l2r.settings import metrics as metrics
    from l2r.settings import models as models
    from l2r.settings import options as options
    from l2r.settings import registry as registry
    from l2r.settings import set_threads as set_threads
    from l2r.split import Split as Split
    from l2r.studies import Reproduction as Reproduction
    from l2r.studies import Study as Study
    from l2r.studies import reproduce as reproduce
    from l2r.studies import tune as tune
    from l2r.training import Progress as Progress
    from l2r.training import Run as Run
    from l2r.training import train as train

_PLACES = {
    "chart": ("Chart",),
    "dataset": ("Dataset",),
    "errors": ("ArgumentError", "DivergedError", "Error", "FormatError", "InterruptedRunError", "MissingFileError",
               "MissingModuleError", "NetworkError", "NotTrainedError", "OutOfMemoryError", "SystemCallError"),
    "estimators": ("GraphClassifier", "GraphRegressor", "SmilesClassifier", "SmilesRegressor", "TableClassifier",
                   "TableRegressor"),
    "explanation": ("Explanation",),
    "model": ("Model", "import_model", "load"),
    "own_loop": ("Batch", "Training"),
    "pages": ("Page", "Server", "report", "serve"),
    "reweight": ("Decorrelation", "decorrelate", "dependence", "ess"),
    "settings": ("get_threads", "has", "higher_is_better", "methods", "metrics", "models", "options",
                 "registry", "set_threads"),
    "split": ("Split",),
    "studies": ("Reproduction", "Study", "reproduce", "tune"),
    "training": ("Progress", "Run", "train"),
}
_HOME = {name: place for place, names in _PLACES.items() for name in names}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("l2r.settings").version()
    if name in _HOME:
        found = getattr(importlib.import_module(f"l2r.{_HOME[name]}"), name)
        globals()[name] = found
        return found
    if name in _PLACES:
        return importlib.import_module(f"l2r.{name}")
    raise AttributeError(f"module 'l2r' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
