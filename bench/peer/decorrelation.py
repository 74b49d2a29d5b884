#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One set of sample weights in PyTorch, for bench/peer/decorrelation to let it and `l2r-bench reweight` take turns.

Answers lines of  ROWS D VARIANT THREADS  on standard input with  SECONDS PROCESSOR-SECONDS SHARE.

    all     the dependence between all pairs of variables by autograd, one matrix product a step:
            F = H diag(w) U as [R × d·5],  S = F'F / (R-1),  the d diagonal blocks of 5 × 5 left out,  L = ½ Σ S²
    same    the cheaper variant of earlier code: pairs of equal index only, that is for a = 1..5 the d × d covariance of
            the a-th features of all variables, and new random features in every step

Both take 20 steps of Adam on the logits of softmax weights, from equal weights, and divide by the value at the start.
"""
import sys
import time

import torch

FEATURES, STEPS, CAUSES, RATE = 5, 20, 8, 0.1


def rows_of(n, d):
    torch.manual_seed(1)
    return torch.randn(n, CAUSES)[:, torch.arange(d) % CAUSES] + torch.randn(n, d)


def draw(z):
    """[R × d × features]."""
    d = z.shape[1]
    return 2 ** 0.5 * torch.cos(z[:, :, None] * torch.randn(d, FEATURES) + 2 * torch.pi * torch.rand(d, FEATURES))


def covariance(w, u):
    f = w[:, None] * u
    f = f - f.mean(0)
    return f.t() @ f / (len(w) - 1)


class AllPairs:
    def __init__(self, z):
        d = z.shape[1]
        self.u = draw(z).reshape(len(z), -1)
        variable = torch.arange(d).repeat_interleave(FEATURES)
        self.counts = (variable[:, None] != variable[None, :]).float()

    def __call__(self, w):
        return 0.5 * (covariance(w, self.u) * self.counts).square().sum()


class SameIndex:
    def __init__(self, z):
        self.z = z
        self.counts = 1 - torch.eye(z.shape[1])

    def __call__(self, w):
        u = draw(self.z)
        return sum(0.5 * (covariance(w, u[:, :, a].contiguous()) * self.counts).square().sum() for a in range(FEATURES))


def learn(z, variant):
    n = len(z)
    z = (z - z.mean(0)) / z.std(0, unbiased=False)
    dependence = {"all": AllPairs, "same": SameIndex}[variant](z)
    with torch.no_grad():
        before = dependence(torch.ones(n))
    logits = torch.zeros(n, requires_grad=True)
    optimiser = torch.optim.Adam([logits], lr=RATE)
    for _ in range(STEPS):
        optimiser.zero_grad()
        (dependence(n * logits.softmax(0)) / before).backward()
        optimiser.step()
    with torch.no_grad():
        return float(dependence(n * logits.softmax(0)) / before)


def main():
    for line in sys.stdin:
        rows, d, variant, threads = line.split()
        torch.set_num_threads(int(threads))
        z = rows_of(int(rows), int(d))
        learn(z[:64, :16], variant)
        start, processor = time.perf_counter(), time.process_time()
        share = learn(z, variant)
        print(f"{time.perf_counter() - start:.6f} {time.process_time() - processor:.6f} {share:.6f}", flush=True)


if __name__ == "__main__":
    main()
