"""Softmax attention on bf16 activations, checked with the same operation on float32 on the processor.

`write_programs` puts both programs of some head counts and sizes into a bundle; `check` makes inputs where it runs, with
lengths that end blocks and pages anywhere, tokens before them and pages in any order, calls the GPU's program twice and the
processor's once, and compares. Whatever is no key or value in the GPU's cache is no number.
"""

import array
import json
import math
import os
import random
import subprocess

from lightning import relative_error
from safetensors_file import Tensor, read, write

# Of the norm of a result; rounding the output to bf16 alone costs 1.7e-3.
OUTPUT = 4e-3
PAGE = 64
RAGGED = [1, 63, 3, 64, 65, 2, 127, 128, 129, 1, 300, 50]
# Single tokens: what lies before each is about one page, about the pages of one piece, and more pieces than one or two.
PASTS = [0, 1, 63, 64, 65, 254, 255, 256, 1500, 4095]
SINGLE = ([1] * len(PASTS), PASTS)
# Beside others; a sequence of two tokens is no single one.
MIXED = ([1, 40, 1, 2, 1, 1, 200], [0, 70, 4095, 513, 64, 511, 0])
# So long that pieces have more pages than the least.
LONG = ([1, 1], [33000, 16896])
# (query heads, key heads, head size): batches, each the tokens of sequences or these and what lies before them
SHAPES = {
    (8, 2, 128): [[1], [129], RAGGED, SINGLE, MIXED],
    (64, 8, 128): [SINGLE, MIXED],
    (6, 2, 96): [RAGGED, MIXED],
    (4, 4, 64): [RAGGED, SINGLE],
    (6, 2, 48): [[1], RAGGED, SINGLE],
    (16, 2, 16): [RAGGED, SINGLE],
    (8, 8, 16): [SINGLE, LONG],
    (64, 1, 64): [SINGLE, MIXED],
}


def module(shape, element):
    heads, key_heads, size = shape
    q, cache = f"tensor<?x{heads}x{size}x{element}>", f"tensor<2x?x{PAGE}x{key_heads}x{size}x{element}>"
    return f"""
func.func @softmax(%q: {q}, %keys: {cache}, %values: {cache}, %r: !mm01.ragged, %layer: index, %out: {q}) -> {q} {{
  %o = mm01.softmax_attention %q, %keys, %values, %r, %layer into %out {{scale = {size**-0.5}}} : {q}, {cache} into {q}
  return %o : {q}
}}
"""


def write_programs(folder):
    """A folder for each shape: gpu.so, processor.so and case.json."""
    for shape in SHAPES:
        place = os.path.join(folder, "softmax-{}x{}x{}".format(*shape))
        os.makedirs(place)
        for name, element, options in (("gpu", "bf16", ["--target=sm_90a"]), ("processor", "f32", [])):
            source = os.path.join(place, name + ".mlir")
            with open(source, "w", encoding="utf-8") as file:
                file.write(module(shape, element))
            program = os.path.join(place, name + ".so")
            subprocess.run(["mm01-compile", source, *options, "-o", program], check=True)
        with open(os.path.join(place, "case.json"), "w", encoding="utf-8") as file:
            json.dump({"softmax": list(shape)}, file)


def lengths_of(batch):
    return batch[0] if isinstance(batch, tuple) else batch


def pasts_of(batch):
    if isinstance(batch, tuple):
        return batch[1]
    return [37 * n % 150 if len(batch) > 1 else 0 for n in range(len(batch))]


class Draws:
    """Values of a normal distribution, as bf16 and as the same numbers in float32."""

    def __init__(self, rng):
        self.rng = rng
        table = Tensor.of("BF16", [4096], [rng.gauss(0, 1) for _ in range(4096)])
        self.narrow, self.wide = array.array("H", table.data), table.values()

    def take(self, count):
        picks = array.array("H", self.rng.randbytes(2 * count))
        return (
            array.array("H", [self.narrow[i & 4095] for i in picks]),
            array.array("f", [self.wide[i & 4095] for i in picks]),
        )


