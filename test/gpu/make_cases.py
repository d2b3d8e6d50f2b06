#!/usr/bin/env python3
"""usage: make_cases.py FOLDER [--seed S] [--only OP]

Writes a folder for each program that a GPU is checked with: the random programs of test/codegen/differential, one for
each operation, the examples of docs/examples, products of experts, int8 linear maps, and what makes random weights. A
folder holds program.so, arguments.safetensors, expected.safetensors (the interpreter's results in float64) and case.json.
Tools are found on PATH.
"""

import argparse
import json
import math
import os
import random
import sys

import cases
import draws
import experts
import lightning
import narrow
import safetensors_file
from differential import run
import sampling
import softmax

# Of the largest magnitude in a tensor.
FLOAT32, BF16 = 2e-5, 8e-3


def write(folder, name, module, entry, tensors, tolerance):
    """One program; says why where it is refused."""
    place = os.path.join(folder, name)
    os.makedirs(place)
    path = lambda file: os.path.join(place, file)
    with open(path("module.mlir"), "w", encoding="utf-8") as file:
        file.write(module)
    safetensors_file.write(path("arguments.safetensors"), tensors)
    files = ["--entry", entry, "--in", path("arguments.safetensors"), "--out", path("expected.safetensors")]
    run("mm01-interpret", path("module.mlir"), "--f64-results", *files)
    case = {"entry": entry, "tolerance": tolerance}
    try:
        run("mm01-compile", path("module.mlir"), "--target=sm_90a", "-o", path("program.so"))
    except RuntimeError as error:
        case["refused"] = str(error)
    with open(path("case.json"), "w", encoding="utf-8") as file:
        json.dump(case, file)


def gated_norm(folder, root):
    rng = random.Random(7)
    rows, width = 37, 1024
    elements = lambda: [rng.gauss(0, 1) for _ in range(rows * width)]
    tensors = {f"arg{i}": ("BF16", [rows, width], elements()) for i in range(3)}
    with open(os.path.join(root, "docs/examples/gated-norm.mlir"), encoding="utf-8") as file:
        module = file.read()
    write(folder, "example-gated-norm", module, "gated_norm", tensors, BF16)


def decode(folder):
    """Single tokens of lightning attention, alone and beside others, in heads that threads divide evenly or not."""
    for size, lengths in ((128, [1] * 6), (128, [1, 40, 1, 2, 1]), (64, [1, 1, 64, 1]), (48, [1, 3, 1])):
        rng = random.Random(size * len(lengths))
        heads = 1 if size == 128 else 3
        case = cases.lightning(rng, cases.batch(rng, lengths=lengths), heads, size, None)
        name = f"decode-{size}-of-{len(lengths)}"
        write(folder, name, case.function + "\n", case.name, case.tensors(), FLOAT32)


def random_weights(folder, root):
    """The helpers of random weights: the same bits as on the CPU, also of elements with numbers of more than 32 bits, and
    of the int8 elements and scales of rows."""
    source = os.path.join(root, "test/codegen/random-weights/Inputs/parameters.mlir")
    kinds = {"F32": (0.125, 1.0, 5), "BF16": (0.3125, 0.0, (1 << 34) + 3), "F16": (0.0276, 0.0, (1 << 32) - 70)}
    helpers = {}
    for dtype, (scale, offset, first) in kinds.items():
        scalars = [("I64", [], [-7]), ("I64", [], [0x123456789ABCDEF]), ("I64", [], [first])]
        scalars += [("F32", [], [scale]), ("F32", [], [offset])]
        helpers[f"random_weights_{dtype.lower()}"] = [(dtype, [20001], [0.0] * 20001), *scalars]
        rng, rows, columns = random.Random(dtype), 133, 1065
        elements = [0.0] * columns + [rng.gauss(0, 0.1) for _ in range((rows - 1) * columns)]  # a row of zeros too
        nothing = [("I8", [rows, columns], [1] * len(elements)), ("F32", [rows], [math.nan] * rows)]
        helpers[f"quantize_rows_{dtype.lower()}"] = [(dtype, [rows, columns], elements), *nothing]
    for name, arguments in helpers.items():
        place = os.path.join(folder, name)
        os.makedirs(place)
        path = lambda file: os.path.join(place, file)
        tensors = {f"arg{i}": argument for i, argument in enumerate(arguments)}
        safetensors_file.write(path("arguments.safetensors"), tensors)
        run("mm01-opt", source, "--mm01-add-random-weights", "-o", path("module.mlir"))
        run("mm01-compile", path("module.mlir"), "-o", path("cpu.so"))
        files = ["--in", path("arguments.safetensors"), "--out", path("expected.safetensors")]
        run("mm01-run", "call", path("cpu.so"), "--entry", name, *files)
        run("mm01-compile", source, "--target=sm_90a", "-o", path("program.so"))
        with open(path("case.json"), "w", encoding="utf-8") as file:
            json.dump({"entry": name, "tolerance": 0}, file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=0)
    makers = cases.CASES + draws.CASES + narrow.CASES
    parser.add_argument("--only", choices=[maker.__name__ for maker in makers])
    options = parser.parse_args()
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    for maker in makers:
        if options.only in (None, maker.__name__):
            case = maker(random.Random(f"{options.seed} {maker.__name__}"))
            write(options.folder, maker.__name__, case.function + "\n", case.name, case.tensors(),
                  BF16 if maker in narrow.CASES else FLOAT32)
    if options.only is None:
        gated_norm(options.folder, root)
        lightning.write_programs(options.folder)
        softmax.write_programs(options.folder)
        sampling.write_programs(options.folder)
        decode(options.folder)
        random_weights(options.folder, root)
        experts.write_programs(lambda *program: write(options.folder, *program, BF16), options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
