#!/usr/bin/env python3
"""usage: hopper_lightning.py build FOLDER [--head-size D]...     with build/bin, LLVM's tools and ptxas in PATH; needs no GPU
       hopper_lightning.py run FOLDER                            on a Hopper GPU, with PyTorch; needs nothing else of the project

Measures the lightning attention kernel that the tile passes make of test/codegen/tile/Inputs/lightning.mlir. `build`
leaves one cubin for each head size. `run` compares it with float64 for many lengths, head counts and ragged batches whose
states go on, poisons outputs, runs everything twice, and for 64 heads prints its time beside that of a kernel that reads
three tensors of the same bytes and writes one (torch.addcmul) in the same run. Fails where the relative error of an output
is above 2.5e-3 (rounding it to bf16 alone costs 1.7e-3), of a state above 2e-3, or runs differ.
"""

import ctypes
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INPUTS = ROOT / "test/codegen/tile/Inputs"
PIPELINE = "builtin.module(nvvm-attach-target{chip=sm_90a features=+ptx83 O=3},gpu-module-to-binary{format=isa})"
RAGGED = [1, 1, 64, 50, 0, 63, 65, 128, 1, 2, 700, 31, 50, 9, 200]


def program(size):
    """The program for a head size, as the comment in the file says."""
    text = (INPUTS / "lightning.mlir").read_text().replace("128", str(size))
    if size <= 64:
        text = text.replace("cluster = 2", "cluster = 1").replace(" multicast", "")
    return text


def build(folder, sizes):
    sys.path.insert(0, str(INPUTS))
    import ptxas

    folder.mkdir(parents=True, exist_ok=True)
    for size in sizes:
        lower = ["mm01-opt", "-", "-mm01-lower-tile"]
        tiles = subprocess.run(lower, input=program(size), text=True, capture_output=True, check=True).stdout
        maps = re.findall(r"tile.box = \[\d+, (\d+)\], tile.swizzle = (\d+)", tiles)
        module = subprocess.run(
            ["mm01-opt", "-", "-mm01-tile-to-nvvm"], input=tiles, text=True, capture_output=True, check=True
        ).stdout
        shared = int(re.search(r"exec.dynamic_shared_bytes = (\d+)", module)[1])
        isa = subprocess.run(
            ["mlir-opt", "-", "--allow-unregistered-dialect", "--pass-pipeline=" + PIPELINE],
            input=module,
            text=True,
            capture_output=True,
            check=True,
        ).stdout
        said = ptxas.assemble(ptxas.images(isa)[0], folder / f"lightning-{size}.cubin")
        print(size, said.strip().splitlines()[-2:])
        facts = {"shared": shared, "maps": [[int(a), int(b)] for a, b in maps], "blocks": 2 if size > 64 else 1}
        (folder / f"lightning-{size}.json").write_text(json.dumps(facts))


class Kernel:
    """A kernel of a cubin, and the tensor maps that it takes, through the driver."""

    def __init__(self, folder, size):
        facts = json.loads((folder / f"lightning-{size}.json").read_text())
        self.size, self.shared, self.maps, self.blocks = size, facts["shared"], facts["maps"], facts["blocks"]
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        image = (folder / f"lightning-{size}.cubin").read_bytes()
        self.call("cuModuleLoadData", ctypes.byref(self.module), image)
        self.call("cuModuleGetFunction", ctypes.byref(self.function), self.module, b"lightning")
        self.call("cuFuncSetAttribute", self.function, 8, self.shared)

    def call(self, name, *arguments):
        if (error := getattr(self.cuda, name)(*arguments)) != 0:
            raise RuntimeError(f"{name}: error {error}")

    def map(self, x, box, swizzle):
        """{size, 64, tokens + 64, heads}, from 64 rows before x [tokens, heads, size]: clips ragged blocks."""
        tokens, heads, size = x.shape
        row, head = x.stride(0), x.stride(1)
        memory = (ctypes.c_uint8 * 192)()
        value = (ctypes.c_uint8 * 128).from_buffer(memory, -ctypes.addressof(memory) % 64)
        extents = (ctypes.c_uint64 * 4)(size, 64, tokens + 64, heads)
        strides = (ctypes.c_uint64 * 3)(2 * row, 2 * row, 2 * head)
        boxes, steps = (ctypes.c_uint32 * 4)(box, 64, 1, 1), (ctypes.c_uint32 * 4)(1, 1, 1, 1)
        base = ctypes.c_void_p(x.data_ptr() - 2 * 64 * row)
        pattern = {32: 1, 64: 2, 128: 3}[swizzle]
        self.call(
            "cuTensorMapEncodeTiled", value, 9, 4, base, extents, strides, boxes, steps, 0, pattern, 3, 0
        )
        return value

    def launcher(self, q, k, v, out, *pointers):
        """A function that launches the kernel; pointers: slopes, offsets, past, slots, state."""
        import torch

        heads, sequences = q.shape[1], len(pointers[1]) - 1
        values = [self.map(x, *kind) for x, kind in zip((q, k, v, out), self.maps)]
        values += [ctypes.c_uint64(p.data_ptr()) for p in pointers] + [ctypes.c_int64(heads)]
        addresses = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        keep = (q, k, v, out, pointers, values)

        def launch():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            grid = (self.blocks * heads, sequences, 1)
            self.call("cuLaunchKernel", self.function, *grid, 384, 1, 1, self.shared, stream, addresses, None)
            return keep

        return launch


