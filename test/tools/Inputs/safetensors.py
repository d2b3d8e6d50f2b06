"""usage: safetensors.py write FILE "NAME DTYPE SHAPE ELEMENTS"…   |   safetensors.py print FILE

SHAPE and ELEMENTS are numbers with commas, or - for none. print writes one line a tensor, by name.
"""

import sys

import safetensors_file


def numbers(text, kind):
    return [] if text == "-" else [kind(word) for word in text.split(",")]


def parse(line):
    name, dtype, shape, elements = line.split()
    return name, (dtype, numbers(shape, int), numbers(elements, int if dtype.startswith("I") else float))


command, path, *lines = sys.argv[1:]
if command == "write":
    safetensors_file.write(path, dict(map(parse, lines)))
else:
    for name, tensor in sorted(safetensors_file.read(path).items()):
        print(name, tensor.dtype, tensor.shape, *tensor.values())
