#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a head can gain from weights on frozen representations: a trial outside of the program (NumPy), from which
`--method l2r-head` follows.

    l2r train --data spmotif:bias=0.95,seed=0 --seed 0 --layers 4 --hidden 64 --epochs 40 --batch-size 128 --ema 0.99 \\
        --out erm
    l2r fingerprint erm --data spmotif:bias=0.95,seed=0 --out z.npy
    l2r data make spmotif --bias 0.95 --seed 0 --out graphs
    bench/refit.py z.npy graphs

Prints, for three strengths of an L2 penalty, the test accuracy of a new linear head on ERM's Z under weights

    one          all 1
    root, oracle P(y)P(e)/P(y,e) and its square root, e the base
    head RHO     learned: dependence between all pairs of variables, weighted by the head of "one", 60 Adam steps with
                 new Fourier features and half of the graphs in each, scaled to an effective sample size of RHO
    shuffled     the last but one in random order
"""
import pathlib
import sys

import numpy as np

TRAIN, TEST = slice(0, 3000), slice(6000, 12000)  # spmotif's own split
CLASSES, FEATURES, STEPS, ROWS = 3, 5, 60, 1500
rng = np.random.default_rng(0)


def with_bias(z):
    return np.c_[z, np.ones(len(z))]


def fit(z, y, w, penalty, steps=400):
    """Weighted softmax regression by gradient descent with momentum."""
    x, target = with_bias(z), np.eye(CLASSES)[y]
    weight = np.zeros((x.shape[1], CLASSES))
    velocity = np.zeros_like(weight)
    for _ in range(steps):
        p = x @ weight
        p = np.exp(p - p.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        slope = x.T @ ((p - target) * w[:, None]) / len(x)
        slope[:-1] += penalty * weight[:-1]
        velocity = 0.9 * velocity + slope
        weight -= 0.05 * velocity
    return weight


def by_class(logits, y):
    w = np.empty(len(y))
    for c in range(CLASSES):
        w[y == c] = np.exp(logits[y == c] - logits[y == c].max())
        w[y == c] /= w[y == c].mean()
    return w


def learn(z, y, importance):
    """Logits of weights under which the variables are less dependent."""
    n, d = z.shape
    s, m, v, start = np.zeros(n), np.zeros(n), np.zeros(n), None
    for t in range(1, STEPS + 1):
        omega, phase = rng.normal(size=(d, FEATURES)), rng.uniform(0, 2 * np.pi, (d, FEATURES))
        rows = rng.permutation(n)[:ROWS]
        u = (np.sqrt(2) * np.cos(z[rows][:, :, None] * omega + phase) * importance[None, :, None]).reshape(ROWS, -1)
        w = by_class(s, y)[rows]
        w = w / w.mean()
        f = u - (u * w[:, None]).mean(0)
        sigma = (f * w[:, None]).T @ f / (ROWS - 1)
        pairs = sigma.reshape(d, FEATURES, d, FEATURES)
        for i in range(d):
            pairs[i, :, i, :] = 0
        start = start or 0.5 * (sigma ** 2).sum()
        g = ((f @ sigma) * f).sum(1) / (ROWS - 1) / start
        slope = np.zeros(n)
        slope[rows] = w * (g - (w * g).mean())
        m, v = 0.9 * m + 0.1 * slope, 0.99 * v + 0.01 * slope ** 2
        s -= 0.05 * (m / (1 - 0.9 ** t)) / (np.sqrt(v / (1 - 0.99 ** t)) + 1e-12)
    return s


def of_strength(s, y, ess):
    low, high = 0.0, 100.0
    for _ in range(50):
        tau = (low + high) / 2
        w = by_class(tau * s, y)
        low, high = (tau, high) if w.sum() ** 2 / (len(w) * (w ** 2).sum()) > ess else (low, tau)
    return w


def main():
    folder = pathlib.Path(sys.argv[2])
    z = np.load(sys.argv[1]).astype(float)
    y = np.loadtxt(next(folder.glob("*_graph_labels.txt"))).astype(int)
    y -= y.min()
    _, base = np.unique(np.loadtxt(next(folder.glob("*_environments.txt")), dtype=str), return_inverse=True)
    z = (z - z[TRAIN].mean(0)) / (z[TRAIN].std(0) + 1e-9)
    own, at = y[TRAIN], base[TRAIN]
    share = np.zeros((CLASSES, base.max() + 1))
    np.add.at(share, (own, at), 1 / len(own))
    oracle = share.sum(1)[own] * share.sum(0)[at] / share[own, at]
    head = fit(z[TRAIN], own, np.ones(len(own)), 1e-3)[:-1]
    importance = np.linalg.norm(head - head.mean(1, keepdims=True), axis=1)
    logits = learn(z[TRAIN], own, importance / np.sqrt((importance ** 2).mean()))
    weights = {"one": np.ones(len(own)), "root": np.sqrt(oracle) / np.sqrt(oracle).mean(), "oracle": oracle}
    for ess in (0.8, 0.6, 0.3):
        weights[f"head {ess}"] = of_strength(logits, own, ess)
    weights["shuffled"] = rng.permutation(weights["head 0.6"])
    for penalty in (1e-4, 1e-2, 1e-1):
        right = {name: (with_bias(z[TEST]) @ fit(z[TRAIN], own, w, penalty)).argmax(1) == y[TEST]
                 for name, w in weights.items()}
        print(f"L2 {penalty:g}: " + ", ".join(f"{name} {100 * r.mean():.1f}" for name, r in right.items()), flush=True)


main()
