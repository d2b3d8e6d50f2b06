#!/usr/bin/env python3
"""usage: forward_arguments.py GRAPH.mlir CHECKPOINT IDS.safetensors TENSOR ARGS.safetensors

Writes the arguments of entry `forward` of a graph-phase module for one fresh sequence: the token ids of TENSOR, every
row of logits, caches of one slot and of as many pages as the ids need, and the weights as the module's sources say.
The caches are filled with 7, not 0: a fresh sequence must not see what its slot held before.
"""

import math
import sys

import safetensors_file
from entry import PAGE, Entry, bind


def main():
    if len(sys.argv) != 6:
        print(__doc__, file=sys.stderr)
        return 2
    graph, folder, ids_file, ids_name, out = sys.argv[1:]
    checkpoint = safetensors_file.read_checkpoint(folder)
    ids = safetensors_file.read(ids_file)[ids_name]
    count = ids.shape[0]
    pages = -(-count // PAGE)
    entry = Entry(graph)
    arguments = {}
    for number, argument in enumerate(entry.arguments):
        key = f"arg{number}"
        if argument.kind == "ragged":
            arguments[key + ".seq_offsets"] = ("I32", [2], [0, count])
            arguments[key + ".past"] = ("I32", [1], [0])
            arguments[key + ".slot"] = ("I32", [1], [0])
            # Backwards, so that a page's number is not its place.
            arguments[key + ".page_table"] = ("I32", [1, pages], reversed(range(pages)))
        elif argument.kind == "weight":
            arguments[key] = bind(checkpoint, argument.name, argument.shape, entry.sources[argument.name])
        elif argument.name == "tokens":
            arguments[key] = ids
        elif argument.name == "logit_rows":
            arguments[key] = ("I32", [count], range(count))
        else:
            dynamic = 1 if argument.name == "lightning_state" else pages
            shape = [extent or dynamic for extent in argument.shape]
            arguments[key] = ("F32", shape, [7.0] * math.prod(shape))
    safetensors_file.write(out, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
