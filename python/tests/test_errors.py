# SPDX-License-Identifier: MIT
import pytest

import l2r
from l2r import errors


def test_a_value_out_of_range_names_the_keyword():
    with pytest.raises(l2r.ArgumentError, match="`batch_size`") as caught:
        l2r.options("gin", batch_size=0)
    assert isinstance(caught.value, (l2r.Error, ValueError))
    assert caught.value.status == "argument"
    assert "--" not in str(caught.value)


def test_an_unknown_keyword_is_refused_with_a_hint():
    with pytest.raises(ValueError, match="epochs"):
        l2r.options("gin", epoch=3)


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.csv") as caught:
        l2r.Dataset(tmp_path / "nowhere.csv")
    assert isinstance(caught.value, l2r.Error)


def test_a_damaged_file(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(l2r.FormatError, match="model.safetensors"):
        l2r.load(path)


@pytest.mark.parametrize("status, builtin", [
    ("argument", ValueError), ("io", OSError), ("format", ValueError), ("memory", MemoryError),
    ("diverged", ArithmeticError), ("network", ConnectionError), ("missing", ImportError)])
def test_every_status_is_an_exception_of_python_too(status, builtin):
    made = errors.from_status(status, "a sentence")
    assert isinstance(made, l2r.Error) and isinstance(made, builtin) and str(made) == "a sentence"


def test_all_statuses_of_the_library_have_a_class():
    from l2r import _native as native
    numbers = native.abi()["enums"]["l2r_status"].values()
    words = {native.word("l2r_status_name", number) for number in numbers if number}
    assert words == set(errors.KINDS)
