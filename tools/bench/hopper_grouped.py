#!/usr/bin/env python3
"""usage: hopper_grouped.py build FOLDER [--width N]...      with build/bin, LLVM's tools and ptxas in PATH; needs no GPU
       hopper_grouped.py run FOLDER [--quick] [--int8]       on a Hopper GPU, with PyTorch; needs nothing else of the project

Measures the expert products that the tile passes make of test/codegen/tile/Inputs/grouped.mlir (gate and up projection with
SwiGLU) and grouped-plain.mlir (down projection). `build` leaves a cubin of each for every width of a tile of tokens. `run`
compares them with float64 on ragged and empty experts, with poisoned outputs and everything run twice, then, for 32 experts
of 6144 x 18432, measures them beside a loop of cuBLAS products and torch's grouped_mm, which leave SwiGLU out, interleaved
in the same run. Fails where a relative error is above 2.5e-3 (rounding the result to bf16 alone costs 1.7e-3), where
anything but the experts' rows is written, or runs differ.

With int8 weights they are the kernels that mm01-compile makes of the operations, beside the loop of cuBLAS products with
bf16 weights; the bytes of the weights that are needed, by the time, are compared with a copy's rate. --int8 runs these alone.
"""

import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INPUTS = ROOT / "test/codegen/tile/Inputs"
PIPELINE = "builtin.module(nvvm-attach-target{chip=sm_90a features=+ptx83 O=3},gpu-module-to-binary{format=isa})"
PROGRAMS = ("grouped", "grouped-plain")
WIDTHS = (16, 32, 64, 96, 128, 192, 256)
# SwiGLU, experts, elements of a row of x and of a result: for the check with few and many steps of a product, and for
# the measurement.
INT8_SHAPES = ((True, 16, 512, 768), (False, 16, 512, 760), (True, 32, 6144, 9216), (False, 32, 9216, 6144))
COUNTS = [0, 1, 15, 16, 17, 255, 256, 257, 0, 31, 64, 100, 511, 512, 513, 3]


def tool(command, text):
    return subprocess.run(command, input=text, text=True, capture_output=True, check=True).stdout


def build(folder, widths):
    sys.path.insert(0, str(INPUTS))
    import grouped
    import ptxas

    folder.mkdir(parents=True, exist_ok=True)
    for name in PROGRAMS:
        for above, width in zip([0, *widths], widths):
            tiles = tool(["mm01-opt", "-", "-mm01-lower-tile"], grouped.program(name, width, above))
            maps = re.findall(r"tile.box = \[(\d+), (\d+)\], tile.swizzle = (\d+)", tiles)
            module = tool(["mm01-opt", "-", "-mm01-tile-to-nvvm"], tiles)
            shared = int(re.search(r"exec.dynamic_shared_bytes = (\d+)", module)[1])
            isa = tool(["mlir-opt", "-", "--allow-unregistered-dialect", "--pass-pipeline=" + PIPELINE], module)
            said = ptxas.assemble(ptxas.images(isa)[0], folder / f"{name}-{width}.cubin")
            print(name, width, said.strip().splitlines()[-2:], flush=True)
            threads = int(re.search(r"nvvm.reqntid = array<i32: (\d+)", module)[1])
            facts = {"shared": shared, "threads": threads, "maps": [[int(x) for x in m] for m in maps]}
            facts["entry"] = "grouped"
            (folder / f"{name}-{width}.json").write_text(json.dumps(facts))
    for shape in INT8_SHAPES:
        build_int8(folder, *shape)


