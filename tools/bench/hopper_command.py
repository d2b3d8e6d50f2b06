"""What the command lines of hopper_*.py have in common."""

import inspect
import pathlib
import sys


def command(usage, build, run):
    """Runs `build FOLDER` or `run FOLDER …`, with as many words as the function takes; the exit code."""
    verb, *words = sys.argv[1:] or [""]
    function = {"build": build, "run": run}.get(verb)
    if function is None or len(words) != len(inspect.signature(function).parameters):
        print(usage, file=sys.stderr)
        return 2
    return function(pathlib.Path(words[0]).resolve(), *words[1:]) or 0
