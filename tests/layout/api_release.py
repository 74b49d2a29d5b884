# SPDX-License-Identifier: MIT
"""Does tools/api-reference notice what breaks programs that were compiled against a release?  api_release.py ROOT"""
import importlib.machinery
import importlib.util
import sys

loader = importlib.machinery.SourceFileLoader("api_reference", sys.argv[1] + "/tools/api-reference")
sys.dont_write_bytecode = True
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("api_reference", loader))
loader.exec_module(tool)

OLD = ["int l2r_a(int x);", "enum l2r_e { L2R_A, L2R_B };", "struct l2r_s { size_t size; int a; };",
       "struct l2r_error { int status; };"]
CASES = [  # what is released, what is there now, what is broken
    (OLD, OLD, []),
    (OLD, OLD + ["int l2r_b(void);"], []),
    (OLD, OLD[1:], OLD[:1]),
    (OLD, ["int l2r_a(long x);"] + OLD[1:], OLD[:1]),
    (OLD, OLD[:1] + ["enum l2r_e { L2R_A, L2R_B, L2R_C };"] + OLD[2:], []),
    (OLD, OLD[:1] + ["enum l2r_e { L2R_C, L2R_A, L2R_B };"] + OLD[2:], OLD[1:2]),
    (OLD, OLD[:2] + ["struct l2r_s { size_t size; int a; int b; };"] + OLD[3:], []),
    (OLD, OLD[:2] + ["struct l2r_s { size_t size; int b; int a; };"] + OLD[3:], OLD[2:3]),
    (OLD, OLD[:2] + ["struct l2r_s { size_t size; int ab; };"] + OLD[3:], OLD[2:3]),
    (OLD, OLD[:3] + ["struct l2r_error { int status; int more; };"], OLD[3:]),
]
for released, now, expected in CASES:
    found = tool.broken(released, now)
    if found != expected:
        sys.exit(f"from {released} to {now}: found {found}, expected {expected}")
print("api release: finds what it should")
