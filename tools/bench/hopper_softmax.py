#!/usr/bin/env python3
"""usage: hopper_softmax.py build FOLDER [--head-size D]...      with build/bin, LLVM's tools and ptxas in PATH; needs no GPU
       hopper_softmax.py run FOLDER                             on a Hopper GPU, with PyTorch; needs nothing else of the project

Measures the softmax attention kernel that the tile passes make of test/codegen/tile/Inputs/softmax.mlir. `build` leaves
cubins for each head size, with clusters of one block and of two. `run` compares them with float64: lengths around the sizes
of tiles and pages, ragged batches with past tokens, shuffled pages of which everything but the keys and values is NaN, and
several ratios of heads; outputs are poisoned and everything runs twice. Then it prints the times for 64 query heads and 8 key
heads of 128 beside those of cuDNN (PyTorch's scaled_dot_product_attention) in the same run, and the rate for a ragged batch. Fails
where the relative error of an output is above 4e-3, an element is written that is not a result, or runs differ.
"""

import math
import pathlib
import re
import sys

import hopper_kernel

PAGE = 64
ROWS = 128
RAGGED = [1, 1, 64, 50, 0, 63, 65, 128, 1, 2, 700, 31, 129, 9, 200]


def program(size, cluster):
    """The program for a head size and for clusters of 1 or 2 blocks."""
    text = (hopper_kernel.INPUTS / "softmax.mlir").read_text()
    head, rest = text.split("!scores", 1)
    text = re.sub(r"x128x", f"x{size}x", head) + "!scores" + rest
    if cluster == 1:
        text = text.replace("cluster = 2", "cluster = 1").replace(" multicast", "")
        text = text.replace("%blocks_of_cluster = arith.constant 2", "%blocks_of_cluster = arith.constant 1")
    return text


def build(folder, sizes):
    for size in sizes:
        for cluster in (1, 2) if size > 64 else (1,):
            hopper_kernel.build(folder, f"softmax-{size}-{cluster}", program(size, cluster))


