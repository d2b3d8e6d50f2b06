#!/usr/bin/env python3
"""usage: check.py BUNDLE [START…]

Runs the programs of a bundle (tools/bundle.sh) on the GPU of this machine, compares their results with those that came
with them and prints one table; or the checks alone whose names start so. Exit code 1 when one fails; 0, with
"unsupported", without a GPU.
"""

import concurrent.futures
import functools
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

import lightning
import safetensors_file
import sanitizer
import softmax

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


def check_case(bundle, folder, scratch):
    """(what, error, tolerance, note) of one program, or of several calls of it."""
    with open(os.path.join(folder, "case.json"), encoding="utf-8") as file:
        case = json.load(file)
    for checked in (lightning, softmax):
        if shape := case.get(checked.__name__):
            yield from checked.check(lambda *words: mm01_run(bundle, *words), folder, shape, scratch)
            return
    out = os.path.join(scratch, "results.safetensors")
    if "refused" in case:
        raise RuntimeError(case["refused"])
    program = os.path.join(folder, "program.so")
    arguments = os.path.join(folder, "arguments.safetensors")
    call = ["call", program, "--entry", case["entry"], "--in", arguments, "--out", out]
    mm01_run(bundle, *call)
    expected = safetensors_file.read(os.path.join(folder, "expected.safetensors"))
    error = compare(safetensors_file.read(out), expected)
    yield "", error, case["tolerance"], ""


def golden_logits(bundle, folder, scratch, *options, program="program.so", ids="golden.safetensors:ids_300"):
    """Rows of logits of the checkpoint's program."""
    path, out = os.path.join(folder, ids), os.path.join(scratch, "results.safetensors")  # an absolute one stays
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


def golden_squares(bundle, folder, scratch, golden, options, **program):
    pairs = []
    for tokens in (37, 300, 700):
        words = [word.format(tokens) for word in options]
        found = golden_logits(bundle, folder, scratch, *words, ids=f"golden.safetensors:ids_{tokens}", **program)
        pairs += squares(found, rows_of(golden[f"logits_{tokens}"]))
    return pairs


def wrong_greedy(bundle, folder, scratch, golden):
    """Golden tokens that the program would not choose after the golden ones before, where the choice is clear, and how
    many are clear."""
    prompt, tokens = (list(golden[name].values()) for name in ("ids_37", "greedy_from_37"))
    ids = os.path.join(scratch, "ids.safetensors")
    safetensors_file.write(ids, {"ids": ("I32", [len(prompt) + len(tokens)], prompt + tokens)})
    rows = golden_logits(bundle, folder, scratch, ids=ids + ":ids")[len(prompt) - 1 : -1]
    clear = [
        row.index(max(row)) != token
        for row, token, margin in zip(rows, tokens, golden["greedy_margin"].values(), strict=True)
        if margin > 0.3
    ]
    return sum(clear), len(clear)


def wrong_in_batch(bundle, folder):
    """Sequences whose tokens in a batch are not those that they have alone."""
    prompts = ["1,2,3", "200", ",".join(str(7 * i % 256) for i in range(90))]
    words = ["generate", os.path.join(folder, "program.so"), "--weights", folder, "--max-new-tokens", "6"]
    together = mm01_run(bundle, *words, *(word for prompt in prompts for word in ("--prompt-ids", prompt))).split()
    alone = [mm01_run(bundle, *words, "--prompt-ids", prompt).split()[0] for prompt in prompts]
    return sum(a != b for a, b in zip(together, alone, strict=True))


def check_golden(bundle, folder, scratch):
    """The golden checkpoint in bf16: errors are relative, of the norm."""
    golden = safetensors_file.read(os.path.join(folder, "golden.safetensors"))
    replay = ["--replay-routes", os.path.join(folder, "routes_{}")]
    for what, options in (("forced", []), ("forced, chunks", ["--prefill-chunk", "37"])):
        pairs = golden_squares(bundle, folder, scratch, golden, replay + options, program="given.so")
        error = math.sqrt(sum(a for a, _ in pairs) / sum(b for _, b in pairs))
        yield what, error, 2e-2, "all logits, routing of the float model"
    pairs = golden_squares(bundle, folder, scratch, golden, [])
    median = statistics.median(math.sqrt(a / b) for a, b in pairs)
    yield "free", median, 2.5e-2, f"median of {len(pairs)} tokens, routing of its own"
    wrong, clear = wrong_greedy(bundle, folder, scratch, golden)
    yield "greedy", float(wrong), 0.0, f"of {clear} clear tokens differ"
    yield "ragged", float(wrong_in_batch(bundle, folder)), 0.0, "sequences that differ in a batch"


