# SPDX-License-Identifier: MIT
import threading

import pytest

import l2r


def test_lists():
    assert {"gin", "gcn", "forest", "mlp"} <= set(l2r.models())
    assert {"erm", "l2r", "headfit"} <= set(l2r.methods())
    assert "rocauc" in l2r.metrics() and "motif" in l2r.registry("generators")
    with pytest.raises(ValueError, match="metrics"):
        l2r.registry("colours")


def test_options_have_values_ranges_and_help():
    found = l2r.options("gin", "l2r", hidden=64, eval_test=False)
    assert found["hidden"].value == 64 and found["hidden"].default == 300
    assert found["eval_test"].value is False and found["eval_test"].default is True
    assert found["optimiser"].choices and found["lr"].range[0] > 0
    assert all("--" not in option.help for option in found.values())
    assert "epochs=100" in repr(found)


def test_options_of_other_kinds():
    assert "mu" in l2r.options(generator="motif")
    assert "explainer" in l2r.options(kind="explanation")
    assert "smiles_column" in l2r.options(kind="data")
    with pytest.raises(ValueError, match="kind"):
        l2r.options(kind="other")


def test_threads_belong_to_a_thread():
    l2r.set_threads(1)
    assert l2r.get_threads() == 1
    seen = []
    other = threading.Thread(target=lambda: (l2r.set_threads(2), seen.append(l2r.get_threads())))
    other.start()
    other.join()
    assert seen == [2] and l2r.get_threads() == 1
    l2r.set_threads(0)


def test_version():
    assert l2r.__version__.count(".") == 2
    assert l2r.has("nothing of the kind") is False
    assert "train" in dir(l2r)
    with pytest.raises(AttributeError, match="colour"):
        _ = l2r.colour
