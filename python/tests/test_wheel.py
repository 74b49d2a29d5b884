# SPDX-License-Identifier: MIT
"""A wheel carries its libraries and the program; skipped where the package is not installed from one."""
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import SMILES

import l2r

PACKAGE = pathlib.Path(l2r.__file__).parent
LIBRARIES = PACKAGE.parent / "l2r.libs"
pytestmark = pytest.mark.skipif(not LIBRARIES.exists(), reason="not installed from a wheel")
RUN_TIME = ("ld-linux-x86-64.so", "libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libstdc++.so",
            "libgcc_s.so")


def loaded_by(code):
    """The libraries that a new interpreter has loaded after this code."""
    code += "\nprint(*sorted({line.split()[-1] for line in open('/proc/self/maps') if '.so' in line}), sep='\\n')"
    made = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True)
    return set(made.stdout.split())


def test_no_library_of_the_system_is_used():
    code = f"""
import ctypes, bz2, lzma, zlib, json, pickle, tempfile, numpy
before = 1
import l2r
data = l2r.Dataset({SMILES!r}, y=list(range(24)))
for model in ("boost", "gin"):
    l2r.train(data, model, epochs=1, split=l2r.Split.from_indices(data, range(20))).model.predict(data)
data.svg(0)"""
    python = loaded_by(code.partition("before")[0])
    others = {path for path in loaded_by(code) - python if not path.startswith(str(PACKAGE.parent))}
    others = {path for path in others if "lib-dynload" not in path}
    assert not {path for path in others if not os.path.basename(path).startswith(RUN_TIME)}


def test_the_program_is_on_the_path(tmp_path):
    program = pathlib.Path(sys.executable).parent / "l2r"
    said = subprocess.run([program, "version"], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert said.startswith(f"l2r {l2r.__version__}\n")
    table = tmp_path / "new.csv"
    table.write_text("smiles\nCCO\n")
    said = subprocess.run([program, "data", "info", table], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert "graphs             1" in said


def test_licences_and_size():
    info = next(PACKAGE.parent.glob("l2r-*.dist-info"))
    notices = {path.name for path in (info / "licenses" / "libraries").iterdir()}
    assert {"README", "libdnnl2", "librdkit1", "libxgboost0"} <= notices
    named = (info / "licenses" / "libraries" / "README").read_text()
    assert named.count("\nlib") == len(list(LIBRARIES.iterdir()))
    assert not {"libreadline8", "libfftw3-double3", "libgsl27", "libigraph3"} & notices
