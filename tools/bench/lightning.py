#!/usr/bin/env python3
"""usage: lightning.py [--threads N] [--heads H --size D] [--build FOLDER] [--json]
       lightning.py --measure [ISA ...] [--build FOLDER]

Measures lightning attention alone, one entry with nothing else in it, in one run: what an item of each level costs a head;
what the compiled plan takes for every length up to 4,096, from these costs, beside the best plan; the same with a stopwatch
for some lengths, beside programs that are forced to one level; 4,096 tokens beside 16,384; and single tokens of many
sequences. With --measure, writes the costs of these levels of x86, or of all that this machine has, to
codegen/x86/LightningCosts.def.
"""

import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
TABLE = ROOT / "codegen" / "x86" / "LightningCosts.def"
LEVELS = [1, 4, 8, 16, 32, 64, 128, 256]
SIZES = [32, 64, 128]
ISAS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]
LONGEST = 4096
SAMPLE = [1, 20, 40, 64, 100, 200, 500, 1000, 4095]
# The bars: 16,384 tokens against 4,096, and the plan against the best.
LINEAR, BEST, IN_USE = 4.3, 1.05, 3


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def entry(heads, size):
    """The text of a function that does lightning attention alone, with one slope for all heads.

    It gets the memory for its result, as a layer does: no time goes into new pages."""
    x, state = f"tensor<?x{heads}x{size}xf32>", f"tensor<1x?x{heads}x{size}x{size}xf32>"
    return f"""
  func.func @attention_{size}(%q: {x}, %k: {x}, %v: {x}, %slope: f32, %r: !mm01.ragged, %out: {x},
                              %state: {state} {{mm01.role = "lightning_state"}}) -> ({x}, {state}) {{
    %layer = arith.constant 0 : index
    %same = tensor.empty() : tensor<{heads}xf32>
    %slopes = linalg.fill ins(%slope : f32) outs(%same : tensor<{heads}xf32>) -> tensor<{heads}xf32>
    %o, %s = mm01.lightning_attention %q, %k, %v, %slopes, %r, %layer into %out, %state
      : {x}, tensor<{heads}xf32> into {x}, {state}
    return %o, %s : {x}, {state}
  }}"""


def forced(level):
    """Costs for which only this level is worth its price."""
    levels, costs = ("1", "1") if level == 1 else (f"1, {level}", f"{10**12}, 1")
    return f"[{{head_size = 64, levels = array<i64: {levels}>, costs = array<i64: {costs}>}}]"


