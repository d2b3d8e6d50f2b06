"""usage: angles.py write FILE | angles.py check ARGUMENTS RESULTS

Writes the arguments of angles.mlir, or compares its results with the math library's: two float32 parts hold some 48
bits, and all of them must agree.
"""

import math
import random
import struct
import sys

import safetensors_file
from safetensors_file import Tensor


def inputs():
    """Angles from nothing to millions, near multiples of pi/2 too, and exponents in float32's range."""
    random.seed(4)
    quarters = [k * math.pi / 2 for k in (1, 2, 3, 4, 1001, 100003, 10000019)]
    wide = [random.uniform(-1e7, 1e7) for _ in range(500)]
    near = [random.uniform(-85, 85) for _ in range(2000)]
    values = [0.0, -0.0, 1e-30, 1e-9, -3e-5, 0.34, 0.51, math.nan] + quarters + wide + near
    return [struct.unpack("<f", struct.pack("<f", x))[0] for x in values]


def main():
    if sys.argv[1] == "write":
        x = inputs()
        zeros = [0.0] * len(x)
        arguments = {"arg0": Tensor("F32", [len(x)], struct.pack(f"<{len(x)}f", *x))}
        for i in range(1, 9):
            arguments[f"arg{i}"] = Tensor("F32", [len(x)], struct.pack(f"<{len(x)}f", *zeros))
        safetensors_file.write(sys.argv[2], arguments)
        return 0
    arguments, results = safetensors_file.read(sys.argv[2]), safetensors_file.read(sys.argv[3])
    column = lambda tensor: struct.unpack(f"<{len(tensor.data) // 4}f", tensor.data)
    x = column(arguments["arg0"])
    wrong = 0
    for number, function in enumerate((math.sin, math.cos, math.exp, math.expm1)):
        high, low = (column(results[f"result{2 * number + part}"]) for part in (0, 1))
        for value, a, b in zip(x, high, low):
            if function in (math.exp, math.expm1) and abs(value) > 85:
                continue
            expected, found = function(value), a + b
            if math.isnan(expected) and math.isnan(found):
                continue
            if not abs(found - expected) <= 1e-13 * abs(expected) + 1e-16:
                print(f"{function.__name__}({value}) is {found}, expected {expected}")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
