#!/usr/bin/env python3
"""usage: seeds.py FOLDER

Writes what the fuzzers start from, FOLDER/TARGET/N for each target, and the words that they put in, FOLDER/TARGET.dict:
small checkpoints, configurations, manifests and modules, out of the tests and the golden checkpoint.
"""

import json
import os
import re
import struct
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXTREMES = ["-1", "0", "1e308", "2147483648", "4611686018427387904", "9223372036854775807", "18446744073709551615"]
# A manifest with every kind of argument, result and source (docs/contract.md).
MODEL = {
    "compiler": "0.1.0",
    "target": "cpu",
    "mode": "inference",
    "isa": "x86-64-v4",
    "limits": {"max_tokens": 8192, "max_sequences": 256},
    "model": {"vocab_size": 256},
    "parameter_count": 73728,
    "ignored_tensors": ["*.slope_rate"],
    "entries": [
        {
            "name": "forward",
            "arguments": [
                {"kind": "tensor", "role": "tokens", "shape": [-1], "type": "i32"},
                {"kind": "ragged"},
                {"kind": "tensor", "role": "keys", "shape": [1, -1, 64, 2, 32], "type": "f32"},
                {"kind": "weight", "parameter": "w1", "shape": [4, 96, 64], "type": "bf16"},
                {"kind": "scalar", "type": "index"},
            ],
            "results": [
                {"kind": "fresh", "role": "logits", "shape": [-1, 256], "type": "f32"},
                {"kind": "tied", "argument": 2},
            ],
        }
    ],
    "parameters": [
        {
            "name": "w1",
            "shape": [4, 96, 64],
            "type": "bf16",
            "sources": [
                {"tensor": "experts.{}.w1.weight", "shape": [96, 64]},
                {"tensor": "experts.gate_up_proj", "shape": [4, 192, 64], "first_row": 0, "row_stride": 192},
            ],
        }
    ],
}


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def find(folder, suffix):
    for place, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
        yield from (os.path.join(place, name) for name in sorted(names) if name.endswith(suffix))


def shard(tensors, notes=None):
    """A safetensors file; tensors: name -> (dtype, bytes of an element, shape)."""
    header, end = ({"__metadata__": notes} if notes else {}), 0
    for name, (dtype, width, shape) in tensors.items():
        begin = end
        for extent in shape:
            width *= extent
        end += width
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(i % 251 for i in range(end))


def checkpoints():
    """(bytes, JSON inside) of each; FuzzSafetensors.cpp has the form of an input."""
    types = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U16": 2, "U8": 1, "BOOL": 1}
    a = shard({"model.a.weight": ("BF16", 2, [4, 8]), "model.b": ("F32", 4, [])})
    b = shard({f"t{name}": (name, width, [3]) for name, width in types.items()}, {"format": "pt"})
    empty = shard({"none": ("F32", 4, [0, 7]), "odd": ("U8", 1, [3]), "unaligned": ("F32", 4, [2])})
    names = {"model.a.weight": "a.safetensors", "model.b": "a.safetensors"}
    names.update({f"t{name}": "b.safetensors" for name in types})
    index = json.dumps({"metadata": {"total_size": 100}, "weight_map": names}).encode()
    for parts in ((b"", b"", a), (b"", b"", b), (b"", b"", empty), (index, a, b)):
        yield struct.pack("<HH", len(parts[0]), len(parts[1])) + b"".join(parts)


def configurations():
    texts = [read(path) for path in find("models/minimax01/presets", ".json")]
    texts.append(read("test/golden/tiny-a/config.json"))
    support = read("test/frontend/config/Support.h")
    texts += re.findall(r'R"\((\{.*?\})\)"', support, re.DOTALL)
    for text in texts:
        small = json.dumps(json.loads(text))
        yield small.encode()
        yield f"{small}\0rotary_dim=16\0postnorm=true\0num_hidden_layers=2\0attn_type_list=[0,1]".encode()


def manifests():
    abi = int(re.search(r"MM01_ABI_VERSION (\d+)", read("runtime/abi/program.h"))[1])
    yield json.dumps(json.loads(read("test/runtime/testProgram.json"))).encode()
    yield json.dumps(MODEL | {"abi": abi}).encode()


def modules():
    """The examples of the operations' descriptions, which are whole modules."""
    for path in find("dialects", ".td"):
        for text in re.findall(r"```mlir\n(.*?)```", read(path), re.DOTALL):
            yield re.sub(r"(?m)^    ", "", text).encode()


def quoted(word):
    return '"' + "".join(f"\\x{byte:02x}" if byte in b'"\\' else chr(byte) for byte in word.encode()) + '"'


def words_of(seeds, pattern):
    found = {word for seed in seeds for word in re.findall(pattern, seed.decode(errors="ignore"))}
    return sorted(word for word in found if word.isascii() and len(word) < 60) + EXTREMES


TARGETS = {
    "safetensors": (checkpoints, r'"\w+"'),
    "config": (configurations, r'"\w+"'),
    "program": (manifests, r'"[\w.]+"'),
    "mlir": (modules, r"[\w.]{3,}"),
}


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    for target, (make, pattern) in TARGETS.items():
        folder = os.path.join(sys.argv[1], target)
        os.makedirs(folder, exist_ok=True)
        seeds = list(make())
        for number, seed in enumerate(seeds):
            with open(os.path.join(folder, f"{number:03}"), "wb") as file:
                file.write(seed)
        with open(f"{folder}.dict", "w", encoding="ascii") as file:
            file.writelines(f"{quoted(word)}\n" for word in words_of(seeds, pattern))
    return 0


if __name__ == "__main__":
    sys.exit(main())
