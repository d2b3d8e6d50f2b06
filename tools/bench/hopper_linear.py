#!/usr/bin/env python3
"""usage: hopper_linear.py --compile FOLDER | --measure FOLDER

Linear maps of bf16 on a GPU: the generated kernels of mm01-form-device-kernels beside cuBLASLt, and both beside the
bytes of the weight at 4.24 TB/s, the rate at which an H200 copies. The row count up to which the kernels are the faster
ones is kFewRows in passes/tiling/DeviceLinearKernels.cpp. --compile writes the programs on a machine without a GPU;
--measure, with mm01-run on PATH, prints a table.
"""

import json
import os
import subprocess
import sys

# name, columns, depth: the projections of MiniMax-Text-01's layers, and its head.
SHAPES = [("qkv", 24576, 6144), ("out", 6144, 8192), ("key", 1024, 6144), ("head", 200064, 6144)]
ROWS = (1, 2, 4, 8, 12, 16)
MANY = (32, 64, 512, 8192)
EXPERTS = 32
COPY_RATE = 4.24e12


def linear(name, columns, depth, op, above=""):
    types = f"tensor<?x{depth}xbf16>, !mm01.weight<{columns}x{depth}xbf16>"
    out = f"tensor<?x{columns}xbf16>"
    return f"""
func.func @{name}(%x: tensor<?x{depth}xbf16>, %w: !mm01.weight<{columns}x{depth}xbf16>, %out: {out}) -> {out} {{
  %y = {op} %x, %w into %out {above} : {types} into {out}
  return %y : {out}
}}"""


def router(depth):
    return f"""
func.func @router(%x: tensor<?x{depth}xbf16>, %w: !mm01.weight<{EXPERTS}x{depth}xf32>, %out: tensor<?x{EXPERTS}xf32>) -> tensor<?x{EXPERTS}xf32> {{
  %y = mm01.linear %x, %w into %out : tensor<?x{depth}xbf16>, !mm01.weight<{EXPERTS}x{depth}xf32> into tensor<?x{EXPERTS}xf32>
  return %y : tensor<?x{EXPERTS}xf32>
}}"""


def compile_programs(folder):
    os.makedirs(folder, exist_ok=True)
    functions = [linear(name, n, k, "mm01.linear") for name, n, k in SHAPES]
    functions += [linear(f"{name}_library", n, k, "mm01.library_linear", "above 0") for name, n, k in SHAPES]
    functions.append(router(6144))
    source = os.path.join(folder, "linear.mlir")
    with open(source, "w", encoding="utf-8") as file:
        file.write("\n".join(functions) + "\n")
    subprocess.run(["mm01-compile", source, "--target=sm_90a", "--max-tokens=8192", "-o", source[:-5] + ".so"], check=True)


def seconds(folder, entry, rows):
    settings = [f"arg0.dim0={rows}", "iterations=50", "warmup=10"]
    words = [word for setting in settings for word in ("--set", setting)]
    command = ["mm01-run", "bench", os.path.join(folder, "linear.so"), "--entry", entry, "--json", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit((done.stderr.strip().splitlines() or ["mm01-run failed"])[-1])
    return json.loads(done.stdout)["seconds"]["median"]


def measure(folder):
    print(f"{'map':8} {'rows':>5} {'kernel us':>10} {'library us':>10} {'weight us':>10}")
    for name, n, k in SHAPES:
        for rows in (*ROWS, *MANY) if name in ("qkv", "out") else (1, 16, 64):
            kernel = f"{seconds(folder, name, rows) * 1e6:10.1f}" if rows <= 16 else f"{'':10}"
            library = seconds(folder, f"{name}_library", rows) * 1e6
            print(f"{name:8} {rows:5} {kernel} {library:10.1f} {2 * n * k / COPY_RATE * 1e6:10.1f}", flush=True)
    for rows in (1, 16, 17, 64, 512, 8192):
        print(f"{'router':8} {rows:5} {seconds(folder, 'router', rows) * 1e6:10.1f} {'':10} {'':10}", flush=True)


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("--compile", "--measure"):
        print(__doc__, file=sys.stderr)
        return 2
    (compile_programs if sys.argv[1] == "--compile" else measure)(sys.argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
