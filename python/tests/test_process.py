# SPDX-License-Identifier: MIT
"""The package beside other things in a process, on other processors, and beside the program."""
import os
import shutil
import subprocess
import sys

import numpy
import pytest
from conftest import CELSIUS, PROGRAM, SMALL, SMILES, needs_rdkit

import l2r

QEMU = shutil.which("qemu-x86_64")


def in_a_new_process(code, *before, **environment):
    made = subprocess.run([*before, sys.executable, "-c", code], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})
    assert made.returncode == 0, made.stderr
    return made.stdout.split()


def test_import_loads_nothing_that_is_not_used():
    loaded = in_a_new_process("import sys, l2r; print(*sys.modules)")
    assert not {"numpy", "sklearn", "pandas", "torch", "ctypes", "json"} & set(loaded)
    assert "sklearn" not in in_a_new_process("import sys, l2r; l2r.Dataset, l2r.train, l2r.load; print(*sys.modules)")


def test_python_and_the_program_give_the_same_file(motif, tmp_path):
    folders = tmp_path / "python", tmp_path / "program"
    run = l2r.train("motif:train=60,valid=20,test=20", "gcn", "l2r", out=folders[0], seed=3, **SMALL)
    flags = [part for name, value in SMALL.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    subprocess.run([PROGRAM, "train", "--data", "motif:train=60,valid=20,test=20", "--model", "gcn", "--method", "l2r",
                    "--seed", "3", "--out", folders[1], *flags], check=True, stdout=subprocess.DEVNULL)
    first, second = ((folder / "best.safetensors").read_bytes() for folder in folders)
    assert first == second
    run.model.save(tmp_path / "saved.safetensors")
    saved, trained = l2r.load(tmp_path / "saved.safetensors"), l2r.load(folders[1])
    assert saved.predict(motif).tobytes() == trained.predict(motif).tobytes()


def test_a_child_process_predicts_and_trains(run, motif):
    expected = run.model.predict(motif)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:  # no test may go on here
        try:
            same = (run.model.predict(motif) == expected).all()
            again = l2r.train(motif, "gin", **SMALL).model.predict(motif)
            os.write(write, b"same" if same and (again == expected).all() else b"other")
        finally:
            os._exit(0)
    os.close(write)
    assert os.read(read, 10) == b"same"
    os.waitpid(child, 0)
    os.close(read)


@pytest.mark.skipif(QEMU is None, reason="no qemu-x86_64")
def test_old_processors_meet_no_instruction_they_lack():
    code = f"""
import l2r
data = l2r.Dataset("motif:train=12,valid=6,test=6")
print(l2r.train(data, "gin", epochs=1, hidden=8, layers=2).model.predict(data).shape)
if l2r.has("rdkit"):
    l2r.Dataset({SMILES[:6]!r}, y=[1, 2, 3, 4, 5, 6]).svg(0)
print("done")"""
    # NumPy's own OpenBLAS mistakes what qemu shows it for a newer processor, unless it is told.
    said = in_a_new_process(code, QEMU, "-cpu", "Nehalem", OPENBLAS_CORETYPE="Prescott", OMP_NUM_THREADS="1")
    assert said[-1] == "done"


@needs_rdkit()
@pytest.mark.parametrize("order", ["l2r rdkit", "rdkit l2r"])
def test_two_rdkits_in_one_process(order):
    pytest.importorskip("rdkit")
    code = f"""
from importlib import import_module
molecule = None
for name in {order.split()!r}:
    if name == "rdkit":
        from rdkit import Chem
        from rdkit.Chem import Descriptors, Draw
        molecule = Chem.MolFromSmiles("CC(=O)Nc1ccc(O)cc1")
        assert 1 < Descriptors.MolLogP(molecule) < 2
    else:
        import l2r
        data = l2r.Dataset({SMILES!r}, y={CELSIUS!r})
        assert data.svg(14).startswith("<")
assert Chem.MolFromSmiles("C1CC") is None and len(l2r.Dataset([molecule])) == 1
model = l2r.train(data, "forest", trees=5, split=l2r.Split.from_indices(data, range(24))).model
print(model.predict([molecule, "C1CC"])[1, 0])"""
    assert in_a_new_process(code)[-1] == "nan"


@needs_rdkit()
@pytest.mark.parametrize("order", ["sklearn.ensemble xgboost torch l2r", "l2r torch xgboost sklearn.ensemble"])
def test_other_libraries_in_the_process(order):
    code = f"""
from importlib import import_module
for name in {order.split()!r}:
    try:
        import_module(name)
    except ImportError:
        continue
    if name == "torch":
        import torch
        assert torch.rand(50, 50).matmul(torch.rand(50, 50)).shape == (50, 50)
    if name == "xgboost":
        import numpy, xgboost
        xgboost.XGBRegressor(n_estimators=2).fit(numpy.eye(8), numpy.arange(8))
    if name == "l2r":
        import l2r
        data = l2r.Dataset({SMILES!r}, y={CELSIUS!r})
        split = l2r.Split.from_indices(data, range(24))
        models = ["gin", "boost"] if l2r.has("xgboost") else ["gin"]
        print(*(l2r.train(data, model, epochs=1, split=split).model.predict(["CCO"])[0, 0] for model in models))"""
    answers = numpy.array(in_a_new_process(code), dtype=float)
    assert numpy.isfinite(answers).all() and len(answers)


@needs_rdkit()
def test_molecules_of_rdkit_are_smiles(boiling):
    Chem = pytest.importorskip("rdkit.Chem")
    data = l2r.Dataset([Chem.MolFromSmiles(smiles) for smiles in SMILES], y=CELSIUS)
    assert len(data) == 24 and (data.labels == boiling.labels).all()
