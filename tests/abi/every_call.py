# SPDX-License-Identifier: MIT
"""Does the fuzz target of call sequences make every call of the interface?  every_call.py ROOT"""
import json
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
source = "".join(path.read_text(encoding="utf-8") for path in sorted(root.glob("tests/fuzz/call*.[ch]")))
made = set(re.findall(r"\b(l2r_\w+)\(", source))
functions = set(json.loads((root / "docs/api/abi.json").read_text(encoding="utf-8"))["functions"])
if functions - made or not functions:
    sys.exit(f"tests/fuzz/calls.c never calls {', '.join(sorted(functions - made)) or 'anything'}")
print(f"abi every call: {len(functions)}")
