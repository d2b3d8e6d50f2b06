#!/usr/bin/env python3
"""usage: golden.py CHECKPOINT FOLDER [--phase PHASE] [--tokens N]

Interprets the model of a checkpoint at a phase and compares its logits with those of golden.safetensors beside it: the
first N ids in one call, then in two calls that share the caches, the second of them together with another sequence.
"""

import argparse
import os
import subprocess
import sys

import files
from model import PAGE, Forward

TOLERANCE = 2e-5  # the golden's own norms are rounded to float32


class Interpreted(Forward):
    def __init__(self, checkpoint, folder, phase):
        self.folder, self.module = folder, os.path.join(folder, "module.mlir")
        subprocess.run(["mm01-compile", checkpoint, f"--compile-to={phase}", "-o", self.module], check=True)
        super().__init__(self.module, slots=3, pages=24)
        self.command = ["mm01-interpret", self.module, "--entry", "forward", "--weights", checkpoint, "--f64-results"]

    def call(self, *sequences):
        """Logits of every token."""
        paths = [os.path.join(self.folder, name) for name in ("arguments.safetensors", "results.safetensors")]
        files.write(paths[0], self.inputs(sequences))
        subprocess.run(self.command + ["--in", paths[0], "--out", paths[1]], check=True)
        return self.keep(files.read(paths[1]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint")
    parser.add_argument("folder")
    parser.add_argument("--phase", default="graph")
    parser.add_argument("--tokens", type=int, default=300)
    options = parser.parse_args()
    golden = files.read(os.path.join(options.checkpoint, "golden.safetensors"))
    ids = list(golden[f"ids_{options.tokens}"][2])
    _, (_, vocabulary), expected = golden[f"logits_{options.tokens}"]
    model = Interpreted(options.checkpoint, options.folder, options.phase)

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
