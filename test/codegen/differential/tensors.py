"""Safetensors files with the standard library alone.

A tensor is (dtype, shape, elements): "F32", "F64", "BF16", "I32" or "I64", a list of extents, and a flat sequence.
"""

import array
import json
import math
import struct

CODES = {"F64": "d", "F32": "f", "I32": "i", "I64": "q"}
BYTES = {"F64": 8, "F32": 4, "BF16": 2, "I32": 4, "I64": 8}


def to_bf16(value):
    """The nearest bf16 as 16 bits, ties to even."""
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


def from_bf16(bits):
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def pack(dtype, elements):
    if dtype == "BF16":
        return array.array("H", map(to_bf16, elements)).tobytes()
    return array.array(CODES[dtype], elements).tobytes()


def unpack(dtype, raw):
    if dtype == "BF16":
        return [from_bf16(bits) for bits in array.array("H", raw)]
    return array.array(CODES[dtype], raw)


def write(path, tensors):
    """Writes name -> tensor, the widest elements first, so that each is aligned."""
    header, data = {}, bytearray()
    for name in sorted(tensors, key=lambda name: (-BYTES[tensors[name][0]], name)):
        dtype, shape, elements = tensors[name]
        raw = pack(dtype, elements)
        assert len(raw) == math.prod(shape) * BYTES[dtype], name
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    """name -> tensor"""
    with open(path, "rb") as file:
        raw = file.read()
    (length,) = struct.unpack_from("<Q", raw)
    tensors = {}
    for name, info in json.loads(raw[8 : 8 + length]).items():
        if name != "__metadata__":
            begin, end = (8 + length + offset for offset in info["data_offsets"])
            tensors[name] = (info["dtype"], info["shape"], unpack(info["dtype"], raw[begin:end]))
    return tensors
