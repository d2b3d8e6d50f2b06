"""Safetensors files whose tensors are (dtype, shape, elements): "F32", "F64", "BF16", "I32" or "I64", a list of extents,
and a flat sequence of numbers.
"""

import array
import os
import struct
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "golden"))
import tensors  # noqa: E402

CODES = {"F64": "d", "F32": "f", "I32": "i", "I64": "q"}


def to_bf16(value):
    """The nearest bf16 as 16 bits, ties to even."""
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


def pack(dtype, elements):
    if dtype == "BF16":
        return array.array("H", map(to_bf16, elements)).tobytes()
    return array.array(CODES[dtype], elements).tobytes()


def write(path, named):
    tensors.write(path, {name: tensors.Tensor(t[0], t[1], pack(t[0], t[2])) for name, t in named.items()})


def read(path):
    return {name: (t.dtype, t.shape, t.values()) for name, t in tensors.read(path).items()}
