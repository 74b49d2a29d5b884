#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes hsic.json: the weighted HSIC between blocks of columns and its gradient in the weights, by autograd through
the definition with dense matrices, in float64. Run: export_hsic.py > hsic.json

    K_k = exp(-|x_n - x_m|^2 / (2 sigma^2)), |.|^2 the mean over the block's standardised columns, sigma a number or
          the median distance
    L   = sum over k < l of tr(K_k P K_l P) / (R - 1)^2,  D = diag(w), P = D - w w' / sum(w)
    scaled: sum over k < l of tr(H D K_k D H  H D K_l D H) / (R - 1)^2
"""
import itertools
import json
import sys

import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(11)


def narrow(x):
    """float32 values held in float64, so that both builds of the library start from the same numbers."""
    return x.float().double()


def kernel(x, sigma):
    sd = x.std(0, unbiased=False)
    x = ((x - x.mean(0)) / torch.where(sd > 0, sd, 1))[:, sd > 0]
    square = ((x[:, None] - x[None]) ** 2).mean(2)
    if sigma is None:
        i, j = torch.triu_indices(len(x), len(x), 1)
        sigma = square[i, j].sqrt().median()  # the lower one of two
    return torch.exp(-square / (2 * sigma ** 2))


def case(name, rows, blocks, dim, sigma, scale=1.0, constant=False, scaled=False):
    common = torch.randn(rows, 1, 1)
    z = 0.7 * common + torch.randn(rows, blocks, dim) * torch.logspace(0, 1, dim) + torch.arange(blocks)[:, None]
    if constant:
        z[:, 0, 1] = 3
    z = narrow(z * scale)
    w = narrow(torch.exp(0.5 * torch.randn(rows)))
    w = narrow(w * rows / w.sum())
    ones = torch.ones(rows)
    kernels, h = [kernel(z[:, k], sigma) for k in range(blocks)], torch.eye(rows) - 1 / rows

    def value(w):
        p = torch.diag(w) - torch.outer(w, w) / w.sum()
        centred = [h @ torch.diag(w) @ k @ torch.diag(w) @ h if scaled else k @ p for k in kernels]
        return sum(torch.trace(a @ b) for a, b in itertools.combinations(centred, 2)) / (rows - 1) ** 2

    w.requires_grad_()
    total = value(w)
    total.backward()
    return {"name": name, "rows": rows, "blocks": blocks, "dim": dim, "sigma": 0 if sigma is None else sigma,
            "scaled": scaled,
            "z": z.reshape(-1).tolist(), "w": w.tolist(), "at_ones": float(value(ones)), "value": float(total),
            "gradient": w.grad.tolist()}


json.dump([case("median", 12, 3, 4, None),
           case("number", 9, 4, 3, 1.0),
           case("median, scaled", 12, 3, 4, None, scaled=True),
           case("number, scaled", 10, 4, 3, 1.0, scaled=True),
           case("wide kernel", 13, 3, 5, 30.0),
           case("one column", 16, 2, 1, None),
           case("a constant column, large values", 11, 5, 6, None, 1000.0, True)], sys.stdout)
print()
