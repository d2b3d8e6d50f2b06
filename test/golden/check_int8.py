#!/usr/bin/env python3
"""usage: check_int8.py CHECKPOINT {int8,int8-experts} FOLDER TOKENS...

Measures what int8 weights cost a golden checkpoint, on its sequences of TOKENS tokens, and exits 1 where that is too
much. Errors are relative: the norm of the difference by the norm of what is expected.

  program    the compiled program beside the interpreter on the same int8 weights, over all logits: at most 1e-5
  forced     the interpreter on int8 weights, with the experts that the float model chooses, beside the golden logits,
             over all logits: at most 2e-2; the greatest error of one token is only printed
  free       the same with the experts that the int8 model chooses, the median over the tokens: at most 2e-2

Two router logits that are nearly equal may change places when weights are rounded; a token then goes to another expert
and its logits say nothing about rounding. So the routing is forced for the error of all logits, and a median is taken
without.
"""

import math
import os
import statistics
import sys

import safetensors_file
from command import run

GOLDEN = os.path.dirname(os.path.abspath(__file__))


class Logits:
    """Rows of logits of several sequences, one after another."""

    def __init__(self):
        self.rows = []

    def add(self, tensor):
        values, width = tensor.values(), tensor.shape[1]
        self.rows += [values[at : at + width] for at in range(0, len(values), width)]

    def squares(self, expected):
        """For each token, the squared norms of the difference and of what is expected."""
        for found, wanted in zip(self.rows, expected.rows, strict=True):
            yield sum((a - b) ** 2 for a, b in zip(found, wanted)), sum(b * b for b in wanted)

    def error(self, expected):
        differences, wanted = zip(*self.squares(expected))
        return math.sqrt(sum(differences) / sum(wanted))

    def errors_of_tokens(self, expected):
        return [math.sqrt(difference / wanted) for difference, wanted in self.squares(expected)]


class Checker:
    def __init__(self, checkpoint, kind, folder):
        self.checkpoint, self.folder = checkpoint, folder
        self.floats, self.int8, self.program = (f"{folder}/{name}" for name in ("floats.mlir", "int8.mlir", "int8.so"))
        run("mm01-compile", checkpoint, "--compile-to=graph", "-o", self.floats)
        run("mm01-compile", checkpoint, f"--quantize={kind}", "--compile-to=graph", "-o", self.int8)
        run("mm01-compile", checkpoint, f"--quantize={kind}", "-o", self.program)
        self.logits = {name: Logits() for name in ("golden", "forced", "free", "program")}

    def add(self, tokens):
        golden, args, out = f"{self.checkpoint}/golden.safetensors", f"{self.folder}/args", f"{self.folder}/results"
        routes, script = f"{self.folder}/routes", f"{GOLDEN}/forward_arguments.py"
        run(sys.executable, script, self.floats, self.checkpoint, golden, f"ids_{tokens}", args)
        self.logits["golden"].add(safetensors_file.read(golden)[f"logits_{tokens}"])

        def interpret(module, *options):
            run("mm01-interpret", module, "--entry", "forward", "--in", args, "--out", out, *options)
            return safetensors_file.read(out)["result0"]

        interpret(self.floats, "--record-routes", routes)
        self.logits["forced"].add(interpret(self.int8, "--replay-routes", routes))
        self.logits["free"].add(interpret(self.int8))
        run("mm01-run", "call", self.program, "--entry", "forward", "--in", args, "--out", out)
        self.logits["program"].add(safetensors_file.read(out)["result0"])

    def check(self):
        golden, forced, free = (self.logits[name] for name in ("golden", "forced", "free"))
        program = self.logits["program"].error(free)
        all_logits, worst = forced.error(golden), max(forced.errors_of_tokens(golden))
        median = statistics.median(free.errors_of_tokens(golden))
        print(f"program: {program:.1e} of the interpreter's logits on the same weights (at most 1e-5)")
        print(f"forced routing: {all_logits:.2e} of all golden logits (at most 2e-2), {worst:.2e} of the worst token's")
        print(f"free routing: {median:.2e} of a token's golden logits, the median (at most 2e-2)")
        return program <= 1e-5 and all_logits <= 2e-2 and median <= 2e-2


def main():
    if len(sys.argv) < 5 or sys.argv[2] not in ("int8", "int8-experts"):
        print(__doc__, file=sys.stderr)
        return 2
    checkpoint, kind, folder, *lengths = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    checker = Checker(checkpoint, kind, folder)
    for tokens in lengths:
        checker.add(tokens)
    return 0 if checker.check() else 1


if __name__ == "__main__":
    sys.exit(main())
