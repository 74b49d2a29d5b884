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
    from l2r.dataset import Dataset as Dataset
    from l2r.errors import (ArgumentError as ArgumentError, DivergedError as DivergedError, Error as Error,
                            FormatError as FormatError, InterruptedRunError as InterruptedRunError,
                            MissingFileError as MissingFileError, MissingModuleError as MissingModuleError,
                            NetworkError as NetworkError, NotTrainedError as NotTrainedError,
                            OutOfMemoryError as OutOfMemoryError, SystemCallError as SystemCallError)
    from l2r.estimators import (GraphClassifier as GraphClassifier, GraphRegressor as GraphRegressor,
                                SmilesClassifier as SmilesClassifier, SmilesRegressor as SmilesRegressor,
                                TableClassifier as TableClassifier, TableRegressor as TableRegressor)
    from l2r.explanation import Explanation as Explanation
    from l2r.model import Model as Model, load as load
    from l2r.reweight import Decorrelation as Decorrelation, decorrelate as decorrelate, dependence as dependence, ess as ess
    from l2r.settings import (get_threads as get_threads, has as has, methods as methods, metrics as metrics,
                              models as models, options as options, registry as registry, set_threads as set_threads)
    from l2r.split import Split as Split
    from l2r.training import Progress as Progress, Run as Run, train as train

_PLACES = {
    "dataset": ("Dataset",),
    "errors": ("ArgumentError", "DivergedError", "Error", "FormatError", "InterruptedRunError", "MissingFileError",
               "MissingModuleError", "NetworkError", "NotTrainedError", "OutOfMemoryError", "SystemCallError"),
    "estimators": ("GraphClassifier", "GraphRegressor", "SmilesClassifier", "SmilesRegressor", "TableClassifier",
                   "TableRegressor"),
    "explanation": ("Explanation",),
    "model": ("Model", "load"),
    "reweight": ("Decorrelation", "decorrelate", "dependence", "ess"),
    "settings": ("get_threads", "has", "methods", "metrics", "models", "options", "registry", "set_threads"),
    "split": ("Split",),
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
