#!/usr/bin/env python3
"""usage: check_bf16.py CHECKPOINT FOLDER TOKENS...

Measures what bf16 activations cost a golden checkpoint, on its sequences of TOKENS tokens: the program that
mm01-compile makes for sm_90a, interpreted with every tensor rounded as it is stored. Exits 1 where that is too much.
Errors are relative: the norm of the difference by the norm of what is expected.

  forced     with the experts that the float model chooses, over all logits: at most 2e-2
  free       with the experts that it chooses itself, the median over the tokens: at most 2.5e-2
  kernels    phase tiled without tile programs, which nobody interprets, so that products, rotary and dispatch are a
             GPU's, on the first of TOKENS, with the routing forced: at most 2e-2; sums there are exact, so this is
             about what is stored
"""

import os
import statistics
import sys

import safetensors_file
from check_int8 import GOLDEN, Logits
from command import run

DEVICE_PASSES = ["--mm01-form-lightning-decode", "--mm01-set-lightning-costs", "--mm01-form-device-kernels",
                 "--mm01-fuse-rows", "--mm01-plan-lightning", "--mm01-form-kernels", "--canonicalize", "--cse"]


def main():
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    checkpoint, folder, *lengths = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    path = lambda name: f"{folder}/{name}"
    golden_file = f"{checkpoint}/golden.safetensors"
    device = "--target=sm_90a"
    run("mm01-compile", checkpoint, "--compile-to=graph", "-o", path("floats.mlir"))
    run("mm01-compile", checkpoint, device, "--compile-to=graph", "-o", path("bf16.mlir"))
    run("mm01-compile", checkpoint, device, "--given-routes", "--compile-to=graph", "-o", path("given.mlir"))
    run("mm01-opt", path("given.mlir"), *DEVICE_PASSES, "-o", path("tiled.mlir"))

    def interpret(module, arguments, *options):
        run("mm01-interpret", path(module), "--entry", "forward", "--in", path(arguments), "--out", path("results"),
            *options)
        return safetensors_file.read(path("results"))["result0"]

    def write_arguments(module, tokens, to, *routes):
        script = f"{GOLDEN}/forward_arguments.py"
        run(sys.executable, script, path(module), checkpoint, golden_file, f"ids_{tokens}", path(to), *routes)

    golden, forced, free = Logits(), Logits(), Logits()
    kernels = None
    for tokens in lengths:
        expected = safetensors_file.read(golden_file)[f"logits_{tokens}"]
        golden.add(expected)
        write_arguments("floats.mlir", tokens, "floats-args")
        interpret("floats.mlir", "floats-args", "--record-routes", path("routes"))
        write_arguments("bf16.mlir", tokens, "args")
        forced.add(interpret("bf16.mlir", "args", "--round-storage", "--replay-routes", path("routes")))
        free.add(interpret("bf16.mlir", "args", "--round-storage"))
        if kernels is None:
            first, found = Logits(), Logits()
            first.add(expected)
            write_arguments("given.mlir", tokens, "given-args", path("routes"))
            found.add(interpret("tiled.mlir", "given-args", "--round-storage"))
            kernels = found.error(first)
    all_logits, median = forced.error(golden), statistics.median(free.errors_of_tokens(golden))
    print(f"forced routing: {all_logits:.2e} of all golden logits (at most 2e-2)")
    print(f"free routing: {median:.2e} of a token's golden logits, the median (at most 2.5e-2)")
    print(f"kernels, forced routing: {kernels:.2e} of the golden logits of {lengths[0]} tokens (at most 2e-2)")
    return 0 if all_logits <= 2e-2 and median <= 2.5e-2 and kernels <= 2e-2 else 1


if __name__ == "__main__":
    sys.exit(main())
