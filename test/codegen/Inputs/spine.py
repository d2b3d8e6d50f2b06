"""usage: spine.py write ARGS.safetensors | spine.py check ARGS.safetensors RESULTS.safetensors

Writes arguments of the program spine.mlir, or compares its results with what they should be, computed here one number
after another. Prints the greatest relative difference and fails when it is over 1e-5.
"""

import math
import random
import sys

import safetensors_file

T, SLOTS, N = 37, 5, 3
OFFSETS, PAST, SLOT = [0, 1, 20, 37], [0, 4, 9], [3, 0, 4]


def arguments():
    random.seed(1)

    def numbers(count):
        return [random.uniform(-1, 1) for _ in range(count)]

    return {
        "arg0": ("F32", [T, 32], numbers(T * 32)),
        "arg1.seq_offsets": ("I32", [N + 1], OFFSETS),
        "arg1.past": ("I32", [N], PAST),
        "arg1.slot": ("I32", [N], SLOT),
        "arg1.page_table": ("I32", [N, 1], [0, 1, 2]),
        "arg2": ("F32", [2, SLOTS, 32], numbers(2 * SLOTS * 32)),
        "arg3": ("F32", [2, SLOTS, 32], numbers(2 * SLOTS * 32)),
        "arg4": ("BF16", [32], numbers(32)),
        "arg5": ("F32", [2, 48, 32], numbers(2 * 48 * 32)),
    }


def expected(given):
    """The results, in float64 from the rounded arguments."""
    x, keys, values, norm, up = (list(given["arg%d" % i].values()) for i in (0, 2, 3, 4, 5))
    rows = [x[t * 32 : t * 32 + 32] for t in range(T)]
    normed = []
    for row in rows:
        root = math.sqrt(sum(a * a for a in row) / 32 + 1e-5)
        normed.append([a / root * w for a, w in zip(row, norm)])
    logits = []
    for layer in range(2):
        weights = [up[(layer * 48 + n) * 32 :][:32] for n in range(48)]
        logits.append([sum(a * b for a, b in zip(row, w)) for row in normed for w in weights])
        for n in range(N):
            for d in range(32):
                place = (layer * SLOTS + SLOT[n]) * 32 + d
                keys[place] += sum(rows[t][d] for t in range(OFFSETS[n], OFFSETS[n + 1]))
                values[place] = math.exp(keys[place])
    return {"result0": logits[0], "result1": keys, "result2": values, "result3": logits[1]}


def main():
    if sys.argv[1] == "write":
        safetensors_file.write(sys.argv[2], arguments())
        return 0
    found, worst = safetensors_file.read(sys.argv[3]), 0.0
    for name, numbers in expected(safetensors_file.read(sys.argv[2])).items():
        for a, b in zip(found[name].values(), numbers, strict=True):
            worst = max(worst, abs(a - b) / max(1.0, abs(b)))
    print("greatest relative difference:", worst)
    return 0 if worst <= 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main())
