import math
import sys

import lightning_batch as batch
import ops


def arguments():
    # Past the first block of every size; one sequence goes on from a state, one is fresh; decays of order 1/10.
    return batch.arguments(lengths=[300, 257], past=[5, 0], slot=[2, 0], slopes=[0.05, 0.01])


def wrong(given):
    return batch.results(given, read_factor=lambda slope, i: math.exp(-slope * i))


sys.exit(ops.main(arguments, batch.results, wrong))
