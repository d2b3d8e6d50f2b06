"""Arguments and float64 references of single operations, for the tests beside this folder.

A test's script defines `arguments()`, `expected(arguments)` and, for each bug, a function with the results that it gave,
and calls `main`: usage: SCRIPT write ARGS.safetensors | SCRIPT check ARGS.safetensors RESULTS.safetensors...
`check` fails unless every file of results is within TOLERANCE of `expected`, and unless each bug's are a hundred times
farther away: a test that could not see its bug is no test. `pick` takes from results what is compared.
"""

import math
import random
import struct
import sys

import safetensors_file

TOLERANCE = 2e-5


def read(path):
    """name -> numbers."""
    return {name: list(tensor.values()) for name, tensor in safetensors_file.read(path).items()}


def uniform(seed, count):
    """Numbers in [-1, 1) that float32 holds exactly."""
    rng = random.Random(seed)
    return [struct.unpack("<f", struct.pack("<f", rng.uniform(-1, 1)))[0] for _ in range(count)]


def bf16(x):
    """x rounded to the nearest bfloat16."""
    return struct.unpack("<f", struct.pack("<I", safetensors_file.to_bf16(x) << 16))[0]


def ragged(name, lengths, past, slot, pages):
    """The four tensors of a ragged argument; pages: the pages of each sequence, one list each."""
    offsets = [sum(lengths[:n]) for n in range(len(lengths) + 1)]
    wide = max(len(row) for row in pages)
    table = [page for row in pages for page in row + [0] * (wide - len(row))]
    return {
        name + ".seq_offsets": ("I32", [len(offsets)], offsets),
        name + ".past": ("I32", [len(past)], past),
        name + ".slot": ("I32", [len(slot)], slot),
        name + ".page_table": ("I32", [len(pages), wide], table),
    }


def lightning(q, k, v, state, decay, tokens, read_factor=None, store=lambda x: x):
    """The recurrence of one head, its definition: S <- decay S + kᵀ v; o = q S. q, k, v: lists of rows; state: rows.

    `read_factor(i)` scales what the initial state gives token i, and `store` rounds the state after each token; both
    are for wrong results.
    """
    size = len(state)
    initial, power = [list(row) for row in state], 1.0
    state = [list(row) for row in state]
    if read_factor:
        state = [[0.0] * size for _ in range(size)]
    out = []
    for t in tokens:
        power *= decay
        for a in range(size):
            row, ka = state[a], k[t][a]
            for b in range(size):
                row[b] = store(decay * row[b] + ka * v[t][b])
        o = [sum(q[t][a] * state[a][b] for a in range(size)) for b in range(size)]
        if read_factor:
            factor = read_factor(t - tokens[0])
            o = [o[b] + factor * sum(q[t][a] * initial[a][b] for a in range(size)) for b in range(size)]
        out.append(o)
    if read_factor:
        state = [[state[a][b] + power * initial[a][b] for b in range(size)] for a in range(size)]
    return out, state


def distance(found, wanted):
    """The largest difference, as a part of the largest number; infinite where one is not a number or is missing."""
    if len(found) != len(wanted) or not all(map(math.isfinite, found)):
        return math.inf
    return max(abs(a - b) for a, b in zip(found, wanted)) / max(1.0, max(map(abs, wanted)))


def main(arguments, expected, *wrongs, pick=lambda results: results):
    if sys.argv[1] == "write":
        safetensors_file.write(sys.argv[2], arguments())
        return 0
    given = read(sys.argv[2])
    right, status = expected(given), 0
    for path in sys.argv[3:]:
        found = pick(read(path))
        for name, numbers in right.items():
            far = distance(found[name], numbers)
            print("%s: %s differs by %.2g" % (path, name, far))
            status |= not far <= TOLERANCE
    for wrong in wrongs:
        seen = max(distance(numbers, right[name]) for name, numbers in wrong(given).items())
        print("%s would differ by %.2g" % (wrong.__name__, seen))
        status |= not seen > 100 * TOLERANCE
    return int(status)
