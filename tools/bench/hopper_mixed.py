#!/usr/bin/env python3
"""usage: hopper_mixed.py build FOLDER    with build/bin, LLVM's tools and ptxas in PATH; needs no GPU
       hopper_mixed.py run FOLDER      on a Hopper GPU, with PyTorch; needs nothing else of the project

Measures the lightning attention of one layer, 64 heads of 128, for mixed batches: sequences of one token beside others of
several, all with a state. `build` compiles the operation three times: as programs have it, with branches for both kinds
of sequences; with both kernels one after the other; and with the kernel for several tokens alone, which then does single
tokens, too. `run` prints, all inside graphs, the time of each part alone, of both one after the other, of both at the same
time and of all sequences through one kernel, and the bar: 1.15 x the longer part + 3 us. It compares results with float64
and those of branches, eager and from a graph, with those of one after the other bit by bit. Fails where the first batch
is above the bar, the relative error of an output above 2.5e-3 or of a state above 1.6e-3, or a bit differs.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import hopper_lightning
from hopper_command import command
from hopper_lightning import SIZE, mm01_run

HEADS = 64
# Sequences of one token, others, and their tokens. The first is the one with a bar.
BATCHES = [(18, 2, 50), (18, 2, 2), (60, 4, 64), (8, 8, 100), (18, 1, 4096), (200, 4, 256)]
CHECKED = [(18, 2, 50), (3, 5, 65)]
PAST = 5


def build(folder):
    hopper_lightning.prepare(folder)
    (folder / "branches.mlir").write_text(hopper_lightning.module(HEADS))
    command = ["mm01-opt", folder / "branches.mlir", "--mm01-form-lightning-programs", "-o", folder / "one.mlir"]
    subprocess.run(command, check=True)
    programs = [("branches", "branches"), ("branches", "serial", "--fusion=attention,rows,twins,consumers"), ("one", "one")]
    for source, name, *options in programs:
        command = ["mm01-compile", folder / f"{source}.mlir", "--target=sm_90a", *options, "-o", folder / f"{name}.so"]
        subprocess.run(command, check=True)


def microseconds(folder, name, singles, sequences, tokens):
    """The median of calls inside a graph."""
    sizes = {"sequences": sequences, "tokens": tokens, "singles": singles}
    if sequences == 0:
        sizes = {"sequences": singles, "tokens": 1}
    total = sizes["sequences"] * sizes["tokens"] + sizes.get("singles", 0)
    # A program of tiles alone says nothing of extents.
    extents = {f"arg{i}.dim0": total for i in (0, 1, 2, 6)}
    settings = {**sizes, **extents, "past": PAST, "repeat": 20, "iterations": 20, "arg5": 0}
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    text = mm01_run(folder, "bench", folder / f"{name}.so", "--entry", "lightning", "--json", *words)
    return json.loads(text)["seconds"]["median"] * 1e6


def bench(folder, batch, bar):
    """Prints one line; false if there is a bar and it is not reached."""
    singles, sequences, tokens = batch
    decode = microseconds(folder, "branches", singles, 0, 1)
    prefill = microseconds(folder, "branches", 0, sequences, tokens)
    both, serial, one = (microseconds(folder, name, *batch) for name in ("branches", "serial", "one"))
    allowed = 1.15 * max(decode, prefill) + 3
    good = both <= allowed or not bar
    print(f"{'ok ' if good else 'BAD'} {singles} x 1 and {sequences} x {tokens}: decode {decode:.1f} us, prefill "
          f"{prefill:.1f} us, one after the other {serial:.1f} us, both {both:.1f} us, bar {allowed:.1f} us, all through "
          f"the prefill kernel {one:.1f} us", flush=True)
    return good


def check(folder, batch):
    """Prints one line; true if results are right and the same in all ways."""
    import torch
    from safetensors_file import Tensor, read, write

    singles, sequences, tokens = batch
    # Kinds mixed, so that neither has neighbours in memory.
    lengths = [1] * singles
    for n in range(sequences):
        lengths.insert(n * (singles // sequences + 1), tokens)
    total, count = sum(lengths), len(lengths)
    torch.manual_seed(count)
    draw = lambda: torch.nn.functional.silu(torch.randn(total, HEADS, SIZE, device="cuda")).bfloat16()
    q, k, v = draw(), draw(), draw()
    state = torch.randn(count, HEADS, SIZE, SIZE, device="cuda")
    slopes = torch.tensor([2 ** (-8 * (h + 1) / HEADS) for h in range(HEADS)], device="cuda")
    data = lambda tensor: tensor.contiguous().view(torch.uint8).cpu().numpy().tobytes()
    file = {f"arg{n}": Tensor("BF16", x.shape, data(x)) for n, x in enumerate((q, k, v))}
    file["arg3"] = Tensor("F32", [HEADS], data(slopes))
    offsets = [sum(lengths[:n]) for n in range(count + 1)]
    slots = list(range(count - 1, -1, -1))
    for name, numbers in (("seq_offsets", offsets), ("past", [PAST] * count), ("slot", slots)):
        file[f"arg4.{name}"] = ("I32", [len(numbers)], numbers)
    pages = -(-(max(lengths) + PAST) // 64)
    file["arg4.page_table"] = ("I32", [count, pages], list(range(count * pages)))
    file["arg5"] = ("I64", [], [0])
    file["arg6"] = Tensor("BF16", q.shape, data(torch.full_like(q, float("nan"))))
    file["arg7"] = Tensor("F32", [1, count, HEADS, SIZE, SIZE], data(state))
    found = {}
    with tempfile.TemporaryDirectory() as scratch:
        write(f"{scratch}/in", file)
        for way in ("serial", "branches", "branches --graph"):
            name, *options = way.split()
            words = ["--entry", "lightning", "--in", f"{scratch}/in", "--out", f"{scratch}/out", *options]
            mm01_run(folder, "call", folder / f"{name}.so", *words)
            found[way] = read(f"{scratch}/out")
    same = all(results[name].data == found["serial"][name].data for results in found.values() for name in results)
    tensor = lambda t, kind: torch.frombuffer(bytearray(t.data), dtype=kind).view(t.shape).cuda()
    out = tensor(found["branches"]["result0"], torch.bfloat16)
    after = tensor(found["branches"]["result1"], torch.float32)[0]
    worst = [0.0, 0.0]
    for n, slot in enumerate(slots):
        rows = slice(offsets[n], offsets[n + 1])
        errors = hopper_lightning.errors_of(q[rows], k[rows], v[rows], slopes, out[rows], after[slot], state[slot])
        worst = [max(pair) for pair in zip(worst, errors)]
    good = worst[0] <= 2.5e-3 and worst[1] <= 1.6e-3 and same
    print(f"{'ok ' if good else 'BAD'} {singles} x 1 and {sequences} x {tokens}: largest error of a sequence's output "
          f"{worst[0]:.2e}, state {worst[1]:.2e}; graph, branches and one after the other equal: {same}", flush=True)
    return good


def run(folder):
    sys.path.insert(0, str(folder))
    fast = all([bench(folder, batch, bar=i == 0) for i, batch in enumerate(BATCHES)])
    good = all([check(folder, batch) for batch in CHECKED])
    return 0 if good and fast else 1


if __name__ == "__main__":
    sys.exit(command(__doc__, build, run))
