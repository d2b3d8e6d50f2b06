#!/usr/bin/env python3
"""usage: check_program.py PROGRAM.so CHECKPOINT

Runs a program of a golden checkpoint with mm01-run and compares it with golden.safetensors: the logits of every token
at 37, 300 and 700 tokens, in one call and in chunks, to 2e-4, and the tokens that it generates greedily after 37.
Prints a line for each and exits 1 if one of them differs.
"""

import sys
import tempfile

import safetensors_file
from command import fail, run

TOKENS = (37, 300, 700)
CHUNKS = (None, 1, 7, 100, 256, 511)
TOLERANCE = 2e-4


def greatest_difference(expected, found):
    if expected.shape != found.shape:
        fail(f"logits have shape {found.shape}, expected {expected.shape}")
    differences = [abs(a - b) for a, b in zip(expected.values(), found.values())]
    # max() of a list with a NaN may hide it.
    return max(differences) if all(d == d for d in differences) else float("nan")


def check_logits(program, checkpoint, golden, folder):
    wrong = 0
    for tokens in TOKENS:
        for chunk in CHUNKS:
            out = f"{folder}/logits.safetensors"
            chunked = ["--prefill-chunk", chunk] if chunk else []
            ids = f"{checkpoint}/golden.safetensors:ids_{tokens}"
            run("mm01-run", "logits", program, "--weights", checkpoint, "--ids", ids, "-o", out, *chunked)
            difference = greatest_difference(golden[f"logits_{tokens}"], safetensors_file.read(out)["logits"])
            how = f"chunks of {chunk}" if chunk else "one call"
            print(f"{tokens} tokens, {how}: max |logit - golden| = {difference:.1e}")
            wrong += not difference <= TOLERANCE
    return wrong


def check_greedy(program, checkpoint, golden):
    prompt = ",".join(map(str, golden["ids_37"].values()))
    expected = list(golden["greedy_from_37"].values())
    options = ["--weights", checkpoint, "--prompt-ids", prompt, "--max-new-tokens", len(expected)]
    out = run("mm01-run", "generate", program, *options)
    found = [int(token) for token in out.strip().split(",")]
    if found == expected:
        print(f"{len(found)} greedy tokens after 37: equal")
        return 0
    print(f"greedy tokens after 37 are {found}, expected {expected}")
    return 1


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    program, checkpoint = sys.argv[1:]
    golden = safetensors_file.read(f"{checkpoint}/golden.safetensors")
    with tempfile.TemporaryDirectory() as folder:
        wrong = check_logits(program, checkpoint, golden, folder)
    return 1 if wrong + check_greedy(program, checkpoint, golden) else 0


if __name__ == "__main__":
    sys.exit(main())
