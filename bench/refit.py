#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a head can gain from weights on frozen representations: the trial outside of the program (NumPy, SciPy) from
which `--method headfit` follows.

    l2r train --data spmotif:bias=0.95,seed=0 --seed 0 --layers 4 --hidden 64 --epochs 40 --batch-size 128 --ema 0.99 \\
        --out erm
    l2r fingerprint erm --data spmotif:bias=0.95,seed=0 --out z.npy
    l2r data make spmotif --bias 0.95 --seed 0 --out graphs
    bench/refit.py z.npy graphs [PENALTY ...]

Prints, for several strengths of an L2 penalty, validation / test accuracy of a new linear head on ERM's Z, fitted to
convergence under weights

    equal        all 1
    root, groups P(y)P(e)/P(y,e) and its square root, e the base
    ess RHO      learned: dependence between all pairs of variables, weighted by the head of "equal", 60 Adam steps with
                 new Fourier features and half of the graphs in each, scaled to an effective sample size of RHO
    shuffled     those of 0.6 in random order
    margin P     weights 1, but outputs of graph n divided by w_n^P, w those of 0.5
    converged    as ess 0.6, but 600 steps on all graphs with the same 10 Fourier features throughout
    stability    as ess 0.6, but a pair counts by the variance of its correlation over the bases
    tail NAME    these weights under a loss with a polynomial tail: the sum over other classes of 1/(1+m), m the margin
                 over the class, 1-m below 0; weights then tell even on graphs that are fitted (Wang et al. 2022)
"""
import pathlib
import sys

import numpy as np
from scipy.optimize import minimize

TRAIN, VALID, TEST = slice(0, 3000), slice(3000, 6000), slice(6000, 12000)  # spmotif's own split
CLASSES, FEATURES, STEPS, ROWS = 3, 5, 60, 1500
PENALTIES = (3e-2, 1e-2, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6)


def with_bias(z):
    return np.c_[z, np.ones(len(z))]


def cross_entropy(out, target):
    top = out.max(1, keepdims=True)
    e = np.exp(out - top)
    total = e.sum(1, keepdims=True)
    return (top + np.log(total))[:, 0] - (out * target).sum(1), e / total - target


def polynomial_tail(out, target):
    margin = (out * target).sum(1, keepdims=True) - out
    inside = 1 + np.maximum(margin, 0)
    loss = np.where(margin < 0, 1 - margin, 1 / inside) * (1 - target)
    slope = np.where(margin < 0, -1, -inside ** -2) * (1 - target)  # of the loss by the margin
    return loss.sum(1), slope.sum(1, keepdims=True) * target - slope


def fit(z, y, w, penalty, scale=None, loss=cross_entropy):
    """A weighted linear head, to the end; scale: of each graph's outputs."""
    x, target, w = with_bias(z), np.eye(CLASSES)[y], w / w.sum()
    x = x if scale is None else x * scale[:, None]

    def value(flat):
        head = flat.reshape(-1, CLASSES)
        each, slope = loss(x @ head, target)
        slope = x.T @ (slope * w[:, None])
        slope[:-1] += penalty * head[:-1]
        return (w * each).sum() + 0.5 * penalty * (head[:-1] ** 2).sum(), slope.ravel()

    options = {"maxiter": 3000, "maxfun": 9000, "gtol": 1e-8, "ftol": 1e-15, "maxcor": 20}
    start = np.zeros(x.shape[1] * CLASSES)
    return minimize(value, start, jac=True, method="L-BFGS-B", options=options).x.reshape(-1, CLASSES)


def by_class(logits, y):
    w = np.empty(len(y))
    for c in range(CLASSES):
        w[y == c] = np.exp(logits[y == c] - logits[y == c].max())
        w[y == c] /= w[y == c].mean()
    return w


