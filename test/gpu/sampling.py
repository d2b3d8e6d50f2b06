"""Choosing tokens on a GPU: the tokens of the same program compiled for the CPU, bit by bit, on rows of several parts
with ties, logits of -infinity, and rows that have no token."""

import json
import math
import os
import random

import safetensors_file
from differential import run

MODULE = """
func.func @sample(%logits: tensor<?x{v}xf32>, %draws: tensor<?xi64>, %temperature: f32, %k: i64, %p: f32,
                  %tokens: tensor<?xi32>, %problems: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {{
  %t, %s = mm01.sample %logits, %draws temperature %temperature top_k %k top_p %p into %tokens, %problems
    : tensor<?x{v}xf32>, tensor<?xi64> into tensor<?xi32>, tensor<?xi32>
  return %t, %s : tensor<?xi32>, tensor<?xi32>
}}
"""
# Vocabulary, temperature, top-k, top-p.
KINDS = {
    "greedy": (20011, 0.0, 0, 1.0),
    "temperature": (20011, 0.7, 0, 1.0),
    "top-k": (20011, 1.0, 50, 1.0),
    "top-p": (12288, 1.3, 0, 0.9),
    "both": (20011, 0.8, 500, 0.95),
    "one": (1, 1.0, 3, 0.5),
}


def rows(rng, vocabulary):
    """Rows of each kind; the last three have no token."""
    normal = lambda scale: [rng.gauss(0, scale) for _ in range(vocabulary)]
    some = lambda row: [x if i % 7 == 0 else -math.inf for i, x in enumerate(row)]
    made = [normal(3), normal(0.1), normal(8), [float(round(2 * x)) for x in normal(1)], some(normal(3))]
    made += [[1.5] * vocabulary, [-0.0 if i % 2 else 0.0 for i in range(vocabulary)], normal(3e37)]
    made += [normal(2) for _ in range(3)]
    for value in (math.nan, math.inf):
        row = normal(3)
        row[rng.randrange(vocabulary)] = value
        made.append(row)
    return made + [[-math.inf] * vocabulary]


def write_programs(folder):
    for kind, (vocabulary, temperature, top_k, top_p) in KINDS.items():
        rng = random.Random(kind)
        place = os.path.join(folder, f"sample-{kind}")
        os.makedirs(place)
        path = lambda file: os.path.join(place, file)
        with open(path("module.mlir"), "w", encoding="utf-8") as file:
            file.write(MODULE.format(v=vocabulary))
        logits = rows(rng, vocabulary)
        n = len(logits)
        draws = [rng.randrange(-(1 << 63), 1 << 63) for _ in range(n)]
        arguments = [("F32", [n, vocabulary], [x for row in logits for x in row]), ("I64", [n], draws)]
        arguments += [("F32", [], [temperature]), ("I64", [], [top_k]), ("F32", [], [top_p])]
        arguments += [("I32", [n], [-7] * n)] * 2
        tensors = {f"arg{i}": argument for i, argument in enumerate(arguments)}
        safetensors_file.write(path("arguments.safetensors"), tensors)
        run("mm01-compile", path("module.mlir"), "-o", path("cpu.so"))
        files = ["--in", path("arguments.safetensors"), "--out", path("expected.safetensors")]
        run("mm01-run", "call", path("cpu.so"), "--entry", "sample", *files)
        os.remove(path("cpu.so"))
        run("mm01-compile", path("module.mlir"), "--target=sm_90a", "-o", path("program.so"))
        with open(path("case.json"), "w", encoding="utf-8") as file:
            json.dump({"entry": "sample", "tolerance": 0}, file)
