#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes linear_fit.json: linear heads that scikit-learn fits with sample weights and an L2 penalty.
Run: export_linear_fit.py > linear_fit.json

    minimise  (1/n) sum_i w_i loss_i + (penalty/2) |B|^2     on standardised columns, the intercept is free

LogisticRegression minimises C sum_i w_i loss_i + |B|^2 / 2: C = 1 / (n penalty). Ridge minimises sum_i w_i error_i^2 +
alpha |B|^2: alpha = n penalty / 2.
"""
import json
import sys

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge

rng = np.random.default_rng(3)


def problem(task, n, d, classes):
    x = (rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)).astype(np.float32)
    score = x @ rng.normal(size=(d, classes)) + 2 * rng.normal(size=(n, classes))
    y = {"multiclass": score.argmax(1), "binary": (score[:, 0] > np.median(score[:, 0])) * 1, "regression": score[:, 0]}
    w = rng.gamma(2, size=n)
    return x, y[task].astype(np.float32), w / w.mean()


def fit(task, x, y, w, penalty):
    n = len(x)
    z = x.astype(float)
    z = (z - z.mean(0)) / z.std(0)
    if task == "regression":
        y = (y.astype(float) - y.astype(float).mean()) / y.astype(float).std()
        found = Ridge(alpha=n * penalty / 2, solver="cholesky").fit(z, y, sample_weight=w)
    else:
        found = LogisticRegression(C=1 / (n * penalty), solver="newton-cholesky" if task == "binary" else "lbfgs",
                                   tol=1e-10, max_iter=100000).fit(z, y, sample_weight=w)
    out = z @ np.atleast_2d(found.coef_).T + found.intercept_
    return out - out.mean(1, keepdims=True) if task == "multiclass" else out


cases = []
for task, n, d, classes in (("multiclass", 40, 3, 3), ("binary", 50, 4, 2), ("regression", 30, 3, 1)):
    x, y, w = problem(task, n, d, classes)
    for penalty in (1e-4, 1e-2, 1):
        cases.append({"task": task, "n": n, "d": d, "classes": classes, "penalty": penalty,
                      "x": x.astype(float).ravel().tolist(), "y": y.astype(float).tolist(), "w": w.tolist(),
                      "output": fit(task, x, y, w, penalty).ravel().tolist()})
json.dump(cases, sys.stdout)
print()
