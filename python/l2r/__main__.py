# SPDX-License-Identifier: MIT
"""The program `l2r`, which the package carries: ``python -m l2r train --data …``."""
from __future__ import annotations

import os
import sys

from l2r import program


def main() -> None:
    """Becomes the program, with the same arguments; L2R_PROGRAM names another, such as that of a build folder."""
    path = program.path()
    try:
        os.execv(path, ["l2r", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"l2r: {path} cannot be started: {error}; install the package by pip, or build the program by make")


if __name__ == "__main__":
    main()
