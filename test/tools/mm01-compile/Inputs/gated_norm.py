"""usage: gated_norm.py write FILE | gated_norm.py check EXPECTED FOUND

Writes arguments of docs/examples/gated-norm.mlir, or compares two of its results to a rounding of bf16.
"""

import random
import sys

import safetensors_file


def main():
    if sys.argv[1] == "write":
        random.seed(3)
        elements = lambda: [random.gauss(0, 1) for _ in range(5 * 1024)]
        safetensors_file.write(sys.argv[2], {f"arg{i}": ("BF16", [5, 1024], elements()) for i in range(3)})
        return 0
    expected, found = (safetensors_file.read(path)["result0"].values() for path in sys.argv[2:4])
    wrong = [(a, b) for a, b in zip(expected, found) if not abs(a - b) <= 2**-8 * abs(a) + 1e-6]
    for a, b in wrong[:5]:
        print(f"found {b}, expected {a}")
    return 1 if wrong or len(expected) != len(found) else 0


if __name__ == "__main__":
    sys.exit(main())
