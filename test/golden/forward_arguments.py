#!/usr/bin/env python3
"""usage: forward_arguments.py GRAPH.mlir CHECKPOINT IDS.safetensors TENSOR ARGS.safetensors [ROUTES.safetensors]

Writes the arguments of entry `forward` of a graph-phase module for one fresh sequence: the token ids of TENSOR, every
row of logits, caches of one slot and of as many pages as the ids need, and the weights as the module's sources say.
The caches are filled with 7, not 0: a fresh sequence must not see what its slot held before. A module that is told the
experts gets those of ROUTES, which mm01-interpret --record-routes wrote.
"""

import math
import sys

import safetensors_file
from entry import PAGE, Entry, bind


def main():
    if len(sys.argv) not in (6, 7):
        print(__doc__, file=sys.stderr)
        return 2
    graph, folder, ids_file, ids_name, out, *routes = sys.argv[1:]
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
        elif argument.name == "routes":
            layers, _, chosen = argument.shape
            recorded = safetensors_file.read(routes[0])
            elements = [e for layer in range(layers) for e in recorded[f"route{layer}"].values()]
            arguments[key] = ("I32", [layers, count, chosen], elements)
        elif argument.name == "logit_rows":
            arguments[key] = ("I32", [count], range(count))
        else:
            dynamic = 1 if argument.name == "lightning_state" else pages
            shape = [extent or dynamic for extent in argument.shape]
            arguments[key] = (argument.element.upper(), shape, [7.0] * math.prod(shape))
    safetensors_file.write(out, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
