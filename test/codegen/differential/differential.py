#!/usr/bin/env python3
"""usage: differential.py {rows,twins,consumers,tiled,split,device,program} FOLDER [--seed S] [--rounds N] [--only OP]

Compares other ways to run a program with the reference interpreter, on random programs (cases.py, chains.py): one
module a round, with every op once. `rows`, `twins` and `consumers` interpret the module after that pass of fusion, on
products as kernels; `tiled` after the tiled phase; `split` after that of a module without any fusion; `device` after
that of a GPU, but for tile programs; `program` compiles it and runs the machine code.
Tools are found on PATH; files go to FOLDER, and those of a failure stay there. Prints each difference, and how to have
it again.
"""

import argparse
import math
import os
import random
import subprocess
import sys

import cases
import chains
import draws
import narrow
import safetensors_file

MAKERS = cases.CASES + chains.CHAINS + draws.CASES + narrow.CASES

# Of the largest magnitude in a tensor. Tiling changes the order of sums in float64 and constants to float32; a program
# computes in float32.
TOLERANCE = {
    "rows": 1e-6,
    "twins": 1e-6,
    "consumers": 1e-6,
    "tiled": 1e-6,
    "split": 1e-6,
    "device": 1e-6,
    "program": 2e-5,
}


# The tiled phase of a GPU without tile programs, which nobody interprets.
DEVICE_PASSES = ["--mm01-form-lightning-decode", "--mm01-set-lightning-costs", "--mm01-form-device-kernels",
                 "--mm01-fuse-rows", "--mm01-plan-lightning", "--mm01-form-kernels", "--canonicalize", "--cse"]


def passes(how):
    """What mm01-opt runs for a way that is interpreted."""
    if how == "device":
        return DEVICE_PASSES
    return ["--mm01-phase-tiled"] if how in ("tiled", "split") else ["--mm01-form-projections", f"--mm01-fuse-{how}"]


def run(*command):
    """Fails with the tool's own line."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"exit code {done.returncode} of {' '.join(command)}: {last}")
    return done.stdout


class Round:
    """One module, and what it is compared with."""

    def __init__(self, how, folder, makers, seed):
        self.how, self.folder = how, folder
        self.cases = []
        for maker in makers:
            self.cases.append(maker(random.Random(f"{seed} {maker.__name__}")))
        self.module = os.path.join(folder, "module.mlir")
        text = "\n".join(case.function for case in self.cases) + "\n"
        if how == "split":
            text = f"module attributes {{mm01.fusion = []}} {{{text}}}\n"
        with open(self.module, "w") as file:
            file.write(text)

    def lower(self):
        if self.how == "program":
            self.lowered = os.path.join(self.folder, "module.so")
            run("mm01-compile", self.module, "-o", self.lowered)
        else:
            self.lowered = os.path.join(self.folder, "lowered.mlir")
            with open(self.lowered, "w") as file:
                file.write(run("mm01-opt", self.module, *passes(self.how)))

    def results(self, case):
        """What the interpreter computes, and what is compared with it."""
        paths = [os.path.join(self.folder, f"{case.name}.{kind}.safetensors") for kind in ("in", "expected", "found")]
        safetensors_file.write(paths[0], case.tensors())
        options = ["--entry", case.name, "--in", paths[0], "--out"]
        run("mm01-interpret", self.module, "--f64-results", *options, paths[1])
        if self.how == "program":
            run("mm01-run", "call", self.lowered, *options, paths[2])
        else:
            # Backwards: kernels whose workgroups depend on each other differ.
            run("mm01-interpret", self.lowered, "--f64-results", "--reverse-forall", *options, paths[2])
        expected, found = (safetensors_file.read(path) for path in paths[1:])
        return expected, found


def difference(expected, found, tolerance):
    """What differs most between two tensors, in words; None where they agree."""
    if expected.shape != found.shape:
        return f"shape {found.shape}, expected {expected.shape}"
    want, have = expected.values(), found.values()
    if expected.dtype in ("I32", "I64"):
        worst = next((i for i in range(len(want)) if want[i] != have[i]), None)
        return None if worst is None else f"element {worst} is {have[worst]}, expected {want[worst]}"
    limit = tolerance * max([1.0] + [abs(x) for x in want])
    # A NaN compares false with everything: it is a difference wherever it is.
    bad = [i for i in range(len(want)) if not abs(want[i] - have[i]) <= limit]
    if not bad:
        return None
    worst = max(bad, key=lambda i: math.inf if math.isnan(have[i]) else abs(want[i] - have[i]))
    return f"{len(bad)} of {len(want)} elements, most at {worst}: {have[worst]}, expected {want[worst]} ± {limit:.1e}"


def compare(what, expected, found, tolerance):
    """Every difference between two files of results."""
    if expected.keys() != found.keys():
        return [f"{what}: results {sorted(found)}, expected {sorted(expected)}"]
    words = ((name, difference(expected[name], found[name], tolerance)) for name in sorted(expected))
    return [f"{what}: {name}: {text}" for name, text in words if text]


def remove(folder):
    """Files of a comparison that found nothing."""
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    os.rmdir(folder)


def compare_program(what, folder, make, seed, kind=Round):
    """Every difference of one compiled program; its files stay where there are some."""
    os.makedirs(folder, exist_ok=True)
    try:
        this = kind("program", folder, [make], seed)
        this.lower()
        found = compare(what, *this.results(this.cases[0]), TOLERANCE["program"])
    except RuntimeError as error:
        found = [str(error)]
    if not found:
        remove(folder)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("how", choices=sorted(TOLERANCE))
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", choices=[maker.__name__ for maker in MAKERS])
    options = parser.parse_args()
    makers = [maker for maker in MAKERS if options.only in (None, maker.__name__)]
    if options.how != "device":
        makers = [maker for maker in makers if maker not in narrow.CASES]

    failures = 0
    for seed in range(options.seed, options.seed + options.rounds):
        folder = os.path.join(options.folder, f"seed-{seed}")
        os.makedirs(folder, exist_ok=True)
        found = []
        try:
            this = Round(options.how, folder, makers, seed)
            this.lower()
            for case in this.cases:
                try:
                    found += compare(case.name, *this.results(case), TOLERANCE[options.how])
                except RuntimeError as error:
                    found.append(f"{case.name}: {error}")
        except RuntimeError as error:
            found.append(str(error))
        for text in found:
            print(f"{text}\n  again: differential.py {options.how} {options.folder} --seed {seed}")
        failures += len(found)
        if not found:
            remove(folder)
    print(f"{options.rounds} rounds of {len(makers)} programs, {failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
