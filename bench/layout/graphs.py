# SPDX-License-Identifier: MIT
"""The graphs that bench/layout/compare draws: name -> (n_nodes, edges). Made ones are the same every time; read ones
are the first of their set within a range of sizes, and are left out where the set is not there."""
import csv
import gzip
import io
import itertools
import os
import random
import zipfile


def ring(n, first=0):
    return [(first + i, first + (i + 1) % n) for i in range(n)]


def path(n, first=0):
    return [(first + i, first + i + 1) for i in range(n - 1)]


def clique(n, first=0):
    return [(first + a, first + b) for a in range(n) for b in range(a)]


def wheel(n, first=0):
    """A centre and a rim of n - 1."""
    return [(first, first + i) for i in range(1, n)] + ring(n - 1, first + 1)


def grid(rows, columns):
    right = [(r * columns + c, r * columns + c + 1) for r in range(rows) for c in range(columns - 1)]
    return right + [(r * columns + c, (r + 1) * columns + c) for r in range(rows - 1) for c in range(columns)]


def branches(n, arity=2):
    return [((i - 1) // arity, i) for i in range(1, n)]


def random_tree(n, seed):
    rng = random.Random(seed)
    return [(rng.randrange(i), i) for i in range(1, n)]


def preferential(n, m, seed):
    """Barabási–Albert: each node after the first m joins m others, those with many neighbours more often."""
    rng, edges, ends = random.Random(seed), [], list(range(m))
    for v in range(m, n):
        chosen = set()
        while len(chosen) < m:
            chosen.add(rng.choice(ends))
        for u in sorted(chosen):
            edges.append((u, v))
            ends += [u, v]
    return edges


def cube(dimensions):
    return [(v, v ^ 1 << k) for v in range(2**dimensions) for k in range(dimensions) if not v >> k & 1]


def joined(n, base, motif, at):
    """A motif of which node 0 hangs on node `at` of a base of n nodes."""
    return base + [(n + a, n + b) for a, b in motif] + [(at, n)]


HOUSE = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4)]
CRANE = [(0, 1), (1, 2), (2, 0), (0, 3), (3, 4), (4, 1)]
PETERSEN = ring(5) + [(i, i + 5) for i in range(5)] + [(5 + i, 5 + (i + 2) % 5) for i in range(5)]
NAPHTHALENE = ring(10) + [(0, 5), (3, 10), (8, 11)]


def made():
    rng = random.Random(7)
    sparse = [pair for pair in clique(40) if rng.random() < 0.07]
    edges = {
        "path-20": path(20), "ring-6": ring(6), "ring-40": ring(40), "star-9": branches(9, 8),
        "star-30": branches(30, 29), "wheel-12": wheel(12), "clique-10": clique(10), "grid-8x8": grid(8, 8),
        "grid-20x20": grid(20, 20), "ladder-12": grid(2, 12), "tree-63": branches(63), "tree-40-3": branches(40, 3),
        "tree-random-60": random_tree(60, 3), "tree-random-200": random_tree(200, 4), "petersen": PETERSEN,
        "cube-4": cube(4), "barbell": clique(8) + clique(8, 8) + [(0, 8)], "rings-fused": NAPHTHALENE,
        "wheel-star": joined(9, wheel(9), branches(9, 8), 3), "motif-tree-house": joined(31, branches(31), HOUSE, 20),
        "motif-ladder-ring": joined(20, grid(2, 10), ring(6), 4),
        "motif-wheel-crane": joined(15, wheel(15), CRANE, 6),
        "motif-ba-house": joined(25, preferential(25, 1, 1), HOUSE, 8), "ba-60-2": preferential(60, 2, 5),
        "ba-600-1": preferential(600, 1, 6), "random-40": sparse}
    return {name: (1 + max(map(max, pairs)), pairs) for name, pairs in edges.items()}


def ogb(folder, sizes, how_many):
    """Molecules of an OGB folder; hydrogens are not part of its graphs."""
    def rows(name):
        return csv.reader(gzip.open(os.path.join(folder, "raw", name), "rt"))
    found, edges = {}, rows("edge.csv.gz")
    for (nodes,), (bonds,) in zip(rows("num-node-list.csv.gz"), rows("num-edge-list.csv.gz")):
        pairs = [tuple(map(int, pair)) for pair in itertools.islice(edges, int(bonds))]
        if sizes[0] <= int(nodes) <= sizes[1] and len(found) < how_many:
            found[f"{os.path.basename(folder)}-{len(found)}"] = int(nodes), pairs
    return found


def tu(archive, sizes, how_many):
    """Graphs of a TU archive: nodes are numbered from 1 through all graphs, which follow each other."""
    with zipfile.ZipFile(archive) as files:
        name = {part: next(f for f in files.namelist() if f.endswith(f"_{part}.txt")) for part in
                ("A", "graph_indicator")}
        graph_of = [int(line) for line in files.read(name["graph_indicator"]).split()]
        first, count = {}, {}
        for v, g in enumerate(graph_of):
            first.setdefault(g, v)
            count[g] = count.get(g, 0) + 1
        wanted = [g for g in sorted(count) if sizes[0] <= count[g] <= sizes[1]][:how_many]
        edges = {g: set() for g in wanted}
        for line in io.TextIOWrapper(files.open(name["A"])):
            a, b = (int(part) - 1 for part in line.split(","))
            g = graph_of[a]
            if g > wanted[-1]:
                break
            if g in edges and a != b:
                edges[g].add((min(a, b) - first[g], max(a, b) - first[g]))
    set_name = os.path.basename(archive)[:-4]
    return {f"{set_name}-{g}": (count[g], sorted(edges[g])) for g in wanted}


def read(data):
    found = {}
    for reader, where, sizes, how_many in (
            (ogb, "ogb/bbbp", (18, 30), 4), (ogb, "ogb/bace", (30, 60), 3), (tu, "tu/PROTEINS.zip", (10, 50), 4),
            (tu, "tu/PROTEINS.zip", (300, 700), 1), (tu, "tu/DD.zip", (250, 600), 2),
            (tu, "tu/COLLAB.zip", (32, 90), 3), (tu, "tu/COLLAB.zip", (250, 500), 1)):
        if os.path.exists(os.path.join(data, where)):
            found.update(reader(os.path.join(data, where), sizes, how_many))
    return found
