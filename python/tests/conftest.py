# SPDX-License-Identifier: MIT
"""What tests share: small data and models, made once."""
import os
import pathlib
import signal
import tempfile

import numpy
import pytest

import l2r

# A shell's background jobs start with Ctrl-C ignored, which the tests of Ctrl-C would wait for in vain.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
CACHE = tempfile.TemporaryDirectory()  # not the user's
os.environ["XDG_CACHE_HOME"] = CACHE.name
PROGRAM = os.environ.get("L2R_PROGRAM", "l2r")
SMILES = ["CO", "CCO", "CCCO", "CC(C)O", "CCCCO", "CC(C)CO", "CCCCC", "CCCCCC", "CCCCCCC", "CCCCCCCC", "C1CCCC1",
          "C1CCCCC1", "c1ccccc1", "Cc1ccccc1", "CCc1ccccc1", "COc1ccccc1", "CC(C)=O", "CCC(C)=O", "CCCC(C)=O", "CCOCC",
          "C1CCOC1", "CCOC(C)=O", "CC(=O)O", "CCC(=O)O"]
CELSIUS = [65, 78, 97, 82, 118, 108, 36, 69, 98, 126, 49, 81, 80, 111, 136, 154, 56, 80, 102, 35, 66, 77, 118, 141]
SMALL = {"epochs": 3, "hidden": 8, "layers": 2, "batch_size": 8}


def needs_rdkit():
    return pytest.mark.skipif(not l2r.has("rdkit"), reason="built without RDKit")


@pytest.fixture
def tmp_path():
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        yield pathlib.Path(folder)


@pytest.fixture(scope="session")
def motif():
    return l2r.Dataset("motif:train=60,valid=20,test=20")


@pytest.fixture(scope="session")
def run(motif):
    return l2r.train(motif, "gin", **SMALL)


@pytest.fixture(scope="session")
def boiling():
    if not l2r.has("rdkit"):
        pytest.skip("built without RDKit")
    return l2r.Dataset(SMILES, y=CELSIUS)


@pytest.fixture
def cycles():
    """Cycles of five or six nodes as flat arrays: counts, edge_index, labels."""
    sizes = [5 + g % 2 for g in range(40)]
    pairs = [(v, (v + 1) % n) for n in sizes for v in range(n)]
    return sizes, numpy.array(pairs).T, [n == 5 for n in sizes]
