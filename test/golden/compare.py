#!/usr/bin/env python3
"""usage: compare.py EXPECTED.safetensors TENSOR FOUND.safetensors TENSOR TOLERANCE

Compares two tensors of one shape: prints the greatest difference of two elements, and exits 1 where it is greater than
TOLERANCE or one of the elements is no number.
"""

import sys

import safetensors_file
from command import fail


def load(path, name):
    found = safetensors_file.read(path)
    if name not in found:
        fail(f"{path}: no tensor '{name}', expected one of {', '.join(sorted(found))}")
    return found[name]


def main():
    if len(sys.argv) != 6:
        print(__doc__, file=sys.stderr)
        return 2
    expected, found = load(sys.argv[1], sys.argv[2]), load(sys.argv[3], sys.argv[4])
    if expected.shape != found.shape:
        fail(f"'{sys.argv[4]}' has shape {found.shape}, expected {expected.shape}")
    greatest = 0.0
    for place, (a, b) in enumerate(zip(expected.values(), found.values())):
        difference = abs(a - b)
        if not difference <= sys.float_info.max:
            fail(f"element {place} is {b}, expected {a}")
        greatest = max(greatest, difference)
    print(f"max |difference| = {greatest:.3g}")
    return 0 if greatest <= float(sys.argv[5]) else 1


if __name__ == "__main__":
    sys.exit(main())
