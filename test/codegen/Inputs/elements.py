"""usage: elements.py write FOLDER | elements.py check FOLDER LEVEL

Writes widen.safetensors and functions.safetensors, the arguments of the entries of elements.mlir, or compares the
results LEVEL.widen and LEVEL.functions with what they should be: every f16 and bf16 exactly, functions to a few units
in the last place, infinities and NaNs included.
"""

import math
import random
import struct
import sys

import safetensors_file
from safetensors_file import Tensor

PATTERNS = struct.pack("<65536H", *range(65536))


def inputs():
    """Values at which the functions are taken: specials, the whole range, and where activations are."""
    random.seed(2)
    special = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 88.7, 89.0, -87.3, -104.0, 1e-38, 1e-40, 3e38, -3e38]
    wide = [math.ldexp(random.uniform(1, 2), random.randint(-126, 127)) * random.choice((-1, 1)) for _ in range(500)]
    near = [random.uniform(-20, 20) for _ in range(2000)]
    return [struct.unpack("<f", struct.pack("<f", x))[0] for x in special + wide + near]


def exp(x):
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def log(x):
    return math.nan if x < 0 else -math.inf if x == 0 else math.log(x)


def same(found, expected, tolerance):
    """Equal, or off by at most tolerance relative to the expected; results below the normal range may be zero."""
    if math.isnan(expected):
        return math.isnan(found)
    if abs(expected) > 3.4028235e38:
        return math.isinf(found) and (found > 0) == (expected > 0)
    if math.isinf(found):
        return False
    if tolerance == 0:
        return found == expected and math.copysign(1, found) == math.copysign(1, expected)
    return abs(found - expected) <= max(tolerance * abs(expected), 1.2e-38)


def check(name, found, expected, arguments, tolerance):
    wrong = [(x, a, b) for x, a, b in zip(arguments, found, expected) if not same(a, b, tolerance)]
    for x, a, b in wrong[:5]:
        print(f"{name}({x}) is {a}, expected {b}")
    return len(wrong)


def main():
    command, folder = sys.argv[1:3]
    x = inputs()
    if command == "write":
        patterns = {"arg0": Tensor("F16", [256, 256], PATTERNS), "arg1": Tensor("BF16", [256, 256], PATTERNS)}
        safetensors_file.write(folder + "/widen.safetensors", patterns)
        safetensors_file.write(folder + "/functions.safetensors", {"arg0": ("F32", [len(x)], x)})
        return 0
    widened = safetensors_file.read(f"{folder}/{sys.argv[3]}.widen")
    functions = safetensors_file.read(f"{folder}/{sys.argv[3]}.functions")
    half = struct.unpack("<65536e", PATTERNS)
    brain = [struct.unpack("<f", struct.pack("<I", i << 16))[0] for i in range(65536)]
    wrong = check("half", widened["result0"].values(), half, range(65536), 0)
    wrong += check("brain", widened["result1"].values(), brain, range(65536), 0)
    wrong += check("exp", functions["result0"].values(), [exp(a) for a in x], x, 4e-7)
    wrong += check("log", functions["result1"].values(), [log(a) for a in x], x, 4e-7)
    wrong += check("tanh", functions["result2"].values(), [math.tanh(a) for a in x], x, 1e-6)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
