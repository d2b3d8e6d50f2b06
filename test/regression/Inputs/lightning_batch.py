"""Arguments of lightning.mlir, and its results one sequence, head and token after another."""

import math

import ops

HEADS, SIZE, SLOTS = 2, 16, 4
STATE = HEADS * SIZE * SIZE


def arguments(lengths, past, slot, slopes, seed=1):
    count = sum(lengths) * HEADS * SIZE
    wide = -(-max(p + n for p, n in zip(past, lengths)) // 64)
    return {
        **{"arg%d" % i: ("F32", [sum(lengths), HEADS, SIZE], ops.uniform(seed + i, count)) for i in range(3)},
        "arg3": ("F32", [HEADS], slopes),
        **ops.ragged("arg4", lengths, past, slot, [list(range(n * wide, n * wide + wide)) for n in range(len(lengths))]),
        "arg5": ("F32", [2, SLOTS, HEADS, SIZE, SIZE], ops.uniform(seed + 3, 2 * SLOTS * STATE)),
    }


def results(given, decay=lambda s: math.exp(-s), fresh=True, read_factor=None, store=lambda x: x):
    """The right results, or wrong ones: with another decay, with `fresh` sequences that find the slot's old state, …"""
    q, k, v = (
        [[given["arg%d" % i][(t * HEADS + h) * SIZE :][:SIZE] for t in range(len(given["arg0"]) // HEADS // SIZE)]
         for h in range(HEADS)]
        for i in range(3)
    )  # fmt: skip
    state = [list(given["arg5"][i * STATE :][:STATE]) for i in range(2 * SLOTS)]
    out = [0.0] * len(given["arg0"])
    offsets = given["arg4.seq_offsets"]
    for n, slot in enumerate(given["arg4.slot"]):
        place = state[SLOTS + slot]
        tokens = list(range(offsets[n], offsets[n + 1]))
        for h, slope in enumerate(given["arg3"]):
            rows = [place[(h * SIZE + a) * SIZE :][:SIZE] for a in range(SIZE)]
            if fresh and given["arg4.past"][n] == 0:
                rows = [[0.0] * SIZE for _ in rows]
            factor = (lambda i, s=slope: read_factor(s, i)) if read_factor else None
            o, rows = ops.lightning(q[h], k[h], v[h], rows, decay(slope), tokens, factor, store)
            for t, row in zip(tokens, o):
                out[(t * HEADS + h) * SIZE : (t * HEADS + h + 1) * SIZE] = row
            place[h * SIZE * SIZE : (h + 1) * SIZE * SIZE] = [x for row in rows for x in row]
    return {"result0": out, "result1": [x for row in state for x in row]}
