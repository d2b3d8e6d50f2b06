"""Small calls of tile programs under compute-sanitizer: its memory, shared memory and initialisation checks."""

import os
import random
import shutil
import subprocess

import lightning
import softmax
from safetensors_file import write

TOOLS = ("memcheck", "racecheck", "initcheck")
# Folders of cases; those of programs with a shape make their arguments from these lengths.
CASES = {
    "lightning-8x128-forward": [[65], [1, 64, 50, 3]],
    "lightning-4x128-forward": [[300]],
    "lightning-8x48-forward": [[65]],
    "lightning-48x128-forward": [[1, 1, 2, 1, 1, 1, 1, 1, 1]],
    "lightning-8x128-reverse": [[65]],
    "softmax-8x2x128": [[1], [129, 3]],
    "decode-128-of-5": None,
    "experts-silu": None,
    "experts-silu-int8": None,
}


class Missing(Exception):
    """compute-sanitizer is not installed."""


def find():
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    found = shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path=os.path.join(home, "bin"))
    if not found:
        raise Missing("compute-sanitizer is not installed")
    return found


def arguments(name, lengths, scratch):
    """The entry, and the file of its arguments."""
    kind, shape = name.split("-", 1)
    rng, path = random.Random(f"{name} {lengths}"), os.path.join(scratch, "sanitized-in")
    if kind == "lightning":
        sizes, _ = shape.split("-")
        tensors, _ = lightning.make_arguments(rng, *map(int, sizes.split("x")), lengths)
    else:
        tensors, _ = softmax.make_arguments(rng, tuple(map(int, shape.split("x"))), lengths)
    write(path, tensors)
    return kind, path


def calls(name, cases, scratch, entry_of):
    """(what, words of mm01-run) of each call of a case."""
    folder = os.path.join(cases, name)
    out = ["--out", os.path.join(scratch, "sanitized-out")]
    if CASES[name] is None:
        path = os.path.join(folder, "arguments.safetensors")
        yield "", ["call", os.path.join(folder, "program.so"), "--entry", entry_of(folder), "--in", path, *out]
        return
    for lengths in CASES[name]:
        entry, path = arguments(name, lengths, scratch)
        words = ["call", os.path.join(folder, "gpu.so"), "--entry", entry, "--in", path, *out]
        yield "+".join(map(str, lengths)), words


def check(name, bundle, cases, scratch, entry_of):
    """A line of the table for each call: (what, failed tools, allowed, note). Raises Missing."""
    sanitizer, mm01_run = find(), os.path.join(bundle, "bin/mm01-run")
    for what, words in calls(name, cases, scratch, entry_of):
        failed = []
        for tool in TOOLS:
            command = [sanitizer, "--tool", tool, "--error-exitcode", "9", mm01_run, *words]
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
            text = done.stdout + done.stderr
            if done.returncode != 0 or "SUMMARY: 0 " not in text:
                lines = [line for line in text.splitlines() if line.strip("= ")]
                failed.append(f"{tool}: {' | '.join(lines[1:4] + lines[-1:])}")
        yield what, float(len(failed)), 0.0, "; ".join(failed) or " ".join(TOOLS)
