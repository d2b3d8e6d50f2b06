"""Reads and writes safetensors files with the standard library alone. A tensor is a Tensor, or, for `write`, its dtype as
in the file ("F32", "BF16", …), its shape and its elements as numbers, row-major.
"""

import array
import json
import math
import os
import struct

CODES = {"F64": "d", "F32": "f", "F16": "e", "I64": "q", "I32": "i", "I8": "b"}


def to_bf16(value):
    """The nearest bf16 as 16 bits, ties to even."""
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


class Tensor:
    """dtype as in the file, shape a list, data the little-endian bytes."""

    def __init__(self, dtype, shape, data):
        self.dtype, self.shape, self.data = dtype, list(shape), bytes(data)

    @staticmethod
    def of(dtype, shape, elements):
        """From numbers; floats are rounded to the dtype."""
        if dtype == "BF16":
            return Tensor(dtype, shape, array.array("H", map(to_bf16, elements)))
        elements = list(elements)
        return Tensor(dtype, shape, struct.pack(f"<{len(elements)}{CODES[dtype]}", *elements))

    def values(self):
        """The elements as Python numbers, row-major."""
        if self.dtype == "BF16":
            wide = b"".join(b"\0\0" + self.data[i : i + 2] for i in range(0, len(self.data), 2))
            return array.array("f", wide)
        code = CODES[self.dtype]
        numbers = struct.unpack(f"<{len(self.data) // struct.calcsize(code)}{code}", self.data)
        return array.array("d" if code == "e" else code, numbers)


def read(path):
    """name -> Tensor of one file."""
    with open(path, "rb") as file:
        (header_bytes,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(header_bytes))
        data = file.read()
    header.pop("__metadata__", None)
    return {
        name: Tensor(info["dtype"], info["shape"], data[info["data_offsets"][0] : info["data_offsets"][1]])
        for name, info in header.items()
    }


def read_checkpoint(folder):
    """name -> Tensor of a folder's one file, or of all its shards."""
    if os.path.exists(f"{folder}/model.safetensors"):
        return read(f"{folder}/model.safetensors")
    with open(f"{folder}/model.safetensors.index.json", encoding="utf-8") as file:
        shards = sorted(set(json.load(file)["weight_map"].values()))
    tensors = {}
    for shard in shards:
        tensors.update(read(f"{folder}/{shard}"))
    return tensors


def write(path, tensors):
    """tensors: name -> Tensor, or (dtype, shape, elements)."""
    tensors = {name: t if isinstance(t, Tensor) else Tensor.of(*t) for name, t in tensors.items()}
    # Wide elements first keeps every tensor aligned to its element.
    width = lambda tensor: len(tensor.data) // max(1, math.prod(tensor.shape))
    names = sorted(tensors, key=lambda name: (-width(tensors[name]), name))
    header, offset = {}, 0
    for name in names:
        tensor = tensors[name]
        end = offset + len(tensor.data)
        header[name] = {"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name in names:
            file.write(tensors[name].data)
