#!/usr/bin/env python3
"""usage: check-commands.py BUILD-FOLDER

Runs the commands of every ```console block of README.md and docs/ that begin with `$ build/bin/mm01-`, and compares
what they print on stdout with the lines below them. `…` in a line stands for any text, a line `…` for any lines.
No lines below a command: anything may be printed. Every command must exit 0. The commands of one file run in one empty
folder, in order, where `build` and `test` are the project's.
"""

import os
import re
import subprocess
import sys
import tempfile

import sources

PREFIX = "$ build/bin/mm01-"


def commands(path):
    """(line, command, expected lines) of each command to run; a `\\` at the end of a line continues the command."""
    inside, current = False, None
    for number, line in enumerate(sources.lines(path), 1):
        if line.strip() in ("```console", "```") or line.startswith("$ "):
            if current:
                yield current
                current = None
        if line.strip() == "```console":
            inside = True
        elif line.strip() == "```":
            inside = False
        elif inside and line.startswith(PREFIX):
            current = (number, line[2:], [])
        elif inside and current:
            _, command, expected = current
            if command.endswith("\\") and not expected:
                current = (current[0], command[:-1] + line.strip(), [])
            else:
                expected.append(line)


def pattern(expected):
    """The regular expression that the expected lines stand for."""
    parts = []
    for line in expected:
        if line == "…":
            parts.append(r"(?:.*\n)*")
        else:
            parts.append(".*".join(re.escape(piece) for piece in line.split("…")) + r"\n")
    return "".join(parts)


def problem(command, expected, folder):
    try:
        done = subprocess.run(
            command, shell=True, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600
        )
    except subprocess.TimeoutExpired:
        return "runs longer than ten minutes"
    if done.returncode != 0:
        return f"exit code {done.returncode}, expected 0:\n{done.stdout}{done.stderr}"
    if expected and not re.fullmatch(pattern(expected), done.stdout):
        return f"the lines below it differ from what it prints:\n{done.stdout}"
    return None


def main():
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        print("usage: check-commands.py BUILD-FOLDER", file=sys.stderr)
        return 2
    build = os.path.abspath(sys.argv[1])
    run, failed = 0, 0
    for path in sources.tracked(".md"):
        if path != "README.md" and not path.startswith("docs/"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(build, os.path.join(folder, "build"))
            for name in ("test", "docs"):
                os.symlink(os.path.join(sources.ROOT, name), os.path.join(folder, name))
            for line, command, expected in commands(path):
                run += 1
                if why := problem(command, expected, folder):
                    failed += 1
                    print(f"{path}:{line}: {command}: {why}", file=sys.stderr)
    print(f"{run} commands, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