def learn(z, y, importance, steps=STEPS, n_rows=ROWS, features=FEATURES, fixed=False, pair=None):
    """Logits of weights under which the variables are less dependent; pair [d, d]: how much each pair counts."""
    rng = np.random.default_rng(0)
    n, d = z.shape
    s, m, v, start = np.zeros(n), np.zeros(n), np.zeros(n), None
    for t in range(1, steps + 1):
        if t == 1 or not fixed:
            omega, phase = rng.normal(size=(d, features)), rng.uniform(0, 2 * np.pi, (d, features))
        rows = rng.permutation(n)[:n_rows]
        u = (np.sqrt(2) * np.cos(z[rows][:, :, None] * omega + phase) * importance[None, :, None]).reshape(n_rows, -1)
        w = by_class(s, y)[rows]
        w = w / w.mean()
        f = u - (u * w[:, None]).mean(0)
        sigma = (f * w[:, None]).T @ f / (n_rows - 1)
        pairs = sigma.reshape(d, features, d, features)
        for i in range(d):
            pairs[i, :, i, :] = 0
        if pair is not None:
            pairs *= pair[:, None, :, None]
        start = start or 0.5 * (sigma ** 2).sum()
        g = ((f @ sigma) * f).sum(1) / (n_rows - 1) / start
        slope = np.zeros(n)
        slope[rows] = w * (g - (w * g).mean())
        m, v = 0.9 * m + 0.1 * slope, 0.99 * v + 0.01 * slope ** 2
        s -= 0.05 * (m / (1 - 0.9 ** t)) / (np.sqrt(v / (1 - 0.99 ** t)) + 1e-12)
    return s


def instability(z, base):
    """Variance of each pair's correlation over the bases, with mean square 1."""
    corr = np.array([np.nan_to_num(np.corrcoef(z[base == b].T)) for b in np.unique(base)])
    return corr.var(0) / np.sqrt((corr.var(0) ** 2).mean())


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
    own, at, one = y[TRAIN], base[TRAIN], np.ones(len(y[TRAIN]))
    share = np.zeros((CLASSES, base.max() + 1))
    np.add.at(share, (own, at), 1 / len(own))
    known = share.sum(1)[own] * share.sum(0)[at] / share[own, at]
    head = fit(z[TRAIN], own, one, 1e-3)[:-1]
    importance = np.linalg.norm(head - head.mean(1, keepdims=True), axis=1)
    importance /= np.sqrt((importance ** 2).mean())
    logits = learn(z[TRAIN], own, importance)
    weights = {"equal": (one, None), "root": (np.sqrt(known), None), "groups": (known, None)}
    for ess in (0.9, 0.8, 0.6, 0.3):
        weights[f"ess {ess}"] = (of_strength(logits, own, ess), None)
    weights["shuffled"] = (np.random.default_rng(1).permutation(weights["ess 0.6"][0]), None)
    for power in (0.25, 0.5):
        scale = of_strength(logits, own, 0.5) ** -power
        weights[f"margin {power}"] = (one, scale / scale.mean())

    converged = learn(z[TRAIN], own, importance, 600, len(own), 10, True)
    unstable = learn(z[TRAIN], own, importance, pair=instability(z[TRAIN], at))
    weights["converged"] = (of_strength(converged, own, 0.6), None)
    weights["stability"] = (of_strength(unstable, own, 0.6), None)

    def right(head, part):
        return 100 * ((with_bias(z[part]) @ head).argmax(1) == y[part]).mean()

    for penalty in [float(p) for p in sys.argv[3:]] or PENALTIES:
        heads = {name: fit(z[TRAIN], own, w, penalty, scale) for name, (w, scale) in weights.items()}
        heads |= {f"tail {name}": fit(z[TRAIN], own, weights[name][0], penalty, loss=polynomial_tail)
                  for name in ("equal", "groups", "ess 0.6", "shuffled")}
        scores = [f"{name} {right(head, VALID):.1f}/{right(head, TEST):.1f}" for name, head in heads.items()]
        print(f"L2 {penalty:g}: " + ", ".join(scores), flush=True)


main()
