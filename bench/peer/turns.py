# SPDX-License-Identifier: MIT
"""What the comparisons of this folder share: running programs that print JSON, how busy the machine is, and a file of
results that a later
run continues."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
BLAS = pathlib.Path("/usr/lib/x86_64-linux-gnu/openblas-openmp")
# A memory allocator that keeps its pages, one for large arrays too.
KEEP_PAGES = {"MALLOC_MMAP_THRESHOLD_": "1073741824", "MALLOC_TRIM_THRESHOLD_": "1073741824",
              "MALLOC_TOP_PAD_": "67108864"}


def run(command, environment=None):
    words = [str(word) for word in command]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}\n{done.stderr.strip()[-600:]}")
    return json.loads(done.stdout)


def l2r(options, *words):
    """The first measurement that bench/l2r-bench prints, with what the record says about its origin."""
    result = run([options.l2r, *words])
    origin = {key: result[key] for key in ("version", "commit", "vector", "processor", "threads", "load_before")}
    return {**origin, **result["measurements"][0]}


def python(options, script, words, settings, tuned=False):
    """A script of this folder. Settings in capitals are environment variables, the others options of the script."""
    environment = dict(os.environ, **{name: str(value) for name, value in settings.items() if name.isupper()})
    paths = [options.pyg] + (options.extensions.split(":") if tuned and options.extensions else [])
    environment["PYTHONPATH"] = ":".join(str(path) for path in paths if path)
    extra = [word for name, value in settings.items() if not name.isupper() for word in (f"--{name}", value)]
    return run([options.python, HERE / script, *words, *extra], environment)


def waiting():
    """The share of the last ten seconds, in percent, in which something waited for a core; 0 if Linux does not say."""
    try:
        words = pathlib.Path("/proc/pressure/cpu").read_text().split()
    except OSError:
        return 0.0
    return float(words[1].split("=")[1])


def check_load():
    """Warns when something else runs here; returns the load."""
    load = os.getloadavg()[0]
    if load > 0.5 or waiting() > 5:
        print(f"WARNING: the machine is busy (load {load:.2f}, a core was waited for {waiting():.0f} % of the last 10 "
              f"s):\n"
              "only ratios of processor time mean something, and those roughly", file=sys.stderr, flush=True)
    return load


class Results:
    """A file of JSON lines; what stands in it need not be measured again."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.lines = [json.loads(line) for line in lines if line.strip()]

    def add(self, **line):
        line = {**line, "date": time.strftime("%Y-%m-%d %H:%M"), "load": os.getloadavg()[0]}
        self.lines.append(line)
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def find(self, **wanted):
        return [line for line in self.lines if all(line.get(key) == value for key, value in wanted.items())]


def spread(values, digits=2):
    values = list(values)
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def add_arguments(parser):
    parser.add_argument("--l2r", type=pathlib.Path, default=pathlib.Path("build/bench/l2r-bench"),
                        help="the program that measures")
    parser.add_argument("--pyg", default=os.environ.get("PYTHONPATH", ""), help="folder that holds torch_geometric")
    parser.add_argument("--extensions", default="",
                        help="folders of torch_scatter and torch_sparse, joined by colons: for the tuned peer")
    parser.add_argument("--python", default="/usr/bin/python3", help="the interpreter that has torch, numpy and pandas")
    parser.add_argument("--blas", default=str(BLAS) if BLAS.is_dir() else None,
                        help="folder with another libblas.so.3 for the peer to try (default: Debian's "
                             "libopenblas0-openmp)")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("peer.jsonl"),
                        help="every number; a second run continues where the first stopped")
