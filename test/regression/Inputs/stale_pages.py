import math
import sys

import ops

HEADS, KEY_HEADS, SIZE, PAGES = 4, 2, 16, 6
LENGTHS, PAST = [1, 3, 70], [63, 64, 0]
# Sequence 2 starts in a page that another sequence has left; page 0 belongs to nobody.
TABLE = [[4, 1], [2, 5], [3, 1]]
ROW = KEY_HEADS * SIZE


def place(layer, page, row):
    return ((layer * PAGES + page) * 64 + row) * ROW


def arguments():
    """Every row of the caches that no sequence has written is not a number."""
    tokens = sum(LENGTHS)
    caches = {}
    for name, seed in (("arg4", 5), ("arg5", 6)):
        cache, fresh = [math.nan] * (2 * PAGES * 64 * ROW), ops.uniform(seed, sum(PAST) * ROW)
        for past, table in zip(PAST, TABLE):
            for position in range(past):
                at = place(1, table[position // 64], position % 64)
                cache[at : at + ROW], fresh = fresh[:ROW], fresh[ROW:]
        caches[name] = ("F32", [2, PAGES, 64, KEY_HEADS, SIZE], cache)
    return {
        "arg0": ("F32", [tokens, HEADS, SIZE], ops.uniform(2, tokens * HEADS * SIZE)),
        "arg1": ("F32", [tokens, KEY_HEADS, SIZE], ops.uniform(3, tokens * ROW)),
        "arg2": ("F32", [tokens, KEY_HEADS, SIZE], ops.uniform(4, tokens * ROW)),
        **ops.ragged("arg3", LENGTHS, PAST, [0, 1, 2], TABLE),
        **caches,
    }


def attention(given, visible=lambda position: position + 1, shared=lambda head: head // (HEADS // KEY_HEADS)):
    """out[t, h] = Σ_j softmax_j(q key[j] / 4) value[j] over the first `visible(position)` keys of head `shared(h)`."""
    keys, values, out, t = list(given["arg4"]), list(given["arg5"]), [], 0
    for length, past, table in zip(LENGTHS, PAST, TABLE):
        rows = [place(1, table[p // 64], p % 64) for p in range(past + length)]
        for i in range(length):
            at = rows[past + i]
            keys[at : at + ROW] = given["arg1"][(t + i) * ROW :][:ROW]
            values[at : at + ROW] = given["arg2"][(t + i) * ROW :][:ROW]
        for i in range(length):
            for head in range(HEADS):
                q = given["arg0"][((t + i) * HEADS + head) * SIZE :][:SIZE]
                part = shared(head) * SIZE
                seen = rows[: visible(past + i)]
                scores = [sum(a * b for a, b in zip(q, keys[r + part : r + part + SIZE])) / 4 for r in seen]
                top = max(scores)
                weights = [math.exp(s - top) for s in scores]
                total = sum(weights)
                for d in range(SIZE):
                    out.append(sum(w * values[r + part + d] for w, r in zip(weights, seen)) / total)
        t += length
    return {"result0": out}


def wrong_heads(given):
    # Query head h must read key head h / 2, not h mod 2.
    return attention(given, shared=lambda head: head % KEY_HEADS)


def wrong_mask(given):
    # A token that does not see itself, the first one aside.
    return attention(given, visible=lambda position: max(position, 1))


sys.exit(ops.main(arguments, attention, wrong_heads, wrong_mask))