def build_int8(folder, swiglu, experts, hidden, features):
    """The kernels that mm01-compile makes: of one argument a map of each weight, of rows and results, then the offsets
    and the scales of each weight."""
    sys.path.insert(0, str(ROOT / "test/gpu"))
    import experts as operations

    place = folder / f"int8-{experts}-{features}"
    place.mkdir(exist_ok=True)
    (place / "module.mlir").write_text(operations.module(swiglu, "i8", experts, features, hidden))
    command = ["mm01-compile", place / "module.mlir", "--target=sm_90a", "-o", place / "program.so", "--dump-dir", place]
    subprocess.run(command, check=True)
    for cubin in (place / "kernels").glob("*_int8_*.cubin"):
        width = int(cubin.stem.rsplit("_", 1)[1])
        text = cubin.with_suffix(".mlir").read_text()
        maps = [[128, 128, 128]] * (1 + swiglu) + [[width, 64, 128]] * 2
        number = lambda name: int(re.search(name + r" = (?:array<i32: )?(\d+)", text)[1])
        facts = {"entry": cubin.stem, "shared": number("exec.dynamic_shared_bytes"), "threads": number("nvvm.reqntid")}
        facts["maps"] = maps
        stem = f"int8-{'grouped' if swiglu else 'grouped-plain'}-{experts}-{features}-{width}"
        os.replace(cubin, folder / f"{stem}.cubin")
        (folder / f"{stem}.json").write_text(json.dumps(facts))
    shutil.rmtree(place)


