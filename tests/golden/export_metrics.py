#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes metrics.json: small hard cases and what scikit-learn says about them. Run: export_metrics.py > metrics.json

Averages over tasks follow the OGB evaluators: a task takes part when it has labelled graphs (ranking metrics: of both
classes; r2 and spearman: of two values). null stands for a missing label and for a metric that is undefined."""
import json
import sys
import warnings

import numpy as np
from scipy import stats
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve

warnings.filterwarnings("ignore")
rng = np.random.default_rng(7)
NAN = float("nan")


def mean_over(columns, measure, needs_both):
    values = []
    for truth, score in columns:
        keep = ~np.isnan(truth)
        truth, score = truth[keep], score[keep]
        if len(truth) == 0 or (needs_both and len(np.unique(truth)) < 2):
            continue
        values.append(float(measure(truth, score)))
    return sum(values) / len(values) if values else None


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def ece(truth, p):
    """Σ n_bin/n |mean p − share|, over the bins of calibration_curve, which gives no counts."""
    share, mean = calibration_curve(truth, p, n_bins=10, strategy="uniform")
    counts = np.bincount(np.searchsorted(np.linspace(0, 1, 11)[1:-1], p), minlength=10)
    return float(np.sum(counts[counts > 0] * np.abs(share - mean)) / len(p))


def binary(output, labels):
    columns = list(zip(labels.T, output.T))
    guess = lambda f: (lambda t, s: f(t, (s > 0).astype(float)))
    return {
        "accuracy": mean_over(columns, guess(sk.accuracy_score), False),
        "balanced_accuracy": mean_over(columns, guess(sk.balanced_accuracy_score), False),
        "f1": mean_over(columns, guess(lambda t, p: sk.f1_score(t, p, pos_label=1)), False),
        "rocauc": mean_over(columns, sk.roc_auc_score, True),
        "ap": mean_over(columns, sk.average_precision_score, True),
        "mcc": mean_over(columns, guess(sk.matthews_corrcoef), False),
        "brier": mean_over(columns, lambda t, s: sk.brier_score_loss(t, sigmoid(s), labels=[0, 1]), False),
        "ece": mean_over(columns, lambda t, s: ece(t, sigmoid(s)), False),
    }


def multiclass(output, labels):
    keep = ~np.isnan(labels[:, 0])
    truth, output = labels[keep, 0], output[keep].astype(np.float64)
    if len(truth) == 0:
        return dict.fromkeys(["accuracy", "balanced_accuracy", "f1", "rocauc", "ap", "mcc", "brier", "ece"])
    guess = output.argmax(1)
    odds = np.exp(output - output.max(1, keepdims=True))
    p = odds / odds.sum(1, keepdims=True)
    odds = np.round(odds / odds.sum(1, keepdims=True), 12)  # ties stay ties, whatever the order of the sum
    rest = [((truth == k).astype(float), odds[:, k]) for k in range(output.shape[1])]
    return {
        "accuracy": float(sk.accuracy_score(truth, guess)),
        "balanced_accuracy": float(sk.balanced_accuracy_score(truth, guess)),
        "f1": float(sk.f1_score(truth, guess, average="macro")),
        "rocauc": mean_over(rest, sk.roc_auc_score, True),
        "ap": mean_over(rest, sk.average_precision_score, True),
        "mcc": float(sk.matthews_corrcoef(truth, guess)),
        "brier": float(sk.brier_score_loss(truth, p, labels=range(p.shape[1]), scale_by_half=False)),
        "ece": ece((truth == guess).astype(float), p.max(1)),
    }


def scales(n_tasks):
    """Standard deviations of training labels, which the scores come with."""
    return [1.5 * 4 ** k for k in range(n_tasks)]


def regression(output, labels):
    columns = list(zip(labels.T, output.T))
    rmse = lambda t, p: sk.mean_squared_error(t, p) ** 0.5
    parts = [mean_over([column], rmse, False) for column in columns]
    scaled = [part / scale for part, scale in zip(parts, scales(labels.shape[1])) if part is not None]
    one = labels.shape[1] == 1  # units do not add up
    return {
        "rmse": mean_over(columns, rmse, False) if one else None,
        "mae": mean_over(columns, sk.mean_absolute_error, False) if one else None,
        "nrmse": sum(scaled) / len(scaled) if scaled else None,
        "r2": mean_over(columns, sk.r2_score, True),
        "spearman": mean_over(columns, lambda t, p: stats.spearmanr(t, p)[0], True),
    }


cases = []


def case(name, task, output, labels, n_classes=0):
    # float32 as the library holds it, then exact in double
    output = np.asarray(output, np.float32).astype(np.float64)
    labels = np.asarray(labels, np.float32).astype(np.float64).reshape(len(output), -1)
    rows = lambda a: [None if np.isnan(x) else float(x) for x in a.ravel()]
    cases.append({"name": name, "task": task, "n_graphs": len(output), "n_tasks": labels.shape[1],
                  "n_classes": n_classes, "scale": scales(labels.shape[1]), "output": rows(output),
                  "labels": rows(labels),
                  "expected": globals()[task](output, labels)})


def column(values):
    return np.asarray(values, float).reshape(-1, 1)


eighths = lambda *shape: np.round(rng.normal(size=shape) * 8) / 8
coin = lambda *shape: (rng.random(shape) < 0.4).astype(float)


def with_gaps(labels, share):
    labels = labels.copy()
    labels[rng.random(labels.shape) < share] = NAN
    return labels


case("binary, plain", "binary", eighths(40, 1) + 0.3, coin(40, 1))
case("binary, three scores only", "binary", rng.integers(-1, 2, (50, 1)), coin(50, 1))
case("binary, all scores equal", "binary", np.zeros((9, 1)), coin(9, 1))
case("binary, perfect order", "binary", column([-2, -1, 0.5, 3]), column([0, 0, 1, 1]))
case("binary, reversed order", "binary", column([-2, -1, 0.5, 3]), column([1, 1, 0, 0]))
case("binary, one graph", "binary", column([0.25]), column([1]))
case("binary, one graph, wrong", "binary", column([-0.25]), column([1]))
case("binary, two graphs tied", "binary", column([1, 1]), column([1, 0]))
case("binary, one class only", "binary", eighths(12, 1), np.zeros((12, 1)))
case("binary, nothing positive", "binary", column([-1, -2, -3]), column([0, 0, 0]))
case("binary, logits of exactly 0", "binary", column([0, 0, -0.0, 1]), column([0, 1, 0, 1]))
case("binary, logits beyond the sigmoid's range", "binary", column([90, 100, 120, -200, -210, 95]),
     column([1, 0, 1, 1, 0, 0]))
case("binary, neighbours in float32", "binary",
     column(np.nextafter(np.float32(1), np.float32(2)) * np.array([1, 1, 1]) - [0, 2**-23, 0]),
     column([1, 0, 0]))
case("binary, rare class, ties", "binary", rng.integers(-4, 3, (200, 1)) / 2,
     (rng.random((200, 1)) < 0.04).astype(float))
case("binary, no label", "binary", eighths(5, 1), np.full((5, 1), NAN))
many = with_gaps(coin(30, 6), 0.4)
many[:, 1][~np.isnan(many[:, 1])] = 0
many[:, 3][~np.isnan(many[:, 3])] = 1
many[:, 4] = NAN
case("binary, six tasks: gaps, all 0, all 1, unlabelled", "binary", eighths(30, 6), many)
one_each = np.full((8, 3), NAN)
one_each[2, 0], one_each[5, 1] = 1, 0
case("binary, no task has both classes", "binary", eighths(8, 3), one_each)
case("multi-class, plain", "multiclass", eighths(40, 4), rng.integers(0, 4, 40), 4)
case("multi-class, two classes", "multiclass", eighths(30, 2), coin(30), 2)
case("multi-class, tied logits", "multiclass", rng.integers(0, 2, (40, 3)), rng.integers(0, 3, 40), 3)
case("multi-class, a class without graphs is guessed", "multiclass", np.eye(4)[[0, 1, 2, 3, 3, 0, 1]] * 2,
     [0, 1, 2, 0, 1, 1, 0], 4)
case("multi-class, classes in neither labels nor guesses", "multiclass", np.eye(6)[[0, 2, 2, 0, 0]], [0, 2, 0, 0, 2], 6)
case("multi-class, one graph", "multiclass", [[0.5, 2, -1]], [1], 3)
case("multi-class, one class only", "multiclass", eighths(10, 3), np.full(10, 2), 3)
case("multi-class, gaps", "multiclass", eighths(40, 3), with_gaps(rng.integers(0, 3, 40).astype(float), 0.5), 3)
case("multi-class, no label", "multiclass", eighths(3, 3), np.full(3, NAN), 3)
case("regression, plain", "regression", rng.normal(size=(30, 1)), rng.normal(size=(30, 1)))
case("regression, far from 0", "regression", rng.normal(size=(30, 1)) + 1e6, rng.normal(size=(30, 1)) + 1e6)
case("regression, one graph", "regression", column([2.5]), column([-1]))
gaps = with_gaps(rng.normal(size=(20, 3)) * [1, 10, 100], 0.4)
gaps[:, 1] = NAN
case("regression, three tasks: gaps, unlabelled", "regression", rng.normal(size=(20, 3)), gaps)
case("regression, ties", "regression", rng.integers(0, 4, (25, 1)), rng.integers(0, 5, (25, 1)))
case("regression, two tasks of unlike units", "regression", rng.normal(size=(20, 2)) * [1, 1000],
     rng.normal(size=(20, 2)) * [1, 1000])
case("regression, no label", "regression", column([1, 2]), column([NAN, NAN]))

lines = ",\n".join(json.dumps(c) for c in cases)
sys.stdout.write("[\n" + lines + "\n]\n")
