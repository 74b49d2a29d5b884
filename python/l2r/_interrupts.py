# SPDX-License-Identifier: MIT
"""Ctrl-C during a long call: the library stops at a place of its choice, then KeyboardInterrupt is raised.

A signal is handled by Python between two instructions of its own, of which there are none during a call. The library
calls back now and then (`l2r_watch_set`; training between batches), and that is when the signal is seen.
"""
from __future__ import annotations

import signal
import threading
from typing import Any

from l2r import _native as native


class Interruptible:
    """``with Interruptible() as signals``: `signals.pressed` after Ctrl-C. Outside the main thread, and where a program
    handles the signal itself, nothing changes."""

    def __init__(self) -> None:
        self.pressed = False
        self._before: Any = None

    def __enter__(self) -> Interruptible:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._press)
            self._watch = native.struct(
                "l2r_watch", stop=native.callback_type("l2r_watch", "stop")(native.guarded(self._is_pressed, [], True)))
            native.call("l2r_watch_set", self._watch)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._before is None:
            return
        native.call("l2r_watch_set", None)
        signal.signal(signal.SIGINT, self._before)
        if self.pressed:
            raise KeyboardInterrupt from None

    def _press(self, *_: Any) -> None:
        self.pressed = True

    def _is_pressed(self, _: Any) -> bool:
        return self.pressed


def call(name: str, *arguments: Any) -> Any:
    """`_native.call` of what may take seconds."""
    with Interruptible():
        return native.call(name, *arguments)


def make(kind: str, name: str, *arguments: Any) -> native.Handle:
    """`_native.make` of what may take seconds."""
    with Interruptible():
        return native.make(kind, name, *arguments)
