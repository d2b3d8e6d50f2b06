#!/usr/bin/env python3
"""usage: check-includes.py

Checks that includes follow docs/architecture.md, "Direction of dependencies". Project files are included by their path
from the root, or by name from their own folder. Prints FILE:LINE and what was expected for each that does not.
"""

import os
import re
import sys

import sources

# What a folder may include, the first match decides. "llvm" stands for MLIR, LLVM and lld.
RULES = [
    ("frontend/safetensors", []),
    ("runtime/abi", []),
    ("runtime", ["runtime", "frontend/safetensors"]),
    ("tools/mm01-run", ["runtime", "frontend/safetensors", "tools/mm01-run"]),
    ("dialects", ["dialects", "llvm"]),
    ("passes", ["dialects", "passes", "llvm"]),
    ("codegen", ["dialects", "passes", "codegen", "runtime/abi", "frontend/safetensors", "llvm"]),
    ("frontend", ["dialects", "frontend", "llvm"]),
    ("models", ["dialects", "frontend", "models", "llvm"]),
    ("tools", ["dialects", "passes", "codegen", "frontend", "models", "runtime/abi", "tools", "llvm"]),
]
STATIONS = {folder.split("/")[0] for folder, _ in RULES} | {"test"}
LLVM = {"mlir", "mlir-c", "llvm", "llvm-c", "lld", "clang"}
INCLUDE = re.compile(r'^\s*(?:#\s*)?include\s*([<"])([^>"]+)[>"]')


def inside(path, folder):
    return path == folder or path.startswith(folder + "/")


def problem(path, bracket, name):
    """What is wrong with the include of `name` in the file `path`, or None."""
    folder, allowed = next(((f, a) for f, a in RULES if inside(path, f)), (None, None))
    if folder is None:
        return None
    head = name.split("/")[0]
    if ".." in name.split("/"):
        return "expected a path from the root of the project"
    if head in LLVM:
        return None if "llvm" in allowed else f"{folder} includes neither MLIR nor LLVM"
    if head in STATIONS and "/" in name:
        if inside(name, folder) or any(inside(name, a) for a in allowed):
            return None
        return f"{folder} may include {', '.join(allowed) if allowed else 'only itself'}"
    if bracket == '"' and "/" not in name:
        beside = os.path.join(os.path.dirname(path), name)
        if not os.path.exists(beside) and not name.endswith(".inc"):
            return "expected a file of the same folder, or a path from the root of the project"
    return None


def main():
    found = 0
    for path in sources.tracked(".h", ".cpp", ".td", ".inc", ".c"):
        for number, line in enumerate(sources.lines(path), 1):
            match = INCLUDE.match(line)
            if match and (why := problem(path, *match.groups())):
                print(f"{path}:{number}: include of {match.group(2)}: {why}", file=sys.stderr)
                found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