def make_arguments(rng, shape, batch):
    """The files of both programs."""
    heads, key_heads, size = shape
    lengths, past = lengths_of(batch), pasts_of(batch)
    draws, sequences, tokens = Draws(rng), len(lengths), sum(lengths)
    used = [-(-(n + before) // PAGE) for n, before in zip(lengths, past)]
    width, pages = max(used), sum(used) + 2
    order = rng.sample(range(pages), pages)
    table = [-1] * (sequences * width)
    row = key_heads * size
    layer = pages * PAGE * row
    caches = [(array.array("H", [0x7FC0]) * (2 * layer), array.array("f", [math.nan]) * (2 * layer)) for _ in "kv"]
    for n in range(sequences):
        for i in range(used[n]):
            page = table[n * width + i] = order.pop()
            kept = min(PAGE, lengths[n] + past[n] - PAGE * i) * row
            begin = layer + page * PAGE * row
            for cache in caches:
                for whole, part in zip(cache, draws.take(kept)):
                    whole[begin : begin + kept] = part
    narrow, wide = draws.take(tokens * heads * size)
    shared = {
        "arg3.seq_offsets": ("I32", [sequences + 1], [sum(lengths[:n]) for n in range(sequences + 1)]),
        "arg3.past": ("I32", [sequences], past),
        "arg3.slot": ("I32", [sequences], list(range(sequences))),
        "arg3.page_table": ("I32", [sequences, width], table),
        "arg4": ("I64", [], [1]),
    }
    results = []
    for i, (kind, q) in enumerate((("BF16", narrow), ("F32", wide))):
        values = {"arg0": Tensor(kind, [tokens, heads, size], q)}
        for name, cache in zip(("arg1", "arg2"), caches):
            values[name] = Tensor(kind, [2, pages, PAGE, key_heads, size], cache[i])
        poison = array.array("H", [0x7FC0]) if i == 0 else array.array("I", [0x7FC00000])
        values["arg5"] = Tensor(kind, [tokens, heads, size], poison * len(narrow))
        results.append({**values, **shared})
    return results


def check(mm01_run, folder, shape, scratch):
    """A line of the table for each batch: (what, error, allowed, note)."""
    rng = random.Random("{} {} {}".format(*shape))
    path = lambda name: os.path.join(scratch, name)
    for batch in SHAPES[tuple(shape)]:
        lengths, arguments = lengths_of(batch), make_arguments(rng, shape, batch)
        for name, tensors in zip(("gpu", "processor"), arguments):
            write(path(name + "-in"), tensors)
        results = []
        for name, out in (("gpu", "once"), ("gpu", "twice"), ("processor", "expected")):
            program = os.path.join(folder, name + ".so")
            mm01_run("call", program, "--entry", "softmax", "--in", path(name + "-in"), "--out", path(out))
            results.append(read(path(out)))
        once, twice, expected = results
        kind = "single tokens" if len(lengths) == sum(lengths) else "sequences"
        what = f"{lengths[0]} tokens" if len(lengths) == 1 else f"{len(lengths)} {kind}"
        same = once["result0"].data == twice["result0"].data
        error = relative_error(once["result0"], expected["result0"]) if same else float("nan")
        yield what, error, OUTPUT, "output" if same else "two runs differ"
        if len(lengths) > 1:
            wrong = sum(
                not is_alone(mm01_run, folder, path, arguments[0], n, once["result0"])
                for n, length in enumerate(lengths)
                if length == 1
            )
            yield what, float(wrong), 0.0, "single tokens that differ from themselves alone"


def is_alone(mm01_run, folder, path, arguments, n, together):
    """Whether a single token has the bits that it has in a batch of its own."""
    alone = dict(arguments)
    token = list(arguments["arg3.seq_offsets"][2])[n]
    for name in ("arg0", "arg5"):
        tensor = arguments[name]
        row = len(tensor.data) // tensor.shape[0]
        alone[name] = Tensor(tensor.dtype, [1, *tensor.shape[1:]], tensor.data[token * row : (token + 1) * row])
    width = arguments["arg3.page_table"][1][1]
    table = arguments["arg3.page_table"][2][n * width : (n + 1) * width]
    past = arguments["arg3.past"][2][n]
    used = past // PAGE + 1
    alone["arg3.seq_offsets"] = ("I32", [2], [0, 1])
    alone["arg3.past"] = ("I32", [1], [past])
    alone["arg3.slot"] = ("I32", [1], [0])
    alone["arg3.page_table"] = ("I32", [1, used], table[:used])
    write(path("alone-in"), alone)
    mm01_run("call", os.path.join(folder, "gpu.so"), "--entry", "softmax", "--in", path("alone-in"), "--out", path("alone"))
    row = len(together.data) // together.shape[0]
    return read(path("alone"))["result0"].data == together.data[token * row : (token + 1) * row]
