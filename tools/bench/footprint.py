#!/usr/bin/env python3
"""usage: footprint.py [--preset NAME] [--threads N] [--tokens T] [--build FOLDER] [--json]

Measures a program's memory beside the plan that `mm01-compile --dump-dir` printed, and whether its results repeat.
Peak memory is the high-water mark of the process's resident memory in a prefill of T tokens with random weights. A
program that copied a cache would need arena for it: the plan's arena may not depend on slots or pages. The logits of
one prompt must be the same bytes in two runs and at other thread counts.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

PAGE = 64  # tokens of a page of keys and values


def ceildiv(a, b):
    return -(-a // b)


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def peak_bytes(*command):
    """The high-water mark of the resident memory of a command."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise subprocess.CalledProcessError(status, command)
    return usage.ru_maxrss * 1024


class Plan:
    """The plan of entry forward, from memory-plan.txt."""

    def __init__(self, file):
        text = re.split("\nentry |\n\n", file.read_text().split("entry forward\n")[1])[0]
        self.parts = dict(re.findall(r"^  (\w+) +(.*)$", text, re.MULTILINE))

    @staticmethod
    def value(formula, extents):
        names = {name: extents.get(name) for name in re.findall(r"arg\d+\[\d+\]", formula)}
        for name, value in names.items():
            formula = formula.replace(name, str(value))
        return eval(formula, {"__builtins__": {}, "ceildiv": ceildiv, "max": max}, extents)

    def list(self, part, extents):
        """'logits 4*R; …' of a part as name -> bytes."""
        items = [item.split(" ", 1) for item in self.parts[part].split("; ") if item]
        return {name: self.value(formula, extents) for name, formula in items}

    def total(self, extents, threads):
        return {
            "weights": int(self.parts["weights"]),
            "arguments": sum(self.list("arguments", extents).values()),
            "arena": self.value(self.parts["arena"], extents),
            "scratch": threads * int(self.parts["scratch"].split()[0]),
            "results": sum(self.list("results", extents).values()),
        }


def cache_extents(manifest, slots, pages):
    """'argI[1]' of each cache."""
    arguments = next(e for e in manifest["entries"] if e["name"] == "forward")["arguments"]
    units = {"lightning_state": slots, "keys": pages, "values": pages}
    return {f"arg{i}[1]": units[a["role"]] for i, a in enumerate(arguments) if a.get("role") in units}


def write_ids(file, ids):
    header = json.dumps({"ids": {"dtype": "I32", "shape": [len(ids)], "data_offsets": [0, 4 * len(ids)]}}).encode()
    file.write_bytes(struct.pack("<Q", len(header)) + header + struct.pack(f"<{len(ids)}i", *ids))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("--preset", default="text-160m")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=2048)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).parents[2] / "build")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    tools = options.build / "bin"

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = folder / "model.so"
        run(tools / "mm01-compile", options.preset, "-o", program, "--dump-dir", folder / "dump")
        plan = Plan(folder / "dump" / "memory-plan.txt")
        manifest = json.loads(run(tools / "mm01-run", "info", program, "--json"))

        # One sequence, and the snapshot that each iteration begins from: two units of the state.
        pages = ceildiv(options.tokens + PAGE, PAGE)
        extents = {"T": options.tokens, "N": 1, "R": 1, "P": pages, **cache_extents(manifest, 2, pages)}
        planned = plan.total(extents, options.threads)
        measured = peak_bytes(tools / "mm01-run", "bench", program, "--entry", "forward", "--weights", "random:1",
                              "--threads", options.threads, "--set", f"tokens={options.tokens}", "--set", "iterations=3")

        ids = folder / "ids.safetensors"
        write_ids(ids, [(7 * i * i + 3) % 251 for i in range(300)])
        digests = set()
        for threads in (1, 2, 2, 3, 7):
            out = folder / "logits.safetensors"
            run(tools / "mm01-run", "logits", program, "--weights", "random:1", "--ids", f"{ids}:ids", "-o", out,
                "--threads", threads)
            digests.add(hashlib.sha256(out.read_bytes()).hexdigest())

    total = sum(planned.values())
    results = {
        "preset": options.preset,
        "threads": options.threads,
        "tokens": options.tokens,
        "planned_bytes": planned,
        "planned_total": total,
        "peak_bytes": measured,
        "peak_ratio": measured / total,
        "cache_copies": int(any(unit in plan.parts["arena"] for unit in cache_extents(manifest, 0, 0))),
        "results_repeat": len(digests) == 1,
    }
    if options.json:
        print(json.dumps(results))
    else:
        print(f"{options.preset}, {options.threads} threads, prefill of {options.tokens}")
        for part, count in planned.items():
            print(f"  {part:10}{count / 2**20:10.1f} MiB planned")
        print(f"  together  {total / 2**20:10.1f} MiB planned, peak {measured / 2**20:.1f} MiB: "
              f"{results['peak_ratio']:.3f} (0.9 to 1.1)")
        print(f"  caches copied: {results['cache_copies']} (0)")
        print(f"  logits of runs with 1, 2, 2, 3 and 7 threads: "
              f"{'the same bytes' if results['results_repeat'] else 'DIFFER'}")
    good = 0.9 <= results["peak_ratio"] <= 1.1 and not results["cache_copies"] and results["results_repeat"]
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"footprint.py: {error.cmd[0]}: exit code {error.returncode}")
    except FileNotFoundError as error:
        sys.exit(f"footprint.py: {error.filename}: not built, expected a build folder (--build)")
