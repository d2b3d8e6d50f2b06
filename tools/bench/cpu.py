#!/usr/bin/env python3
"""usage: cpu.py [--preset NAME] [--threads N] [--tokens T] [--past P] [--build FOLDER] [--json]

Measures a compiled model beside the ceilings of the same machine, in one run: prefill of T tokens beside the time that
oneDNN's sgemm takes for the model's matrix products alone, decode beside the time that reading the active weights takes
at the measured bandwidth, and a batch of 8 beside a batch of 1. Weights are random.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout


class Model:
    """The products and bytes of one step, from the manifest."""

    BYTES = {"f32": 4, "f16": 2, "bf16": 2, "i8": 1}

    def __init__(self, manifest):
        config = manifest["model"]
        self.chosen = config["num_experts_per_tok"]
        self.parameters = [p for p in manifest["parameters"] if p["name"] != "embedding"]

    def products(self, tokens):
        """(m, n, k) -> how often a step of one sequence multiplies so; an expert gets its mean share of the tokens."""
        counts = {}
        for parameter in self.parameters:
            *experts, n, k = parameter["shape"] if len(parameter["shape"]) > 1 else (0, 0)
            if not n:
                continue
            # Only the last token's row goes through the head.
            m = 1 if parameter["name"] == "head" else tokens
            if experts:
                m = max(1, tokens * self.chosen // experts[0])
            counts[m, n, k] = counts.get((m, n, k), 0) + (experts[0] if experts else 1)
        return counts

    def active_bytes(self):
        """Bytes of the weights that one token reads."""
        total = 0
        for parameter in self.parameters:
            count = self.BYTES[parameter["type"]]
            for extent in parameter["shape"]:
                count *= extent
            if len(parameter["shape"]) == 3:
                count = count * self.chosen // parameter["shape"][0]
            total += count
        return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("--preset", default="text-160m")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=2048)
    parser.add_argument("--past", type=int, default=512)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).parents[2] / "build")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    tools = options.build / "bin"

    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "model.so"
        run(tools / "mm01-compile", options.preset, "-o", program)
        model = Model(json.loads(run(tools / "mm01-run", "info", program, "--json")))

        def bench(**settings):
            words = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
            result = run(tools / "mm01-run", "bench", program, "--entry", "forward", "--weights", "random:1",
                         "--threads", options.threads, "--json", *words)
            return json.loads(result)["seconds"]["median"]

        products = model.products(options.tokens)
        ceilings = json.loads(run(tools / "cpu-ceilings", options.threads, *(f"{m},{n},{k}" for m, n, k in products)))
        gemm = sum(count * taken for count, taken in zip(products.values(), ceilings["gemm_seconds"]))
        bandwidth = ceilings["read_bytes_per_second"]
        prefill = bench(tokens=options.tokens, iterations=7)
        decode = bench(tokens=1, past=options.past, iterations=100)
        batch = bench(tokens=1, past=options.past, sequences=8, iterations=50)

    results = {
        "preset": options.preset,
        "threads": options.threads,
        "prefill_tokens_per_second": options.tokens / prefill,
        "prefill_gemm_tokens_per_second": options.tokens / gemm,
        "prefill_share": gemm / prefill,
        "gemm_flops": sum(2 * m * n * k * c for (m, n, k), c in products.items()) / gemm,
        "decode_tokens_per_second": 1 / decode,
        "decode_read_tokens_per_second": bandwidth / model.active_bytes(),
        "decode_share": model.active_bytes() / bandwidth / decode,
        "read_bytes_per_second": bandwidth,
        "batch_8_tokens_per_second": 8 / batch,
        "batch_8_ratio": 8 * decode / batch,
    }
    if options.json:
        print(json.dumps(results))
        return
    print(f"{options.preset}, {options.threads} threads, bf16 weights")
    print(f"  prefill of {options.tokens}: {results['prefill_tokens_per_second']:.0f} tokens/s; its products alone in "
          f"oneDNN ({results['gemm_flops'] / 1e9:.0f} GFLOP/s): {results['prefill_gemm_tokens_per_second']:.0f}; "
          f"share {results['prefill_share']:.0%}")
    print(f"  decode after {options.past}: {results['decode_tokens_per_second']:.1f} tokens/s; reading the active weights "
          f"({bandwidth / 1e9:.1f} GB/s): {results['decode_read_tokens_per_second']:.1f}; share "
          f"{results['decode_share']:.0%}")
    print(f"  batch of 8: {results['batch_8_tokens_per_second']:.1f} tokens/s, {results['batch_8_ratio']:.1f} times one")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"cpu.py: {error.cmd[0]}: exit code {error.returncode}")
    except FileNotFoundError as error:
        sys.exit(f"cpu.py: {error.filename}: not built, expected a build folder (--build)")
