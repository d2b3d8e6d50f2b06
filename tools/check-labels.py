#!/usr/bin/env python3
"""usage: check-labels.py

Checks that each constraint that an op's description labels ("- C1: …") is tested: a function @<op>_c1, or @<op>_c1_…,
in a file test/dialects/<dialect>/invalid*.mlir. Labels must count up from C1. Prints what is not.
"""

import collections
import re
import sys

import sources

OP = re.compile(r'^def\s+\w+\s*:\s*\w+\s*<\s*"([\w.]+)"', re.MULTILINE)
DESCRIPTION = re.compile(r"let\s+description\s*=\s*\[\{(.*?)\}\]", re.DOTALL)
LABEL = re.compile(r"^\s*-?\s*C(\d+):", re.MULTILINE)
FUNCTION = re.compile(r"@(\w+?)_c(\d+)(?:_\w+)?\b")


def labelled_ops(path):
    """(op, labels in order, line) for each op of a .td file; `.` in an op's name becomes `_`, as in function names."""
    text = sources.text(path)
    starts = list(OP.finditer(text))
    for start, end in zip(starts, [m.start() for m in starts[1:]] + [len(text)]):
        description = DESCRIPTION.search(text, start.end(), end)
        labels = [int(n) for n in LABEL.findall(description.group(1))] if description else []
        yield start.group(1).replace(".", "_"), labels, text.count("\n", 0, start.start()) + 1


def tested_labels():
    """For each dialect folder, the (op, label) pairs that its invalid tests name."""
    tested = collections.defaultdict(set)
    for path in sources.tracked(".mlir"):
        parts = path.split("/")
        if parts[:2] == ["test", "dialects"] and parts[-1].startswith("invalid"):
            tested[parts[2]] |= {(op, int(n)) for op, n in FUNCTION.findall(sources.text(path))}
    return tested


def main():
    tested = tested_labels()
    found = 0
    for path in sources.tracked(".td"):
        if not path.startswith("dialects/"):
            continue
        dialect = path.split("/")[1]
        for op, labels, line in labelled_ops(path):
            if labels != list(range(1, len(labels) + 1)):
                print(f"{path}:{line}: {dialect}.{op}: labels are {labels}, expected 1, 2, … in order", file=sys.stderr)
                found += 1
            for label in labels:
                if (op, label) not in tested[dialect]:
                    where = f"test/dialects/{dialect}/invalid*.mlir"
                    print(f"{path}:{line}: C{label} is untested, expected @{op}_c{label} in {where}", file=sys.stderr)
                    found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
