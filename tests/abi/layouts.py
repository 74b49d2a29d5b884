# SPDX-License-Identifier: MIT
"""Is docs/api/abi.json what the compiler makes of the headers?  layouts.py ROOT CC

Sizes, offsets and values become assertions, and every function is assigned to a pointer of the type that the file
gives it."""
import json
import subprocess
import sys

root, compiler = sys.argv[1:]
with open(f"{root}/docs/api/abi.json", encoding="utf-8") as file:
    abi = json.load(file)


def assertions(abi):
    yield "#include <l2r/l2r.h>\n"
    for name, struct in abi["structs"].items():
        yield f"_Static_assert(sizeof(struct {name}) == {struct['size']}, \"{name}\");"
        for field in struct["fields"]:
            member = f"((struct {name} *)0)->{field['name']}"
            yield f"_Static_assert(offsetof(struct {name}, {field['name']}) == {field['offset']}, \"{member}\");"
            yield f"_Static_assert(sizeof({member}) == {field['size']}, \"{member}\");"
            if "[" not in field["type"]:
                yield f"_Static_assert(_Generic({member}, {field['type']}: 1, default: 0), \"{member}\");"
    for name, values in {**abi["enums"], "constants": abi["constants"]}.items():
        for value in values.items():
            yield "_Static_assert(%s == %d, \"%s\");" % (*value, name)
    for name, function in abi["functions"].items():
        types = ", ".join(argument["type"] for argument in function["arguments"]) or "void"
        yield f"extern {function['returns']} (*at_{name})({types});"
        yield f"{function['returns']} (*at_{name})({types}) = {name};"
    yield ""


def compiles(abi):
    made = subprocess.run([compiler, "-std=c11", "-Werror", "-fsyntax-only", "-I", f"{root}/include", "-xc", "-"],
                          input="\n".join(assertions(abi)), text=True, stderr=subprocess.PIPE, check=False)
    return made.returncode == 0, made.stderr


good, words = compiles(abi)
if not good:
    sys.exit(words)
headers = sum(open(f"{root}/include/l2r/{part}.h", encoding="utf-8").read().count("\nL2R_API ")
              for part in "status options data arrays metrics reweight train model".split())
if headers != len(abi["functions"]):
    sys.exit(f"the headers declare {headers} functions, abi.json has {len(abi['functions'])}")
for change in (lambda: abi["structs"]["l2r_run"]["fields"][2].update(offset=8),
               lambda: abi["enums"]["l2r_status"].update(L2R_ERR_MISSING=9),
               lambda: abi["functions"]["l2r_ess"]["arguments"][1].update(type="int32_t")):
    kept = json.dumps(abi)
    change()
    if compiles(abi)[0]:
        sys.exit("a file that is wrong was not noticed")
    abi = json.loads(kept)
print(f"abi layouts: {len(abi['structs'])} structs, {len(abi['functions'])} functions")
