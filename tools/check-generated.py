#!/usr/bin/env python3
"""usage: check-generated.py GENERATED-FOLDER [--fix]

Compares docs/generated with what the build generated from the TableGen files, or copies it there.
"""

import os
import shutil
import sys

import sources

COMMITTED = "docs/generated"


def contents(folder):
    """Name to bytes of each Markdown file of the folder."""
    found = {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if name.endswith(".md"):
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = file.read()
    return found


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--fix"]):
        print("usage: check-generated.py GENERATED-FOLDER [--fix]", file=sys.stderr)
        return 2
    fresh, committed = contents(sys.argv[1]), contents(COMMITTED)
    differing = [name for name in sorted({*fresh, *committed}) if fresh.get(name) != committed.get(name)]
    if sys.argv[2:]:
        os.makedirs(COMMITTED, exist_ok=True)
        for name in differing:
            target = os.path.join(COMMITTED, name)
            if name in fresh:
                shutil.copyfile(os.path.join(sys.argv[1], name), target)
            else:
                os.remove(target)
        return 0
    for name in differing:
        print(f"{COMMITTED}/{name} is out of date: run `cmake --build build --target docs`", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
