# SPDX-License-Identifier: MIT
"""Studies, which are many runs: a search for options by validation graphs alone, and tables that are made again.

Both are made by the program. What they have finished stays in their folder, so that the same call goes on where one
before it ended.
"""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import tempfile
from collections.abc import Iterator
from typing import Any, Optional, Union

from l2r import errors, program, settings
from l2r.dataset import Dataset
from l2r.training import Run, train

Path = Union[str, os.PathLike[str]]


@contextlib.contextmanager
def _folder(wanted: Optional[Path]) -> Iterator[pathlib.Path]:
    """The user's folder, or one that is gone afterwards."""
    if wanted is not None:
        yield pathlib.Path(wanted)
    else:
        with tempfile.TemporaryDirectory() as made:
            yield pathlib.Path(made, "study")


def space_text(searched: Any) -> Optional[str]:
    """What is searched, as the program reads it: a list of choices, a pair as a range, or the program's words.

    >>> space_text({"lr": "1e-4..1e-2:log", "hidden": [64, 128], "dropout": (0, 0.6)})
    'lr=1e-4..1e-2:log,hidden=64|128,dropout=0..0.6'
    """
    if searched is None or isinstance(searched, str):
        return searched
    parts = []
    for name, values in searched.items():
        if isinstance(values, tuple):
            if len(values) != 2:
                raise errors.refuse(f"`{name}` has {len(values)} ends, expected (least, most); choices are a list")
            text = "..".join(map(settings.as_text, values))
        elif isinstance(values, list):
            text = "|".join(map(settings.as_text, values))
        else:
            text = settings.as_text(values)
        parts.append(f"{name.replace('_', '-')}={text}")
    return ",".join(parts)


class Study:
    """What a search has found: `best`, `trials`, `to_frame()`, `train()`."""

    def __init__(self, said: dict[str, Any], data: Dataset, model: Optional[str], fixed: dict[str, Any]) -> None:
        self.result = said
        self._data, self._model, self._fixed = data, model, fixed

    @property
    def metric(self) -> str:
        """The metric that ranks trials, on validation graphs."""
        return str(self.result["metric"])

    @property
    def trials(self) -> list[dict[str, Any]]:
        """Every trial, the best of each method first: method, trial, outcome, valid (mean over seeds), sd, options."""
        return [{"method": method["method"], **trial} for method in self.result["methods"]
                for trial in method["trials"]]

    @property
    def winners(self) -> dict[str, dict[str, Any]]:
        """The options of the best trial of each method."""
        return {method["method"]: self._options(method) for method in self.result["methods"]
                if method.get("best") is not None}

    @property
    def best(self) -> dict[str, Any]:
        """Method and options of the best trial of all, for `l2r.train`."""
        finished = [trial for trial in self.trials if trial["trial"] == self._best_of(trial["method"])]
        if not finished:
            raise errors.refuse("no trial has finished, so there is no best one", errors.NotTrainedError)
        found = max(finished, key=lambda t: t["valid"] if settings.higher_is_better(self.metric) else -t["valid"])
        return {"method": found["method"], **{k.replace("-", "_"): v for k, v in found["options"].items()}}

    def _best_of(self, method: str) -> Any:
        return next(m.get("best") for m in self.result["methods"] if m["method"] == method)

    @staticmethod
    def _options(method: dict[str, Any]) -> dict[str, Any]:
        options = next(t["options"] for t in method["trials"] if t["trial"] == method["best"])
        return {name.replace("-", "_"): value for name, value in options.items()}

    def train(self, **options: Any) -> Run:
        """Trains with the best options, and these; test graphs are scored now, for the first time."""
        return train(self._data, self._model, **{**self._fixed, **self.best, **options})

    def to_frame(self) -> Any:
        """The trials as a DataFrame of pandas."""
        import pandas
        return pandas.DataFrame([{**{k: v for k, v in trial.items() if k != "options"}, **trial["options"]}
                                 for trial in self.trials])

    def __repr__(self) -> str:
        return f"<l2r.Study of {len(self.trials)} trials, ranked by validation {self.metric}>"


