#!/usr/bin/env python3
"""usage: check-format.py [--fix]

Checks that the C++ and C files are formatted as clang-format 22 does by .clang-format, or formats them.
"""

import subprocess
import sys

import sources


def main():
    if sys.argv[1:] not in ([], ["--fix"]):
        print("usage: check-format.py [--fix]", file=sys.stderr)
        return 2
    mode = ["-i"] if sys.argv[1:] else ["--dry-run", "--Werror"]
    files = sources.tracked(".h", ".cpp", ".c")
    return subprocess.run(["clang-format-22", *mode, *files]).returncode if files else 0


if __name__ == "__main__":
    sys.exit(main())
