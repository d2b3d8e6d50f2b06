"""Reads and writes safetensors files with the standard library alone, for the tests beside it."""

import array
import json
import math
import os
import struct
import sys


class Tensor:
    """dtype as in the file ("F32", "BF16", "I32", …), shape a list, data bytes."""

    def __init__(self, dtype, shape, data):
        self.dtype, self.shape, self.data = dtype, list(shape), bytes(data)

    def values(self):
        """The elements as Python numbers, row-major."""
        if self.dtype == "BF16":
            wide = b"".join(b"\0\0" + self.data[i : i + 2] for i in range(0, len(self.data), 2))
            return array.array("f", wide)
        return array.array({"F64": "d", "F32": "f", "I64": "q", "I32": "i"}[self.dtype], self.data)


def floats(shape, values):
    return Tensor("F32", shape, array.array("f", values).tobytes())


def integers(shape, values):
    return Tensor("I32", shape, array.array("i", values).tobytes())


def zeros(shape):
    return Tensor("F32", shape, bytes(4 * math.prod(shape)))


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


def fail(message):
    sys.exit(f"{sys.argv[0].rsplit('/', 1)[-1]}: {message}")