class Kernel:
    """A kernel of a cubin, through the driver."""

    def __init__(self, folder, name, width):
        facts = json.loads((folder / f"{name}-{width}.json").read_text())
        self.width, self.shared, self.threads, self.maps = width, facts["shared"], facts["threads"], facts["maps"]
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        image = (folder / f"{name}-{width}.cubin").read_bytes()
        self.call("cuModuleLoadData", ctypes.byref(self.module), image)
        self.call("cuModuleGetFunction", ctypes.byref(self.function), self.module, facts["entry"].encode())
        self.call("cuFuncSetAttribute", self.function, 8, self.shared)

    def call(self, name, *arguments):
        if (error := getattr(self.cuda, name)(*arguments)) != 0:
            raise RuntimeError(f"{name}: error {error}")

    def map(self, base, extents, strides, kind, bytes=2):
        """A map of bf16, or of bytes; extents from the innermost, strides of the others in elements, kind [rows, columns,
        swizzle]."""
        rank, (rows, columns, swizzle) = len(extents), kind
        memory = (ctypes.c_uint8 * 192)()
        value = (ctypes.c_uint8 * 128).from_buffer(memory, -ctypes.addressof(memory) % 64)
        array = lambda kind, values: (kind * rank)(*values)
        self.call(
            "cuTensorMapEncodeTiled", value, 9 if bytes == 2 else 0, rank, ctypes.c_void_p(base),
            array(ctypes.c_uint64, extents), array(ctypes.c_uint64, [bytes * s for s in strides] + [0]),
            array(ctypes.c_uint32, [columns, rows, *[1] * (rank - 2)]), array(ctypes.c_uint32, [1] * rank),
            0, {32: 1, 64: 2, 128: 3}[swizzle], 3, 0,
        )
        return value

    def launcher(self, weights, x, y, offsets, counter, scales):
        """A function that launches the kernel on weights (w1 and w3, or w2) of [experts, features, hidden], and where they
        are int8 on scales of [experts, features]."""
        import torch

        (rows, hidden), features, experts = x.shape, y.shape[1], len(offsets) - 1
        kinds, most = iter(self.maps), (64 if len(scales) == 2 else 128) if scales else 256
        values = [
            self.map(w.data_ptr(), [hidden, features, experts], [w.stride(1), w.stride(0)], next(kinds), w.element_size())
            for w in weights
        ]
        values.append(self.map(x.data_ptr(), [hidden, rows], [hidden], next(kinds)))
        values.append(
            self.map(y.data_ptr() - 2 * most * features, [features, most, rows + most], [features] * 2, next(kinds))
        )
        multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count
        clusters = multiprocessors // 2
        values.append(ctypes.c_uint64(offsets.data_ptr()))
        if scales:
            values += [ctypes.c_uint64(s.data_ptr()) for s in scales]
        else:
            pairs = features // (128 if len(weights) == 2 else 256)
            values += [ctypes.c_int64(experts), ctypes.c_int32(pairs)]
            values += [ctypes.c_int64(hidden // 64), ctypes.c_uint64(counter.data_ptr())]
        addresses = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        keep = (weights, x, y, offsets, values, counter)

        def launch():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            grid = (2 * clusters, 1, 1)
            self.call("cuLaunchKernel", self.function, *grid, self.threads, 1, 1, self.shared, stream, addresses, None)
            return keep

        return launch


class Products:
    """The kernels of all widths, of which each does the experts that have its width."""

    def __init__(self, folder, name):
        paths = folder.glob(f"{name}-*.json")
        widths = sorted(int(m[1]) for p in paths if (m := re.fullmatch(rf"{name}-(\d+)", p.stem)))
        self.kernels = [Kernel(folder, name, width) for width in widths]

    def launcher(self, weights, x, y, offsets, scales=()):
        import torch

        launchers, previous = [], 0
        counter = torch.zeros(1, dtype=torch.int32, device="cuda")  # a kernel leaves it at 0
        for kernel in self.kernels:
            if previous < len(x):
                launchers.append(kernel.launcher(weights, x, y, offsets, counter, scales))
            previous = kernel.width
        return lambda: [launch() for launch in launchers]


def reference(weights, x, dtype):
    """The rows of one expert."""
    import torch

    products = [x.to(dtype) @ w.to(dtype).mT for w in weights]
    return products[0] if len(products) == 1 else torch.nn.functional.silu(products[0]) * products[1]


def guarded(rows, columns):
    """[rows, columns] and what lies around them, poisoned."""
    import torch

    whole = torch.full((rows + 512, columns), float("nan"), device="cuda", dtype=torch.bfloat16)
    return whole, whole[256 : 256 + rows]


def quantize(weights):
    """int8 elements and the scale of each row, and what they stand for."""
    import torch

    scales = [w.abs().amax(-1).float() / 127 for w in weights]
    elements = [torch.round(w.float() / s[..., None]).to(torch.int8) for w, s in zip(weights, scales)]
    return elements, scales


def check(products, counts, hidden, features, swiglu, int8=False):
    """Prints one line; true if the kernels are right."""
    import torch

    rows, experts = sum(counts), len(counts)
    offsets = torch.tensor([0, *counts], device="cuda").cumsum(0).int()
    x = torch.randn(rows, hidden, device="cuda").bfloat16()
    weights = [0.05 * torch.randn(experts, features, hidden, device="cuda") for _ in range(1 + swiglu)]
    weights, scales = quantize(weights) if int8 else ([w.bfloat16() for w in weights], ())
    results = []
    for _ in range(2):
        whole, y = guarded(rows, features)
        products.launcher(weights, x, y, offsets, scales)()
        torch.cuda.synchronize()
        results.append((whole, y))
    whole, y = results[0]
    if int8:
        weights = [w.double() * s[..., None].double() for w, s in zip(weights, scales)]
    want = torch.empty(rows, features, device="cuda", dtype=torch.float64)
    for e in range(experts):
        part = slice(int(offsets[e]), int(offsets[e + 1]))
        want[part] = reference([w[e] for w in weights], x[part], torch.float64)
    error = float((y.double() - want).norm() / want.norm())
    clean = bool(whole[:256].isnan().all() and whole[256 + rows :].isnan().all())
    same = torch.equal(results[0][1], results[1][1])
    good = error <= 2.5e-3 and clean and same
    print(
        f"{'ok ' if good else 'BAD'} {'int8 ' if int8 else ''}{'w1, w3, SwiGLU' if swiglu else 'w2'}: "
        f"{experts} experts of {hidden} -> {features}, "
        f"{rows} rows: error {error:.2e}, rest untouched {clean}, repeats {same}",
        flush=True,
    )
    return good


def interleaved(works, rounds):
    """Medians in microseconds of works that take turns."""
    import torch

    times = [[] for _ in works]
    for _ in range(rounds + 2):
        for work, taken in zip(works, times):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            work()
            end.record()
            torch.cuda.synchronize()
            taken.append(begin.elapsed_time(end) * 1e3)
    return [sorted(taken[2:])[rounds // 2] for taken in times]


def copy_rate():
    """TB/s of a copy of 1 GiB on the device, read and written."""
    import torch

    a, b = (torch.zeros(1 << 30, device="cuda", dtype=torch.int8) for _ in range(2))
    (time,) = interleaved([lambda: b.copy_(a)], 5)
    return 2 * a.numel() / time / 1e6


def route(tokens, experts):
    """Rows of each expert when every token takes two at random."""
    import torch

    chosen = torch.rand(tokens, experts, device="cuda").topk(2).indices
    return torch.bincount(chosen.flatten(), minlength=experts).tolist()


def bench(products, swiglu, sizes, rounds):
    """Beside the same products through cuBLAS, one after another, and through grouped_mm."""
    import torch

    experts, hidden, features = (32, 6144, 9216) if swiglu else (32, 9216, 6144)
    packed = torch.empty(experts, (1 + swiglu) * features, hidden, device="cuda", dtype=torch.bfloat16)
    for w in packed:
        w.normal_(0, 0.02)
    weights = [packed[:, :features], packed[:, features:]] if swiglu else [packed]
    copy = copy_rate()
    for rows, counts in sizes:
        offsets = torch.tensor([0, *counts], device="cuda").cumsum(0).int()
        x = torch.randn(rows, hidden, device="cuda").bfloat16()
        y = torch.empty(rows, features, device="cuda", dtype=torch.bfloat16)
        wide = torch.empty(rows, packed.shape[1], device="cuda", dtype=torch.bfloat16)
        bounds = [0, *offsets.tolist()[1:]]
        parts = [(e, slice(bounds[e], bounds[e + 1])) for e in range(experts) if counts[e]]
        works = [
            products.launcher(weights, x, y, offsets),
            lambda: [torch.mm(x[part], packed[e].t(), out=wide[part]) for e, part in parts],
        ]
        names = ["ours", "cuBLAS loop"]
        if grouped_mm := getattr(torch, "_grouped_mm", None):
            works.append(lambda: grouped_mm(x, packed.transpose(-2, -1), offs=offsets[1:]))
            names.append("grouped_mm")
        times = interleaved(works, rounds)
        flops = 2 * rows * hidden * packed.shape[1]
        line = ", ".join(f"{name} {t:.0f} us ({flops / t / 1e6:.0f} TFLOP/s)" for name, t in zip(names, times))
        ratio = min(times[1:]) / times[0]
        read = len(parts) * packed[0].numel() * 2 / times[0] / 1e6
        print(
            f"{'w1, w3, SwiGLU' if swiglu else 'w2'}, {rows} rows: {line}; {ratio:.3f} x the better; "
            f"weights at {read:.2f} TB/s, a copy's rate {copy:.2f}",
            flush=True,
        )
        e, part = max(parts, key=lambda p: counts[p[0]])
        want = reference([w[e] for w in weights], x[part], torch.float32)
        error = float((y[part].float() - want).norm() / want.norm())
        if error > 2.5e-3:
            raise RuntimeError(f"expert {e} has error {error:.2e}")


def bench_int8(products, experts, hidden, features, swiglu, sizes, rounds):
    """Beside cuBLAS products with the same weights in bf16, one after another; true if it is right."""
    import torch

    weights, scales = [], []
    for _ in range(1 + swiglu):
        made = [quantize([torch.randn(features, hidden, device="cuda") * 0.02]) for _ in range(experts)]
        weights.append(torch.stack([w[0] for w, _ in made]))
        scales.append(torch.stack([s[0] for _, s in made]))
    packed = torch.cat([(w * s[..., None]).bfloat16() for w, s in zip(weights, scales)], 1)
    copy, good = copy_rate(), True
    for counts in sizes:
        rows = sum(counts)
        offsets = torch.tensor([0, *counts], device="cuda").cumsum(0).int()
        x = torch.randn(rows, hidden, device="cuda").bfloat16()
        y = torch.empty(rows, features, device="cuda", dtype=torch.bfloat16)
        wide = torch.empty(rows, packed.shape[1], device="cuda", dtype=torch.bfloat16)
        parts = [(e, slice(sum(counts[:e]), sum(counts[: e + 1]))) for e in range(experts) if counts[e]]
        works = [
            products.launcher(weights, x, y, offsets, scales),
            lambda: [torch.mm(x[part], packed[e].t(), out=wide[part]) for e, part in parts],
        ]
        ours, loop = interleaved(works, rounds)
        read = len(parts) * sum(w[0].numel() for w in weights) / ours / 1e6
        e, part = max(parts, key=lambda p: counts[p[0]])
        want = reference([w[e].float() * s[e][:, None] for w, s in zip(weights, scales)], x[part], torch.float64)
        error = float((y[part].double() - want).norm() / want.norm())
        good &= error <= 2.5e-3
        print(
            f"int8 {'w1, w3, SwiGLU' if swiglu else 'w2'}, {rows} rows, at most {max(counts)} an expert: ours {ours:.0f} us, "
            f"cuBLAS loop in bf16 {loop:.0f} us; weights at {read:.2f} TB/s, {read / copy:.3f} of a copy's rate {copy:.2f}; "
            f"error {error:.2e}",
            flush=True,
        )
    return good


def run_int8(folder, quick):
    import torch

    good = True
    for swiglu, experts, hidden, features in INT8_SHAPES:
        products = Products(folder, f"int8-{'grouped' if swiglu else 'grouped-plain'}-{experts}-{features}")
        if experts < 32:
            for counts in (COUNTS, [5] + [0] * 15, [300, 0, 20] + [0] * 13, [0] * 15 + [1]):
                good &= check(products, counts, hidden, features, swiglu, int8=True)
            continue
        sizes = [route(tokens, experts) for tokens in (64, 128, *(() if quick else (1, 16, 256, 2048, 8192)))]
        good &= bench_int8(products, experts, hidden, features, swiglu, sizes, 9 if quick else 15)
        torch.cuda.empty_cache()
    return good


def run(folder, quick, only_int8):
    import torch

    torch.zeros(1, device="cuda")  # makes the context that the driver's calls need
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    good = run_int8(folder, quick)
    for name in () if only_int8 else PROGRAMS:
        swiglu = name == "grouped"
        products = Products(folder, name)
        if not products.kernels:
            continue
        for counts in (COUNTS, [5], [300, 0, 20], [0, 0, 1]):
            good &= check(products, counts, 512, 768, swiglu)
        good &= check(products, route(500, 32), 256, 256, swiglu)
        sizes = [(2 * tokens, route(tokens, 32)) for tokens in ((8192,) if quick else (8192, 2048, 256, 64, 1))]
        if not quick:
            sizes.insert(0, (16384, [512] * 32))
        bench(products, swiglu, sizes, 7 if quick else 15)
        torch.cuda.empty_cache()
    return 0 if good else 1


def main():
    arguments = sys.argv[1:]
    if len(arguments) < 2 or arguments[0] not in ("build", "run"):
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(arguments[1])
    if arguments[0] == "run":
        return run(folder, "--quick" in arguments, "--int8" in arguments)
    widths = [int(value) for flag, value in zip(arguments[2::2], arguments[3::2]) if flag == "--width"]
    build(folder, sorted(widths) or WIDTHS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
