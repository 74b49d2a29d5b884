#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An independent reader of the safetensors format, written from its published description with the standard library
only. Checks a file strictly and prints what it holds, one line a tensor (sorted by name), one line a metadatum:

    check_safetensors.py FILE
"""
import json
import struct
import sys

FORMATS = {"F64": "d", "F32": "f", "I64": "q", "I32": "i", "U8": "B"}


def no_duplicates(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), "a key occurs twice"
    return dict(pairs)


def check(path):
    with open(path, "rb") as stream:
        content = stream.read()
    (length,) = struct.unpack("<Q", content[:8])
    assert length <= 100_000_000 and 8 + length <= len(content), "header length"
    assert length % 8 == 0, "the data does not start at a multiple of 8"
    text = content[8:8 + length].decode("utf-8")
    assert text.startswith("{"), "the header must start with {"
    assert text.rstrip(" ").endswith("}"), "the header may be padded with spaces only"
    header = json.loads(text, object_pairs_hook=no_duplicates)
    data = content[8 + length:]

    metadata = header.pop("__metadata__", {})
    assert all(isinstance(value, str) for value in metadata.values()), "metadata must be text"
    reached = 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        assert set(entry) == {"dtype", "shape", "data_offsets"}, "keys of an entry"
        begin, end = entry["data_offsets"]
        assert begin == reached, "the buffer must be indexed without holes"
        count = 1
        for size in entry["shape"]:
            count *= size
        size = struct.calcsize("<" + FORMATS[entry["dtype"]])
        assert end - begin == count * size, "length against shape"
        assert begin % size == 0, "alignment"
        reached = end
    assert reached == len(data), "the buffer must be indexed to its end"

    for name, entry in sorted(header.items()):
        begin, end = entry["data_offsets"]
        count = (end - begin) // struct.calcsize("<" + FORMATS[entry["dtype"]])
        values = struct.unpack(f"<{count}{FORMATS[entry['dtype']]}", data[begin:end])
        print(name, entry["dtype"], entry["shape"], list(values))
    for key, value in sorted(metadata.items()):
        if key not in ("xxh3", "xxh3_header"):
            print(key, "=", json.dumps(value))


if __name__ == "__main__":
    check(sys.argv[1])
