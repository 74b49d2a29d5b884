#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes models/NAME.safetensors, one file a case: small random graphs, the initial numbers of a network, and what
models_reference.py makes of them in training mode (outputs, loss, gradients), after ten steps of Adam on the whole
batch (loss of each step, parameters, running statistics) and in evaluation mode. Run: export_models.py models

The reference computes in float64 from inputs that are exact in float32; results are rounded to float32 when written.
Dropout is 0 in every case: masks are random numbers, and those of two libraries can not agree. A bias right before a
batch norm has no influence on the loss: its gradient is 0 but for rounding, and Adam would blow this rounding up to
full steps. Such tensors are found by their gradient, listed as "still", and not trained. Other tensors can be as touchy
by chance (Adam divides small gradients by their own size), and no float32 implementation could then be held to 1e-4. So
each case is also run by the same reference in float32, and drawn anew until that run stays within TOUCHY of the float64
one. "own" are options that only this model has; lists are written with commas.
"""
import array
import json
import pathlib
import struct
import sys
import zlib

import torch

from dmpnn_reference import DMPNNNetwork
from factor_reference import FactorNetwork
from models_reference import Graphs, Network, losses
from pooling_reference import PoolNetwork

STEPS, RATE, TOUCHY = 10, 0.01, 2e-5
SIZES = [4, 1, 7, 12, 3, 9, 2, 6]
NO_EDGES, LONELY = 4, 2  # graph 4 has no edge at all, node 0 of graph 2 has none
NODE_VOCABULARY, EDGE_VOCABULARY, N_REALS = [5, 3], [3, 2], 3
NETWORKS = {"topkpool": PoolNetwork, "sagpool": PoolNetwork, "factorgcn": FactorNetwork,
            "dmpnn": DMPNNNetwork}
CASE = {"task": "multiclass", "columns": 2, "reals": 0, "bonds": False, "untidy": False, "weights": False,
        "class_weights": False, "hidden": 8, "layers": 3, "readout": "mean", "edge_features": True, "normalise": True,
        "residual": False, "virtual_node": False, "factor": 2, "own": None, "head": None}


class Dead(Exception):
    """ReLU lets nothing through to some tensor: another draw, please."""


def narrow(x):
    """float32 values held in float64, so that both libraries start from the same numbers."""
    return x.float().double()


def below(n):
    return int(torch.randint(n, (1,)))


def draw_graph(number, case):
    n = SIZES[number]
    first = 1 if number == LONELY else 0
    edges = [(v, first + below(v - first)) for v in range(first + 1, n)]
    edges += [(first + below(n - first), first + below(n - first)) for _ in range(n // 3)]
    edges = [e for e in edges if e[0] != e[1]] if number != NO_EDGES else []
    if case["untidy"] and number == 3:
        edges += [(5, 5), edges[0][::-1], edges[1], (5, 5)]  # a self loop, and edges listed twice
    return {"n_nodes": n, "edges": edges,
            "node_rows": [[below(v) for v in NODE_VOCABULARY[:case["columns"]]] for _ in range(n)],
            "node_real": narrow(torch.randn(n, case["reals"])).tolist(),
            "edge_rows": [[below(v) for v in EDGE_VOCABULARY] if case["bonds"] else [] for _ in edges]}


def draw_labels(task):
    n = len(SIZES)
    if task == "multiclass":
        return torch.tensor([[[-1.0, 3.0, 8.0][(i + below(2)) % 3]] for i in range(n)])  # any integers
    y = torch.randint(2, (n, 3)).double() if task == "binary" else narrow(torch.randn(n, 2) * 3 + 10)
    y[2, 0] = y[5, 1] = float("nan")
    if task == "binary":
        y[6, :] = float("nan")
    return y


def draw(case):
    """Everything random about a case."""
    labels = draw_labels(case["task"])
    drawn = {"graphs": [draw_graph(i, case) for i in range(len(SIZES))], "source": labels, "labels": labels}
    outputs = labels.shape[1]
    if case["task"] == "multiclass":
        classes, drawn["labels"] = torch.unique(labels, return_inverse=True)
        outputs = len(classes)
    drawn.update(mean=torch.zeros(outputs), sd=torch.ones(outputs))
    if case["task"] == "regression":
        known = [y[~torch.isnan(y)] for y in labels.T]
        drawn.update(mean=torch.stack([y.mean() for y in known]),
                     sd=torch.stack([y.std(unbiased=False) for y in known]))
    drawn["weights"] = narrow(torch.rand(len(SIZES)) * 2) if case["weights"] else None
    drawn["class_weight"] = narrow(torch.rand(outputs) * 2 + 0.5) if case["class_weights"] else None
    edge_vocabulary = EDGE_VOCABULARY if case["bonds"] and case["edge_features"] else []
    network = NETWORKS.get(case["model"], Network)(
        case["model"], case["hidden"], case["layers"], outputs, NODE_VOCABULARY[:case["columns"]], case["reals"],
        edge_vocabulary, *(case[k] for k in ("readout", "normalise", "residual", "virtual_node", "factor", "own")),
        **({"head": case["head"]} if case["head"] else {}))
    for name, p in network.named_parameters():  # nothing starts at a special value such as 0 or 1
        noise = torch.randn_like(p) * (0.3 if p.dim() < 2 or name.endswith("eps") else p.shape[1] ** -0.5)
        p.data = narrow(1 + noise if p.dim() == 1 and name.endswith("weight") else noise)
    drawn["network"] = network
    return drawn


def state_of(network):
    """Parameters first, then running statistics."""
    state = {k: v.detach().clone() for k, v in network.named_parameters()}
    return {**state, **{k: v.clone() for k, v in network.named_buffers() if not k.endswith("num_batches_tracked")}}


def run(case, drawn, still, dtype):
    """Ten steps from the drawn start; tensors in `still` (None: to be found) are not trained."""
    torch.set_default_dtype(dtype)
    network, graphs = drawn["network"].to(dtype).train(), Graphs(drawn["graphs"])
    w, c, y, mean, sd = (None if drawn[k] is None else drawn[k].to(dtype)
                         for k in ("weights", "class_weight", "labels", "mean", "sd"))
    start, record, names = state_of(network), {"losses": []}, dict(network.named_parameters())
    for step in range(STEPS):
        network.zero_grad()
        out = network(graphs)
        each = losses(case["task"], out, y, c, mean, sd)
        own = [layer.loss for layer in network.modules() if hasattr(layer, "loss")]  # of layers that have one
        loss = (each if w is None else each * w).mean() + sum(own)
        loss.backward()
        if step == 0:
            if still is None:
                still = [name for name, p in names.items() if p.grad.abs().max() < 1e-12]
                if not all(name.endswith("bias") for name in still):
                    raise Dead
            record.update(output=out.detach(), gradient={name: p.grad.clone() for name, p in names.items()},
                          still=still)
            adam = torch.optim.Adam([p for name, p in names.items() if name not in still], lr=RATE)
        assert dtype == torch.float32 or all(names[name].grad.abs().max() < 1e-12 for name in still)
        record["losses"].append(loss.detach())
        adam.step()
    record["final"] = state_of(network)
    record["prediction"] = network.eval()(graphs).detach() * sd + mean
    network.double().load_state_dict(start, strict=False)
    torch.set_default_dtype(torch.float64)
    return start, record


def distance(a, b):
    """Largest difference of an element, relative to the element or to the root mean square of its tensor."""
    a, b = a.double(), b.double()
    return float(((a - b).abs() / torch.maximum(b.abs(), (b ** 2).mean().sqrt()).clamp(min=1e-30)).max())


def touchiness(rough, exact):
    pairs = [(rough[k], exact[k]) for k in ("output", "prediction")] + list(zip(rough["losses"], exact["losses"]))
    pairs += [(rough["gradient"][k], g) for k, g in exact["gradient"].items() if k not in exact["still"]]
    return max(distance(a, b) for a, b in pairs + [(rough["final"][k], v) for k, v in exact["final"].items()])


def write(path, tensors, metadata):
    """The safetensors format: length of the header, header, data."""
    header, data = {"__metadata__": metadata}, b""
    for name, (values, shape, dtype) in tensors.items():
        raw = array.array({"F32": "f", "I32": "i"}[dtype], values).tobytes()
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def reals(x):
    x = torch.cat([v.reshape(-1) for v in x.values()]) if isinstance(x, dict) else torch.as_tensor(x)
    return x.reshape(-1).tolist(), list(x.shape), "F32"


def integers(rows, *shape):
    return [x for row in rows for x in (row if isinstance(row, (list, tuple)) else [row])], list(shape), "I32"


def save(path, case, drawn, start, record):
    graphs, places, place = drawn["graphs"], {}, 0
    for name, value in start.items():
        places[name] = [place, *(value.shape if value.dim() == 2 else (1, value.numel()))]
        place += value.numel()
    edges, edge_columns = [e for g in graphs for e in g["edges"]], len(EDGE_VOCABULARY) if case["bonds"] else 0
    tensors = {"graph.nodes": integers(SIZES, len(SIZES)),
               "graph.edges": integers([len(g["edges"]) for g in graphs], len(SIZES)),
               "edges": integers(edges, len(edges), 2),
               "node_rows": integers([row for g in graphs for row in g["node_rows"]], sum(SIZES), case["columns"]),
               "edge_rows": integers([row for g in graphs for row in g["edge_rows"]], len(edges), edge_columns),
               "node_real": reals(torch.cat([torch.tensor(g["node_real"]) for g in graphs])),
               "labels": reals(drawn["source"]), "initial": reals(start), "losses": reals(record["losses"])}
    tensors.update({k: reals(record[k]) for k in ("output", "gradient", "final", "prediction")})
    tensors.update({k: reals(drawn[k]) for k in ("weights", "class_weight") if drawn[k] is not None})
    options = {"hidden": case["hidden"], "layers": case["layers"], "dropout": 0, "readout": case["readout"],
               "edge-features": case["edge_features"], "batch-norm": bool(case["normalise"]),
               "residual": case["residual"], "virtual-node": case["virtual_node"], "lr": RATE}
    if case["normalise"] == "layer":
        options["norm"] = "layer"
    options["head-hidden"], options["head-layers"] = case["head"] or (0, 0)
    if case["model"] == "gin":
        options["mlp-factor"] = case["factor"]
    options.update({k: ",".join(v) if isinstance(v, list) else v for k, v in (case["own"] or {}).items()})
    more = {"options": options, "places": places, "still": record["still"],
            "vocabulary": [NODE_VOCABULARY[:case["columns"]], EDGE_VOCABULARY[:edge_columns]]}
    write(path, tensors, {"model": case["model"], "task": case["task"], **{k: json.dumps(v) for k, v in more.items()}})


def export(folder, model, name, **options):
    case, seed = {**CASE, **options, "model": model}, zlib.crc32(f"{model}-{name}".encode())
    for attempt in range(100):
        torch.manual_seed(seed + attempt)
        drawn = draw(case)
        try:
            start, exact = run(case, drawn, None, torch.float64)
        except Dead:
            continue
        _, rough = run(case, drawn, exact["still"], torch.float32)
        found = touchiness(rough, exact)
        if found <= TOUCHY:
            print(f"{model}-{name}: draw {attempt}, float32 within {found:.1e}")
            return save(folder / f"{model}-{name}.safetensors", case, drawn, start, exact)
    raise SystemExit(f"{model}-{name}: every draw is touchy")


def export_pools_and_factors(folder):
    """TopKPool, SAGPool and FactorGCN."""
    for model, ratio in (("topkpool", 0.8), ("sagpool", 0.5)):
        own = {"pool-ratio": ratio}
        export(folder, model, "plain", own=own, untidy=True, columns=1, weights=True)
        export(folder, model, "plain-virtual-sum", own=own, virtual_node=True, readout="sum", task="binary")
        export(folder, model, "bonds", own=own, bonds=True, task="binary", class_weights=True, layers=2)
        export(folder, model, "bonds-residual-max", own={"pool-ratio": 0.65}, bonds=True, residual=True, readout="max",
               task="regression", hidden=11)
        export(folder, model, "bonds-bare", own=own, bonds=True, normalise=False, reals=N_REALS)
    own = {"factors": 4, "factor-loss": 0.5}
    export(folder, "factorgcn", "plain", own=own, untidy=True, columns=1, weights=True)
    export(folder, "factorgcn", "plain-virtual-residual", own=own, virtual_node=True, residual=True, task="binary",
           hidden=9)
    export(folder, "factorgcn", "bonds", own=own, bonds=True, task="binary", class_weights=True, hidden=11)
    export(folder, "factorgcn", "bonds-wide-max", own={"factors": 3, "factor-loss": 2}, bonds=True, layers=2, hidden=35,
           readout="max", task="regression")
    export(folder, "factorgcn", "bonds-bare-no-loss", own={"factors": 2, "factor-loss": 0}, bonds=True, normalise=False)


def export_heads(folder):
    """Hidden layers in the head, layer norm, the scaled sum."""
    export(folder, "gcn", "bonds-head-bare-scaled", bonds=True, normalise=False, readout="scaled", head=(5, 1),
           task="regression", weights=True)
    export(folder, "gin", "bonds-head-bare-sum", bonds=True, normalise=False, readout="sum", head=(7, 2), task="binary")
    export(folder, "gcn", "plain-layer-head", normalise="layer", untidy=True, columns=1, head=(11, 1))
    export(folder, "gin", "bonds-layer-virtual", bonds=True, normalise="layer", virtual_node=True, residual=True,
           task="regression", reals=N_REALS)


def export_dmpnn(folder):
    """D-MPNN: states of directed arcs."""
    def case(name, **options):
        export(folder, "dmpnn", name, **options)

    case("bonds", bonds=True, normalise=False, readout="scaled", head=(8, 1), task="regression")
    case("bonds-deep", bonds=True, normalise=False, readout="sum", layers=4, hidden=19, task="binary", weights=True)
    case("bonds-norm-residual-max", bonds=True, residual=True, readout="max", class_weights=True)
    case("plain", untidy=True, columns=1, normalise=False, task="binary")
    case("plain-virtual-reals", reals=N_REALS, virtual_node=True, normalise="layer", head=(5, 2))
    case("bonds-one-step", bonds=True, layers=1, normalise=False)


def export_gat(folder):
    """GATv2: attention with several heads. What a receiver says cancels in the softmax unless LeakyReLU tells its
    neighbours apart, so that gradients behind several layers are small and Adam makes them touchy: nodes that differ
    (reals), few layers."""
    export(folder, "gat", "plain-bare-reals", own={"heads": 2}, untidy=True, columns=1, weights=True, normalise=False,
           reals=N_REALS, layers=1)
    export(folder, "gat", "bonds-bare-head", own={"heads": 3}, bonds=True, normalise=False, head=(6, 1), hidden=11,
           reals=N_REALS, layers=1, task="regression", readout="sum")
    export(folder, "gat", "bonds-reals", own={"heads": 2}, bonds=True, hidden=6, reals=N_REALS, layers=2)


def export_diffpool(folder):
    """The readout diffpool behind several models."""
    for model in ("gcn", "gin"):
        export(folder, model, "plain-diffpool", own={"pool-clusters": 3, "pool-loss": 0.5}, readout="diffpool",
               untidy=True,
               columns=1, weights=True)
        export(folder, model, "bonds-diffpool-bare", own={"pool-clusters": 7, "pool-loss": 2}, readout="diffpool",
               bonds=True,
               virtual_node=True, residual=True, normalise=False, task="binary", class_weights=True)
        export(folder, model, "bonds-diffpool-no-loss", own={"pool-clusters": 2, "pool-loss": 0}, readout="diffpool",
               bonds=True,
               task="regression", hidden=11)
    export(folder, "jknet", "plain-diffpool", own={"jk": "concat", "pool-clusters": 4, "pool-loss": 0.1},
           readout="diffpool")


STATISTICS, SCALERS = ["mean", "max", "min", "std"], ["identity", "amplification", "attenuation"]


def export_more(folder):
    """SGC, JKNet and PNA. SGC has two forms: features narrower than the representation, or not."""
    export(folder, "sgc", "plain", untidy=True, columns=1, hidden=11)
    export(folder, "sgc", "plain-reals", reals=N_REALS, layers=4, hidden=40, task="regression", weights=True)
    export(folder, "sgc", "plain-wide-max", columns=0, reals=N_REALS, hidden=2, readout="max", task="binary")
    export(folder, "sgc", "plain-residual-virtual", residual=True, virtual_node=True, readout="sum", normalise=False)
    export(folder, "sgc", "bonds-ignored", bonds=True, hidden=19, layers=1, class_weights=True, task="binary")
    for jk in ("concat", "max", "last"):
        own = {"jk": jk}
        export(folder, "jknet", f"plain-{jk}", own=own, untidy=True, columns=1, weights=True)
        export(folder, "jknet", f"bonds-{jk}", own=own, bonds=True, task="binary", hidden=9, layers=4)
        export(folder, "jknet", f"bonds-{jk}-virtual-residual-bare", own=own, bonds=True, virtual_node=True,
               residual=True,
               normalise=False, task="regression", readout="sum")
    full = {"aggregators": STATISTICS, "scalers": SCALERS}
    export(folder, "pna", "plain", own=full, untidy=True, residual=True)
    export(folder, "pna", "plain-virtual-sum", own=full, virtual_node=True, readout="sum", task="binary", reals=N_REALS)
    export(folder, "pna", "bonds", own=full, bonds=True, residual=True, task="binary", class_weights=True)
    export(folder, "pna", "bonds-wide", own=full, bonds=True, layers=1, hidden=21, task="regression", readout="max")
    export(folder, "pna", "bonds-bare", own=full, bonds=True, normalise=False, residual=True, weights=True)
    export(folder, "pna", "bonds-ignored-mean-max", own={"aggregators": ["mean", "max"], "scalers": ["attenuation"]},
           bonds=True, edge_features=False)
    export(folder, "pna", "bonds-std", own={"aggregators": ["std"], "scalers": ["identity", "amplification"]},
           bonds=True,
           task="regression")


def main(folder):
    folder.mkdir(exist_ok=True)
    torch.set_default_dtype(torch.float64)
    for model in ("gcn", "gin"):
        def case(name, **options):
            export(folder, model, name, **options)

        case("plain", untidy=True, columns=1)
        case("plain-virtual-sum", untidy=True, virtual_node=True, readout="sum", task="binary")
        case("plain-residual-max", residual=True, readout="max", task="regression", weights=True)
        case("plain-virtual-residual-bare", virtual_node=True, residual=True, normalise=False, class_weights=True)
        case("plain-bare-max", normalise=False, readout="max", columns=0, reals=N_REALS, task="binary", hidden=11)
        case("bonds", bonds=True, task="binary", class_weights=True)
        case("bonds-virtual-max", bonds=True, virtual_node=True, readout="max", task="regression", hidden=9)
        case("bonds-residual-sum", bonds=True, residual=True, readout="sum", weights=True, reals=N_REALS)
        case("bonds-virtual-residual-bare", bonds=True, virtual_node=True, residual=True, normalise=False,
             task="regression",
             weights=True)
        case("bonds-bare-sum", bonds=True, normalise=False, readout="sum", task="binary", weights=True,
             class_weights=True)
        case("bonds-ignored", bonds=True, edge_features=False, class_weights=True, weights=True, columns=1, reals=1)
    export(folder, "gcn", "bonds-wide", bonds=True, hidden=35, layers=2, task="regression")
    export(folder, "gin", "bonds-wide", bonds=True, hidden=35, layers=1, factor=1, task="binary")
    export_heads(folder)
    export_dmpnn(folder)
    export_gat(folder)
    export_diffpool(folder)
    export_more(folder)
    export_pools_and_factors(folder)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
