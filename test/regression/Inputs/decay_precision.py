import math
import sys

import lightning_batch as batch
import ops


def arguments():
    # exp(-0.0005) is exactly 1 in bf16; after 700 tokens the state has lost a third.
    return batch.arguments(lengths=[700, 1], past=[300, 700], slot=[1, 3], slopes=[0.0005, 0.0011])


def wrong(given):
    return batch.results(given, decay=lambda slope: ops.bf16(math.exp(-slope)))


sys.exit(ops.main(arguments, batch.results, wrong))
