"""Lightning attention on bf16 activations, checked with the same operation on float32 on the processor.

`write_programs` puts both programs of some head counts and sizes into a bundle; `check` makes inputs where it runs, with
lengths that end blocks anywhere and batches whose states go on, calls the GPU's program twice, once from a graph, and the
processor's once, and compares.
"""

import array
import json
import os
import random
import subprocess

from safetensors_file import Tensor, read, write

# Of the norm of a result; rounding the output to bf16 alone costs 1.7e-3.
OUTPUT, STATE = 2.5e-3, 1.6e-3
RAGGED = [1, 64, 50, 3, 63, 65, 128, 1, 2, 700, 31, 50, 9, 200, 17, 127, 129, 33, 1, 256]
# Enough single tokens for the others to hide beside them.
MIXED = [1, 1, 50, 1, 1, 1, 1, 1, 1]
LENGTHS = [[n] for n in (1, 2, 31, 37, 63, 64, 65, 100, 255, 256, 257, 1000, 4096)]
# (heads, head size, direction): batches
SHAPES = {
    (8, 128, "forward"): LENGTHS + [RAGGED],
    (8, 64, "forward"): [[65], [1000], RAGGED],
    (8, 96, "forward"): [[65], [1000], RAGGED],
    (8, 48, "forward"): [[65], [1000], RAGGED],
    (4, 16, "forward"): [[100], RAGGED],
    (1, 128, "forward"): [[300], [1000]],
    (4, 128, "forward"): [[300], RAGGED],
    (48, 128, "forward"): [[300], MIXED],
    (64, 128, "forward"): [[257], RAGGED],
    (8, 128, "reverse"): [[1], [65], [4096], RAGGED],
    (64, 128, "reverse"): [[257]],
}


def module(heads, size, element, attributes=""):
    q, state = f"tensor<?x{heads}x{size}x{element}>", f"tensor<2x?x{heads}x{size}x{size}xf32>"
    return f"""
func.func @lightning(%q: {q}, %k: {q}, %v: {q}, %slopes: tensor<{heads}xf32>, %r: !mm01.ragged, %layer: index,
                     %out: {q}, %state: {state}) -> ({q}, {state}) {{
  %o, %s = mm01.lightning_attention %q, %k, %v, %slopes, %r, %layer into %out, %state{attributes}
    : {q}, tensor<{heads}xf32> into {q}, {state}
  return %o, %s : {q}, {state}
}}
"""


def write_programs(folder):
    """A folder for each shape: gpu.so, processor.so and case.json."""
    for heads, size, direction in SHAPES:
        place = os.path.join(folder, f"lightning-{heads}x{size}-{direction}")
        os.makedirs(place)
        for name, element, options in (("gpu", "bf16", ["--target=sm_90a"]), ("processor", "f32", [])):
            source = os.path.join(place, name + ".mlir")
            with open(source, "w", encoding="utf-8") as file:
                reverse = direction == "reverse" and name == "gpu"
                file.write(module(heads, size, element, " {mm01.reverse}" if reverse else ""))
            program = os.path.join(place, name + ".so")
            subprocess.run(["mm01-compile", source, *options, "-o", program], check=True)
        with open(os.path.join(place, "case.json"), "w", encoding="utf-8") as file:
            json.dump({"lightning": [heads, size, direction]}, file)


def activations(rng, count):
    """Values of silu of a normal distribution, as bf16 and as the same numbers in float32."""
    from math import exp

    draws = [rng.gauss(0, 1) for _ in range(4096)]
    table = Tensor.of("BF16", [4096], [x / (1 + exp(-x)) for x in draws])
    narrow, wide = array.array("H", table.data), table.values()
    picks = array.array("H", rng.randbytes(2 * count))
    return (
        array.array("H", [narrow[i & 4095] for i in picks]),
        array.array("f", [wide[i & 4095] for i in picks]),
    )


