"""usage: safetensors.py write FILE "NAME DTYPE SHAPE ELEMENTS"…   |   safetensors.py print FILE

SHAPE and ELEMENTS are numbers with commas, or - for none. print writes one line a tensor, by name.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "codegen", "differential"))
import files  # noqa: E402


def numbers(text, kind):
    return [] if text == "-" else [kind(word) for word in text.split(",")]


def parse(line):
    name, dtype, shape, elements = line.split()
    return name, (dtype, numbers(shape, int), numbers(elements, int if dtype.startswith("I") else float))


command, path, *lines = sys.argv[1:]
if command == "write":
    files.write(path, dict(map(parse, lines)))
else:
    for name, (dtype, shape, elements) in sorted(files.read(path).items()):
        print(name, dtype, shape, *elements)
