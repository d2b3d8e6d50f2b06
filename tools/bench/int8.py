#!/usr/bin/env python3
"""usage: int8.py [--preset NAME] [--threads N] [--past P] [--rounds R] [--build FOLDER] [--json]

Measures what int8 weights save, beside bf16 weights in the same run: the decode rate of one sequence, and the memory
that the weights take. Programs take turns, round by round, and a figure is the median of the rounds, so that a machine
that slows down slows both. Weights are random.

Embedding, head and router gates stay as they are. The memory of the whole model is therefore measured a second time
with a vocabulary of 256, in which they hardly count, as they hardly count in the released model (1/185 of it).
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

DECODE_BAR, MEMORY_BAR = 1.3, 0.55
KINDS = ("none", "int8")


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def weight_bytes(manifest, stored=False):
    """Bytes of all parameters in memory, or of the tensors that they are made of."""
    sizes, total = {"f32": 4, "f16": 2, "bf16": 2, "i8": 1}, 0
    for parameter in manifest["parameters"]:
        *outer, columns = parameter["shape"]
        rows = 1
        for extent in outer:
            rows *= extent
        element = parameter.get("stored", parameter["type"]) if stored else parameter["type"]
        total += rows * (columns * sizes[element] + (4 if element == "i8" else 0))
    return total


class Programs:
    """A preset compiled for each kind of weights."""

    def __init__(self, options, folder, preset, *settings, kinds=KINDS):
        self.options, self.tools = options, options.build / "bin"
        self.paths = {}
        for kind in kinds:
            self.paths[kind] = pathlib.Path(folder) / f"{kind}.so"
            run(self.tools / "mm01-compile", preset, f"--quantize={kind}", *settings, "-o", self.paths[kind])

    def bench(self, kind, **settings):
        words = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        return json.loads(run(self.tools / "mm01-run", "bench", self.paths[kind], "--entry", "forward", "--weights",
                              "random:1", "--threads", self.options.threads, "--json", *words))

    def manifest(self, kind):
        return json.loads(run(self.tools / "mm01-run", "info", self.paths[kind], "--json"))


def measure(options):
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(options, folder, options.preset)
        rates, memory = {kind: [] for kind in KINDS}, {kind: [] for kind in KINDS}
        for _ in range(options.rounds):
            for kind in KINDS:
                result = programs.bench(kind, tokens=1, past=options.past, iterations=60)
                rates[kind].append(result["tokens_per_second"])
                memory[kind].append(result["weight_bytes"])
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(options, folder, options.preset, "--set", "vocab_size=256")
        small = {kind: programs.bench(kind, iterations=1, warmup=0)["weight_bytes"] for kind in KINDS}
    with tempfile.TemporaryDirectory() as folder:
        manifest = Programs(options, folder, "text-01", kinds=["int8"]).manifest("int8")
    median = lambda figures: {kind: statistics.median(figures[kind]) for kind in KINDS}
    return {
        "preset": options.preset,
        "threads": options.threads,
        "past": options.past,
        "decode_tokens_per_second": median(rates),
        "weight_bytes": median(memory),
        "weight_bytes_vocabulary_256": small,
        "text_01_bytes": {"none": weight_bytes(manifest, stored=True), "int8": weight_bytes(manifest)},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("--preset", default="text-160m")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--past", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).parents[2] / "build")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = measure(options)
    if options.json:
        print(json.dumps(results))
        return

    def row(what, key, unit, scale, bar=""):
        none, int8 = (results[key][kind] for kind in KINDS)
        print(f"{what:<44}{none / scale:>10.1f}{int8 / scale:>10.1f} {unit:<9}{int8 / none:>6.3f}  {bar}")

    print(f"{results['preset']}, {results['threads']} threads, after {results['past']} tokens")
    print(f"{'':<44}{'bf16':>10}{'int8':>10} {'':<9}{'ratio':>6}")
    row("decode", "decode_tokens_per_second", "tokens/s", 1, f"expected at least {DECODE_BAR}")
    row("resident weights", "weight_bytes", "MB", 1e6)
    row("resident weights, vocabulary of 256", "weight_bytes_vocabulary_256", "MB", 1e6,
        f"expected at most {MEMORY_BAR}")
    row("weights of text-01, by its manifest", "text_01_bytes", "GB", 1e9, f"expected at most {MEMORY_BAR}")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"int8.py: {error.cmd[0]}: exit code {error.returncode}")
    except FileNotFoundError as error:
        sys.exit(f"int8.py: {error.filename}: not built, expected a build folder (--build)")