class Bench:
    """Compiles and times entries of `heads` heads of each of `sizes`."""

    def __init__(self, folder, build, threads, heads, sizes):
        self.folder, self.tools, self.threads = pathlib.Path(folder), build / "bin", threads
        self.heads, self.sizes = heads, sizes
        self.programs = {}

    def program(self, level, isa="native"):
        """A program that is forced to a level, or with level None plans as the target does."""
        key = level, isa
        if key not in self.programs:
            costs = f", mm01.lightning_costs = {forced(level)}" if level else ""
            text = "".join(entry(self.heads, size) for size in self.sizes)
            name = self.folder / f"{level}-{isa}"
            source, self.programs[key] = name.with_suffix(".mlir"), name.with_suffix(".so")
            limits = "mm01.max_tokens = 65536 : i64, mm01.max_sequences = 256 : i64"
            source.write_text(f"module attributes {{{limits}{costs}}} {{{text}\n}}\n")
            run(self.tools / "mm01-compile", source, "-o", self.programs[key], f"--mcpu={isa}")
        return self.programs[key]

    def native(self):
        """This machine's level of x86."""
        return json.loads(run(self.tools / "mm01-run", "info", self.program(None), "--json"))["isa"]

    def plan(self, size):
        """The plan of this machine's programs for a head size: (repeated level, [(bound, levels)])."""
        source = self.folder / "plan.mlir"
        source.write_text(f'module attributes {{mm01.isa = "{self.native()}"}} {{{entry(self.heads, size)}\n}}\n')
        text = run(self.tools / "mm01-opt", source, "--mm01-set-lightning-costs", "--mm01-plan-lightning")
        repeat = re.search(r"lightning_plan = \{repeat = (\d+)", text).group(1)
        entries = re.findall(r"bound = (\d+) : i64, items = array<i64([\d:, ]*)>", text)
        return int(repeat), [(int(bound), [int(m) for m in re.findall(r"\d+", levels)]) for bound, levels in entries]

    def seconds(self, level, size, tokens, sequences=1, isa="native"):
        """The least time of one call. A slope of 0.01 keeps every decay in the range of normal numbers."""
        iterations = max(3, min(100, 20_000 // max(1, tokens * sequences * self.heads // 16)))
        settings = {"tokens": tokens, "sequences": sequences, "past": 1, "arg3": 0.01, "iterations": iterations}
        settings.update({f"arg{i}.dim0": tokens * sequences for i in (0, 1, 2, 5)})
        words = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        result = run(self.tools / "mm01-run", "bench", self.program(level, isa), "--entry", f"attention_{size}", "--threads",
                     self.threads, "--json", *words)  # fmt: skip
        return json.loads(result)["seconds"]["min"]

    def costs(self, size, isa="native", rounds=4):
        """level -> nanoseconds of an item of one head."""
        least = dict.fromkeys(LEVELS, math.inf)
        for _ in range(rounds):
            for level in LEVELS:
                items = 512 // level
                taken = self.seconds(level, size, items * level, isa=isa) * self.threads / (items * self.heads)
                least[level] = min(least[level], taken * 1e9)
        return least


def items(plan, tokens):
    """The levels that a plan gives a sequence; single tokens are 1s (itemsOf in passes/tiling/LightningPlanner.h)."""
    repeat, rest = plan
    last = rest[-1][0] if rest else 0
    blocks = [repeat] * max(0, -(-(tokens - last) // repeat))
    left = tokens - len(blocks) * repeat
    if left > 0:
        blocks += next(levels for bound, levels in rest if left <= bound)
    return blocks + [1] * (tokens - sum(blocks))


def best(costs, longest):
    """The cost of the best plan of each length."""
    least = [0.0]
    for n in range(1, longest + 1):
        least.append(min(cost + least[max(0, n - level)] for level, cost in costs.items()))
    return least


def measure(build, wanted):
    """Rewrites the table of costs, on one thread: what else the machine does then disturbs least."""
    kept = TABLE.read_text().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder, build, 1, 16, SIZES)
        for isa in wanted or ISAS[: ISAS.index(bench.native()) + 1]:
            kept = [line for line in kept if f'"{isa}"' not in line]
            for size in SIZES:
                costs = ", ".join(f"{{{level}, {cost:.0f}}}" for level, cost in bench.costs(size, isa).items())
                kept.append(f'MM01_LIGHTNING_COSTS("{isa}", {size}, {costs})')
                print(kept[-1], flush=True)
    TABLE.write_text("\n".join(kept) + "\n")


def compare(bench, size):
    """Everything about one head size."""
    costs, plan = bench.costs(size), bench.plan(size)
    planned = [sum(costs[level] for level in items(plan, n)) for n in range(LONGEST + 1)]
    ratios = [0.0] + [here / least for here, least in zip(planned[1:], best(costs, LONGEST)[1:])]
    worst = max(range(1, LONGEST + 1), key=ratios.__getitem__)
    used = {level for n in range(1, LONGEST + 1) for level in items(plan, n)}
    # With the stopwatch.
    timed = {}
    for n in SAMPLE:
        times = {level: bench.seconds(level, size, n) for level in [None, *LEVELS]}
        timed[n] = {str(level or "plan"): taken for level, taken in times.items()}
    short, long = (min(bench.seconds(None, size, tokens) for _ in range(2)) for tokens in (4096, 16384))
    one, many = bench.seconds(None, size, 1), bench.seconds(None, size, 1, sequences=64)
    return {
        "heads": bench.heads,
        "size": size,
        "costs": costs,
        "plan": {"repeat": plan[0], "rest": plan[1]},
        "worst_ratio": ratios[worst],
        "worst_length": worst,
        "levels_in_use": sorted(used),
        "timed": timed,
        "seconds_4096": short,
        "seconds_16384": long,
        "linear_ratio": long / short,
        "single_token_seconds": one,
        "single_tokens_of_64_sequences_seconds": many,
    }


def verdict(found, bar, right):
    return f"{found}, {'as wanted' if right else 'MISSED'}: {bar}"


def show(results, threads):
    print(f"{results['heads']} heads of {results['size']}, {threads} threads")
    for level, cost in results["costs"].items():
        print(f"  level {level:3}: {cost / 1e3:8.2f} us an item of a head, {cost / level:6.1f} ns a token")
    plan = results["plan"]
    rest = ", ".join(f"up to {bound} {levels}" for bound, levels in plan["rest"])
    print(f"  the plan repeats {plan['repeat']}; of the rest it takes {rest or 'none'} and single tokens")
    ratio, used = results["worst_ratio"], results["levels_in_use"]
    print(f"  plan / best plan at most {verdict(f'{ratio:.3f}', f'<= {BEST}', ratio <= BEST)} "
          f"(lengths 1 to {LONGEST}, at {results['worst_length']})")  # fmt: skip
    print(f"  levels in use {verdict(used, f'>= {IN_USE}', len(used) >= IN_USE)}")
    for n, times in results["timed"].items():
        forced_times = {name: taken for name, taken in times.items() if name != "plan"}
        name = min(forced_times, key=forced_times.get)
        print(f"  {n:5} tokens: plan {times['plan'] * 1e6:9.1f} us; the best single level, {name}, "
              f"{forced_times[name] * 1e6:9.1f} us; ratio {times['plan'] / forced_times[name]:.2f}")  # fmt: skip
    linear = results["linear_ratio"]
    print(f"  16,384 tokens {results['seconds_16384'] * 1e3:.2f} ms / 4,096 tokens {results['seconds_4096'] * 1e3:.2f} ms = "
          f"{verdict(f'{linear:.2f}', f'<= {LINEAR}', linear <= LINEAR)}")  # fmt: skip
    one, many = results["single_token_seconds"], results["single_tokens_of_64_sequences_seconds"]
    print(f"  one token {one * 1e6:.1f} us; one token of each of 64 sequences {many * 1e6:.1f} us in one launch")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--heads", type=int, default=16)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--measure", nargs="*", metavar="ISA", choices=ISAS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.measure is not None:
        return measure(options.build, options.measure)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder, options.build, options.threads, options.heads, [options.size])
        results = compare(bench, options.size)
    print(json.dumps(results)) if options.json else show(results, options.threads)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"lightning.py: {error.cmd[0]}: exit code {error.returncode}")
    except FileNotFoundError as error:
        sys.exit(f"lightning.py: {error.filename}: not built, expected a build folder (--build)")
