"""What a graph-phase module says about its entry `forward`: arguments, and how parameters are made of tensors."""

import math
import re

from command import fail
from safetensors_file import Tensor

PAGE = 64
SOURCE = re.compile(r'#mm01\.source<"([^"]*)" : ([0-9x]+)(?:, rows (\d+) stride (\d+))?>')
PARAMETER = re.compile(r"mm01\.parameter @(\S+) : !mm01\.weight<([0-9x]+)x(\w+)> from \[(.*)\]")
ARGUMENT = re.compile(
    r"%\w+: (!?[\w.]+)(?:<([^>]*)>)?"
    r'(?: \{(?:mm01\.extents = \[[^]]*\](?:, )?)?(?:mm01\.(role|parameter) = "?@?([^}"]*)"?)?\})?'
)


class Argument:
    """kind is "ragged", "weight" or "tensor"; name is the role or the parameter; a dynamic extent is None."""

    def __init__(self, kind, type_text, name):
        *extents, self.element = (type_text or "").split("x")
        self.kind, self.name = kind, name
        self.shape = [None if extent == "?" else int(extent) for extent in extents]


class Entry:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        self.sources = {}
        for line in lines:
            if match := PARAMETER.search(line):
                self.sources[match[1]] = SOURCE.findall(match[4])
        signature = next(line for line in lines if "func.func @forward(" in line).split(") -> (")[0]
        kinds = {"!mm01.ragged": "ragged", "!mm01.weight": "weight", "tensor": "tensor"}
        self.arguments = [Argument(kinds[kind], text, name) for kind, text, _, name in ARGUMENT.findall(signature)]


def _part(checkpoint, shape, source, number):
    """Type and bytes of part `number` of a parameter, or None where the checkpoint lacks the tensor."""
    name, _, first, stride = source
    if "{}" in name:
        found = checkpoint.get(name.replace("{}", str(number)))
        return found and (found.dtype, found.data)
    if name not in checkpoint:
        return None
    found = checkpoint[name]
    row_bytes = len(found.data) // (math.prod(found.shape) // found.shape[-1])
    rows = math.prod(shape[:-1] if len(shape) < 3 else shape[1:-1])
    begin = (int(first or 0) + number * int(stride or 0)) * row_bytes
    return found.dtype, found.data[begin : begin + rows * row_bytes]


def bind(checkpoint, name, shape, sources):
    """The whole parameter from the first source whose tensors all exist."""
    for source in sources:
        parts = [_part(checkpoint, shape, source, i) for i in range(shape[0] if len(shape) == 3 else 1)]
        if all(parts):
            return Tensor(parts[0][0], shape, b"".join(data for _, data in parts))
    return fail(f"no tensors for parameter {name}")
