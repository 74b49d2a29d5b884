#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes optimisers.json: ten steps of torch.optim's optimisers, clipped gradients, and the learning rates of
torch.optim.lr_scheduler's schedules. Run: export_optimisers.py > optimisers.json"""
import json
import sys
import warnings

import torch
from torch.optim import lr_scheduler as sched

warnings.filterwarnings("ignore")
torch.manual_seed(3)
STEPS, N = 10, 9


def narrow(x):
    """float32 values held in float64, so that both builds of the library start from the same numbers."""
    return x.float().double()


def steps_of(name, kind, lr, **options):
    start = narrow(torch.randn(N))
    grads = narrow(torch.randn(STEPS, N) * torch.logspace(-9, 3, N))  # far below eps to far above 1
    grads[:, 4] = 0
    p = start.clone().requires_grad_()
    opt = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}[kind]([p], lr=lr, **options)
    rates, values = [], []
    for t in range(STEPS):
        opt.param_groups[0]["lr"] = rate = lr if t < 6 else lr * 0.3
        p.grad = grads[t].clone()
        opt.step()
        rates.append(rate)
        values.append(p.tolist())
    betas = options.get("betas", (0.9, 0.999))
    return {"name": name, "kind": kind, "beta1": betas[0], "beta2": betas[1], "eps": options.get("eps", 1e-8),
            "momentum": options.get("momentum", 0.0),
            "weight_decay": options.get("weight_decay", 0.0) if kind != "adamw"
            else opt.param_groups[0]["weight_decay"], "start": start.tolist(), "grads": grads.tolist(), "rates": rates,
            "values": values}


def clip_of(scale, max_norm):
    p = torch.zeros(N, dtype=torch.float64, requires_grad=True)
    p.grad = narrow(torch.randn(N) * scale)
    grad = p.grad.tolist()
    norm = torch.nn.utils.clip_grad_norm_([p], max_norm)
    return {"grad": grad, "max_norm": max_norm, "norm": float(norm), "clipped": p.grad.tolist()}


def rates_of(name, kind, lr, epochs, warmup=0, metrics=None, **o):
    """The rate of each epoch. The plateau starts after the warm-up, as do the others."""
    opt = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=lr)
    best = "max" if o.get("higher_is_better") else "min"
    main = {"constant": lambda: sched.LambdaLR(opt, lambda e: 1.0),
            "step": lambda: sched.StepLR(opt, o["step_epochs"], o["gamma"]),
            "cosine": lambda: sched.CosineAnnealingLR(opt, epochs - warmup, o["lr_min"]),
            "exponential": lambda: sched.ExponentialLR(opt, o["final"] ** (1 / (epochs - warmup))),
            "plateau": lambda: sched.ReduceLROnPlateau(opt, best, o["gamma"], o["patience"],
                                                       min_lr=o["lr_min"])}[kind]()
    if warmup:
        rise = sched.LinearLR(opt, 1 / (warmup + 1), 1.0, warmup)
        main = sched.SequentialLR(opt, [rise, main], [warmup])
    rates = []
    for epoch in range(epochs):
        rates.append(opt.param_groups[0]["lr"])
        opt.step()
        main.step(*([metrics[epoch]] if kind == "plateau" else []))
    settings = {"final": 0.0, "step_epochs": 0, "gamma": 0.0, "lr_min": 0.0, "patience": 0, "higher_is_better": False}
    settings.update(o)
    return {"name": name, "kind": kind, "lr": lr, "epochs": epochs, "warmup_epochs": warmup, **settings,
            "metrics": metrics or [], "rates": rates}


climb = [0.5, 0.6, 0.6, 0.60001, 0.6, 0.59, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.71, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7]
fall = [3.0, 2.5, 2.6, 2.4999, 2.5, 2.7, 2.0, float("nan"), 2.1, 2.2, 1.99, 1.98, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5,
        2.5]
golden = {
    "steps": [
        steps_of("Adam", "adam", 0.01),
        steps_of("Adam with decay", "adam", 0.1, weight_decay=0.1),
        steps_of("Adam, other constants", "adam", 0.02, betas=(0.8, 0.95), eps=1e-3),
        steps_of("AdamW", "adamw", 0.05, weight_decay=0.2),
        steps_of("AdamW without decay", "adamw", 0.05, weight_decay=0.0),
        steps_of("SGD", "sgd", 1e-3),
        steps_of("SGD with momentum", "sgd", 1e-3, momentum=0.9),
        steps_of("SGD with momentum and decay", "sgd", 1e-2, momentum=0.8, weight_decay=0.5),
    ],
    "clips": [clip_of(10.0, 1.0), clip_of(1e-3, 1.0), clip_of(1.0, 0.25)],
    "schedules": [
        rates_of("constant", "constant", 0.01, 5),
        rates_of("step", "step", 0.1, 20, step_epochs=6, gamma=0.5),
        rates_of("step after warm-up", "step", 0.1, 20, warmup=4, step_epochs=3, gamma=0.1),
        rates_of("cosine", "cosine", 0.05, 20, lr_min=1e-4),
        rates_of("cosine after warm-up", "cosine", 0.05, 20, warmup=5, lr_min=0.0),
        rates_of("exponential", "exponential", 0.05, 20, final=0.1),
        rates_of("exponential after warm-up", "exponential", 1e-3, 50, warmup=2, final=0.1),
        rates_of("constant after warm-up", "constant", 1e-3, 6, warmup=1),
        rates_of("plateau, higher is better", "plateau", 0.1, 20, metrics=climb, gamma=0.5, patience=2, lr_min=0.0,
                 higher_is_better=True),
        rates_of("plateau, lower is better", "plateau", 0.1, 20, metrics=fall,
                 gamma=0.1, patience=1, lr_min=5e-4),
        rates_of("plateau without patience", "plateau", 0.1, 20, metrics=[1.0] * 20, gamma=0.5, patience=0, lr_min=0.0),
        rates_of("plateau down to where cuts end", "plateau", 1e-7, 20, metrics=[1.0] * 20, gamma=0.5, patience=0,
                 lr_min=0.0),
    ],
}
lines = ",\n".join(f'"{key}": [\n' + ",\n".join(json.dumps(row).replace("NaN", "null") for row in rows) + "]"
                   for key, rows in golden.items())
sys.stdout.write("{" + lines + "}\n")
