# SPDX-License-Identifier: MIT
"""The program `l2r`, which the package carries: ``python -m l2r train --data …``."""
from __future__ import annotations

import os
import pathlib
import sys


def main() -> None:
    """Becomes the program, with the same arguments; L2R_PROGRAM names another, such as that of a build folder."""
    program = os.environ.get("L2R_PROGRAM") or str(pathlib.Path(__file__).resolve().parent / "bin" / "l2r")
    try:
        os.execv(program, ["l2r", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"l2r: {program} cannot be started: {error}; install the package by pip, or build the program by make")


if __name__ == "__main__":
    main()
