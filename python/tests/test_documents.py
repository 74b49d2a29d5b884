# SPDX-License-Identifier: MIT
"""The Python of README.md and docs/python.md runs as typed, one block after the other."""
import importlib.util
import os
import pathlib
import re

import numpy
import pytest
from conftest import CELSIUS, SMILES, needs_rdkit

import l2r

ROOT = pathlib.Path(__file__).resolve().parents[2]
README, GUIDE = ROOT / "README.md", ROOT / "docs" / "python.md"
pytestmark = pytest.mark.skipif(not README.exists(), reason="no sources")


def blocks(path, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture
def in_tmp_path(tmp_path):
    before = os.getcwd()
    os.chdir(tmp_path)
    yield tmp_path
    os.chdir(before)


@needs_rdkit()
def test_the_scripts_of_the_readme(in_tmp_path, capsys):
    for name, table in re.findall(r"^cat >(\w+\.csv) <<'END'\n(.*?)^END$", README.read_text(encoding="utf-8"),
                                  re.MULTILINE | re.DOTALL):
        pathlib.Path(name).write_text(table)
    chemist, researcher = blocks(README, "python")
    assert max(chemist.count("\n"), researcher.count("\n")) < 20
    exec(chemist, {})
    said = capsys.readouterr().out.splitlines()
    assert said[1].startswith("CCCCCO ") and said[3].startswith("C1CC nan")
    assert pathlib.Path("boiling.safetensors").exists()
    exec(researcher, {})
    before, after, *scores = (float(word) for word in capsys.readouterr().out.split())
    assert after < before and all(0.4 < score <= 1 for score in scores)


def test_the_same_in_three_languages(in_tmp_path):
    rows = [line.split(" | ") for line in README.read_text(encoding="utf-8").splitlines()
            if line.startswith("| ") and " | `l2r" in line and line.count("|") == 5]
    assert len(rows) >= 6
    names = {"l2r": l2r}
    for _, shell, python, c in rows:
        exec(python.strip("`"), names)
        for call in re.findall(r"l2r_\w+(?=\()", c):
            assert call in l2r._native.abi()["functions"], call
        assert shell.startswith("`l2r ")


@needs_rdkit()
def test_the_guide(in_tmp_path):
    pytest.importorskip("sklearn")
    X = numpy.random.RandomState(0).normal(size=(60, 3))
    names = {"smiles": SMILES * 2, "y": CELSIUS * 2, "others": SMILES[:3], "X": X, "labels": X[:, 0] > 0, "l2r": l2r}
    found = blocks(GUIDE, "python")
    assert found
    for block in found:
        if "import torch" not in block or importlib.util.find_spec("torch"):
            exec(block, names)
