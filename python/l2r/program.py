# SPDX-License-Identifier: MIT
"""The program, which the package carries, for what is more than a call: studies, tables, pages, a server.

    run("tune", data="motif", trials=3)     starts l2r tune --data motif --trials 3, waits, returns what it printed

Its errors are raised as those of the library are. Ctrl-C is passed on to it: it saves what it has, and
KeyboardInterrupt is raised when it has ended.
"""
from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
from typing import IO, Any, Optional

from l2r import errors

_MISUSE = 2  # the exit code for a wrong call
_WIDE_CHARACTERS = {"LC_ALL": "C.UTF-8"}


def path() -> str:
    """The program's file; L2R_PROGRAM names another, such as that of a build folder."""
    return os.environ.get("L2R_PROGRAM") or str(pathlib.Path(__file__).resolve().parent / "bin" / "l2r")


def flags(options: dict[str, Any]) -> list[str]:
    """Keywords as the program's options; None leaves the default.

    >>> flags({"batch_size": 8, "refit": True, "cache": False, "methods": ["erm", "l2r"], "seed": None})
    ['--batch-size=8', '--refit', '--no-cache', '--methods=erm,l2r']
    """
    from l2r import settings
    made = []
    for name, value in options.items():
        word = name.replace("_", "-")
        if isinstance(value, bool):
            made.append(f"--{word}" if value else f"--no-{word}")
        elif value is not None:
            made.append(f"--{word}={settings.as_text(value)}")
    return made


def start(words: list[str], **pipes: Any) -> subprocess.Popen[str]:
    """The program with these words, in a process group of its own, so that Ctrl-C reaches it through us alone."""
    program = path()
    try:
        return subprocess.Popen([program, *words], text=True, encoding="utf-8", errors="replace",
                                start_new_session=True, stdin=subprocess.DEVNULL,
                                env={**os.environ, **_WIDE_CHARACTERS}, **pipes)
    except OSError as error:
        raise errors.MissingModuleError(f"{program} cannot be started: {error}; install the package by pip, or let "
                                        "L2R_PROGRAM name the program") from error


def failure(code: int, said: str) -> errors.Error:
    """The exception for the program's exit code and its last words."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    spoken = [line[len("l2r: "):] for line in lines if line.startswith("l2r: ")]
    sentence = spoken[-1] if spoken else lines[-1] if lines else f"the program ended with exit code {code}"
    return errors.from_status("argument" if code == _MISUSE else errors.status_of(sentence), sentence)


def run(command: str, *arguments: str, progress: Optional[bool] = None, **options: Any) -> str:
    """What the program prints. progress: its messages are shown; None: on terminals and in notebooks."""
    from l2r.progress_bar import is_watched
    shown = is_watched() if progress is None else progress
    with tempfile.TemporaryFile("w+", encoding="utf-8") as printed:
        process = start([command, *flags(options), *arguments], stdout=printed, stderr=subprocess.PIPE)
        assert process.stderr is not None
        said = _listen(process, process.stderr, shown)
        code = process.wait()
        if code:
            raise failure(code, said)
        printed.seek(0)
        return printed.read()


def _listen(process: subprocess.Popen[str], stderr: IO[str], shown: bool) -> str:
    """The program's messages until it ends."""
    said, pressed = [], False
    while True:
        try:
            for line in stderr:
                said.append(line)
                if shown:
                    print(line, end="", file=sys.stderr, flush=True)
            process.wait()
            break
        except KeyboardInterrupt:
            process.send_signal(signal.SIGTERM if pressed else signal.SIGINT)
            pressed = True
        except BaseException:
            process.terminate()
            process.wait()
            raise
    if pressed:
        raise KeyboardInterrupt
    return "".join(said)
