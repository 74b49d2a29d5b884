#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws docs/images/motif.svg: what the motif task is, and what GIN and GCN make of it.

    python3 docs/images/make-motif.py [PROGRAM]        PROGRAM is build/l2r unless given

Both halves come from the program: the graphs from `l2r data make`, the curves from the metrics.jsonl of two runs of
`l2r train`, so a second call draws the same picture. Plain SVG, with one set of colours for light pages and one for dark.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MU = "0.9"
TRAIN = ["--hidden", "64", "--layers", "3", "--dropout", "0", "--no-batch-norm", "--epochs", "40", "--eval-train"]
MODELS = ["gin", "gcn"]

STYLE = """
  svg { --page: #ffffff; --ink: #1f2328; --faint: #59636e; --line: #d1d9e0; --wheel: #0969da; --other: #bc4c00; --edge: #9198a1 }
  @media (prefers-color-scheme: dark) {
    svg { --page: #0d1117; --ink: #f0f6fc; --faint: #9198a1; --line: #3d444d; --wheel: #58a6ff; --other: #f0883e; --edge: #656c76 }
  }
  .page { fill: var(--page); stroke: var(--line) }
  text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--ink) }
  .title { font-weight: 600; font-size: 15px } .small { font-size: 12px; fill: var(--faint) } .end { text-anchor: end } .mid { text-anchor: middle }
  .edge { stroke: var(--edge); stroke-width: 1.3 } .join { stroke-dasharray: 3 3 }
  .first { fill: var(--wheel) } .second { fill: var(--other) } .plain { fill: var(--edge) }
  .grid { stroke: var(--line); stroke-width: 1 } .curve { fill: none; stroke-width: 2 }
  .train { stroke: var(--other); stroke-dasharray: 6 4 } .valid { stroke: var(--wheel) }
  .train-text { fill: var(--other) } .valid-text { fill: var(--wheel) }
"""


def column(folder, suffix, kind=int):
    return [kind(line) for line in (folder / f"motif{suffix}.txt").read_text().split("\n") if line]


def read_graphs(folder):
    """Graphs as (part, label, marks, edges), nodes counted from 0 in each graph."""
    owner, marks = column(folder, "_graph_indicator"), column(folder, "_node_marks")
    parts, labels = column(folder, "_split", str), column(folder, "_graph_labels")
    first, graphs = {}, [(part, label, [], set()) for part, label in zip(parts, labels)]
    for node, graph in enumerate(owner):
        first.setdefault(graph, node)
        graphs[graph - 1][2].append(marks[node])
    for line in (folder / "motif_A.txt").read_text().split("\n"):
        if line:
            a, b = (int(word) - 1 for word in line.split(","))
            graphs[owner[a] - 1][3].add(tuple(sorted((a - first[owner[a]], b - first[owner[a]]))))
    return graphs


def kind_of(graph, mark):
    """The motif that the nodes with this mark form, told by its degrees."""
    nodes = [v for v, m in enumerate(graph[2]) if m == mark]
    inner = [e for e in graph[3] if graph[2][e[0]] == graph[2][e[1]] == mark]
    degrees = sorted(sum(v in e for e in inner) for v in nodes)
    if degrees[-1] == len(nodes) - 1:
        return "star" if len(inner) == len(nodes) - 1 else "wheel"
    return "circle" if degrees == [2] * len(nodes) else "grid" if degrees.count(2) == 4 else "diamond"


