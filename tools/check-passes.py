#!/usr/bin/env python3
"""usage: check-passes.py

Checks each pass that a .td file registers: its summary has six words or more, its description is not empty, and some
lit test outside the file's folder runs it by its flag. Prints what is missing.
"""

import re
import sys

import sources

PASS = re.compile(r'^def\s+(\w+)\s*:\s*\w*Pass\w*\s*<\s*"([\w-]+)"', re.MULTILINE)
SUMMARY = re.compile(r'let\s+summary\s*=\s*((?:"[^"]*"\s*)+);')
DESCRIPTION = re.compile(r"let\s+description\s*=\s*\[\{(.*?)\}\]", re.DOTALL)


def registered_passes():
    """(file, line, flag, text of the definition) of each pass."""
    for path in sources.tracked(".td"):
        text = sources.text(path)
        starts = list(PASS.finditer(text))
        for start, end in zip(starts, [m.start() for m in starts[1:]] + [len(text)]):
            yield path, text.count("\n", 0, start.start()) + 1, start.group(2), text[start.start() : end]


def run_lines():
    """The RUN lines of all lit tests, in one string."""
    lines = []
    for path in sources.tracked(".mlir", ".test"):
        if path.startswith("test/"):
            lines += [line for line in sources.lines(path) if "RUN:" in line]
    return "\n".join(lines)


def main():
    tests = run_lines()
    problems = []
    for path, line, flag, text in registered_passes():
        summary = SUMMARY.search(text)
        words = len("".join(re.findall(r'"([^"]*)"', summary.group(1))).split()) if summary else 0
        if words < 6:
            problems.append(f"{path}:{line}: {flag}: the summary has {words} words, expected six or more")
        description = DESCRIPTION.search(text)
        if not description or not description.group(1).strip():
            problems.append(f"{path}:{line}: {flag}: no description")
        if not re.search(rf"(?<!\w)(?<!\w-){re.escape(flag)}(?![\w-])", tests):
            problems.append(f"{path}:{line}: {flag}: no RUN line of a lit test names --{flag}")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
