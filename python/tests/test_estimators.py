# SPDX-License-Identifier: MIT
"""What all estimators promise; tests/test_check_estimator.py runs scikit-learn's own checks."""
import pickle
import warnings

import numpy
import pytest

pytest.importorskip("sklearn")
from conftest import CELSIUS, SMALL, SMILES, needs_rdkit  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

import l2r  # noqa: E402

ACID = [int("(=O)O" in smiles) for smiles in SMILES]


@pytest.fixture(scope="module")
def rows():
    X = numpy.random.RandomState(0).normal(size=(120, 4))
    return X, X[:, 0] + 0.5 * X[:, 1]


def test_parameters_are_options():
    made = l2r.SmilesRegressor("gin", hidden=16, readout="sum")
    assert made.get_params()["readout"] == "sum" and clone(made).get_params() == made.get_params()
    assert made.set_params(hidden=8, layers=2).hidden == 8
    assert repr(l2r.TableRegressor(depth=3)) == "TableRegressor(depth=3)"
    with pytest.raises(l2r.ArgumentError, match="colour"):
        l2r.TableRegressor(colour=3).fit([[1.0], [2.0]], [1, 2])


def test_tables_in_searches_pipelines_and_calibration(rows):
    X, y = rows
    assert cross_val_score(l2r.TableRegressor(trees=30), X, y, cv=3).mean() > 0.5
    search = GridSearchCV(l2r.TableClassifier(trees=20), {"depth": [1, 8], "model": ["forest"]}, cv=2).fit(X, y > 0)
    assert search.best_score_ > 0.8 and search.best_params_["depth"] in (1, 8)
    assert make_pipeline(StandardScaler(), l2r.TableClassifier("mlp", epochs=20)).fit(X, y > 0).score(X, y > 0) > 0.8
    calibrated = CalibratedClassifierCV(l2r.TableClassifier(trees=10), cv=2).fit(X, y > 0)
    assert calibrated.predict_proba(X).shape == (120, 2)


def test_the_order_of_rows_does_not_matter(rows):
    X, y = rows
    order = numpy.random.RandomState(1).permutation(120)
    first, second = (l2r.TableRegressor(trees=5).fit(X[o], y[o]).predict(X) for o in (order, order[::-1]))
    assert (first == second).all()


def test_weights_and_missing_numbers(rows):
    X, y = rows
    half = numpy.arange(120) < 60
    weighted = l2r.TableRegressor(trees=5).fit(X, y, sample_weight=half.astype(float)).predict(X)
    assert (weighted == l2r.TableRegressor(trees=5).fit(X[half], y[half]).predict(X)).all()
    with_gaps = numpy.where(numpy.random.RandomState(2).rand(120, 4) < 0.1, numpy.nan, X)
    assert l2r.TableRegressor(trees=30).fit(with_gaps, y).score(with_gaps, y) > 0.7
    with pytest.raises(ValueError, match="sample_weight"):
        l2r.TableRegressor().fit(X, y, sample_weight=-numpy.ones(120))


def test_several_tasks_with_missing_labels(rows):
    X, y = rows
    values = numpy.stack([y, -y], axis=1)
    values[::4, 0] = numpy.nan
    made = l2r.TableRegressor(trees=20).fit(X, values)
    assert made.predict(X).shape == (120, 2) and numpy.corrcoef(made.predict(X)[:, 1], -y)[0, 1] > 0.9
    classes = numpy.where(numpy.isnan(values), numpy.nan, values > 0)
    assert set(numpy.unique(l2r.TableClassifier(trees=20).fit(X, classes).predict(X))) == {0, 1}


def test_intervals_need_validation_rows(rows):
    X, y = rows
    made = l2r.TableRegressor(trees=20).fit(X[:80], y[:80], eval_set=(X[80:], y[80:]))
    values, interval = made.predict(X, return_interval=0.8)
    assert interval.shape == (120, 2) and (interval[:, 0] <= values).all() and (values <= interval[:, 1]).all()
    distance, share = made.applicability(X)
    assert distance.shape == share.shape == (120,)
    with pytest.raises(ValueError, match="validation"):
        l2r.TableRegressor(trees=20).fit(X, y).predict(X, return_interval=True)


def test_columns_of_frames_have_names(rows):
    pandas = pytest.importorskip("pandas")
    X, y = rows
    frame = pandas.DataFrame(X, columns=list("abcd"))
    made = l2r.TableRegressor("mlp", epochs=2, hidden=4).set_output(transform="pandas").fit(frame, y)
    assert list(made.feature_names_in_) == list("abcd")
    z = made.transform(frame)
    assert isinstance(z, pandas.DataFrame) and list(z.columns)[0] == "tableregressor0" and z.shape == (120, 4)


