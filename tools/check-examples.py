#!/usr/bin/env python3
"""usage: check-examples.py MM01-OPT

Runs every ```mlir block of the project's Markdown files, the generated reference among them, through mm01-opt. Each is
a whole module or a sequence of operations that may stand in one. What is only meant to be read is a ```text block.
"""

import subprocess
import sys

import sources


def blocks(path, kind):
    """(line of the first line inside, text) of each fenced block of `kind`; a fence may be indented."""
    start, indent, body = None, 0, []
    for number, line in enumerate(sources.lines(path), 1):
        stripped = line.strip()
        if start is None and stripped == "```" + kind:
            start, indent, body = number + 1, len(line) - len(line.lstrip()), []
        elif start is not None and stripped == "```":
            yield start, "\n".join(body) + "\n"
            start = None
        elif start is not None:
            body.append(line[indent:] if not line[:indent].strip() else line)


def main():
    if len(sys.argv) != 2:
        print("usage: check-examples.py MM01-OPT", file=sys.stderr)
        return 2
    run, failed = 0, 0
    for path in sources.tracked(".md"):
        for line, example in blocks(path, "mlir"):
            done = subprocess.run([sys.argv[1], "-"], input=example, text=True, capture_output=True)
            run += 1
            if done.returncode != 0:
                failed += 1
                print(f"{path}:{line}: mm01-opt refuses the example:\n{done.stderr}", file=sys.stderr)
    print(f"{run} examples, {failed} refused")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