def place_motif(graph, mark, centre, radius, turn):
    """Star and wheel: hub in the middle of a circle. A grid has rows, a strip of diamonds runs in zigzag."""
    nodes, kind = [v for v, m in enumerate(graph[2]) if m == mark], kind_of(graph, mark)
    places = {}
    if kind == "grid":
        side = round(math.sqrt(len(nodes)))
        step = 2 * radius / side
        for i, v in enumerate(nodes):
            places[v] = (centre[0] + (i % side - (side - 1) / 2) * step, centre[1] + (i // side - (side - 1) / 2) * step)
        return places
    if kind == "diamond":
        step = 2 * radius / (len(nodes) - 1)
        return {v: (centre[0] - radius + i * step, centre[1] + (16 if i % 2 else -16)) for i, v in enumerate(nodes)}
    hub = kind in ("star", "wheel")
    if hub:
        places[nodes[0]] = centre
    ring = nodes[hub:]
    for i, v in enumerate(ring):
        angle = turn + 2 * math.pi * i / len(ring)
        places[v] = (centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle))
    return places


def place(graph, x, y):
    """Two motifs side by side, turned so that the edges between them are short."""
    best = None
    for turn_1 in range(16):
        for turn_2 in range(16):
            places = place_motif(graph, 1, (x - 62, y), 42, turn_1 * math.pi / 16)
            places |= place_motif(graph, 2, (x + 62, y), 42, turn_2 * math.pi / 16)
            length = sum(math.dist(places[a], places[b]) for a, b in graph[3] if graph[2][a] != graph[2][b])
            if best is None or length < best[0]:
                best = (length, places)
    return best[1]


def draw_graph(graph, x, y, lines):
    places = place(graph, x, y)
    for a, b in sorted(graph[3]):
        (x1, y1), (x2, y2) = places[a], places[b]
        join = " join" if graph[2][a] != graph[2][b] else ""
        lines.append(f'<line class="edge{join}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')
    for v, (cx, cy) in sorted(places.items()):
        kind = {"wheel": "first", "star": "second"}.get(kind_of(graph, graph[2][v]), "plain")
        lines.append(f'<circle class="{kind}" cx="{cx:.1f}" cy="{cy:.1f}" r="5"/>')


def draw_curves(name, run, left, top, width, height, lines):
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    test = json.loads((run / "result.json").read_text())
    low = 0.45

    def at(epoch, value):
        return f"{left + width * (epoch - 1) / (len(rows) - 1):.1f},{top + height * (1 - (value - low) / (1 - low)):.1f}"

    lines.append(f'<text class="title" x="{left}" y="{top - 16}">{name}</text>')
    lines.append(f'<text class="small end" x="{left + width}" y="{top - 16}">best epoch {test["best_epoch"]}: train {test["train"]:.2f}, '
                 f'valid {test["valid"]:.2f}, test {test["test"]:.2f}</text>')
    for value in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        y = top + height * (1 - (value - low) / (1 - low))
        lines.append(f'<line class="grid" x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}"/>')
        lines.append(f'<text class="small end" x="{left - 6}" y="{y + 4:.1f}">{value:.1f}</text>')
    for epoch in (1, 10, 20, 30, 40):
        x = left + width * (epoch - 1) / (len(rows) - 1)
        lines.append(f'<text class="small mid" x="{x:.1f}" y="{top + height + 17}">{epoch}</text>')
    for part in ("train", "valid"):
        points = " ".join(at(row["epoch"], row[part]["accuracy"]) for row in rows)
        lines.append(f'<polyline class="curve {part}" points="{points}"/>')


def pick(graphs, part, label, second):
    return next(g for g in graphs if g[0] == part and g[1] == label and kind_of(g, 2) == second)


def main():
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parents[1] / "build" / "l2r").resolve()
    lines = []
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        subprocess.run([program, "data", "make", "motif", "--mu", MU, "--out", work / "graphs"], check=True,
                       stdout=subprocess.DEVNULL)
        graphs = read_graphs(work / "graphs")
        shown = [(pick(graphs, "train", 1, "star"), "training, class 1: a wheel,", "nine times in ten with a star"),
                 (pick(graphs, "train", 0, "circle"), "training, class 0: two motifs,", "neither of them a wheel"),
                 (pick(graphs, "test", 1, "grid"), "test, class 1: a wheel,", "three times in four without a star")]
        for i, (graph, above, below) in enumerate(shown):
            x = 156 + i * 294
            draw_graph(graph, x, 90, lines)
            lines.append(f'<text class="mid" x="{x}" y="160">{above}</text><text class="mid" x="{x}" y="177">{below}</text>')
        for i, model in enumerate(MODELS):
            run = work / model
            subprocess.run([program, "train", "--data", f"motif:mu={MU}", "--model", model, "--out", run, "--quiet", *TRAIN],
                           check=True, stdout=subprocess.DEVNULL)
            draw_curves(model.upper(), run, 60 + i * 436, 245, 384, 190, lines)
    lines.append('<text class="small mid" x="252" y="474">epoch</text><text class="small mid" x="688" y="474">epoch</text>')
    lines.append('<line class="curve train" x1="300" x2="336" y1="497" y2="497"/><text class="train-text" x="344" y="501">training accuracy</text>')
    lines.append('<line class="curve valid" x1="480" x2="516" y1="497" y2="497"/><text class="valid-text" x="524" y="501">validation accuracy</text>')
    svg = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 520" width="900" height="520" role="img" '
           f'aria-label="Three motif graphs, and the accuracy of GIN and GCN on them in each epoch">\n'
           f'<style>{STYLE}</style>\n<rect class="page" x="0.5" y="0.5" width="899" height="519" rx="8"/>\n' + "\n".join(lines) + "\n</svg>\n")
    (HERE / "motif.svg").write_text(svg, encoding="utf-8")
    print("docs/images/motif.svg")


if __name__ == "__main__":
    main()
