#!/usr/bin/env python3
"""usage: forward_arguments.py GRAPH.mlir CHECKPOINT IDS.safetensors TENSOR ARGS.safetensors

Writes the arguments of entry `forward` of a graph-phase module for one fresh sequence: the token ids of TENSOR, every
row of logits, caches of one slot and of as many pages as the ids need, and the weights as the module's sources say.
The caches are filled with 7, not 0: a fresh sequence must not see what its slot held before.
"""

import array
import math
import re
import sys

import tensors

SOURCE = re.compile(r'#mm01\.source<"([^"]*)" : ([0-9x]+)(?:, rows (\d+) stride (\d+))?>')
PARAMETER = re.compile(r"mm01\.parameter @(\S+) : !mm01\.weight<([0-9x]+)x(\w+)> from \[(.*)\]")
ARGUMENT = re.compile(r"%\w+: (!?[\w.]+)(?:<([^>]*)>)?(?: \{mm01\.(role|parameter) = \"?@?([^}\"]*)\"?\})?")
PAGE = 64


def part(checkpoint, shape, source, number):
    """The bytes of part `number` of a parameter, or None where the checkpoint lacks the tensor."""
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
        parts = [part(checkpoint, shape, source, i) for i in range(shape[0] if len(shape) == 3 else 1)]
        if all(parts):
            return tensors.Tensor(parts[0][0], shape, b"".join(data for _, data in parts))
    tensors.fail(f"no tensors for parameter {name}")


def cache(shape_text, extent):
    shape = [extent if word == "?" else int(word) for word in shape_text.split("x")[:-1]]
    return tensors.floats(shape, [7.0] * math.prod(shape))


def main():
    if len(sys.argv) != 6:
        print(__doc__, file=sys.stderr)
        return 2
    graph, folder, ids_file, ids_name, out = sys.argv[1:]
    checkpoint = tensors.read_checkpoint(folder)
    ids = tensors.read(ids_file)[ids_name]
    count = ids.shape[0]
    pages = -(-count // PAGE)
    with open(graph, encoding="utf-8") as file:
        lines = file.read().split("\n")
    parameters = {}
    for line in lines:
        if match := PARAMETER.search(line):
            shape = [int(extent) for extent in match[2].split("x")]
            parameters[match[1]] = (shape, SOURCE.findall(match[4]))
    signature = next(line for line in lines if "func.func @forward(" in line).split(") -> (")[0]

    arguments = {}
    for number, (kind, shape, attribute, name) in enumerate(ARGUMENT.findall(signature)):
        key = f"arg{number}"
        if kind == "!mm01.ragged":
            arguments[key + ".seq_offsets"] = tensors.integers([2], [0, count])
            arguments[key + ".past"] = tensors.integers([1], [0])
            arguments[key + ".slot"] = tensors.integers([1], [0])
            # Backwards, so that a page's number is not its place.
            arguments[key + ".page_table"] = tensors.integers([1, pages], reversed(range(pages)))
        elif attribute == "parameter":
            arguments[key] = bind(checkpoint, name, *parameters[name])
        elif name == "tokens":
            arguments[key] = tensors.integers([count], array.array("i", ids.data))
        elif name == "logit_rows":
            arguments[key] = tensors.integers([count], range(count))
        else:
            arguments[key] = cache(shape, 1 if name == "lightning_state" else pages)
    tensors.write(out, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
