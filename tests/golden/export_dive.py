#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes dive.json: what the gates of several copies have in common (DIVE, Sun et al. 2024, eq. 12) and how far a
graph's mean gate is from its budget, with gradients by autograd in float64. Run: export_dive.py > dive.json

    overlap   λ · mean over pairs of copies of the mean over graphs of  Σ a b / Σ (a + b - a b)
    budget    mean over graphs of (mean gate - η)²

A graph without edges has neither; nor have two masks that are 0 everywhere an overlap.
"""
import itertools
import json
import sys

import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(5)
START = [0, 4, 4, 5, 11]  # edges of four graphs, the second of which has none


def narrow(x):
    """float32 values held in float64, so that both builds of the library start from the same numbers."""
    return x.float().double().requires_grad_()


def by_graph(x):
    return [x[a:b] for a, b in zip(START, START[1:])]


def jaccard(a, b):
    union = (a + b - a * b).sum()
    return (a * b).sum() / union if len(a) and float(union.detach()) > 0 else (a * b).sum() * 0


def overlap(masks):
    pairs = list(itertools.combinations(masks, 2))
    return sum(sum(jaccard(x, y) for x, y in zip(by_graph(a), by_graph(b))) / (len(START) - 1)
               for a, b in pairs) / len(pairs)


def budget(mask, eta):
    return sum((x.mean() - eta) ** 2 for x in by_graph(mask) if len(x)) / (len(START) - 1)


def case(copies, weight, eta, shut=False):
    masks = [narrow(torch.rand(START[-1])) for _ in range(copies)]
    if shut:
        for m in masks:
            m.data[START[2]:START[3]] = 0
    common, first = weight * overlap(masks), budget(masks[0], eta)
    return {"weight": weight, "eta": eta, "masks": [m.tolist() for m in masks], "overlap": float(common.detach()),
            "d_overlap": [g.tolist() for g in torch.autograd.grad(common, masks)], "budget": float(first.detach()),
            "d_budget": torch.autograd.grad(first, masks[0])[0].tolist()}


json.dump({"start": START, "cases": [case(2, 0.5, 0.5), case(3, 0.5, 0.2), case(4, 2.0, 0.9), case(2, 1.0, 0.3, True)]},
          sys.stdout, indent=None, separators=(",", ":"))
print()