class Batch:
    """Random queries of ragged sequences and their keys and values in shuffled pages of the second of two layers."""

    def __init__(self, lengths, past, heads, key_heads, size, spread=1.0, shuffled=True):
        import torch

        draw = lambda *shape: (spread * torch.randn(*shape, device="cuda")).bfloat16()
        self.lengths, self.past, self.heads, self.key_heads, self.size = lengths, past, heads, key_heads, size
        self.q = draw(sum(lengths), heads, size)
        kept = [n + p for n, p in zip(lengths, past)]
        counts = [-(-n // PAGE) for n in kept]
        self.width = max(counts + [1])
        pages = sum(counts) + 3
        order = (torch.randperm(pages) if shuffled else torch.arange(pages)).int()
        self.table = torch.full((len(lengths), self.width), -1, dtype=torch.int32)
        self.cache = [torch.full((2, pages, PAGE, key_heads, size), math.nan, device="cuda").bfloat16() for _ in "kv"]
        self.kept = [[], []]
        first = 0
        for n, count in enumerate(counts):
            self.table[n, :count] = order[first : first + count]
            first += count
            for cache, tensors in zip(self.cache, self.kept):
                tensor = draw(kept[n], key_heads, size)
                tensors.append(tensor)
                for i in range(count):
                    part = tensor[PAGE * i : PAGE * i + PAGE]
                    cache[1, int(self.table[n, i]), : len(part)] = part
        self.table = self.table.cuda()
        self.offsets = torch.tensor([0, *lengths], device="cuda").cumsum(0).int()
        self.past_tokens = torch.tensor(past, device="cuda", dtype=torch.int32)

    def launcher(self, kernel, cluster, out):
        def ragged(number, x):
            rows, row = kernel.maps[number][0], self.heads * self.size
            extents = [self.size, rows, len(x) + rows, self.heads]
            return kernel.map(number, x.data_ptr() - 2 * rows * row, extents, [row, row, self.size])

        def paged(number, x):
            pages, row = x.shape[1], self.key_heads * self.size
            extents = [self.size, PAGE, PAGE + 1, pages, self.key_heads]
            return kernel.map(number, x[1].data_ptr() - 2 * PAGE * row, extents, [row, row, PAGE * row, self.size])

        maps = [ragged(0, self.q), paged(1, self.cache[0]), paged(2, self.cache[1]), ragged(3, out)]
        blocks = sum(self.lengths) // ROWS + len(self.lengths)
        group = self.heads // self.key_heads
        return kernel.launcher(
            (group, blocks, self.key_heads), *maps, self.offsets, self.past_tokens, self.table, len(self.lengths),
            self.width, group, blocks - 1, math.log2(math.e) / math.sqrt(self.size),
        )

    def reference(self):
        """The attention of each head in float64."""
        import torch

        out = torch.empty(self.q.shape, device="cuda", dtype=torch.float64)
        for n, (length, past) in enumerate(zip(self.lengths, self.past)):
            begin = int(self.offsets[n])
            position = past + torch.arange(length, device="cuda")
            hidden = torch.arange(length + past, device="cuda") > position.view(-1, 1)
            for head in range(self.heads):
                keys, values = (kept[n][:, head * self.key_heads // self.heads].double() for kept in self.kept)
                scores = self.q[begin : begin + length, head].double() @ keys.T / math.sqrt(self.size)
                out[begin : begin + length, head] = scores.masked_fill(hidden, -math.inf).softmax(-1) @ values
        return out


def check(kernels, size, lengths, past, heads, key_heads, spread=1.0):
    """Prints one line; true if the kernel is right."""
    import torch

    cluster = 2 if (size, 2) in kernels and heads // key_heads % 2 == 0 else 1
    batch = Batch(lengths, past, heads, key_heads, size, spread)
    results, good = [], True
    for _ in range(2):
        out = torch.full((len(batch.q) + 3, heads, size), math.nan, device="cuda").bfloat16()
        batch.launcher(kernels[size, cluster], cluster, out)()
        torch.cuda.synchronize()
        good &= bool(out[len(batch.q) :].isnan().all())
        results.append(out[: len(batch.q)])
    want = batch.reference()
    error = float((results[0].double() - want).norm() / want.norm())
    same = torch.equal(*results)
    good &= error <= 4e-3 and same
    what = f"{lengths[0]} tokens" if len(lengths) == 1 else f"{len(lengths)} sequences"
    print(
        f"{'ok ' if good else 'BAD'} {heads}/{key_heads} heads of {size}, {what}, past {max(past)}, cluster {cluster}: "
        f"{error:.2e}, repeats {same}",
        flush=True,
    )
    return good


def bench(kernels, tokens, heads=64, key_heads=8, size=128):
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    batch = Batch([tokens], [0], heads, key_heads, size)
    out = torch.empty_like(batch.q)
    q, k, v = (x.transpose(0, 1).unsqueeze(0).contiguous() for x in (batch.q, batch.kept[0][0], batch.kept[1][0]))

    def peer():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)

    works = {f"cluster {cluster}": batch.launcher(kernels[size, cluster], cluster, out) for cluster in (1, 2)}
    lengths = [tokens - 37, tokens // 2 + 11, tokens // 2 - 5]
    ragged = Batch(lengths, [0] * len(lengths), heads, key_heads, size)
    works["ragged"] = ragged.launcher(kernels[size, 2], 2, torch.empty_like(ragged.q))
    works["cuDNN"] = peer
    flops = {name: 2 * size * heads * tokens**2 for name in works}
    flops["ragged"] = 2 * size * heads * sum(n**2 for n in lengths)
    times = dict(zip(works, hopper_kernel.medians(list(works.values()), 15 if tokens <= 8192 else 5)))
    peer_rate = flops["cuDNN"] / times["cuDNN"]
    for name, time in times.items():
        rate = flops[name] / time
        print(f"{tokens} tokens, {heads}/{key_heads} heads of {size}, {name}: {time:.0f} us, {rate / 1e6:.0f} TFLOP/s, "
              f"{rate / peer_rate:.3f} x cuDNN", flush=True)


def run(folder):
    import torch

    torch.manual_seed(7)
    torch.zeros(1, device="cuda")  # makes the context that the driver's calls need
    names = [path.stem.split("-") for path in folder.glob("softmax-*.cubin")]
    kernels = {(int(n[1]), int(n[2])): hopper_kernel.Kernel(folder, "-".join(n)) for n in names}
    good = True
    for size in sorted({size for size, _ in kernels}):
        for tokens in (1, 2, 63, 64, 65, 127, 128, 129, 1000, 4096):
            good &= check(kernels, size, [tokens], [0], 16, 2)
        for heads, key_heads in ((64, 8), (4, 4), (6, 2), (10, 5), (8, 1)):
            good &= check(kernels, size, RAGGED, [37 * n % 300 for n in range(len(RAGGED))], heads, key_heads)
        good &= check(kernels, size, [1, 1, 1], [0, 63, 4000], 64, 8)
        good &= check(kernels, size, [300], [1500], 8, 2, spread=4.0)
    if (128, 2) in kernels:
        for tokens in (8192, 32768):
            bench(kernels, tokens)
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
