"""What the measurements of Hopper kernels share: from a tile program to machine code, and its launch by the driver."""

import ctypes
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INPUTS = ROOT / "test/codegen/tile/Inputs"
PIPELINE = "builtin.module(nvvm-attach-target{chip=sm_90a features=+ptx83 O=3},gpu-module-to-binary{format=isa})"


def build(folder, name, program):
    """Makes NAME.cubin of the module `program`, which has one kernel, and NAME.json with what a launch must know."""
    sys.path.insert(0, str(INPUTS))
    import ptxas

    def step(text, *command):
        done = subprocess.run(command, input=text, text=True, capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"{name}: {command[0]}: {done.stderr}")
        return done.stdout

    folder.mkdir(parents=True, exist_ok=True)
    tiles = step(program, "mm01-opt", "-", "-mm01-lower-tile")
    maps = re.findall(r"tile.box = \[(\d+), (\d+)\], tile.swizzle = (\d+)", tiles)
    module = step(tiles, "mm01-opt", "-", "-mm01-tile-to-nvvm")
    isa = step(module, "mlir-opt", "-", "--allow-unregistered-dialect", "--pass-pipeline=" + PIPELINE)
    said = ptxas.assemble(ptxas.images(isa)[0], folder / f"{name}.cubin")
    print(name, *re.findall(r"\d+ bytes spill \w+|\d+ registers", said))
    facts = {
        "kernel": re.search(r"llvm.func @(\w+)", module)[1],
        "shared": int(re.search(r"exec.dynamic_shared_bytes = (\d+)", module)[1]),
        "threads": int(re.search(r"nvvm.reqntid = array<i32: (\d+)", module)[1]),
        "maps": [[int(number) for number in kind] for kind in maps],
    }
    (folder / f"{name}.json").write_text(json.dumps(facts))


class Kernel:
    """A kernel that `build` made. `maps` has the rows and columns of each tensor map's box, and its swizzle."""

    def __init__(self, folder, name):
        facts = json.loads((folder / f"{name}.json").read_text())
        self.shared, self.threads, self.maps = facts["shared"], facts["threads"], facts["maps"]
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(self.module), (folder / f"{name}.cubin").read_bytes())
        self.call("cuModuleGetFunction", ctypes.byref(self.function), self.module, facts["kernel"].encode())
        self.call("cuFuncSetAttribute", self.function, 8, self.shared)

    def call(self, name, *arguments):
        if (error := getattr(self.cuda, name)(*arguments)) != 0:
            raise RuntimeError(f"{name}: error {error}")

    def map(self, number, address, extents, strides):
        """Tensor map `number` of bf16 from an address; extents innermost first, strides of all others in elements."""
        rows, columns, swizzle = self.maps[number]
        memory = (ctypes.c_uint8 * 192)()
        value = (ctypes.c_uint8 * 128).from_buffer(memory, -ctypes.addressof(memory) % 64)
        rank = len(extents)
        box = (ctypes.c_uint32 * rank)(columns, rows, *[1] * (rank - 2))
        steps = (ctypes.c_uint32 * rank)(*[1] * rank)
        self.call(
            "cuTensorMapEncodeTiled", value, 9, rank, ctypes.c_void_p(address), (ctypes.c_uint64 * rank)(*extents),
            (ctypes.c_uint64 * (rank - 1))(*[2 * stride for stride in strides]), box, steps,
            0, {32: 1, 64: 2, 128: 3}[swizzle], 3, 0,
        )
        return value

    def launcher(self, grid, *arguments):
        """A function that launches the kernel. Arguments: maps, tensors (their addresses), ints (i64) and floats (f32)."""
        import torch

        def value(argument):
            if isinstance(argument, float):
                return ctypes.c_float(argument)
            if isinstance(argument, int):
                return ctypes.c_int64(argument)
            return ctypes.c_uint64(argument.data_ptr()) if isinstance(argument, torch.Tensor) else argument

        values = [value(argument) for argument in arguments]
        addresses = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        keep = (arguments, values)

        def launch():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            self.call("cuLaunchKernel", self.function, *grid, self.threads, 1, 1, self.shared, stream, addresses, None)
            return keep

        return launch


def medians(works, count):
    """Microseconds of each work, in runs that take turns, each after the cache has been overwritten."""
    import torch

    cache = torch.empty(1 << 28, dtype=torch.int8, device="cuda")
    times = [[] for _ in works]
    for _ in range(count + 3):
        for work, taken in zip(works, times):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            cache.zero_()
            begin.record()
            work()
            end.record()
            torch.cuda.synchronize()
            taken.append(begin.elapsed_time(end) * 1e3)
    return [sorted(taken[3:])[count // 2] for taken in times]