def check_int8(bundle, folder, scratch):
    """The golden checkpoint with int8 weights, beside the interpreter on the same weights and with its routing."""
    pairs = []
    for tokens in (37, 300, 700):
        replay = ["--replay-routes", os.path.join(folder, f"int8_routes_{tokens}")]
        ids = f"golden.safetensors:ids_{tokens}"
        found = golden_logits(bundle, folder, scratch, *replay, ids=ids, program="int8-given.so")
        expected = safetensors_file.read(os.path.join(folder, f"int8_logits_{tokens}"))["logits"]
        pairs += squares(found, rows_of(expected))
    error = math.sqrt(sum(a for a, _ in pairs) / sum(b for _, b in pairs))
    yield "forced", error, 2e-2, "all logits, routing of the interpreter on the same int8 weights"


def check_graphs(bundle, folder, scratch):
    """Decode steps as graphs and one by one: logits of a sequence token by token, bit by bit, and the draws of batches
    whose sizes are padded."""
    program, out = os.path.join(folder, "program.so"), os.path.join(scratch, "results.safetensors")
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
    yield "", float(wrong), 0.0, "graphs and single launches, equal bits"


def entry_of(folder):
    with open(os.path.join(folder, "case.json"), encoding="utf-8") as file:
        return json.load(file)["entry"]


def check_sanitizer(name, bundle, cases, scratch):
    yield from sanitizer.check(name, bundle, cases, scratch, entry_of)


def table_of(bundle, name, check, folder):
    """The lines of a check, and whether all of it passed; None if it could not be run here."""
    lines, passed = [], True
    try:
        with tempfile.TemporaryDirectory() as scratch:
            for what, error, allowed, note in check(bundle, folder, scratch):
                good = error <= allowed  # not true of a NaN
                passed = passed and good
                title = f"{name} {what}" if what else name
                lines.append(f"{title:34} {'pass' if good else 'FAIL':8} {error:9.1e} {allowed:9.1e}  {note}")
    except Unsupported as why:
        return [f"unsupported: {why}"], None
    except sanitizer.Missing as why:
        lines.append(f"{name:34} {'not run':8} {why}")
    except RuntimeError as why:
        lines.append(f"{name:34} {'FAIL':8} {why}")
        passed = False
    return lines, passed


def all_checks(bundle):
    """(name, function, folder) of each."""
    cases, golden = os.path.join(bundle, "cases"), os.path.join(bundle, "tiny-a")
    yield from ((name, check_case, os.path.join(cases, name)) for name in sorted(os.listdir(cases)))
    yield "golden tiny-a", check_golden, golden
    yield "golden int8", check_int8, golden
    yield "decode graphs", check_graphs, golden
    for name in sanitizer.CASES:
        yield f"sanitizer {name}", functools.partial(check_sanitizer, name), cases


def main():
    bundle, wanted = sys.argv[1], sys.argv[2:]
    checks = list(all_checks(bundle))
    for start in wanted:
        if not any(name.startswith(start) for name, _, _ in checks):
            print(f"no check has a name that starts with {start}", file=sys.stderr)
            return 1
    if wanted:
        checks = [check for check in checks if check[0].startswith(tuple(wanted))]
    failed = 0
    print(f"{'check':34} {'result':8} {'error':>9} {'allowed':>9}")
    # Most of the time goes to the processor, so checks share it. That they share the GPU changes no result.
    with concurrent.futures.ProcessPoolExecutor(min(16, os.cpu_count() or 1)) as pool:
        for lines, passed in pool.map(table_of, itertools.repeat(bundle), *zip(*checks)):
            print(*lines, sep="\n", flush=True)
            if passed is None:
                pool.shutdown(cancel_futures=True)
                return 0
            failed += not passed
    print(f"{failed} checks failed" if failed else "all checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
