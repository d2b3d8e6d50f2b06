import math
import sys

import lightning_batch as batch
import ops

LENGTHS, SLOTS = [31, 1, 33], [1, 3, 0]


def arguments():
    """The tokens of the second sequence, and the slots and the layer that nobody uses, are not numbers."""
    given = batch.arguments(LENGTHS, past=[0, 7, 5], slot=SLOTS, slopes=[0.05, 0.3])
    row, state = batch.HEADS * batch.SIZE, batch.STATE
    for name in ("arg0", "arg1", "arg2"):
        given[name][2][LENGTHS[0] * row : (LENGTHS[0] + 1) * row] = [math.nan] * row
    for place in list(range(batch.SLOTS)) + [batch.SLOTS + 2]:
        given["arg5"][2][place * state : (place + 1) * state] = [math.nan] * state
    return given


def live(results):
    """What belongs to the first and the third sequence."""
    row, state = batch.HEADS * batch.SIZE, batch.STATE
    out, new = results["result0"], results["result1"]
    slots = [new[(batch.SLOTS + slot) * state :][:state] for slot in (SLOTS[0], SLOTS[2])]
    return {"result0": out[: LENGTHS[0] * row] + out[(LENGTHS[0] + 1) * row :], "result1": slots[0] + slots[1]}


def expected(given):
    return live(batch.results(given))


def wrong(given):
    # 0 · NaN is NaN: masking by a product lets every row of a block reach every other.
    return {"result0": [math.nan] * len(expected(given)["result0"])}


sys.exit(ops.main(arguments, expected, wrong, pick=live))
