import sys

import lightning_batch as batch
import ops


def arguments():
    # The slots of the first and the third sequence hold what another sequence left there.
    return batch.arguments(lengths=[3, 2, 70], past=[0, 9, 0], slot=[2, 0, 3], slopes=[0.05, 0.3])


def wrong(given):
    return batch.results(given, fresh=False)


sys.exit(ops.main(arguments, batch.results, wrong))
