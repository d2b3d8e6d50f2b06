import sys

import lightning_batch as batch
import ops


def arguments():
    # A decay that float32 rounds by up to 3e-8 every token is off by 1e-4 after these tokens.
    return batch.arguments(lengths=[4000, 13], past=[64, 4000], slot=[1, 3], slopes=[1.3e-4, 4e-8])


def no_decay(given):
    return batch.results(given, decay=lambda slope: 1.0)


sys.exit(ops.main(arguments, batch.results, no_decay))
