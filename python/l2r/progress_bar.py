# SPDX-License-Identifier: MIT
"""A bar for training, by tqdm where it is installed."""
from __future__ import annotations

import sys
from typing import Any, Callable, Optional


def is_watched() -> bool:
    """Is somebody looking: a terminal or a notebook?"""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def bar(wanted: Optional[bool]) -> Optional[Callable[[Any], None]]:
    """Called with each epoch's progress, and with None at the end; None: there is no bar."""
    if wanted is False or (wanted is None and not is_watched()):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if wanted:
            raise
        return None
    shown: list[Any] = []

    def show(at: Any) -> None:
        if at is None:
            for one in shown:
                one.close()
            return
        if not shown:
            shown.append(tqdm(total=at.n_epochs, unit="epoch"))
        shown[0].update()
        if at.valid is not None:
            shown[0].set_postfix_str(f"loss {at.loss:.4f}, valid {at.metric} {at.valid:.4f}")

    return show
