#!/usr/bin/env python3
"""usage: models.py FOLDER [--seed S] [--rounds N]

Compiles models of random configurations and compares the program with the interpreted graph, on random weights: some
new sequences, then a second call with more tokens of them and one token of another. The interpreter's caches go into
the second call of both, so that an error is seen where it is made.
"""

import argparse
import json
import os
import random
import sys

import files
from differential import compare, run
from model import PAGE, Forward

# Of the largest magnitude in a tensor, after several layers in float32.
TOLERANCE = 1e-4


def configuration(rng):
    """A small model that shares no dimension with another."""
    layers = rng.randint(1, 4)
    kv = rng.choice([1, 2, 3])
    head_dim = rng.choice([16, 32, 48, 64])
    experts = rng.choice([1, 2, 5, 8])
    config = {
        "model_type": "minimax_text_01",
        "attn_type_list": [rng.randint(0, 1) for _ in range(layers)],
        "head_dim": head_dim,
        "hidden_act": "silu",
        "hidden_size": rng.choice([32, 40, 72, 96]),
        "intermediate_size": rng.choice([24, 56, 100]),
        "max_position_embeddings": 4096,
        "num_attention_heads": kv * rng.choice([1, 2, 3]),
        "num_experts_per_tok": rng.randint(1, experts),
        "num_hidden_layers": layers,
        "num_key_value_heads": kv,
        "num_local_experts": experts,
        "postnorm": rng.random() < 0.7,
        "rms_norm_eps": 1e-5,
        "rope_theta": 1e4,
        "rotary_dim": rng.choice([0, head_dim // 2, head_dim]) or 2,
        "shared_intermediate_size": 0,
        "tie_word_embeddings": rng.random() < 0.3,
        "torch_dtype": rng.choice(["bfloat16", "float32"]),
        "vocab_size": rng.choice([50, 129, 256]),
    }
    for part in ("linear_attention", "full_attention", "mlp"):
        config[f"layernorm_{part}_alpha"] = rng.choice([1.0, 2.0, 3.5])
        config[f"layernorm_{part}_beta"] = rng.choice([1.0, 0.5])
    return config


def random_weights(rng, forward):
    named = {}
    for name, shape, element in forward.weights():
        count = 1
        for extent in shape:
            count *= extent
        # A norm's weight is near 1; a matrix keeps its product of order 1.
        centre, scale = (1.0, 0.1) if len(shape) == 1 else (0.0, shape[-1] ** -0.5)
        named[name] = (element.upper(), shape, [rng.gauss(centre, scale) for _ in range(count)])
    return named


def sequences(rng, vocabulary, slots):
    """The sequences of two calls, at distinct slots and pages."""
    pages = rng.sample(range(12), 12)
    slot = rng.sample(range(slots), 3)
    tokens = lambda count: [rng.randrange(vocabulary) for _ in range(count)]
    lengths = [rng.randint(1, 100), rng.choice([1, 2, 17])]
    table = [[pages.pop() for _ in range(3)] for _ in range(3)]
    first = [(tokens(length), 0, slot[n], table[n]) for n, length in enumerate(lengths)]
    more = [rng.choice([1, 3, rng.randint(1, 2 * PAGE - 40)]), 1]
    second = [(tokens(count), lengths[n], slot[n], table[n]) for n, count in enumerate(more)]
    second.insert(rng.randint(0, 2), (tokens(1), 0, slot[2], table[2]))
    return first, second


def one_round(folder, seed):
    rng = random.Random(f"model {seed}")
    path = lambda name: os.path.join(folder, name)
    config = configuration(rng)
    with open(path("config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)
    run("mm01-compile", path("config.json"), "--compile-to=graph", "-o", path("graph.mlir"))
    run("mm01-compile", path("config.json"), "-o", path("model.so"))
    forward = Forward(path("graph.mlir"), slots=4, pages=12)
    weights = random_weights(rng, forward)
    found = []
    for number, batch in enumerate(sequences(rng, config["vocab_size"], 4)):
        arguments = path(f"call-{number}.in.safetensors")
        files.write(arguments, {**weights, **forward.inputs(batch, "F32")})
        entry = ["--entry", "forward", "--in", arguments, "--out"]
        run("mm01-interpret", path("graph.mlir"), "--f64-results", *entry, path("expected"))
        run("mm01-run", "call", path("model.so"), *entry, path("found"))
        expected = files.read(path("expected"))
        found += compare(f"call {number}", expected, files.read(path("found")), TOLERANCE)
        forward.keep(expected)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    failures = 0
    for seed in range(options.seed, options.seed + options.rounds):
        folder = os.path.join(options.folder, f"model-{seed}")
        os.makedirs(folder, exist_ok=True)
        try:
            found = one_round(folder, seed)
        except RuntimeError as error:
            found = [str(error)]
        for text in found:
            print(f"{text}\n  again: models.py {options.folder} --seed {seed}")
        failures += len(found)
        if not found:
            for name in os.listdir(folder):
                os.remove(os.path.join(folder, name))
            os.rmdir(folder)
    print(f"{options.rounds} models, {failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
