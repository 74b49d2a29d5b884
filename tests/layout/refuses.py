# SPDX-License-Identifier: MIT
"""The layout check itself: a good tree passes, each kind of offence is found with its place."""
import pathlib
import sys
import tempfile

from check import check

SPDX = "/* SPDX-License-Identifier: MIT */\n"
GOOD = {
    "src/base/a.c": SPDX + '#include "base/a.h"\n#include <stdio.h>\n',
    "src/kernels/gemm.c": SPDX + "#include <omp.h>\n#pragma omp parallel\n",
    "src/data/formats/tu/tu.c": SPDX + '#include "base/a.h"\n#include "data/b.h"\n',
    "app/cli/main.c": SPDX + '#include "store/run.h"\n#include <l2r/l2r.h>\n',
    "tools/x": "#!/bin/sh\n# SPDX-License-Identifier: MIT\n",
    "tools/data.txt": "no source\n",
    "tools/wide": "#!/bin/sh\n# SPDX-License-Identifier: MIT\n" + "é" * 120 + "\n",
}
BAD = [
    ("src/base/b.c", SPDX + '#include "data/b.h"\n', "src/base/b.c:2: base/ comes before data/"),
    ("src/data/formats/x/x.c", SPDX + '\n#include "nn/b.h"\n', "src/data/formats/x/x.c:3: data/ comes before nn/"),
    ("src/nn/x.c", SPDX + '#include "x.h"\n', 'src/nn/x.c:2: "x.h" is not of the form'),
    ("src/fit/x.c", SPDX + 'x = getenv("HOME");\n', "src/fit/x.c:2: the library reads no environment variable"),
    ("src/fit/x.c", SPDX + 'fail("try --lr");\n', "src/fit/x.c:2: the library names an option `lr`"),
    ("app/figure/x.c", SPDX + '#include "cli/b.h"\n', "app/figure/x.c:2: figure/ comes before cli/"),
    ("src/fit/x.c", SPDX + '#include "draw/b.h"\n', "src/fit/x.c:2: fit/ comes before draw/"),
    ("src/cli/x.c", SPDX, "src/cli/x.c:1: src/cli has no place"),
    ("src/misc/x.c", SPDX, "src/misc/x.c:1: src/misc has no place"),
    ("src/nn/x.c", SPDX + "  #pragma omp parallel for\n", "src/nn/x.c:2: OpenMP is used through"),
    ("src/nn/x.c", SPDX + "#include <omp.h>\n", "src/nn/x.c:2: OpenMP is used through"),
    ("src/nn/x.c", SPDX + 'int f = open("a", 0);\n', "src/nn/x.c:2: open is called through base/system.h"),
    ("src/nn/x.c", SPDX + "\n  x = malloc(7);\n", "src/nn/x.c:3: malloc is called through base/system.h"),
    ("tests/x.c", SPDX + "\n  mkdtemp(x);\n", "tests/x.c:3: temporary folders of tests"),
    ("tests/x.c", "int x;\n", "tests/x.c:1: no SPDX"),
    ("tools/y", "#!/bin/sh\n", "tools/y:1: no SPDX"),
    ("tools/y", "#!/bin/sh\n# SPDX-License-Identifier: MIT\n" + "é" * 121 + "\n", "tools/y:3: 121 columns"),
    ("tests/x.c", SPDX + "\n" * 450, "tests/x.c:451: 451 lines"),
]


def problems_of(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return list(check(root))


failures = []
if problems_of(GOOD):
    failures.append(f"the good tree was refused: {problems_of(GOOD)}")
if not problems_of({}):
    failures.append("an empty tree passed")
for name, text, wanted in BAD:
    found = problems_of({**GOOD, name: text})
    if len(found) != 1 or not found[0].startswith(wanted):
        failures.append(f"wanted {wanted!r}, got {found}")
print("\n".join(failures) or "layout check: finds what it should")
sys.exit(bool(failures))
