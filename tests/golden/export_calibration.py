#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes calibration.json: logits, labels and what scikit-learn makes of them.
Run: export_calibration.py > calibration.json

platt: a and b of p = σ(a·o + b); isotonic: p at the places `at`; temperature: 1/T. Isotonic probabilities are drawn to
1/(n+2) and (n+1)/(n+2), as ours are."""
import json
import sys

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression

rng = np.random.default_rng(3)


def case(name, x, y):
    x = np.asarray(x, float)
    y = np.asarray(y, float)
    platt = _SigmoidCalibration().fit(x, y)
    least = 1 / (len(x) + 2)
    steps = IsotonicRegression(out_of_bounds="clip").fit(x, y)
    at = np.linspace(x.min() - 1, x.max() + 1, 23)
    nll = lambda s: np.sum(np.logaddexp(0, np.where(y > 0, -s * x, s * x)))
    warm = minimize_scalar(lambda t: nll(np.exp(t)), bounds=(-np.log(100), np.log(100)), method="bounded",
                           options={"xatol": 1e-10})
    return {"name": name, "x": x.tolist(), "y": y.tolist(), "platt": [-platt.a_, -platt.b_], "at": at.tolist(),
            # steps outside and inside: drawn to the limits at the knots, hence also between them
            "isotonic": np.interp(at, steps.X_thresholds_, np.clip(steps.y_thresholds_, least, 1 - least)).tolist(),
            "temperature": float(np.exp(warm.x))}


def drawn(n, slope, offset):
    x = rng.normal(size=n) * 2
    return x, rng.random(n) < 1 / (1 + np.exp(-(slope * x + offset)))


cases = [case("overconfident", *drawn(200, 0.4, 0.5)), case("timid", *drawn(150, 2.5, -1)),
         case("few", [-2, -1, 0, 1, 2, 3], [0, 1, 0, 0, 1, 1]),
         case("ties", np.round(rng.normal(size=60)), rng.random(60) < 0.4),
         case("separated", [-3, -2, -1, 1, 2], [0, 0, 0, 1, 1])]
sys.stdout.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
