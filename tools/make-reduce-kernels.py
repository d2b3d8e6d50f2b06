#!/usr/bin/env python3
"""usage: make-reduce-kernels.py MM01-COMPILE [--check]

Compiles the kernels by which ranks on GPUs reduce (runtime/nccl/ReduceKernels.h) and writes them to runtime/nccl/kernels, one
file each, which the runtime includes: it builds without the compiler. With --check it only compares.

A kernel adds, or takes the maximum of, the elements of several ranks in the order of the ranks, in float32 if they are
floats, and rounds once. Its workgroup takes TILE elements of all ranks.
"""

import hashlib
import os
import re
import subprocess
import sys
import tempfile

FOLDER = "runtime/nccl/kernels"
TILE = 2048
# Stored type: type of the sum, how an element becomes one, and how it is stored.
TYPES = {
    "f32": ("f32", "", "%in", ""),
    "bf16": ("f32", "%wide = arith.extf %in : bf16 to f32", "%wide", "%stored = arith.truncf %in : f32 to bf16"),
    "i32": ("i32", "", "%in", ""),
    "i64": ("i64", "", "%in", ""),
}
OPERATIONS = {"sum": ("arith.addf", "arith.addi"), "max": ("arith.maximumf", "arith.maxsi")}
SOURCE = """
#id = affine_map<(i) -> (i)>

func.func @{name}(%parts: tensor<?x?x{type}>, %out: tensor<?x{type}>) -> tensor<?x{type}> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = arith.constant {tile} : index
  %ranks = tensor.dim %parts, %c0 : tensor<?x?x{type}>
  %count = tensor.dim %out, %c0 : tensor<?x{type}>
  %tiles = arith.ceildivui %count, %tile : index
  %result = scf.forall (%g) in (%tiles) shared_outs(%o = %out) -> tensor<?x{type}> {{
    %at = arith.muli %g, %tile : index
    %left = arith.subi %count, %at : index
    %size = arith.minui %left, %tile : index
    %first = tensor.extract_slice %parts[0, %at] [1, %size] [1, 1] : tensor<?x?x{type}> to tensor<?x{type}>
    %own = tensor.extract_slice %o[%at] [%size] [1] : tensor<?x{type}> to tensor<?x{type}>
    %empty = tensor.empty(%size) : tensor<?x{sum}>
    %start = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
        ins(%first : tensor<?x{type}>) outs(%empty : tensor<?x{sum}>) {{
    ^bb0(%in: {type}, %unused: {sum}):
      {widen}
      linalg.yield {wide} : {sum}
    }} -> tensor<?x{sum}>
    %all = scf.for %r = %c1 to %ranks step %c1 iter_args(%so_far = %start) -> tensor<?x{sum}> {{
      %part = tensor.extract_slice %parts[%r, %at] [1, %size] [1, 1] : tensor<?x?x{type}> to tensor<?x{type}>
      %next = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
          ins(%part : tensor<?x{type}>) outs(%so_far : tensor<?x{sum}>) {{
      ^bb0(%in: {type}, %left_side: {sum}):
        {widen}
        %both = {operation} %left_side, {wide} : {sum}
        linalg.yield %both : {sum}
      }} -> tensor<?x{sum}>
      scf.yield %next : tensor<?x{sum}>
    }}
    %rounded = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
        ins(%all : tensor<?x{sum}>) outs(%own : tensor<?x{type}>) {{
    ^bb0(%in: {sum}, %unused: {type}):
      {narrow}
      linalg.yield {stored} : {type}
    }} -> tensor<?x{type}>
    scf.forall.in_parallel {{
      tensor.parallel_insert_slice %rounded into %o[%at] [%size] [1] : tensor<?x{type}> into tensor<?x{type}>
    }}
  }} {{mapping = [#gpu.block<x>], mm01.kernel = "reduce"}}
  return %result : tensor<?x{type}>
}}
"""
HEAD = """// Made by tools/make-reduce-kernels.py: run it again instead of changing this.
"""


def source(operation, element):
    wide_type, widen, wide, narrow = TYPES[element]
    operations = OPERATIONS[operation]
    return SOURCE.format(name=f"{operation}_{element}", type=element, sum=wide_type, widen=widen, wide=wide, narrow=narrow,
                         operation=operations[0 if wide_type == "f32" else 1], stored="%stored" if narrow else "%in",
                         tile=TILE)


def parameters(scheduled, name):
    """What the kernel's parameters are, a letter each: c(ount), p(arts), r(anks), o(ut)."""
    scheduled = scheduled[scheduled.index(f"func.func @{name}("):]
    scheduled = scheduled[:scheduled.index("return")]
    kinds = {}
    for value, memory, which in re.findall(r"(%\w+) = memref\.dim (%arg\d), (%c\d)", scheduled):
        kinds[value] = {("%arg0", "%c0"): "r", ("%arg0", "%c1"): "c", ("%arg1", "%c0"): "c"}[memory, which]
    for value, memory in re.findall(r"(%\w+) = memref\.reinterpret_cast (%arg\d)", scheduled):
        kinds[value] = {"%arg0": "p", "%arg1": "o"}[memory]
    launch = re.search(r"exec\.launch_device @\S+ grid\(%\w+, %c1, %c1\) \(([^)]*)\)", scheduled)
    return "".join(kinds[value.strip()] for value in launch.group(1).split(","))


def compiled(compiler, operation, element, scratch):
    """The file of a kernel."""
    name = f"{operation}_{element}"
    path = os.path.join(scratch, name + ".mlir")
    with open(path, "w") as file:
        file.write(source(operation, element))
    dump = os.path.join(scratch, name)
    subprocess.run([compiler, path, "--target=sm_90a", "-o", dump + ".so", "--dump-dir", dump], check=True)

    def read(inner):
        with open(os.path.join(dump, inner)) as file:
            return file.read()

    shared = re.search(r"exec\.dynamic_shared_bytes = (\d+)", read("06-kernels.mlir")).group(1)
    kernel = f"{name}_reduce"
    ptx = read(f"kernels/{kernel}.ptx").strip()
    assert f".visible .entry {kernel}(" in ptx and ".reqntid 256" in ptx
    checksum = hashlib.sha256(ptx.encode()).hexdigest()[:16]
    types = {"f32": "F32", "bf16": "BF16", "i32": "I32", "i64": "I64"}
    return (f"{HEAD}{{ElementType::{types[element]}, Reduction::{operation.capitalize()}, \"{kernel}\",\n"
            f" \"{parameters(read('05-scheduled.mlir'), name)}\", {shared}, 0x{checksum}, R\"ptx(\n{ptx}\n)ptx\"}},\n")


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        print(__doc__.split("\n")[0], file=sys.stderr)
        return 2
    compiler = os.path.abspath(sys.argv[1])
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    stale = 0
    with tempfile.TemporaryDirectory() as scratch:
        for operation in OPERATIONS:
            for element in TYPES:
                path = os.path.join(FOLDER, f"{operation}_{element}.inc")
                text = compiled(compiler, operation, element, scratch)
                if not sys.argv[2:]:
                    os.makedirs(FOLDER, exist_ok=True)
                    with open(path, "w") as file:
                        file.write(text)
                    continue
                with open(path) as file:
                    if file.read() != text:
                        print(f"{path} is out of date: run tools/make-reduce-kernels.py build/bin/mm01-compile",
                              file=sys.stderr)
                        stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
