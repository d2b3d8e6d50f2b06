#!/usr/bin/env python3
"""usage: fusion.py [PRESET...] [--choices NAME,...] [--threads N] [--rounds R] [--json] [--build FOLDER] [-- OPTION...]

What each fusion of kernels saves: compiles each preset (text-160m and text-tiny) without fusion, with each alone, and
with all of them (or as --choices says, off first), and measures a decode step of one sequence and of eight, and a
prefill of 64 tokens. The programs take turns, round by round, so that a machine that changes its pace changes it for
all: what is saved is the median over rounds of what the program saves against the one without fusion in the same round.
Prints a table a preset with the launches of a step, the median times, and the greatest difference of logits from those
without fusion. Under it stands the part of the time that products with weights do not take, without fusion: they compute
and read the same with it, so that it can save little more than that part. What follows -- goes to mm01-compile.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "test" / "python"))
import safetensors_file  # noqa: E402

FUSIONS = ["attention", "rows", "twins", "consumers", "launches"]
CHOICES = ["off", *FUSIONS, "on"]
PRESETS = ["text-160m", "text-tiny"]
PREFILL = 64
PAST = 512
# What is measured -> settings of mm01-run bench.
STEPS = {
    "decode": {"tokens": 1, "past": PAST, "iterations": 30},
    "decode_8": {"tokens": 1, "past": PAST, "sequences": 8, "iterations": 20},
    "prefill": {"tokens": PREFILL, "iterations": 8},
}


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def launches(scheduled):
    """Launches of one call of forward, from the scheduled module."""
    count, calls, name = {}, {}, None
    for line in scheduled.splitlines():
        if found := re.search(r"func\.func (?:private )?@([\w.]+)", line):
            name = found.group(1)
            count[name], calls[name] = 0, []
        elif "exec.launch" in line:
            count[name] += 1
        elif found := re.search(r"\bcall @([\w.]+)", line):
            calls[name].append(found.group(1))

    def total(function):
        return count[function] + sum(total(callee) for callee in calls[function])

    return total("forward")


class Program:
    def __init__(self, options, folder, preset, choice):
        self.tools, self.threads = options.build / "bin", options.threads
        self.path = folder / f"{choice}.so"
        compiler = [self.tools / "mm01-compile", preset, f"--fusion={choice}", *options.compile]
        run(*compiler, "-o", self.path)
        self.launches = launches(run(*compiler, "--compile-to=scheduled"))
        self.seconds = {what: [] for what in STEPS}

    def bench(self, what, *flags):
        words = [word for name, value in STEPS[what].items() for word in ("--set", f"{name}={value}")]
        return run(self.tools / "mm01-run", "bench", self.path, "--entry", "forward", "--weights", "random:1",
                   "--threads", self.threads, *words, *flags)

    def measure(self, what):
        self.seconds[what].append(json.loads(self.bench(what, "--json"))["seconds"]["median"])

    def outside_products(self, what, folder):
        """The part of a step's time in which no product with weights runs."""
        trace = folder / "trace.json"
        self.bench(what, "--trace", trace)
        kernels = [e for e in json.loads(trace.read_text())["traceEvents"] if e.get("cat") == "kernel"]
        # Without what runs before the first step that is measured.
        kernels = kernels[-STEPS[what]["iterations"] * self.launches :]
        products = sum(e["dur"] for e in kernels if "linear" in e["name"])
        return 1 - products / (kernels[-1]["ts"] + kernels[-1]["dur"] - kernels[0]["ts"])

    def logits(self, folder, ids, **options):
        out = folder / "logits.safetensors"
        flags = [word for name, value in options.items() for word in (f"--{name}", value)]
        run(self.tools / "mm01-run", "logits", self.path, "--weights", "random:1", "--ids", f"{ids}:ids",
            "-o", out, "--threads", self.threads, *flags)
        return list(safetensors_file.read(out)["logits"].values())

    def median(self, what):
        return statistics.median(self.seconds[what])

    def saved(self, what, off):
        return statistics.median(1 - mine / its for mine, its in zip(self.seconds[what], off.seconds[what]))


def differences(programs, folder):
    """Of each choice, the greatest difference of logits from those without fusion: of a prefill, and of decode steps."""
    ids = folder / "ids.safetensors"
    safetensors_file.write(ids, {"ids": ("I32", [PREFILL], [(7 * i * i + 3) % 251 for i in range(PREFILL)])})
    ways = [{}, {"prefill-chunk": 1}]
    expected = [programs["off"].logits(folder, ids, **way) for way in ways]
    return {
        choice: max(
            abs(a - b)
            for way, logits in zip(ways, expected)
            for a, b in zip(program.logits(folder, ids, **way), logits, strict=True)
        )
        for choice, program in programs.items()
    }


def compare(options, preset):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs = {choice: Program(options, folder, preset, choice) for choice in options.choices}
        for _ in range(options.rounds):
            for what in STEPS:
                for program in programs.values():
                    program.measure(what)
        off = programs["off"]
        worst = differences(programs, folder)
        rows = [
            {
                "fusion": choice,
                "launches": program.launches,
                **{f"{what}_seconds": program.median(what) for what in STEPS},
                **{f"{what}_saved": program.saved(what, off) for what in STEPS},
                "max_difference": worst[choice],
            }
            for choice, program in programs.items()
        ]
        outside = {what: off.outside_products(what, folder) for what in STEPS}
    return {"preset": preset, "threads": options.threads, "choices": rows, "outside_products": outside}


def show(options, results):
    print(f"{' '.join([results['preset'], *options.compile])}, {options.threads} threads; decode of 1 and of 8 sequences "
          f"after {PAST} tokens, prefill of {PREFILL}")  # fmt: skip
    print("fusion     launches  decode ms  saved    of 8 ms  saved  prefill ms  saved  max difference")
    for row in results["choices"]:
        times = "  ".join(f"{row[f'{what}_seconds'] * 1e3:9.3f} {row[f'{what}_saved']:6.1%}" for what in STEPS)
        print(f"{row['fusion']:<10} {row['launches']:8}  {times}  {row['max_difference']:14.1e}")
    parts = ", ".join(f"{part:.1%} of {what}" for what, part in results["outside_products"].items())
    print(f"outside products with weights, without fusion: {parts}")


def main():
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser()
    parser.add_argument("presets", nargs="*", default=PRESETS)
    parser.add_argument("--choices", type=lambda text: text.split(","), default=CHOICES)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "build")
    options = parser.parse_args(words[:cut])
    options.compile = words[cut + 1 :]
    if options.choices[0] != "off":
        parser.error("--choices: expected off first, with which all are compared")
    for preset in options.presets:
        results = compare(options, preset)
        print(json.dumps(results), flush=True) if options.json else show(options, results)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"fusion.py: {error.cmd[0]}: exit code {error.returncode}")
    except FileNotFoundError as error:
        sys.exit(f"fusion.py: {error.filename}: not built, expected a build folder (--build)")
