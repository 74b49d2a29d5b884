# SPDX-License-Identifier: MIT
"""Do the headers and all _INIT macros compile without a warning, and set size and zeros?  inits.py ROOT CC CXX"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

root, cc, cxx = sys.argv[1:]
text = "".join(path.read_text(encoding="utf-8") for path in sorted(pathlib.Path(root, "include/l2r").glob("*.h")))
macros = re.findall(r"#define (L2R_\w+_INIT) L2R_SIZED\((struct \w+)\)", text)
if len(macros) < 10 or len(macros) != text.count("_INIT L2R_SIZED"):
    sys.exit(f"found {len(macros)} _INIT macros")
structs = json.loads(pathlib.Path(root, "docs/api/abi.json").read_text(encoding="utf-8"))["structs"]
lines = ["#include <l2r/l2r.h>", "#include <string.h>", "int main(void)", "{", "    int bad = 0;"]
for i, (macro, struct) in enumerate(macros):
    lines += [f"    {struct} made{i} = {macro};",
              f"    {struct} zero{i};",
              f"    memset(&zero{i}, 0, sizeof zero{i});",
              f"    zero{i}.size = sizeof({struct});",
              *("    bad |= memcmp(&made%d.%s, &zero%d.%s, sizeof zero%d.%s);" % ((i, field["name"]) * 3)
                for field in structs[struct[7:]]["fields"])]
source = "\n".join(lines + ["    return bad != 0;", "}", ""])
warnings = "-Wall -Wextra -Wpedantic -Wmissing-field-initializers -Werror".split()
with tempfile.TemporaryDirectory() as folder:
    for compiler, language, standards in ((cc, "c", (11, 17)), (cxx, "c++", (11, 14, 17, 20))):
        for standard in standards:
            program = f"{folder}/{language}{standard}"
            made = subprocess.run([compiler, f"-std={language}{standard}", *warnings, "-I", f"{root}/include",
                                   f"-x{language}", "-", "-o", program],
                                  input=source, text=True, stderr=subprocess.PIPE, check=False)
            if made.returncode != 0:
                sys.exit(f"{language}{standard}: {made.stderr}")
            if subprocess.run([program], check=False).returncode != 0:
                sys.exit(f"{language}{standard}: a macro sets something else than zeros and the size")
print(f"abi inits: {len(macros)} macros")
