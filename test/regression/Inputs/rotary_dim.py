import math
import struct
import sys

import ops

HEADS, SIZE, THETA = 2, 32, 1e7
# Chunks: at the start, in the middle, and near position 4 million, where a float32 angle is off by a quarter.
LENGTHS, PAST = [5, 3, 4], [0, 1000, 4000000]


def arguments():
    tokens = sum(LENGTHS)
    # Pages that are written to belong to one sequence; the others may be shared.
    pages = [[3] * (position // 64) + [n] for n, position in enumerate(PAST)]
    return {
        "arg0": ("F32", [tokens, HEADS, SIZE], ops.uniform(1, tokens * HEADS * SIZE)),
        **ops.ragged("arg1", LENGTHS, PAST, [0, 1, 2], pages),
    }


def rotated(given, rotary_dim, angle):
    """Pairs (i, i + rotary_dim / 2) of each head, turned by angle(position, i / (rotary_dim / 2))."""
    x, half = list(given["arg0"]), rotary_dim // 2
    positions = [p + i for n, p in zip(LENGTHS, PAST) for i in range(n)]
    for t, position in enumerate(positions):
        for head in range(HEADS):
            at = (t * HEADS + head) * SIZE
            for i in range(half):
                a = angle(position, i / half)
                first, second = x[at + i], x[at + i + half]
                x[at + i] = first * math.cos(a) - second * math.sin(a)
                x[at + i + half] = second * math.cos(a) + first * math.sin(a)
    return x


def exact(position, exponent):
    return position * THETA**-exponent


def expected(given):
    return {"result%d" % i: rotated(given, size, exact) for i, size in enumerate((0, 16, 32))}


def wrong_size(given):
    return {"result0": rotated(given, 32, exact), "result1": rotated(given, 32, exact)}


def wrong_angle(given):
    def single(x):
        return struct.unpack("<f", struct.pack("<f", x))[0]

    return {"result1": rotated(given, 16, lambda p, e: single(single(p) * single(THETA**-e)))}


sys.exit(ops.main(arguments, expected, wrong_size, wrong_angle))