def reference(q, k, v, slopes, offsets, past, slots, state):
    """The recurrence by blocks of 64 tokens, in float64."""
    import torch

    out, new = torch.empty(q.shape, device="cuda", dtype=torch.float64), state.double()
    s = slopes.double().view(-1, 1, 1)
    for n in range(len(offsets) - 1):
        begin, end, slot = int(offsets[n]), int(offsets[n + 1]), int(slots[n])
        kv = new[slot] * (1 if int(past[n]) else 0)
        for t in range(begin, end, 64):
            rows = min(64, end - t)
            i = torch.arange(rows, device="cuda", dtype=torch.float64)
            a, b, c = (x[t : t + rows].double().transpose(0, 1) for x in (q, k, v))
            apart = i.view(-1, 1) - i
            decay = torch.where(apart >= 0, torch.exp(-s * apart.clamp(min=0)), 0.0)
            block = (a @ b.mT * decay) @ c + torch.exp(-s * (i.view(-1, 1) + 1)) * (a @ kv)
            out[t : t + rows] = block.transpose(0, 1)
            kv = torch.exp(-s * rows) * kv + (b * torch.exp(-s * (rows - 1 - i.view(-1, 1)))).mT @ c
        new[slot] = kv
    return out, new


def inputs(lengths, heads, size):
    """q, k, v of silu-distributed values, slopes, offsets."""
    import torch

    draw = lambda: torch.nn.functional.silu(torch.randn(sum(lengths), heads, size, device="cuda")).bfloat16()
    slopes = torch.tensor([2 ** (-8 * (i + 1) / heads) for i in range(heads)], device="cuda")
    offsets = torch.tensor([0, *lengths], device="cuda").cumsum(0).int()
    return draw(), draw(), draw(), slopes, offsets


def check(kernel, lengths, heads, going_on=False):
    """Prints one line; true if the kernel is right."""
    import torch

    q, k, v, slopes, offsets = inputs(lengths, heads, kernel.size)
    count = len(lengths)
    past = torch.tensor([n % 3 if going_on else 0 for n in range(count)], device="cuda", dtype=torch.int32)
    slots = torch.arange(count, device="cuda", dtype=torch.int32).flip(0)
    state = 3 * torch.randn(count, heads, kernel.size, kernel.size, device="cuda")
    results = []
    for _ in range(2):
        out, new = torch.full_like(q, float("nan")), state.clone()
        kernel.launcher(q, k, v, out, slopes, offsets, past, slots, new)()
        torch.cuda.synchronize()
        results.append((out, new))
    errors = [
        float((got.double() - want).norm() / want.norm())
        for got, want in zip(results[0], reference(q, k, v, slopes, offsets, past, slots, state))
    ]
    same = all(torch.equal(a, b) for a, b in zip(*results))
    good = errors[0] <= 2.5e-3 and errors[1] <= 2e-3 and same
    what = f"{lengths[0]} tokens" if count == 1 else f"{count} sequences"
    print(
        f"{'ok ' if good else 'BAD'} head size {kernel.size}, {heads} heads, {what}: "
        f"output {errors[0]:.2e}, state {errors[1]:.2e}, repeats {same}",
        flush=True,
    )
    return good


def bench(kernel, tokens, heads=64):
    """Medians of interleaved runs, each after the cache has been overwritten."""
    import torch

    q, k, v, slopes, offsets = inputs([tokens], heads, kernel.size)
    zero = torch.zeros(1, device="cuda", dtype=torch.int32)
    state, out = torch.zeros(1, heads, kernel.size, kernel.size, device="cuda"), torch.empty_like(q)
    works = [
        kernel.launcher(q, k, v, out, slopes, offsets, zero, zero, state),
        lambda: torch.addcmul(q, k, v, out=out),
    ]
    cache = torch.empty(1 << 28, dtype=torch.int8, device="cuda")
    times = [[], []]
    for _ in range(18):
        for work, taken in zip(works, times):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            cache.zero_()
            begin.record()
            work()
            end.record()
            torch.cuda.synchronize()
            taken.append(begin.elapsed_time(end) * 1e3)
    ours, floor = (sorted(taken[3:])[7] for taken in times)
    print(f"{tokens} tokens, {heads} heads of {kernel.size}: {ours:.1f} us, 3 reads + 1 write {floor:.1f} us, "
          f"ratio {ours / floor:.3f}", flush=True)


def run(folder):
    import torch

    torch.zeros(1, device="cuda")  # makes the context that the driver's calls need
    good = True
    for path in sorted(folder.glob("lightning-*.cubin"), key=lambda path: int(path.stem.split("-")[1])):
        kernel = Kernel(folder, int(path.stem.split("-")[1]))
        for tokens in (1, 2, 31, 37, 63, 64, 65, 100, 255, 256, 257, 1000, 4096):
            good &= check(kernel, [tokens], 8)
        for heads in (1, 4, 48, 64):
            good &= check(kernel, [300], heads)
        good &= check(kernel, [32768], 8) & check(kernel, RAGGED, 8, going_on=True)
        for tokens in (2048, 8192, 32768):
            bench(kernel, tokens)
    return 0 if good else 1


def main():
    arguments = sys.argv[1:]
    if len(arguments) < 2 or arguments[0] not in ("build", "run"):
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(arguments[1])
    if arguments[0] == "run":
        return run(folder)
    sizes = [int(value) for flag, value in zip(arguments[2::2], arguments[3::2]) if flag == "--head-size"]
    build(folder, sizes or [128])
    return 0


if __name__ == "__main__":
    sys.exit(main())
