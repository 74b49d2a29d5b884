#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Training on one rank and on two, by turns.

    python3 bench/ranks/measure.py build/l2r [--ranks 2] [--turns 5] [-- OPTIONS OF l2r train]

Each turn trains a few epochs alone with one thread, then the same on P ranks with one thread each, and takes the median
graphs a second of the epochs but the first. Printed: every turn, the median ratio, and what a step sends. Scoring is
not part of the time. The default is the workload gin-3x128 of `l2r-bench train`.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

DEFAULT = ["--data", "molecules:graphs=5120", "--model", "gin", "--layers", "3", "--hidden", "128",
           "--no-edge-features",
           "--batch-size", "128", "--epochs", "4"]
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def train(program, ranks, options, folder):
    """Lines of metrics.jsonl, and processor seconds of the whole run."""
    start = ["mpirun", "-n", str(ranks), "--bind-to", "core"] if ranks > 1 else []
    before = processor_seconds()
    subprocess.run(start + [program, "train", *options, "--threads", "1", "--quiet", "--out", folder], check=True,
                   env={**os.environ, **ROOT}, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "metrics.jsonl"), encoding="utf-8") as lines:
        return [json.loads(line) for line in lines], processor_seconds() - before


def speed(epochs):
    return statistics.median(epoch["graphs_per_second"] for epoch in epochs[1:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    given = parser.parse_args(words[:cut])
    options, turns = words[cut + 1:] or DEFAULT, []
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(given.turns):
            alone, cpu_alone = train(given.program, 1, options, f"{folder}/{turn}-alone")
            ranks, cpu_ranks = train(given.program, given.ranks, options, f"{folder}/{turn}-ranks")
            step = ranks[-1]["ranks"]
            turns.append({"alone": speed(alone), "ranks": speed(ranks), "ratio": speed(ranks) / speed(alone),
                          "cpu_alone": cpu_alone,
                          "cpu_ranks": cpu_ranks, "bytes_a_step": step["bytes_a_step"],
                          "calls_a_step": step["calls_a_step"],
                          "share_of_time": statistics.median(epoch["ranks"]["share_of_time"] for epoch in ranks[1:])})
            if not given.json:
                print("turn {}: {alone:.0f} graphs/s alone, {ranks:.0f} on ranks, ratio {ratio:.2f}; {cpu_alone:.2f} "
                      "and {cpu_ranks:.2f} "
                      "processor seconds; {share_of_time:.0%} of the time in communication".format(turn, **turns[-1]),
                      flush=True)
    ratio = statistics.median(turn["ratio"] for turn in turns)
    if given.json:
        about = json.loads(subprocess.run([given.program, "version", "--json"], check=True,
                                          stdout=subprocess.PIPE).stdout)
        print(json.dumps({"kind": "speed", **{key: about[key] for key in ("version", "commit", "vector", "processor")},
                          "ranks": given.ranks, "options": options, "turns": turns, "ratio": ratio}))
    else:
        print(f"median ratio {ratio:.2f} on {given.ranks} ranks; a step sends {turns[0]['bytes_a_step']:.0f} bytes in "
              f"{turns[0]['calls_a_step']:.1f} calls")


if __name__ == "__main__":
    main()
