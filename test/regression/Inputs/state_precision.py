import sys

import lightning_batch as batch
import ops


def arguments():
    # A slow decay, so that the rounding errors of many tokens add up.
    return batch.arguments(lengths=[300, 1], past=[40, 10000], slot=[0, 3], slopes=[0.002, 0.0005])


def wrong(given):
    return batch.results(given, store=ops.bf16)


sys.exit(ops.main(arguments, batch.results, wrong))
