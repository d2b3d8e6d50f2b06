"""usage: grouped.py grouped|grouped-plain WIDTH [ABOVE]

Prints the program of a width, as the comments in grouped.mlir and grouped-plain.mlir say.
"""

import pathlib
import re
import sys


def program(name, width, above):
    head, body = (pathlib.Path(__file__).parent / f"{name}.mlir").read_text().split("gpu.module", 1)
    columns = width // 2 if name == "grouped" else width
    for alias, rows in (("tokens", width), ("part", columns), ("results", columns)):
        head = re.sub(rf"(!{alias} = !tile.buffer<)\d+x", rf"\g<1>{rows}x", head)
    head = re.sub(r"(!products\w* = tensor<64x)\d+x", rf"\g<1>{columns}x", head)
    body = body.replace("%width = arith.constant 256", f"%width = arith.constant {width}")
    body = body.replace("%above = arith.constant 240", f"%above = arith.constant {above}")
    return head + "gpu.module" + body.replace("%xs[128]", f"%xs[{columns}]")


if __name__ == "__main__":
    print(program(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0))