def tune(data: Any, model: Optional[str] = None, methods: Any = "erm", *, y: Any = None, space: Any = None,
         trials: Optional[int] = None, search: Optional[str] = None, seeds: Any = None, out: Optional[Path] = None,
         progress: Optional[bool] = None, **options: Any) -> Study:
    """Searches for options. Trials are ranked by validation graphs; test graphs take no part.

    space: {"lr": "1e-4..1e-2:log", "hidden": [64, 128], "dropout": (0, 0.6)}: a text as the program has it, a list of
    choices, a range; None: that of the model and the methods. methods: one or several, each with the same number of
    trials and the same draws. search: "random" or "grid". seeds: "0-2" or a list: a trial is the mean over them. out: a
    folder, in which the same call goes on, or one with more trials. Other keywords are options of every trial.

    >>> import l2r
    >>> study = l2r.tune("motif:train=30,valid=10,test=10", "gcn", space={"lr": (0.001, 0.01)}, trials=2, epochs=1,
    ...                  hidden=8)
    >>> study, sorted(study.best)
    (<l2r.Study of 2 trials, ranked by validation accuracy>, ['lr', 'method'])
    """
    searched = space_text(space)
    opened = data if isinstance(data, Dataset) else Dataset(data, y, **_reading(options))
    with _folder(out) as folder, _file_of(opened) as named:
        said = program.run("tune", progress=progress, model=model, methods=methods, space=searched, trials=trials,
                           search=search, seeds=_list(seeds), out=folder, json=True, **{**named, **options})
    return Study(json.loads(said), opened, model, options)


def _reading(options: dict[str, Any]) -> dict[str, Any]:
    """Those of the options that reading takes."""
    known = settings.options(kind="data")
    return {name: value for name, value in options.items() if name in known}


@contextlib.contextmanager
def _file_of(data: Dataset) -> Iterator[dict[str, Any]]:
    """Options by which the program finds this data: where it came from, or a file that is gone afterwards."""
    if "data" in data._opened:
        yield data._opened
    else:
        with tempfile.TemporaryDirectory() as made:
            path = os.path.join(made, "data.l2r")
            data.save(path)
            yield {"data": path}


def _list(seeds: Any) -> Any:
    return ",".join(map(str, seeds)) if hasattr(seeds, "__iter__") and not isinstance(seeds, str) else seeds


class Reproduction:
    """Tables that were made again: `tables`, `results`, `to_frame()`; notebooks show them."""

    def __init__(self, folder: pathlib.Path, names: list[str]) -> None:
        self.folder = folder
        self.tables = {name: (folder / f"{name}.md").read_text(encoding="utf-8") for name in names
                       if (folder / f"{name}.md").exists()}
        self.figures = {name: (folder / f"{name}.svg").read_text(encoding="utf-8") for name in names
                        if (folder / f"{name}.svg").exists()}
        lines = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines() if (
            folder / "results.jsonl").exists() else []
        self.results: list[dict[str, Any]] = [json.loads(line) for line in lines if line.endswith("}")]

    def to_frame(self) -> Any:
        """Every finished run as a row of a DataFrame of pandas."""
        import pandas
        return pandas.json_normalize(self.results)

    def __repr__(self) -> str:
        return f"<l2r.Reproduction of {', '.join([*self.tables, *self.figures])}: {len(self.results)} runs>"

    def _repr_markdown_(self) -> str:
        return "\n\n".join(self.tables.values())


def reproduce(*names: str, out: Optional[Path] = None, data_root: Optional[Path] = None, quick: bool = False,
              seeds: Any = None, progress: Optional[bool] = None, **options: Any) -> Any:
    """Makes tables and figures again, from training on; without names: what there is, with a line about each.

    out: a folder; runs in it are never repeated. quick: on small generated data, which checks that everything works.
    Other keywords are those of ``l2r reproduce``: only, sets, epochs, set, show, jobs.

    >>> import l2r
    >>> "table1" in l2r.reproduce()
    True
    """
    if not names:
        listed = (line.partition(" ") for line in program.run("reproduce", list=True).splitlines() if line[:1].strip())
        return {name: about.strip() for name, _, about in listed}
    folder = pathlib.Path(out) if out is not None else pathlib.Path("runs", "reproduce-quick" if quick else "reproduce")
    program.run("reproduce", *names, progress=progress, out=folder, data_root=data_root, quick=quick or None,
                seeds=_list(seeds), **options)
    return Reproduction(folder, [pathlib.Path(name).stem for name in names])
