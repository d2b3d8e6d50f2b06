#!/usr/bin/env python3
"""usage: check.py BUNDLE [NAME…]

Runs the programs of a bundle (tools/bundle.sh) on the GPU of this machine, compares their results with those that came
with them and prints one table. Exit code 1 when a check fails; 0, with "unsupported", without a GPU.
"""

import json
import math
import os
import statistics
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


def golden_logits(bundle, folder, out, *options, program="program.so", ids="golden.safetensors:ids_300"):
    """Rows of logits of the checkpoint's program."""
    path = ids if os.path.isabs(ids) else os.path.join(folder, ids)
    command = ["logits", os.path.join(folder, program), "--weights", folder, "--ids", path, "-o", out, *options]
    mm01_run(bundle, *command)
    return rows_of(safetensors_file.read(out)["logits"])


def rows_of(tensor):
    values, width = list(tensor.values()), tensor.shape[1]
    return [values[at : at + width] for at in range(0, len(values), width)]


def squares(found, expected):
    """For each token, the squared norms of the difference and of what is expected."""
    return [
        (sum((a - b) ** 2 for a, b in zip(x, y, strict=True)), sum(b * b for b in y))
        for x, y in zip(found, expected, strict=True)
    ]


def forced_error(bundle, folder, out, *options):
    """The relative error of all golden logits with the experts that the float model chooses."""
    golden = safetensors_file.read(os.path.join(folder, "golden.safetensors"))
    pairs = []
    for tokens in (37, 300, 700):
        found = golden_logits(bundle, folder, out, "--replay-routes", os.path.join(folder, f"routes_{tokens}"), *options,
                              program="given.so", ids=f"golden.safetensors:ids_{tokens}")
        pairs += squares(found, rows_of(golden[f"logits_{tokens}"]))
    return math.sqrt(sum(a for a, _ in pairs) / sum(b for _, b in pairs))


def check_forced(bundle, folder, out):
    return forced_error(bundle, folder, out), 2e-2, "of all logits, routing of the float model"


def check_chunks(bundle, folder, out):
    return forced_error(bundle, folder, out, "--prefill-chunk", "37"), 2e-2, "the same in chunks of 37"


def check_free(bundle, folder, out):
    """The median error of a token's golden logits, with the experts that the program chooses."""
    golden = safetensors_file.read(os.path.join(folder, "golden.safetensors"))
    errors = []
    for tokens in (37, 300, 700):
        found = golden_logits(bundle, folder, out, ids=f"golden.safetensors:ids_{tokens}")
        errors += [math.sqrt(a / b) for a, b in squares(found, rows_of(golden[f"logits_{tokens}"]))]
    return statistics.median(errors), 2.5e-2, f"median of {len(errors)} tokens, routing of its own"


def check_greedy(bundle, folder, out):
    """Golden tokens that the program would not choose after the golden ones before, where the choice is clear."""
    golden = safetensors_file.read(os.path.join(folder, "golden.safetensors"))
    prompt, tokens = (list(golden[name].values()) for name in ("ids_37", "greedy_from_37"))
    ids = out + ".ids"
    safetensors_file.write(ids, {"ids": ("I32", [len(prompt) + len(tokens)], prompt + tokens)})
    rows = golden_logits(bundle, folder, out, ids=ids + ":ids")[len(prompt) - 1 : -1]
    clear = [
        (row.index(max(row)), token)
        for row, token, margin in zip(rows, tokens, golden["greedy_margin"].values(), strict=True)
        if margin > 0.3
    ]
    return sum(a != b for a, b in clear), 0, f"of {len(clear)} tokens differ"


def check_ragged(bundle, folder, _):
    """Sequences whose tokens in a batch are not those that they have alone."""
    prompts = ["1,2,3", "200", ",".join(str(7 * i % 256) for i in range(90))]
    words = ["generate", os.path.join(folder, "program.so"), "--weights", folder, "--max-new-tokens", "6"]
    together = mm01_run(bundle, *words, *(word for prompt in prompts for word in ("--prompt-ids", prompt))).split()
    alone = [mm01_run(bundle, *words, "--prompt-ids", prompt).split()[0] for prompt in prompts]
    return sum(a != b for a, b in zip(together, alone, strict=True)), 0, f"of {len(prompts)} sequences differ in a batch"


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
    for name, check in (("forced", check_forced), ("forced-chunks", check_chunks), ("free", check_free),
                        ("greedy", check_greedy), ("ragged", check_ragged)):
        checks.append((f"golden-{name}", check, os.path.join(bundle, "tiny-a")))
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
