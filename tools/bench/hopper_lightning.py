#!/usr/bin/env python3
"""usage: hopper_lightning.py build FOLDER    with build/bin, LLVM's tools and ptxas in PATH; needs no GPU
       hopper_lightning.py run FOLDER      on a Hopper GPU, with PyTorch; needs nothing else of the project

Measures compiled lightning attention on bf16 activations, heads of 128. `build` compiles programs of one operation for
some numbers of heads and puts mm01-run beside them. `run` compares long sequences with float64, and prints the time of
each program beside that of a kernel that reads three tensors of the same bytes and writes one (torch.addcmul), taken by
turns in the same run; if FLA is installed, its kernel's too. Fails where the relative error of an output is above 2.5e-3
(rounding it to bf16 alone costs 1.7e-3), of a state above 1.6e-3, or runs differ. Short sequences, ragged batches and
other head sizes are checked by tools/bundle.sh.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from hopper_command import command

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZE = 128
HEADS = (1, 8, 16, 48, 64)
LONG = [(1, 1048576), (8, 262145), (8, 32768), (16, 32768), (48, 4096), (64, 4096)]
TIMED = [(64, 2048), (64, 8192), (64, 32768), (16, 32768), (8, 8192), (8, 32768), (1, 262144)]


def module(heads):
    q, state = f"tensor<?x{heads}x{SIZE}xbf16>", f"tensor<1x?x{heads}x{SIZE}x{SIZE}xf32>"
    return f"""
