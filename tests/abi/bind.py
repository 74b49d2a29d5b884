# SPDX-License-Identifier: MIT
"""The library from Python by ctypes, with nothing but what l2r_abi_json says: bind.py LIBL2R

The first hundred lines are a binding of all calls, types and statuses; a program follows that uses it, without NumPy,
and then every call that the program has not made is made with arguments found by their types and names."""
import ctypes
import json
import math
import random
import re
import sys
import tempfile

library = ctypes.CDLL(sys.argv[1])
library.l2r_abi_json.restype = ctypes.c_char_p
ABI = json.loads(library.l2r_abi_json())
PLAIN = {"void": None, "bool": ctypes.c_bool, "char": ctypes.c_char, "int": ctypes.c_int, "float": ctypes.c_float,
         "double": ctypes.c_double, "size_t": ctypes.c_size_t, "int8_t": ctypes.c_int8, "uint8_t": ctypes.c_uint8,
         "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64}
STRUCTS = {name: type(name, (ctypes.Structure,), {}) for name in [*ABI["structs"], *ABI["handles"]]}
globals().update(ABI["constants"])
for enum in ABI["enums"].values():
    globals().update(enum)


def of(kind, callback=None):
    """A type of the interface as one of ctypes."""
    if callback:
        return ctypes.CFUNCTYPE(of(callback["returns"]), *(of(a["type"]) for a in callback["arguments"]))
    base, stars, count = re.fullmatch(r"(?:const )?(.*?)((?: ?\*(?:const)?)*)(?: \[(\d+)\])?", kind).groups()
    stars = stars.count("*")
    if base in ("void", "char") and stars:
        made, stars = (ctypes.c_void_p if base == "void" else ctypes.c_char_p), stars - 1
    else:
        made = STRUCTS[base[7:]] if base.startswith("struct ") else PLAIN.get(base, ctypes.c_int)
    for _ in range(stars):
        made = ctypes.POINTER(made)
    return made * int(count) if count else made


for name, struct in ABI["structs"].items():
    STRUCTS[name]._fields_ = [(f["name"], of(f["type"], f.get("callback"))) for f in struct["fields"]]
    assert ctypes.sizeof(STRUCTS[name]) == struct["size"], name
    assert all(getattr(STRUCTS[name], f["name"]).offset == f["offset"] for f in struct["fields"]), name


class L2rError(Exception):
    """What a call refused; one class for each status, by its name: L2rError.kinds["argument"]."""
    kinds = {}


MADE = set()  # the calls that were made


def bind(name, function):
    call = getattr(library, name)
    call.argtypes = [of(argument["type"]) for argument in function["arguments"]]
    call.restype = of(function["returns"])
    fails = function["returns"] == "enum l2r_status" and "struct l2r_error *" in str(function["arguments"])

    def make(*arguments):
        MADE.add(name)
        if not fails:
            return call(*arguments)
        error = STRUCTS["l2r_error"]()
        status = call(*arguments, ctypes.byref(error))
        if status != 0:
            raise L2rError.kinds[library.l2r_status_name(status).decode()](error.message.decode())
        return None
    return make


CALLS = {name: bind(name, function) for name, function in ABI["functions"].items()}
for value in ABI["enums"]["l2r_status"].values():
    kind = CALLS["l2r_status_name"](value).decode()
    L2rError.kinds[kind] = type(kind, (L2rError,), {})
globals().update(CALLS)


def new(struct, **fields):
    made = STRUCTS[struct](**fields)
    if ABI["structs"][struct]["fields"][0]["name"] == "size":
        made.size = ctypes.sizeof(made)
    return made


def array(kind, numbers):
    return (PLAIN[kind] * len(numbers))(*numbers)


def handle(name):
    return ctypes.POINTER(STRUCTS[name])()


# ---- a program ----
assert l2r_version().decode() == ABI["version"] and L2R_ERR_MISSING == 8

random.seed(1)
N, D = 200, 4
rows = [[random.gauss(0, 1) + (1.5 if i % 2 else -1.5) for _ in range(D)] for i in range(N)]
z, w = array("float", sum(rows, [])), array("float", [0] * N)
options = new("l2r_reweight_options", ess=0.8, seed=7)
found = new("l2r_decorrelation")
l2r_decorrelate(w, ctypes.byref(found), z, array("int64_t", [i % 3 for i in range(N)]), N, D, ctypes.byref(options))
assert abs(l2r_ess(w, N) - 0.8) < 1e-4 and found.dependence_after < found.dependence_before
value = ctypes.c_double()
l2r_dependence(ctypes.byref(value), None, None, z, w, N, D, ctypes.byref(options))
assert math.isclose(value.value, found.dependence_after, rel_tol=1e-4)
options.ess = 2
try:
    l2r_decorrelate(w, None, z, None, N, D, ctypes.byref(options))
    sys.exit("an ESS of 2 was taken")
except L2rError.kinds["argument"] as refusal:
    assert "options.ess" in str(refusal)

GRAPHS = 40  # cycles of five or six nodes, told apart by a marked one
sizes = [5 + g % 2 for g in range(GRAPHS)]
pairs = [(v, (v + 1) % n) for n in sizes for v in range(n)]
index = array("int64_t", [a for a, _ in pairs] + [b for _, b in pairs])
arrays = new("l2r_arrays", name=b"cycles", task=L2R_TASK_BINARY, n_tasks=1, n_graphs=GRAPHS, edge_index=index,
             node_counts=array("int64_t", sizes), edge_counts=array("int64_t", sizes), n_node_columns=1,
             node_rows=array("int32_t", [int(v == 0 and n == 5) for n in sizes for v in range(n)]),
             labels=array("float", [n == 5 for n in sizes]))
data = handle("l2r_dataset")
l2r_dataset_from_arrays(ctypes.byref(data), ctypes.byref(arrays))
assert l2r_dataset_n_arcs(data) == 2 * len(pairs)
out = array("int64_t", [0] * 4 * len(pairs))
l2r_dataset_edge_index(out, data, True)
assert max(out) == sum(sizes) - 1

config, split, parts = handle("l2r_config"), handle("l2r_split"), array("uint8_t", [g % 3 for g in range(GRAPHS)])
l2r_config_for_run(ctypes.byref(config), b"gin", b"erm")
for key, text in (("epochs", "8"), ("hidden", "8"), ("layers", "2"), ("lr", "0.02"), ("batch-size", "8")):
    l2r_config_set(config, key.encode(), text.encode())
l2r_split_from_parts(ctypes.byref(split), data, parts)
epochs = []
callbacks = new("l2r_callbacks")
callbacks.epoch = dict(STRUCTS["l2r_callbacks"]._fields_)["epoch"](lambda _, at: epochs.append(at.contents.epoch))
run = new("l2r_run", config=config, data=data, split=split, callbacks=ctypes.pointer(callbacks))
result, model = handle("l2r_result"), handle("l2r_predictor")
l2r_train(ctypes.byref(result), ctypes.byref(model), ctypes.byref(run))
assert epochs == list(range(1, 9)), epochs
test = [g for g in range(GRAPHS) if parts[g] == L2R_PART_TEST]
outputs = array("float", [0] * len(test))
l2r_predictor_predict(outputs, model, data, array("int64_t", test), len(test))
scored = new("l2r_scored", task=L2R_TASK_BINARY, n_rows=len(test), n_tasks=1, outputs=outputs,
             labels=array("float", [sizes[g] == 5 for g in test]))
l2r_metric_value(ctypes.byref(value), b"rocauc", ctypes.byref(scored))
assert math.isclose(value.value, l2r_result_score(result, L2R_PART_TEST, b"rocauc")) and value.value > 0.9

# ---- what a run gives beside its model; a model as bytes; progress on the way
count, size = ctypes.c_int64(), ctypes.c_size_t()
curve = l2r_result_curve(ctypes.byref(count), result, b"loss")
assert count.value == 8 and all(curve[k] > 0 for k in range(8))
assert l2r_result_curve_name(result, 0) == b"epoch" and bool(l2r_result_split(result))
bytes_at, again = ctypes.c_void_p(), handle("l2r_predictor")
l2r_predictor_to_bytes(ctypes.byref(bytes_at), ctypes.byref(size), model)
pickled = ctypes.string_at(bytes_at, size.value)
l2r_free(bytes_at)
l2r_predictor_from_bytes(ctypes.byref(again), pickled, len(pickled))
heard = []
watch = new("l2r_watch")
watch.progress = dict(STRUCTS["l2r_watch"]._fields_)["progress"](lambda _, what, k, n: heard.append((what, k, n)))
l2r_watch_set(ctypes.byref(watch))
same = array("float", [0] * GRAPHS)
l2r_predictor_predict(same, again, data, None, GRAPHS)
l2r_watch_set(None)
assert heard[-1] == (b"graphs scored", GRAPHS, GRAPHS) and all(
    math.isclose(same[g], out, abs_tol=1e-5) for g, out in zip(test, outputs))
scores = handle("l2r_evaluation")
l2r_predictor_evaluate(ctypes.byref(scores), again, data, array("int64_t", test), len(test), b"rocauc")
assert l2r_evaluation_value(scores, b"rocauc", -1) == l2r_result_score(result, L2R_PART_TEST, b"rocauc")
error = STRUCTS["l2r_error"]()
assert CALLS["l2r_config_set"] and library.l2r_config_set(config, b"lr", b"-1", ctypes.byref(error)) != 0
assert error.option == b"lr" and error.graph == -1

# ---- every other call ----
LIVE = {"l2r_evaluation": scores, "l2r_result": result, "l2r_predictor": model, "l2r_split": split,
        "l2r_dataset": data, "l2r_config": config}
OTHERS = [(again, "l2r_predictor")]  # to be freed as well
folder = tempfile.TemporaryDirectory()
WORDS = {"where": b"motif:train=4,valid=2,test=2", "metric": b"rocauc", "metrics": b"rocauc", "method": b"none",
         "generator": b"motif", "blocks": b"erg", "what": b"rdkit", "json": b"{}", "value": b"1", "model": b"gin",
         "path": f"{folder.name}/file".encode(), "dir": f"{folder.name}/folder".encode()}
NUMBERS = {"n_bytes": len(pickled), "size": 64, "d": 4, "n_folds": 3, "part": L2R_PART_VALID, "n_rows": 1}
ROOM = 1 << 16


def argument(kind, name):
    """Something of this type; (pointer, its handle) of what a call makes."""
    base, stars = re.match(r"(?:const )?((?:struct |enum )?\w+)", kind)[1], kind.count("*")
    struct = base[7:] if base.startswith("struct ") else None
    if struct in ABI["handles"]:
        if stars == 1:
            return LIVE.get(struct) if name != "options" else None  # the defaults
        if "*const" in kind:  # several of them
            return (of(f"struct {struct} *") * GRAPHS)(*([LIVE[struct]] * GRAPHS)) if struct in LIVE else None
        made = (of(f"struct {struct} *") * GRAPHS)()
        OTHERS.append((made, struct))
        return made
    if struct == "l2r_run":
        return ctypes.byref(run)
    if struct == "l2r_schema":
        return ctypes.byref(new(struct, n_tasks=1, degree_as_feature=True))
    if struct:
        return ctypes.byref(new(struct))
    if base == "char" and stars == 2:
        return ctypes.byref(ctypes.c_char_p()) if "const *" not in kind else (ctypes.c_char_p * GRAPHS)(b"x")
    if base == "char" and stars:
        return WORDS.get(name, b"epochs") if kind.startswith("const") else ctypes.create_string_buffer(64)
    if base == "void" and stars:
        return pickled if stars == 1 else ctypes.byref(ctypes.c_void_p())
    if name == "graphs" and stars == 1 and kind.startswith("const"):
        return None  # all of them
    if stars == 2:
        return ctypes.byref(ctypes.POINTER(PLAIN[base])())
    if stars:
        return (PLAIN[base] * ROOM)()
    return NUMBERS.get(name, GRAPHS if kind == "int64_t" and name == "n" else 2 if name == "n" else 0)


def sweep(name):
    """The call, made; whatever handles it gave are there for the next ones. Was it refused?"""
    arguments = [a for a in ABI["functions"][name]["arguments"] if a["type"] != "struct l2r_error *"]
    given = [argument(a["type"], a["name"]) for a in arguments]
    try:
        CALLS[name](*given)
    except L2rError as refusal:
        assert str(refusal), name
        return True
    for one, a in zip(given, arguments):
        struct = re.match(r"struct (\w+) \*\*$", a["type"])
        if struct and one[0]:
            LIVE.setdefault(struct[1], one[0])
        if a["type"] in ("char **", "void **"):
            l2r_free(ctypes.cast(one._obj, ctypes.c_void_p))
    return False


frees = {free for free in ABI["handles"].values() if free}
todo = [name for name in CALLS if name not in frees | {"l2r_free"}]
todo.sort(key=lambda name: " **" not in str(ABI["functions"][name]["arguments"]))  # what makes handles comes first
refusals = [name for name in todo if name not in MADE and sweep(name)]
missing = {struct for struct, free in ABI["handles"].items() if free and not LIVE.get(struct)}
assert missing <= {"l2r_comm", "l2r_fragments"}, missing  # one process; no molecules
assert len(refusals) < 30, refusals

kept = {ctypes.addressof(one.contents) for one in LIVE.values()}
for made, struct in OTHERS:
    for one in made if isinstance(made, ctypes.Array) else [made]:
        if one and ctypes.addressof(one.contents) not in kept:
            CALLS[ABI["handles"][struct]](one)
for struct in ("l2r_training", *ABI["handles"]):  # a training goes before its data
    if ABI["handles"][struct] and LIVE.get(struct, True):
        CALLS[ABI["handles"][struct]](LIVE.pop(struct, None))
l2r_free(None)
assert MADE == set(CALLS), set(CALLS) - MADE
print(f"abi bind: {len(MADE)} calls made, {len(refusals)} of them refused")
