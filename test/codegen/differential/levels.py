#!/usr/bin/env python3
"""usage: levels.py FOLDER [--seed S] [--level N]

Compares each level of lightning attention with the recurrence, as the reference interpreter defines it: compiled programs
whose plan has one level, mixed levels, or what the planner chose, on sequences around every boundary of a block, from new
and from old states. Tools are found on PATH; files go to FOLDER, and those of a failure stay there.
"""

import argparse
import os
import random
import sys

import cases
import differential

LENGTHS = [1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 300, 1000]

# name -> plan, and the head sizes that it is tried with. A rest of several items, and items
# that single tokens follow, are what costs may lead to.
PLANS = {
    "1": ((1,), [32]),
    "4": ((4,), [32, 64]),
    "8": ((8,), [32, 64]),
    "16": ((16,), [16, 80]),
    "32": ((32,), [16, 96]),
    "64": ((64,), [32, 128]),
    "128": ((128,), [64, 130]),
    "256": ((256,), [16, 64]),
    "mixed": (
        (256, (5, []), (8, [8]), (32, [32]), (38, [32, 8]), (90, [64]), (98, [64, 32]), (120, [64, 32]), (230, [64, 64]), (290, [128, 64, 64])),
        [32, 96],
    ),
    "planned": (None, [64, 128]),
}


def compare(folder, name, size, seed):
    plan, _ = PLANS[name]

    def make(rng):
        lengths = rng.sample(LENGTHS, len(LENGTHS))
        return cases.lightning(rng, cases.batch(rng, lengths=lengths), 2 if size < 64 else 1, size, plan)

    return differential.compare_program(f"level {name}, heads of {size}", folder, make, seed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--level", choices=PLANS)
    options = parser.parse_args()
    count, failures = 0, 0
    for name, (_, sizes) in PLANS.items():
        if options.level in (None, name):
            for size in sizes:
                found = compare(os.path.join(options.folder, f"{name}-{size}"), name, size, options.seed)
                for text in found:
                    print(f"{text}\n  again: levels.py {options.folder} --seed {options.seed} --level {name}")
                count, failures = count + 1, failures + len(found)
    print(f"{count} programs, {failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
