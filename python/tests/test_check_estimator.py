# SPDX-License-Identifier: MIT
"""scikit-learn's own checks. The estimators of tables pass all of them; those of SMILES and graphs what does not need a
matrix of numbers: their parameters and construction (the other checks fit a matrix)."""
import warnings

import pytest

pytest.importorskip("sklearn")
from sklearn.utils import estimator_checks  # noqa: E402

import l2r  # noqa: E402

TABLES = [l2r.TableClassifier(trees=100), l2r.TableRegressor(trees=100), l2r.TableClassifier("mlp", epochs=30),
          l2r.TableRegressor("mlp", epochs=30)]
if l2r.has("xgboost"):
    TABLES += [l2r.TableClassifier("boost", epochs=3, lr=0.3), l2r.TableRegressor("boost", epochs=3, lr=0.3)]


@pytest.mark.parametrize("estimator", TABLES, ids=lambda e: f"{type(e).__name__}-{e.model}")
def test_tables_pass_all_checks(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator_checks.check_estimator(estimator)


@pytest.mark.parametrize("kind", [l2r.SmilesClassifier, l2r.SmilesRegressor, l2r.GraphClassifier, l2r.GraphRegressor])
@pytest.mark.parametrize("check", ["check_parameters_default_constructible", "check_get_params_invariance",
                                   "check_set_params", "check_estimators_unfitted", "check_no_attributes_set_in_init"])
def test_other_inputs_pass_what_needs_no_matrix(kind, check):
    getattr(estimator_checks, check)(kind.__name__, kind())
