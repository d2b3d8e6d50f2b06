#!/usr/bin/env python3
"""usage: hopper_softmax_decode.py build FOLDER         with build/bin in PATH; needs no GPU
       hopper_softmax_decode.py run FOLDER MM01-RUN   on a Hopper GPU, with its driver; with PyTorch, beside it

Measures single tokens of softmax attention, 64 query heads and 8 key heads of 128, keys and values in pages of 64 tokens,
as a program does them: `build` compiles the op, `run` times it for several numbers of sequences and lengths inside a graph,
beside the device's own copies and the attention of PyTorch (scaled_dot_product_attention on dense keys, the faster of its
cuDNN and flash kernels, in a graph too) in the same run. Prints, for each, the time, the rate at which keys and values are
read, and its share of the copies' rate; fails where the share is below 80% for one sequence of 32,768 tokens or more and for
64 sequences of 4,096.
"""

import json
import pathlib
import subprocess
import sys

from hopper_command import command
from hopper_decode import Copies

HEADS, KEY_HEADS, SIZE, PAGE = 64, 8, 128, 64
# (sequences, tokens before the one)
BATCHES = [(1, 127), (1, 1023), (1, 4095), (1, 32767), (1, 131071), (8, 4095), (64, 127), (64, 1023), (64, 4095), (64, 4126)]
WANTED = {(1, 32767), (1, 131071), (64, 4095)}
MODULE = """
func.func @decode(%q: tensor<?x{h}x{d}xbf16>, %keys: tensor<1x?x64x{k}x{d}xbf16>, %values: tensor<1x?x64x{k}x{d}xbf16>,
                  %r: !mm01.ragged, %layer: index, %out: tensor<?x{h}x{d}xbf16>) -> tensor<?x{h}x{d}xbf16> {{
  %o = mm01.softmax_attention %q, %keys, %values, %r, %layer into %out {{scale = {scale}}}
    : tensor<?x{h}x{d}xbf16>, tensor<1x?x64x{k}x{d}xbf16> into tensor<?x{h}x{d}xbf16>
  return %o : tensor<?x{h}x{d}xbf16>
}}
"""


def build(folder):
    folder.mkdir(parents=True, exist_ok=True)
    module = folder / "softmax-decode.mlir"
    module.write_text(MODULE.format(h=HEADS, k=KEY_HEADS, d=SIZE, scale=SIZE**-0.5))
    command = ["mm01-compile", module, "--target=sm_90a", "-o", module.with_suffix(".so"), f"--dump-dir={folder / 'dump'}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print("compiled" if done.returncode == 0 else done.stderr.strip())
    return done.returncode


def measure(tool, program, sequences, past):
    """Seconds of the program for a batch."""
    pages = sequences * -(-(past + 1) // PAGE)
    settings = {"tokens": 1, "sequences": sequences, "past": past, "repeat": 20, "iterations": 20, "arg4": 0}
    settings |= {"arg1.dim1": pages, "arg2.dim1": pages}
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    command = [tool, "bench", program, "--entry", "decode", "--json", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)["seconds"]["median"]


class Peer:
    """The attention of PyTorch on dense keys, if it is installed."""

    def __init__(self):
        try:
            import torch
        except ImportError:
            self.torch = None
            return
        self.torch = torch

    def seconds(self, sequences, tokens):
        """(seconds, name) of the faster kernel, or none."""
        if self.torch is None:
            return None
        from torch.nn.attention import SDPBackend

        times = []
        for name, kind in (("cuDNN", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION)):
            try:
                times.append((self.measure(kind, sequences, tokens), name))
            except RuntimeError:
                pass  # a kernel that does not take this
        return min(times, default=None)

    def measure(self, kind, sequences, tokens, repeat=10, count=15):
        torch = self.torch
        from torch.nn.attention import sdpa_kernel

        draw = lambda heads, length: torch.randn(sequences, heads, length, SIZE, device="cuda", dtype=torch.bfloat16)
        q, k, v = draw(HEADS, 1), draw(KEY_HEADS, tokens), draw(KEY_HEADS, tokens)

        def work():
            with sdpa_kernel(kind):
                torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)

        work()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(repeat):
                work()
        times = []
        for _ in range(count):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            graph.replay()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) * 1e-3 / repeat)
        return sorted(times)[count // 2]


def run(folder, tool):
    copy = Copies().rate()
    print(f"copy of 1 GiB: {copy / 1e12:.2f} TB/s read and written")
    peer, good = Peer(), True
    if peer.torch is None:
        print("PyTorch is not installed: no peer")
    for sequences, past in BATCHES:
        what = f"{sequences} sequences of {past + 1} tokens"
        try:
            seconds = measure(tool, folder / "softmax-decode.so", sequences, past)
        except RuntimeError as error:
            print(f"BAD {what}: {error}")
            good = False
            continue
        moved = sequences * (past + 1) * 2 * KEY_HEADS * SIZE * 2
        share = moved / seconds / copy
        passed = share >= 0.8 or (sequences, past) not in WANTED
        good &= passed
        beside = ""
        if other := peer.seconds(sequences, past + 1):
            beside = f"; {other[1]} {other[0] * 1e6:.1f} us, {other[0] / seconds:.2f} x"
        print(
            f"{'ok ' if passed else 'BAD'} {what}: {seconds * 1e6:.1f} us, {moved / seconds / 1e12:.2f} TB/s, "
            f"{100 * share:.0f}% of copies{beside}",
            flush=True,
        )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(command(__doc__, build, run))
