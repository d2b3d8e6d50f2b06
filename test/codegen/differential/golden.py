#!/usr/bin/env python3
"""usage: golden.py CHECKPOINT FOLDER [--phase PHASE] [--tokens N]

Interprets the model of a checkpoint at a phase and compares its logits with those of golden.safetensors beside it: the
first N ids in one call, then in two calls that share the caches, the second of them together with another sequence.
"""

import argparse
import math
import os
import subprocess
import sys

import safetensors_file
from entry import PAGE, Entry

TOLERANCE = 2e-5  # the golden's own norms are rounded to float32
SLOTS, PAGES = 3, 24
CACHES = ("lightning_state", "keys", "values")


class Model:
    """Holds the caches from call to call. A sequence is (ids, past, slot, pages)."""

    def __init__(self, checkpoint, folder, phase):
        self.folder, self.module = folder, os.path.join(folder, "module.mlir")
        subprocess.run(["mm01-compile", checkpoint, f"--compile-to={phase}", "-o", self.module], check=True)
        self.command = ["mm01-interpret", self.module, "--entry", "forward", "--weights", checkpoint, "--f64-results"]
        self.arguments = Entry(self.module).arguments
        self.caches = {}
        for argument in self.arguments:
            if argument.name in CACHES:
                dynamic = SLOTS if argument.name == "lightning_state" else PAGES
                shape = [extent or dynamic for extent in argument.shape]
                # What a slot or page held before must not matter.
                self.caches[argument.name] = ("F64", shape, [0.5] * math.prod(shape))

    def inputs(self, sequences):
        ids = [token for sequence in sequences for token in sequence[0]]
        offsets, width = [0], max(len(sequence[3]) for sequence in sequences)
        for sequence in sequences:
            offsets.append(offsets[-1] + len(sequence[0]))
        table = [page for sequence in sequences for page in sequence[3] + [-1] * (width - len(sequence[3]))]
        count = len(sequences)
        named = {}
        for index, argument in enumerate(self.arguments):
            name = f"arg{index}"
            if argument.name == "tokens":
                named[name] = ("I32", [len(ids)], ids)
            elif argument.name == "logit_rows":
                named[name] = ("I32", [len(ids)], range(len(ids)))
            elif argument.kind == "ragged":
                named[name + ".seq_offsets"] = ("I32", [count + 1], offsets)
                named[name + ".past"] = ("I32", [count], [sequence[1] for sequence in sequences])
                named[name + ".slot"] = ("I32", [count], [sequence[2] for sequence in sequences])
                named[name + ".page_table"] = ("I32", [count, width], table)
            elif argument.name in CACHES:
                named[name] = self.caches[argument.name]
        return named

    def call(self, *sequences):
        """Logits of every token."""
        paths = [os.path.join(self.folder, name) for name in ("arguments.safetensors", "results.safetensors")]
        safetensors_file.write(paths[0], self.inputs(sequences))
        subprocess.run(self.command + ["--in", paths[0], "--out", paths[1]], check=True)
        results = safetensors_file.read(paths[1])
        for index, role in enumerate(argument.name for argument in self.arguments if argument.name in CACHES):
            self.caches[role] = results[f"result{index + 1}"]
        return results["result0"].values()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint")
    parser.add_argument("folder")
    parser.add_argument("--phase", default="graph")
    parser.add_argument("--tokens", type=int, default=300)
    options = parser.parse_args()
    golden = safetensors_file.read(os.path.join(options.checkpoint, "golden.safetensors"))
    ids = list(golden[f"ids_{options.tokens}"].values())
    logits = golden[f"logits_{options.tokens}"]
    vocabulary, expected = logits.shape[1], logits.values()
    model = Model(options.checkpoint, options.folder, options.phase)

    def check(what, logits):
        error = max(abs(a - b) for a, b in zip(logits, expected, strict=True))
        print(f"{what}: max |logit - golden| = {error:.1e}")
        return error <= TOLERANCE

    pages, cut = [5, 2, 9, 0, 17, 1, 20, 3, 6, 11, 8][: -(-len(ids) // PAGE)], len(ids) // 3
    good = check("one call", model.call((ids, 0, 1, pages)))
    first = list(model.call((ids[:cut], 0, 2, pages)))
    other = ids[7:20]
    second = model.call((other, 0, 0, [23]), (ids[cut:], cut, 2, pages))
    good &= check("two calls", first + list(second[len(other) * vocabulary :]))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
