#!/usr/bin/env python3
"""usage: check.py BUNDLE [NAME…]

Runs the programs of a bundle (tools/bundle.sh) on the GPU of this machine, compares their results with those that came
with them and prints one table. Exit code 1 when a check fails; 0, with "unsupported", without a GPU.
"""

import json
import math
import os
import subprocess
import sys
import tempfile

import safetensors_file

ABSENT = ("no CUDA driver", "no GPU", "compute capability", "driver is too old")


class Unsupported(Exception):
    """This machine has no GPU to check."""


def mm01_run(bundle, *words):
    """What a command prints; its line of error is an exception."""
    command = [os.path.join(bundle, "bin/mm01-run"), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode == 0:
        return done.stdout
    line = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    raise (Unsupported if any(words in line for words in ABSENT) else RuntimeError)(line)


def relative_error(found, expected):
    """The largest difference, of the largest magnitude; NaN where there is one."""
    if found.shape != expected.shape:
        raise RuntimeError(f"shape {found.shape}, expected {expected.shape}")
    pairs = list(zip(found.values(), expected.values()))
    if any(math.isnan(a) != math.isnan(b) for a, b in pairs):
        return math.nan
    scale = max([1.0] + [abs(b) for _, b in pairs])
    return max([0.0] + [abs(a - b) for a, b in pairs]) / scale


def compare(found, expected):
    if found.keys() != expected.keys():
        raise RuntimeError(f"results {sorted(found)}, expected {sorted(expected)}")
    return max(relative_error(found[name], expected[name]) for name in expected)


def check_case(bundle, folder, out):
    """(error, tolerance, note) of one program."""
    with open(os.path.join(folder, "case.json"), encoding="utf-8") as file:
        case = json.load(file)
    if "refused" in case:
        raise RuntimeError(case["refused"])
    program = os.path.join(folder, "program.so")
    arguments = os.path.join(folder, "arguments.safetensors")
    call = ["call", program, "--entry", case["entry"], "--in", arguments, "--out", out]
    mm01_run(bundle, *call)
    expected = safetensors_file.read(os.path.join(folder, "expected.safetensors"))
    error = compare(safetensors_file.read(out), expected)
    note = ""
    if case["bench"]:
        settings = [word for setting in [*case["bench"], "iterations=20"] for word in ("--set", setting)]
        text = mm01_run(bundle, "bench", program, "--entry", case["entry"], "--json", *settings)
        note = f"{json.loads(text)['seconds']['median'] * 1e6:.1f} us for {' '.join(case['bench'])}"
    return error, case["tolerance"], note


def check_golden(bundle, folder, out):
    """The golden checkpoint's logits of 300 tokens, whole and in chunks."""
    golden = safetensors_file.read(os.path.join(folder, "golden.safetensors"))
    worst = 0.0
    for options in ([], ["--prefill-chunk", "37"]):
        ids = os.path.join(folder, "golden.safetensors") + ":ids_300"
        program = os.path.join(folder, "program.so")
        mm01_run(bundle, "logits", program, "--weights", folder, "--ids", ids, "-o", out, *options)
        found = safetensors_file.read(out)["logits"]
        worst = max(worst, relative_error(found, golden["logits_300"]))
    return worst, 2e-4, ""


def check_graphs(bundle, folder, out):
    """Decode steps as graphs and one by one: logits of a sequence token by token, bit by bit, and the draws of batches
    whose sizes are padded."""
    program = os.path.join(folder, "program.so")
    ids = os.path.join(folder, "golden.safetensors") + ":ids_37"
    step = ["logits", program, "--weights", folder, "--ids", ids, "-o", out, "--prefill-chunk", "1"]
    prompts = [word for n in range(1, 8) for word in ("--prompt-ids", ",".join(str(7 * n + i) for i in range(n)))]
    draw = ["generate", program, "--weights", folder, "--max-new-tokens", "80", "--temperature", "1", *prompts]
    found = []
    for graphs in ("on", "off"):
        mm01_run(bundle, *step, f"--graphs={graphs}")
        with open(out, "rb") as file:
            found.append((file.read(), mm01_run(bundle, *draw, f"--graphs={graphs}")))
    wrong = sum(a != b for a, b in zip(*found))
    return float(wrong), 0.0, "graphs and single launches, equal bits"


def main():
    bundle, wanted = sys.argv[1], set(sys.argv[2:])
    cases = os.path.join(bundle, "cases")
    checks = [(name, check_case, os.path.join(cases, name)) for name in sorted(os.listdir(cases))]
    checks.append(("golden tiny-a", check_golden, os.path.join(bundle, "tiny-a")))
    checks.append(("decode graphs", check_graphs, os.path.join(bundle, "tiny-a")))
    failed = 0
    print(f"{'check':28} {'result':8} {'error':>9} {'allowed':>9}")
    with tempfile.TemporaryDirectory() as scratch:
        for name, check, folder in checks:
            if wanted and name not in wanted:
                continue
            try:
                error, allowed, note = check(bundle, folder, os.path.join(scratch, "results.safetensors"))
                passed = error <= allowed  # not true of a NaN
                print(f"{name:28} {'pass' if passed else 'FAIL':8} {error:9.1e} {allowed:9.1e}  {note}")
            except Unsupported as why:
                print(f"unsupported: {why}")
                return 0
            except RuntimeError as why:
                passed = False
                print(f"{name:28} {'FAIL':8} {why}")
            failed += not passed
            sys.stdout.flush()
    print(f"{failed} checks failed" if failed else "all checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
