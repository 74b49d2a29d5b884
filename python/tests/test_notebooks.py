# SPDX-License-Identifier: MIT
"""The notebooks of examples/notebooks run from the first cell to the last; what a cell ends with can be shown."""
import ast
import json
import os
import pathlib

import pytest
from conftest import needs_rdkit

NOTEBOOKS = sorted((pathlib.Path(__file__).resolve().parents[2] / "examples" / "notebooks").glob("*.ipynb"))


def show(value):
    """What a notebook does with the last value of a cell."""
    for name in ("_repr_html_", "_repr_svg_", "_repr_markdown_"):
        if hasattr(value, name):
            getattr(value, name)()
    return repr(value)


def execute(source, names):
    """A cell; its last expression is shown."""
    parsed = ast.parse(source)
    last = parsed.body.pop() if isinstance(parsed.body[-1], ast.Expr) else None
    exec(compile(parsed, "cell", "exec"), names)
    if last is not None:
        show(eval(compile(ast.Expression(last.value), "cell", "eval"), names))


@needs_rdkit()
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook(path, tmp_path):
    book = json.loads(path.read_text(encoding="utf-8"))
    for module in book["metadata"]["l2r"]["needs"]:
        pytest.importorskip(module)
    before, names = os.getcwd(), {}
    os.chdir(tmp_path)
    try:
        for number, cell in enumerate(book["cells"]):
            if cell["cell_type"] == "code":
                assert not cell["outputs"], f"cell {number} keeps an output"
                try:
                    execute("".join(cell["source"]), names)
                except Exception as error:
                    raise AssertionError(f"{path.name}, cell {number}: {error!r}") from error
    finally:
        os.chdir(before)
