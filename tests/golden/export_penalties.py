#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes penalties.json: the penalties of the methods irm, vrex and coral and their gradients, by autograd through the
definitions, in float64. Run: export_penalties.py > penalties.json

    irm     mean over environments of (d risk(w o) / d w at 1)^2        x = outputs o, [n x outputs]
    vrex    variance over environments of the mean loss                 x = losses, [n x 1]
    coral   mean over pairs of environments of |mean - mean'|^2 / d + |cov - cov'|^2 / d^2, each with two rows at least
"""
import itertools
import json
import sys

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
torch.manual_seed(5)


def narrow(x):
    """float32 values held in float64, so that both builds of the library start from the same numbers."""
    return x.float().double()


def losses(o, case):
    """One number per graph, as the library defines the losses; a missing label contributes nothing."""
    y = torch.tensor([float("nan") if v is None else v for v in case["labels"]]).reshape(len(o), -1)
    known, w = ~y.isnan(), case["class_weight"] and torch.tensor(case["class_weight"])
    if case["task"] == "multiclass":
        label = y[:, 0].nan_to_num().long()
        each = F.cross_entropy(o, label, reduction="none") * (w[label] if w is not None else 1)
        return each * known[:, 0]
    y = y.nan_to_num()
    if case["task"] == "binary":
        each = F.binary_cross_entropy_with_logits(o, y, reduction="none", pos_weight=w)
    else:
        each = (o - (y - torch.tensor(case["mean"])) / torch.tensor(case["sd"])) ** 2
    return (each * known).sum(1) / known.sum(1).clamp(min=1)


def irm(o, case):
    w = torch.ones((), requires_grad=True)
    each = losses(w * o, case)
    group = torch.tensor(case["group"])
    slopes = [torch.autograd.grad(each[group == e].mean(), w, create_graph=True)[0] for e in group.unique()]
    return torch.stack(slopes).square().mean()


def vrex(x, case):
    group = torch.tensor(case["group"])
    return torch.stack([x[group == e].mean() for e in group.unique()]).var(unbiased=False)


def coral(z, case):
    group, d = torch.tensor(case["group"]), z.shape[1]
    rows = [z[group == e] for e in group.unique() if (group == e).sum() > 1]
    pairs = [((a.mean(0) - b.mean(0)) ** 2).sum() / d + ((a.T.cov() - b.T.cov()) ** 2).sum() / d ** 2
             for a, b in itertools.combinations(rows, 2)]
    return torch.stack(pairs).mean() if pairs else 0 * z.sum()


def case(name, note, x, group, **more):
    known = {"task": "multiclass", "labels": [0] * len(x), "class_weight": None, "mean": [0], "sd": [1], **more}
    x = narrow(x).requires_grad_()
    full = {"name": name, "rows": len(x), "cols": x.shape[1], "group": group, **known}
    value = globals()[name](x, full)
    (gradient,) = torch.autograd.grad(value, x)
    return {**full, "case": f"{name} {note}".strip(), "x": x.flatten().tolist(), "value": float(value.detach()),
            "gradient": gradient.flatten().tolist()}


GROUP = [0, 2, 2, 0, 1, 0, 2, 1, 0, 2]
LABELS = [0, 1, 2, 1, None, 2, 0, 0, 1, 2]
TASKS = [1, 0, None, 1, 1, 0, 0, None, None, None, 1, 1, 0, 1, 0, None, 1, 0, 0, 1]
VALUES = [None if v is None else 3 * v - i / 4 for i, v in enumerate(TASKS)]

json.dump([
    case("irm", "classes", 2 * torch.randn(10, 3), GROUP, labels=LABELS),
    case("irm", "weighted classes", 5 * torch.randn(10, 3), GROUP, labels=LABELS, class_weight=[0.5, 1.25, 2.0]),
    case("irm", "binary", 2 * torch.randn(10, 2), GROUP, task="binary", labels=TASKS),
    case("irm", "weighted binary", 4 * torch.randn(10, 2), GROUP, task="binary", labels=TASKS,
         class_weight=[3.0, 0.75]),
    case("irm", "values", torch.randn(10, 2), GROUP, task="regression", labels=VALUES, mean=[0.5, -1.0],
         sd=[1.5, 2.0]),
    case("vrex", "", torch.randn(10, 1).exp(), GROUP),
    case("vrex", "one environment", torch.randn(10, 1).exp(), [1] * 10),
    case("coral", "", torch.randn(10, 4) * torch.tensor([1.0, 2.0, 0.5, 1.0]) + 1, GROUP),
    case("coral", "one row of an environment", torch.randn(6, 3), [0, 1, 0, 2, 2, 0]),
    case("coral", "one environment", torch.randn(6, 3), [1] * 6),
], sys.stdout, indent=None, separators=(",", ":"))
print()
