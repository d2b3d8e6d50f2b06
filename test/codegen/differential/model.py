"""The entry `forward` of a model's graph: its signature, and arguments for some sequences."""

import math
import re

ARGUMENT = re.compile(r'%\w+: (!?[\w.]+)(?:<([^>]*)>)?(?: \{mm01\.(role|parameter) = "?@?([^}"]*)"?\})?')
CACHES = ("lightning_state", "keys", "values")
PAGE = 64


def extents(text, dynamic):
    """The shape in `4x?x32xf32`, with a number for the dynamic extent, and its element type."""
    *shape, element = text.split("x")
    return [dynamic if extent == "?" else int(extent) for extent in shape], element


class Forward:
    """Holds the caches from call to call. A sequence is (ids, past, slot, pages)."""

    def __init__(self, graph, slots, pages):
        with open(graph, encoding="utf-8") as file:
            signature = re.search(r"func\.func @forward\((.*?)\) ->", file.read(), re.DOTALL).group(1)
        self.arguments = [(kind, text, name if what == "role" else None) for kind, text, what, name in ARGUMENT.findall(signature)]
        self.caches = {}
        for kind, text, role in self.arguments:
            if role in CACHES:
                shape, _ = extents(text, slots if role == "lightning_state" else pages)
                # What a slot or page held before must not matter.
                self.caches[role] = ("F64", shape, [0.5] * math.prod(shape))

    def weights(self):
        """name, shape and element type of each weight argument."""
        for index, (kind, text, _) in enumerate(self.arguments):
            if kind == "!mm01.weight":
                yield f"arg{index}", *extents(text, None)

    def inputs(self, sequences, dtype="F64"):
        """All arguments but the weights; every row's logits are asked for. Caches are stored as `dtype`."""
        ids = [token for sequence in sequences for token in sequence[0]]
        offsets, width = [0], max(len(sequence[3]) for sequence in sequences)
        for sequence in sequences:
            offsets.append(offsets[-1] + len(sequence[0]))
        table = [page for sequence in sequences for page in sequence[3] + [-1] * (width - len(sequence[3]))]
        count = len(sequences)
        named = {}
        for index, (kind, _, role) in enumerate(self.arguments):
            name = f"arg{index}"
            if role == "tokens":
                named[name] = ("I32", [len(ids)], ids)
            elif role == "logit_rows":
                named[name] = ("I32", [len(ids)], range(len(ids)))
            elif kind == "!mm01.ragged":
                named[name + ".seq_offsets"] = ("I32", [count + 1], offsets)
                named[name + ".past"] = ("I32", [count], [sequence[1] for sequence in sequences])
                named[name + ".slot"] = ("I32", [count], [sequence[2] for sequence in sequences])
                named[name + ".page_table"] = ("I32", [count, width], table)
            elif role in CACHES:
                _, shape, elements = self.caches[role]
                named[name] = (dtype, shape, elements)
        return named

    def keep(self, results):
        """Takes the caches from the results, for the next call, and gives the logits."""
        for index, role in enumerate(role for _, _, role in self.arguments if role in CACHES):
            self.caches[role] = results[f"result{index + 1}"]
        return results["result0"][2]