def test_frames_of_polars(rows):
    polars = pytest.importorskip("polars")
    X, y = rows
    frame = polars.DataFrame(X, schema=list("abcd"))
    made = l2r.TableRegressor("mlp", epochs=2, hidden=4).set_output(transform="polars").fit(frame, y)
    assert list(made.feature_names_in_) == list("abcd") and isinstance(made.transform(frame), polars.DataFrame)
    if l2r.has("rdkit"):
        table = polars.DataFrame({"molecule": SMILES, "dose": numpy.arange(24.0), "celsius": CELSIUS})
        forest = l2r.SmilesRegressor("forest", trees=10, valid_fraction=0).fit(table.drop("celsius"), table["celsius"])
        assert forest.predict(table).shape == (24,)
        assert l2r.Dataset(table["molecule"], y=table["celsius"]).labels[0] == 65


def test_nothing_to_learn():
    one_class = l2r.TableClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert one_class.predict([[3.0]]).tolist() == ["a"] and one_class.predict_proba([[3.0]]).tolist() == [[1.0]]
    assert l2r.TableRegressor().fit([[1.0]] * 4, [1, 2, 3, 4]).predict([[7.0]]).tolist() == [2.5]
    with pytest.raises(l2r.NotTrainedError, match="alike"):
        one_class.explain([[1.0]])
    with pytest.raises(NotFittedError):
        l2r.SmilesClassifier().predict(["C"])


@needs_rdkit()
def test_smiles_in_values_out():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = l2r.SmilesRegressor("gin", **SMALL).fit(SMILES, CELSIUS)
    assert numpy.isnan(made.predict(["CCO", "no molecule"])).tolist() == [False, True]
    assert made.transform(SMILES).shape == (24, 8) and "<svg" in made.explain(SMILES, 3)._repr_svg_()
    again = pickle.loads(pickle.dumps(made))
    assert (again.predict(SMILES) == made.predict(SMILES)).all() and again.score(SMILES, CELSIUS) < 1
    with pytest.warns(UserWarning, match="1 rows are no molecule.*row 3"):
        l2r.SmilesRegressor("gin", **SMALL).fit([*SMILES[:3], "C1CC", *SMILES[4:]], CELSIUS)


@needs_rdkit()
def test_smiles_in_classes_out():
    made = l2r.SmilesClassifier("forest", trees=20).fit(numpy.array(SMILES), numpy.array(["acid", "other"])[ACID])
    assert set(made.predict(SMILES)) == {"acid", "other"} and made.predict_proba(SMILES).shape == (24, 2)
    assert numpy.isnan(made.predict_proba(["no molecule"])).all()
    with pytest.raises(ValueError, match="row 1 is no molecule"):
        made.predict(["C", "no molecule"])
    assert cross_val_score(l2r.SmilesClassifier("forest", trees=20), SMILES, ACID, cv=2).shape == (2,)


@needs_rdkit()
def test_frames_with_smiles_and_numbers():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"molecule": SMILES, "dose": numpy.arange(24.0)})
    made = l2r.SmilesRegressor("forest", trees=10, valid_fraction=0).fit(frame, CELSIUS)
    assert made.predict(frame).shape == (24,)
    assert cross_val_score(made, frame, CELSIUS, cv=2).shape == (2,)
    with pytest.raises(ValueError, match="SMILES"):
        made.predict(frame[["dose"]])
    frame["age"] = numpy.arange(24.0)[::-1] ** 2
    network = l2r.SmilesRegressor("gin", **SMALL).fit(frame, CELSIUS)
    other_order = frame[["age", "dose", "molecule"]].assign(more=1.0)
    assert (network.predict(other_order) == network.predict(frame)).all()
    with pytest.raises(ValueError, match="no column of numbers 'age'"):
        network.predict(frame[["molecule", "dose"]])


@needs_rdkit()
def test_a_committee_says_how_sure_it_is():
    made = l2r.SmilesRegressor("gin", members="gin,forest:trees=10", **SMALL)
    made.fit(SMILES[:16], CELSIUS[:16], eval_set=(SMILES[16:], CELSIUS[16:]))
    values, std, interval = made.predict([*SMILES, None], return_std=True, return_interval=0.5)
    assert values.shape == std.shape == (25,) and interval.shape == (25, 2)
    assert (std[:24] > 0).all() and numpy.isnan(std[24])


def test_graphs(motif):
    y = numpy.array(["house", "star"])[motif.labels[:, 0].astype(int)]
    made = l2r.GraphClassifier("gin", **SMALL).fit(motif, y, environments=numpy.arange(100) % 2)
    assert made.predict_proba(motif).shape == (100, 2) and set(made.predict(motif)) <= {"house", "star"}
    assert cross_val_score(l2r.GraphClassifier("gcn", **SMALL), motif, y, cv=2).shape == (2,)
    values = l2r.GraphRegressor("gin", **SMALL).fit(list(motif[:30]), numpy.arange(30.0)).predict(motif)
    assert values.shape == (100,) and numpy.isfinite(values).all()