def make_arguments(rng, heads, size, lengths):
    """The files of both programs; a state of a fresh sequence, and all of the output, holds what must not matter."""
    tokens, sequences, slots = sum(lengths), len(lengths), len(lengths) + 1
    gpu, processor = {}, {}
    for i in range(3):
        narrow, wide = activations(rng, tokens * heads * size)
        shape = [tokens, heads, size]
        gpu[f"arg{i}"] = Tensor("BF16", shape, narrow)
        processor[f"arg{i}"] = Tensor("F32", shape, wide)
    offsets = [sum(lengths[:n]) for n in range(sequences + 1)]
    past = [n % 3 if sequences > 1 else 0 for n in range(sequences)]
    pages = max(-(-(n + before) // 64) for n, before in zip(lengths, past))
    state = array.array("f", [0.0]) * (2 * slots * heads * size * size)
    for i in range(0, len(state), 3):
        state[i] = rng.random()
    shared = {
        "arg3": ("F32", [heads], [2 ** (-8 * (h + 1) / heads) for h in range(heads)]),
        "arg4.seq_offsets": ("I32", [sequences + 1], offsets),
        "arg4.past": ("I32", [sequences], past),
        "arg4.slot": ("I32", [sequences], list(range(sequences, 0, -1))),
        "arg4.page_table": ("I32", [sequences, pages], list(range(sequences * pages))),
        "arg5": ("I64", [], [1]),
        "arg7": Tensor("F32", [2, slots, heads, size, size], state),
    }
    poison = array.array("H", [0x7FC0]) * (tokens * heads * size)
    gpu["arg6"] = Tensor("BF16", [tokens, heads, size], poison)
    processor["arg6"] = Tensor("F32", [tokens, heads, size], array.array("I", [0x7FC00000]) * len(poison))
    return {**gpu, **shared}, {**processor, **shared}


def relative_error(found, expected):
    """The norm of the difference, of the norm."""
    a, b = found.values(), expected.values()
    apart = sum((x - y) * (x - y) for x, y in zip(a, b))
    return (apart / max(sum(y * y for y in b), 1e-30)) ** 0.5


def turn(tensor, lengths):
    """The tokens of each sequence in the other order, which is what the processor's program, that has no reverse, gets."""
    width = len(tensor.data) // sum(lengths)
    rows = [tensor.data[i * width : (i + 1) * width] for i in range(sum(lengths))]
    turned = []
    for length in lengths:
        turned += rows[len(turned) : len(turned) + length][::-1]
    return Tensor(tensor.dtype, tensor.shape, b"".join(turned))


def check(mm01_run, folder, shape, scratch):
    """A line of the table for each batch: (what, error, allowed, note)."""
    heads, size, direction = shape
    rng = random.Random(f"{heads} {size} {direction}")
    path = lambda name: os.path.join(scratch, name)
    for lengths in SHAPES[tuple(shape)]:
        for name, tensors in zip(("gpu", "processor"), make_arguments(rng, heads, size, lengths)):
            if name == "processor" and direction == "reverse":
                tensors.update({f"arg{i}": turn(tensors[f"arg{i}"], lengths) for i in range(3)})
            write(path(name + "-in"), tensors)
        results = []
        for name, out, *options in (("gpu", "once"), ("gpu", "twice", "--graph"), ("processor", "expected")):
            program = os.path.join(folder, name + ".so")
            words = ["--entry", "lightning", "--in", path(name + "-in"), "--out", path(out), *options]
            mm01_run("call", program, *words)
            results.append(read(path(out)))
        once, twice, expected = results
        if direction == "reverse":
            expected["result0"] = turn(expected["result0"], lengths)
        what = f"{lengths[0]} tokens" if len(lengths) == 1 else f"{len(lengths)} sequences"
        same = all(once[name].data == twice[name].data for name in once)
        for name, allowed in (("result0", OUTPUT), ("result1", STATE)):
            error = relative_error(once[name], expected[name]) if same else float("nan")
            note = "output" if name == "result0" else "state"
            yield what, error, allowed, note if same else "two runs differ"