func.func @lightning(%q: {q}, %k: {q}, %v: {q}, %slopes: tensor<{heads}xf32>, %r: !mm01.ragged, %layer: index,
                     %out: {q}, %state: {state} {{mm01.role = "lightning_state"}}) -> ({q}, {state}) {{
  %o, %s = mm01.lightning_attention %q, %k, %v, %slopes, %r, %layer into %out, %state
    : {q}, tensor<{heads}xf32> into {q}, {state}
  return %o, %s : {q}, {state}
}}
"""


def prepare(folder):
    """A folder with what runs programs."""
    folder.mkdir(parents=True)
    mm01_run = shutil.which("mm01-run")
    shutil.copy(mm01_run, folder)
    needed = subprocess.run(["ldd", mm01_run], capture_output=True, text=True, check=True).stdout
    for line in needed.splitlines():
        words = line.split()
        # Those of glibc must fit the machine's loader, so they are the machine's.
        if len(words) > 2 and not words[0].startswith(("libc.", "libm.", "libdl.", "libpthread.", "librt.")):
            shutil.copy(words[2], folder)
    shutil.copy(ROOT / "test/python/safetensors_file.py", folder)


def build(folder):
    prepare(folder)
    for heads in HEADS:
        source = folder / f"lightning-{heads}.mlir"
        source.write_text(module(heads))
        options = ["--target=sm_90a", "--max-tokens=1048576"]
        command = ["mm01-compile", source, *options, "-o", folder / f"lightning-{heads}.so"]
        subprocess.run(command, check=True)


def mm01_run(folder, *words):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder)}
    command = [str(folder / "mm01-run"), *map(str, words)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr.strip() or f"{command}: exit code {done.returncode}")
    return done.stdout


def errors_of(q, k, v, slopes, out, state, before=None):
    """Relative errors of an output and a state against the recurrence by blocks of 64 tokens in float64, from a state."""
    import torch

    s = slopes.double().view(-1, 1, 1)
    kv = torch.zeros(q.shape[1], SIZE, SIZE, device="cuda", dtype=torch.float64) if before is None else before.double()
    i = torch.arange(64, device="cuda", dtype=torch.float64)
    apart = i.view(-1, 1) - i
    decay = torch.where(apart >= 0, torch.exp(-s * apart.clamp(min=0)), 0.0)
    wrong = norm = torch.zeros((), device="cuda", dtype=torch.float64)
    for t in range(0, len(q), 64):
        rows = min(64, len(q) - t)
        a, b, c, o = (x[t : t + rows].double().transpose(0, 1) for x in (q, k, v, out))
        n = i[:rows].view(-1, 1)
        block = (a @ b.mT * decay[:, :rows, :rows]) @ c + torch.exp(-s * (n + 1)) * (a @ kv)
        wrong, norm = wrong + (o - block).square().sum(), norm + block.square().sum()
        kv = torch.exp(-s * rows) * kv + (b * torch.exp(-s * (rows - 1 - n))).mT @ c
    return float((wrong / norm).sqrt()), float((state.double().view(kv.shape) - kv).norm() / kv.norm())


def check(folder, heads, tokens):
    """Prints one line; true if the program is right."""
    import torch
    from safetensors_file import Tensor, read, write

    draw = lambda: torch.nn.functional.silu(torch.randn(tokens, heads, SIZE, device="cuda")).bfloat16()
    q, k, v = draw(), draw(), draw()
    slopes = torch.tensor([2 ** (-8 * (h + 1) / heads) for h in range(heads)], device="cuda")
    data = lambda tensor: tensor.contiguous().view(torch.uint8).cpu().numpy().tobytes()
    file = {f"arg{n}": Tensor("BF16", x.shape, data(x)) for n, x in enumerate((q, k, v))}
    file["arg3"] = Tensor("F32", [heads], data(slopes))
    for name, numbers in (("seq_offsets", [0, tokens]), ("past", [0]), ("slot", [0])):
        file[f"arg4.{name}"] = ("I32", [len(numbers)], numbers)
    pages = -(-tokens // 64)
    file["arg4.page_table"] = ("I32", [1, pages], list(range(pages)))
    file["arg5"] = ("I64", [], [0])
    file["arg6"] = Tensor("BF16", q.shape, data(torch.full_like(q, float("nan"))))
    file["arg7"] = Tensor("F32", [1, 1, heads, SIZE, SIZE], data(torch.full((heads, SIZE, SIZE), 3.0)))
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        write(f"{scratch}/in", file)
        for _ in range(2):
            program = folder / f"lightning-{heads}.so"
            mm01_run(folder, "call", program, "--entry", "lightning", "--in", f"{scratch}/in", "--out", f"{scratch}/out")
            found.append(read(f"{scratch}/out"))
    tensor = lambda t, kind: torch.frombuffer(bytearray(t.data), dtype=kind).view(t.shape).cuda()
    results = tensor(found[0]["result0"], torch.bfloat16), tensor(found[0]["result1"], torch.float32)
    output, state = errors_of(q, k, v, slopes, *results)
    same = all(found[0][name].data == found[1][name].data for name in found[0])
    good = output <= 2.5e-3 and state <= 1.6e-3 and same
    print(f"{'ok ' if good else 'BAD'} {heads} heads, {tokens} tokens: output {output:.2e}, state {state:.2e}, "
          f"repeats {same}", flush=True)
    return good


def median_of(work, repeats=30):
    """Microseconds, by events around each of many calls; the cache is overwritten before each, as by `bench`, which puts
    arguments back that a call changes."""
    import torch

    cache = torch.empty(1 << 28, dtype=torch.int8, device="cuda")
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(repeats)]
    for begin, end in events:
        cache.zero_()
        begin.record()
        work()
        end.record()
    torch.cuda.synchronize()
    return statistics.median(begin.elapsed_time(end) * 1e3 for begin, end in events[5:])


def bench(folder, heads, tokens):
    """Our time and that of the floor, by turns."""
    import torch

    words = [word for setting in (f"tokens={tokens}", "arg7.dim1=1", "iterations=30") for word in ("--set", setting)]
    program = folder / f"lightning-{heads}.so"
    q, k, v = (torch.randn(tokens, heads, SIZE, device="cuda").bfloat16() for _ in range(3))
    out = torch.empty_like(q)
    times, floors = [], []
    for _ in range(3):
        text = mm01_run(folder, "bench", program, "--entry", "lightning", "--json", *words)
        times.append(json.loads(text)["seconds"]["median"] * 1e6)
        floors.append(median_of(lambda: torch.addcmul(q, k, v, out=out)))
    ours, floor = statistics.median(times), statistics.median(floors)
    print(f"{heads} heads, {tokens} tokens: {ours:.1f} us, 3 reads + 1 write {floor:.1f} us, ratio {ours / floor:.3f}"
          + fla_time(q, k, v), flush=True)


def fla_time(q, k, v):
    """The time of FLA's kernel for the same, if it is installed."""
    try:
        from fla.ops.simple_gla import chunk_simple_gla
    except ImportError:
        return ", FLA is not installed"
    import torch

    heads = q.shape[1]
    slopes = torch.tensor([2 ** (-8 * (h + 1) / heads) for h in range(heads)], device="cuda")
    options = {"g_gamma": -slopes, "scale": 1.0, "output_final_state": True}
    with torch.no_grad():
        time = median_of(lambda: chunk_simple_gla(q[None], k[None], v[None], **options))
    return f", FLA {time:.1f} us"


def run(folder):
    sys.path.insert(0, str(folder))
    good = all([check(folder, heads, tokens) for heads, tokens in LONG])
    for heads, tokens in TIMED:
        bench(folder, heads, tokens)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(command(__doc__, build, run))
