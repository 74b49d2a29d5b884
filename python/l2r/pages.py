# SPDX-License-Identifier: MIT
"""Pages for the browser, made by the program: the report about runs, and the server that predicts."""
from __future__ import annotations

import atexit
import contextlib
import html
import os
import pathlib
import signal
import subprocess
import tempfile
from typing import Any, Optional, Union

from l2r import errors, program
from l2r.model import Model
from l2r.training import Run

Path = Union[str, os.PathLike[str]]
_GRACE = 10  # seconds that a server may take to answer what is under way


class Page:
    """A page by itself, which needs no network; notebooks show it."""

    def __init__(self, text: str) -> None:
        self.html = text

    def save(self, path: Path) -> None:
        """Writes a file that any browser shows."""
        pathlib.Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.html)}" style="width:100%;height:45em;border:0" '
                'title="l2r report"></iframe>')

    def __repr__(self) -> str:
        return f"<l2r.Page of {len(self.html)} characters>"


def _folder_of(run: Any) -> str:
    """The folder of a run, of its model, or a path."""
    folder = run.folder if isinstance(run, (Run, Model)) else os.fspath(run)
    if folder is None:
        raise errors.refuse("the report reads the folder of a run; train with out=\"runs/a\"", errors.NotTrainedError)
    return str(folder)


def report(*runs: Any, title: Optional[str] = None, **options: Any) -> Page:
    """The page of ``l2r report`` about runs side by side: curves, weights, predictions, scores, options.

    runs: of `l2r.train` with a folder, models of `l2r.load`, or folders. Other keywords are those of ``l2r report``:
    predictions, extremes, data.
    """
    with tempfile.TemporaryDirectory() as made:
        path = pathlib.Path(made, "report.html")
        program.run("report", *map(_folder_of, runs), progress=False, out=path, title=title, **options)
        return Page(path.read_text(encoding="utf-8"))


class Server:
    """A server in a process of its own: `url`, `stop()`; ``with l2r.serve(model) as server`` stops it at the end."""

    def __init__(self, process: subprocess.Popen[str], url: str, files: Any) -> None:
        self.url = url
        self._process, self._files = process, files
        atexit.register(self.stop)

    @property
    def is_running(self) -> bool:
        """False after `stop`."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Answers what is under way, and ends."""
        if self.is_running:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(_GRACE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()
        self._files.close()
        atexit.unregister(self.stop)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<l2r.Server at {self.url}{'' if self.is_running else ', stopped'}>"

    def _repr_html_(self) -> str:
        return f'<a href="{html.escape(self.url)}" target="_blank">{html.escape(self.url)}</a>'


def serve(*models: Any, port: int = 0, **options: Any) -> Server:
    """Predicts in a browser and over HTTP (docs/serve.md), on this machine alone unless `bind` says otherwise.

    models: models, runs, or their folders and files. port 0: a free one. Other keywords are those of ``l2r serve``:
    runs, bind, token_file, open, threads.
    """
    files = contextlib.ExitStack()
    made = pathlib.Path(files.enter_context(tempfile.TemporaryDirectory()))
    said = files.enter_context((made / "said").open("w+", encoding="utf-8"))
    paths = [_file_of(model, made, k) for k, model in enumerate(models)]
    process = program.start(["serve", *program.flags({"port": port, **options}), *paths], stdout=subprocess.PIPE,
                            stderr=said)
    assert process.stdout is not None
    line = process.stdout.readline()  # "serving 1 model at http://…", or nothing
    if not line:
        code = process.wait()
        process.stdout.close()
        said.seek(0)
        with files:
            raise program.failure(code, said.read())
    return Server(process, line.rpartition(" at ")[2].strip(), files)


def _file_of(model: Any, folder: pathlib.Path, k: int) -> str:
    model = model.model if isinstance(model, Run) and model.folder is None else model
    if isinstance(model, Model) and model.folder is None:
        path = folder / f"model-{k + 1}.safetensors"
        model.save(path)
        return str(path)
    return str(model.folder if isinstance(model, (Run, Model)) else os.fspath(model))
