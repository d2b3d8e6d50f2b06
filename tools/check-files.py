#!/usr/bin/env python3
"""usage: check-files.py

Checks every file of the project: the licence header and the file's name in its first line, the length, trailing blanks,
a newline at the end, and no path of somebody's own machine. Prints FILE:LINE and what was expected.
"""

import re
import sys

import sources

LICENSED = (".h", ".cpp", ".c", ".td")
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
LONGEST = {".cpp": 600, ".h": 600, ".td": 500, ".mlir": 200, ".test": 200, ".py": 400, ".sh": 300}
MACHINE = re.compile(r"(?<![\w.%$}/-])/(?:home|root|work|Users)/\w")
TEXT = LICENSED + (".py", ".sh", ".md", ".mlir", ".test", ".txt", ".cmake", ".yaml", ".in")


def header_problem(path, lines):
    name = path.split("/")[-1]
    if not lines or f"===- {name} - " not in lines[0] or not re.search(r"===(//|\*\\)$", lines[0]):
        return f"expected '===- {name} - what it is ---===//' as the first line, in 80 columns"
    if not any(SPDX in line for line in lines[:8]):
        return f"expected '{SPDX}' in the first eight lines"
    return None


def problems(path):
    text = sources.text(path)
    lines = text.splitlines()
    if path.endswith(LICENSED) and (why := header_problem(path, lines)):
        yield 1, why
    suffix = "." + path.rsplit(".", 1)[-1]
    if len(lines) > LONGEST.get(suffix, len(lines)):
        yield len(lines), f"{len(lines)} lines, expected at most {LONGEST[suffix]}: split the file"
    if path.endswith(TEXT) and text and not text.endswith("\n"):
        yield len(lines), "expected a newline at the end"
    for number, line in enumerate(lines, 1):
        if path.endswith(TEXT) and line != line.rstrip():
            yield number, "expected no blanks at the end of the line"
        if MACHINE.search(line):
            yield number, "expected no path of somebody's own machine"


def main():
    found = 0
    for path in sources.tracked():
        if path.startswith("docs/generated/"):
            continue
        for line, why in problems(path):
            print(f"{path}:{line}: {why}", file=sys.stderr)
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
