# SPDX-License-Identifier: MIT
"""The rules of the source tree that a compiler does not know: python3 check.py ROOT

1. A folder of src/ or app/ includes only itself and the folders listed before it in ORDER, by the path "folder/name.h".
2. Only one file names OpenMP.
3. Every source has an SPDX line near its top.
4. No C file is longer than 450 lines.
5. Lines have at most 120 columns.
6. The library names an option `lr` or `scope=batch`; "--lr" is for the command line to say (cli_format_options).
7. Environment variables are read in few places: the library's own are the cache's place, the launcher, certificates.
8. Files are opened, written, renamed and mapped through base/system.h, where tests can make that fail.
9. Tests in C make temporary folders by support/temporary.h, which follows TMPDIR and leaves nothing behind.
"""
import pathlib
import re
import sys

# Each folder may include itself and those before it. app/ comes after all of src/.
LIBRARY = ["base", "io", "comm", "kernels", "autograd", "chem", "data", "batch", "nn", "models", "reweight", "methods",
           "metrics", "model", "fit", "recipe", "store", "explain", "draw",
           "api"]
PROGRAM = ["answers", "results", "jobs", "figure", "report", "reproduce", "tune", "serve", "cli"]
ORDER = LIBRARY + PROGRAM
PLACE = {"src": LIBRARY, "app": PROGRAM}
OPENMP = {"src/kernels/gemm.c"}
# The door itself, messages of the program, and pipes of its children.
SYSTEM = {"src/base/system.c", "src/kernels/gemm.c", "app/cli/main.c", "app/cli/process.c"}
CALLS = re.compile(r"(?<![\w.>])(fopen|fdopen|freopen|open|creat|fsync|fdatasync|rename|mmap|mkdir|ftruncate|malloc|"
                   r"calloc|realloc)\(")
TEMPORARY = re.compile(r"\b(mkdtemp|mkstemp|tmpfile|tmpnam)\(")
TYPED = re.compile(r'"(?:[^"\\]|\\.)*?--[a-z%](?:[^"\\]|\\.)*"')
# Which files may ask the environment; in src/ a caller would not expect it.
ENVIRONMENT = {"src/data/cache.c", "src/io/download.c", "src/comm/comm.c", "src/kernels/vector.c"}
LONGEST = 450
WIDEST = 120
PLACES = ["src", "app", "include", "tests", "examples", "bench", "tools", "cmake", "python", ".ci"]
KINDS = {".c", ".h", ".cpp", ".py", ".sh", ".cmake", ".txt"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def wrong_include(folder, quote, target):
    """Why this #include in FOLDER is against the rules, or None."""
    if quote == "<":
        return None
    first = target.split("/")[0]
    if "/" not in target or first not in ORDER:
        return f'"{target}" is not of the form "folder/name.h"'
    if ORDER.index(first) > ORDER.index(folder):
        return f"{folder}/ comes before {first}/ and may not include it"
    return None


def check_c(name, lines):
    if len(lines) > LONGEST:
        yield f"{name}:{LONGEST + 1}: {len(lines)} lines, at most {LONGEST} are allowed: split the file"
    parts = name.split("/")
    if parts[0] == "tests" and name != "tests/support/temporary.h":
        yield from (f"{name}:{number}: temporary folders of tests are made by support/temporary.h"
                    for number, line in enumerate(lines, 1) if TEMPORARY.search(line))
    if parts[0] not in PLACE:
        return
    if parts[1] not in PLACE[parts[0]]:
        yield f"{name}:1: {parts[0]}/{parts[1]} has no place in the order of folders (tests/layout/check.py)"
        return
    for number, line in enumerate(lines, 1):
        include = INCLUDE.match(line)
        why = include and wrong_include(parts[1], *include.groups())
        if why:
            yield f"{name}:{number}: {why}"
        call = name not in SYSTEM and CALLS.search(re.sub(r'/\*.*|^ \*.*|"[^"]*"', "", line))
        if call:
            yield f"{name}:{number}: {call.group(1)} is called through base/system.h or base/memory.h"
        if parts[0] == "src" and name not in ENVIRONMENT and re.search(r"\bgetenv\(", line):
            yield f"{name}:{number}: the library reads no environment variable here; a caller says what it wants"
        if parts[0] == "src" and TYPED.search(re.sub(r"/\*.*|^ \*.*", "", line)):
            yield f"{name}:{number}: the library names an option `lr` or `scope=batch`; the program makes it --lr"
        if name not in OPENMP and re.match(r"\s*#\s*(pragma\s+omp|include\s*<omp\.h>)", line):
            yield f"{name}:{number}: OpenMP is used through base/threads.h"


def is_source(path):
    if path.is_symlink() or not path.is_file() or {"corpus", "__pycache__"} & set(path.parts):
        return False
    if path.suffix in KINDS and path.suffix != ".txt":
        return True
    if path.suffix == ".txt":
        return path.name == "CMakeLists.txt"
    return path.suffix == "" and path.read_bytes()[:2] == b"#!"


def check(root):
    files = [path for place in PLACES for path in sorted((root / place).rglob("*")) if is_source(path)]
    for path in files:
        name = path.relative_to(root).as_posix()
        lines = path.read_text(encoding="utf-8").splitlines()
        yield from (f"{name}:{number}: {len(line)} columns, at most {WIDEST} are allowed"
                    for number, line in enumerate(lines, 1) if len(line) > WIDEST)
        if not any("SPDX-License-Identifier: MIT" in line for line in lines[:3]):
            yield f"{name}:1: no SPDX-License-Identifier line at the top"
        if path.suffix in (".c", ".h"):
            yield from check_c(name, lines)
    if not any(path.suffix == ".c" for path in files):
        yield f"{root}: no C source found"


if __name__ == "__main__":
    problems = list(check(pathlib.Path(sys.argv[1])))
    print("\n".join(problems) or "layout: in order")
    sys.exit(bool(problems))
