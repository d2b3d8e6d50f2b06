#!/usr/bin/env python3
"""usage: hopper_sampling.py build FOLDER         with build/bin in PATH; needs no GPU
       hopper_sampling.py run FOLDER MM01-RUN   on a Hopper GPU, with its driver and nothing else

Measures the choice of tokens from logits of 200,064 tokens, as the helper of a program makes it: `build` compiles the
op, `run` times it for several numbers of rows and kinds of draws inside a graph. Prints, for each, the time and the rate
at which the logits are read once, beside the device's own copies, the copy of the logits to the host that it saves, and
torch's argmax and sort-based draws where there is torch, all in the same run. Fails where greedy choices of 64 rows take
100 us or more.
"""

import ctypes
import json
import pathlib
import subprocess
import sys
import time

from hopper_command import command
from hopper_decode import Copies

VOCABULARY = 200064
ROWS = [1, 8, 64]
# Random logits are between -1 and 1: a temperature of 0.05 makes them those of a model that is fairly sure.
KINDS = {
    "greedy": (0, 0, 1),
    "temperature": (0.05, 0, 1),
    "top-k 50": (0.05, 50, 1),
    "top-p 0.9": (0.05, 0, 0.9),
    "top-k 50, top-p 0.9": (0.05, 50, 0.9),
}
MODULE = f"""
func.func @sample(%logits: tensor<?x{VOCABULARY}xf32>, %draws: tensor<?xi64>, %temperature: f32, %k: i64, %p: f32,
                  %tokens: tensor<?xi32>, %problems: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {{
  %t, %s = mm01.sample %logits, %draws temperature %temperature top_k %k top_p %p into %tokens, %problems
    : tensor<?x{VOCABULARY}xf32>, tensor<?xi64> into tensor<?xi32>, tensor<?xi32>
  return %t, %s : tensor<?xi32>, tensor<?xi32>
}}
"""


def build(folder):
    folder.mkdir(parents=True, exist_ok=True)
    module = folder / "sample.mlir"
    module.write_text(MODULE)
    command = ["mm01-compile", module, "--target=sm_90a", "-o", folder / "sample.so", f"--dump-dir={folder / 'dump'}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print("compiled" if done.returncode == 0 else done.stderr.strip())
    return done.returncode


def host_copy(copies, size, count=10):
    """Seconds to copy so many bytes to memory of the host, as a step without the helper must."""
    memory, host = ctypes.c_uint64(), ctypes.create_string_buffer(size)
    copies.call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(size))
    copies.call("cuMemsetD8_v2", memory, 0, ctypes.c_size_t(size))
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        copies.call("cuMemcpyDtoH_v2", host, memory, ctypes.c_size_t(size))
        times.append(time.perf_counter() - begin)
    copies.call("cuMemFree_v2", memory)
    return sorted(times)[count // 2]


def peers(rows):
    """Seconds of torch's argmax and of draws from sorted logits (top-k 50, top-p 0.9); nothing without torch."""
    try:
        import torch
    except ImportError:
        return {}
    logits = torch.rand(rows, VOCABULARY, device="cuda") * 2 - 1

    def sorted_draw():
        values, ids = torch.sort(logits / 0.05, dim=-1, descending=True)
        values[:, 50:] = -torch.inf
        shares = torch.softmax(values, dim=-1)
        shares[torch.cumsum(shares, dim=-1) - shares >= 0.9] = 0
        return ids.gather(1, torch.multinomial(shares, 1))

    def time_of(work, count=20):
        for _ in range(3):
            work()
        events = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
        events[0].record()
        for event in events[1:]:
            work()
            event.record()
        torch.cuda.synchronize()
        times = [begin.elapsed_time(end) for begin, end in zip(events, events[1:])]
        return sorted(times)[count // 2] * 1e-3

    return {"torch argmax": time_of(lambda: torch.argmax(logits, dim=-1)), "torch sorted draw": time_of(sorted_draw)}


def measure(folder, tool, rows, options):
    temperature, top_k, top_p = options
    settings = {"arg0.dim0": rows, "arg2": temperature, "arg3": top_k, "arg4": top_p, "repeat": 20, "iterations": 20}
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    command = [tool, "bench", folder / "sample.so", "--entry", "sample", "--json", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)["seconds"]["median"]


def run(folder, tool):
    copies = Copies()
    copy = copies.rate()
    print(f"copy of 1 GiB: {copy / 1e12:.2f} TB/s read and written")
    good = True
    for rows in ROWS:
        size = rows * VOCABULARY * 4
        for kind, options in KINDS.items():
            seconds = measure(folder, tool, rows, options)
            passed = kind != "greedy" or rows < 64 or seconds < 100e-6
            good &= passed
            rate = size / seconds
            print(
                f"{'ok ' if passed else 'BAD'} {rows} rows, {kind}: {seconds * 1e6:.1f} us, logits once at "
                f"{rate / 1e12:.2f} TB/s, {100 * rate / copy:.0f}% of copies",
                flush=True,
            )
        print(f"    {rows} rows, copy to the host: {host_copy(copies, size) * 1e6:.1f} us")
        for name, seconds in peers(rows).items():
            print(f"    {rows} rows, {name}: {seconds * 1e6:.1f} us", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(command(__doc__, build, run))
