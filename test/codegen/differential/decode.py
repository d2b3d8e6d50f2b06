#!/usr/bin/env python3
"""usage: decode.py FOLDER [--seed S]

Compares lightning attention with a kernel of its own for single tokens (--mm01-form-lightning-decode), and with all of
its parts as kernels (--fusion=off), compiled, with the reference interpreter: batches of single tokens, of none, and
mixed ones, from new and from old states, heads of every kind. The parts must give the same bits as the one kernel.
Tools are found on PATH; files go to FOLDER, and those of a failure stay there.
"""

import argparse
import os
import random
import sys

import cases
import differential

BATCHES = {"one": [1], "singles": [1] * 5, "mixed": [1, 40, 1, 2, 1, 1, 33, 1], "none": [2, 64, 3]}
SIZES = [16, 32, 48, 64, 80, 128]


class Decoded(differential.Round):
    def lower(self):
        split = os.path.join(self.folder, "decode.mlir")
        with open(split, "w") as file:
            file.write(differential.run("mm01-opt", self.module, "--mm01-form-lightning-decode"))
        self.lowered = os.path.join(self.folder, "module.so")
        differential.run("mm01-compile", split, "-o", self.lowered)


class Split(differential.Round):
    def lower(self):
        self.lowered = os.path.join(self.folder, "module.so")
        differential.run("mm01-compile", self.module, "--fusion=off", "-o", self.lowered)
        self.fused = os.path.join(self.folder, "fused.so")
        differential.run("mm01-compile", self.module, "-o", self.fused)

    def results(self, case):
        expected, found = super().results(case)
        paths = [os.path.join(self.folder, f"{case.name}.{kind}.safetensors") for kind in ("in", "fused", "found")]
        differential.run("mm01-run", "call", self.fused, "--entry", case.name, "--in", paths[0], "--out", paths[1])
        with open(paths[1], "rb") as fused, open(paths[2], "rb") as split:
            if fused.read() != split.read():
                raise RuntimeError(f"{case.name}: other bits with --fusion=off")
        return expected, found


def compare(folder, name, size, seed, kind):
    def make(rng):
        # Blocks of 4, whose loops LLVM unrolls whole, as often as what the planner chose.
        plan = rng.choice([None, (4, (3, [])), (8, (3, []), (6, [4]))])
        return cases.lightning(rng, cases.batch(rng, lengths=BATCHES[name]), rng.choice([1, 2, 3]), size, plan)

    return differential.compare_program(f"{name}, heads of {size}, {kind.__name__}", folder, make, seed, kind)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    count, failures = 0, 0
    # Each size with two of the batches, which differ from seed to seed.
    for i, size in enumerate(SIZES):
        for name in random.Random(options.seed + i).sample(sorted(BATCHES), 2):
            for kind in (Decoded, Split):
                folder = os.path.join(options.folder, f"{name}-{size}-{kind.__name__}")
                for text in compare(folder, name, size, options.seed, kind):
                    print(f"{text}\n  again: decode.py {options.folder} --seed {options.seed}")
                    failures += 1
                count += 1
    print(f"{count} programs, {failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
