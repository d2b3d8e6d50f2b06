#!/usr/bin/env python3
"""usage: decode.py FOLDER [--seed S]

Compares lightning attention with a kernel of its own for single tokens (--mm01-form-lightning-decode), compiled, with
the reference interpreter: batches of single tokens, of none, and mixed ones, from new and from old states, heads of
every kind. Tools are found on PATH; files go to FOLDER, and those of a failure stay there.
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


def compare(folder, name, size, seed):
    def make(rng):
        return cases.lightning(rng, cases.batch(rng, lengths=BATCHES[name]), rng.choice([1, 2, 3]), size, None)

    return differential.compare_program(f"{name}, heads of {size}", folder, make, seed, Decoded)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    count, failures = 0, 0
    # Each size with two of the batches, which differ from seed to seed.
    for i, size in enumerate(SIZES):
        for name in random.Random(options.seed + i).sample(sorted(BATCHES), 2):
            for text in compare(os.path.join(options.folder, f"{name}-{size}"), name, size, options.seed):
                print(f"{text}\n  again: decode.py {options.folder} --seed {options.seed}")
                failures += 1
            count += 1
    print(f"{count} programs, {failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
