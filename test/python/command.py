"""For scripts that stand in a RUN line: run a command, or stop with one line."""

import subprocess
import sys


def fail(message):
    sys.exit(f"{sys.argv[0].rsplit('/', 1)[-1]}: {message}")


def run(*words):
    """Standard output of a command. One that fails ends the script with its exit code and what it said."""
    words = list(map(str, words))
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        fail(f"{' '.join(words)} exits {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout
