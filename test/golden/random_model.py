#!/usr/bin/env python3
"""usage: random_model.py FIRST-SEED COUNT FOLDER

For each seed draws a configuration of a small model, weights, and a ragged batch of fresh and continuing sequences, and
compares the compiled program with the interpreter: logits, state, keys and values, to 1e-4 of their size. Some programs
have int8 weights. The files of the last seed stay in FOLDER.
"""

import json
import math
import os
import random
import sys

import safetensors_file
from command import fail, run
from entry import Entry
from safetensors_file import Tensor

TOLERANCE = 1e-4


def draw_config(rng):
    heads = rng.choice([1, 2, 3, 4, 6])
    head_dim = rng.choice([16, 32, 48, 64, 128])
    experts = rng.randint(1, 12)
    kinds = [rng.choice([0, 0, 1]) for _ in range(rng.randint(1, 4))]
    scale = lambda: round(rng.uniform(0.5, 2.5), 3)
    return {
        "model_type": "minimax_text_01",
        "attn_type_list": kinds,
        "num_hidden_layers": len(kinds),
        "hidden_size": rng.choice([24, 40, 64, 96]),
        "num_attention_heads": heads,
        "num_key_value_heads": rng.choice([n for n in range(1, heads + 1) if heads % n == 0]),
        "head_dim": head_dim,
        "rotary_dim": rng.choice([0, head_dim // 4, head_dim // 2, head_dim]),
        "rope_theta": rng.choice([10000.0, 1e7]),
        "num_local_experts": experts,
        "num_experts_per_tok": rng.randint(1, min(8, experts)),
        "intermediate_size": rng.choice([8, 56, 72]),
        "vocab_size": rng.choice([50, 131, 256]),
        "layernorm_linear_attention_alpha": scale(),
        "layernorm_linear_attention_beta": scale(),
        "layernorm_full_attention_alpha": scale(),
        "layernorm_full_attention_beta": scale(),
        "layernorm_mlp_alpha": scale(),
        "layernorm_mlp_beta": scale(),
        "postnorm": rng.random() < 0.7,
        "rms_norm_eps": 1e-5,
        "hidden_act": "silu",
        "tie_word_embeddings": rng.random() < 0.3,
        "torch_dtype": rng.choice(["bfloat16", "float16", "float32"]),
    }


def floats(rng, shape, element, scale):
    """Random values, rounded to the element type."""
    return Tensor.of(element.upper(), shape, [rng.uniform(-scale, scale) for _ in range(math.prod(shape))])


def draw_arguments(rng, entry, config):
    lengths = [rng.choice([1, 1, 2, 5, 33, 70]) for _ in range(rng.randint(1, 4))]
    past = [rng.choice([0, 0, 3, 64, 75]) for _ in lengths]
    sequences, tokens = len(lengths), sum(lengths)
    offsets = [sum(lengths[:n]) for n in range(sequences + 1)]
    per_sequence = 3  # (75 + 70) / 64, rounded up
    pages, slots = sequences * per_sequence + 1, sequences + 1
    rows = sorted(rng.sample(range(tokens), rng.randint(1, tokens)))
    arguments = {}
    for number, argument in enumerate(entry.arguments):
        key = f"arg{number}"
        if argument.kind == "ragged":
            numbers = rng.sample(range(pages), sequences * per_sequence)
            arguments[key + ".seq_offsets"] = ("I32", [sequences + 1], offsets)
            arguments[key + ".past"] = ("I32", [sequences], past)
            arguments[key + ".slot"] = ("I32", [sequences], rng.sample(range(slots), sequences))
            arguments[key + ".page_table"] = ("I32", [sequences, per_sequence], numbers)
        elif argument.name == "tokens":
            ids = [rng.randrange(config["vocab_size"]) for _ in range(tokens)]
            arguments[key] = ("I32", [tokens], ids)
        elif argument.name == "logit_rows":
            arguments[key] = ("I32", [len(rows)], rows)
        elif argument.kind == "weight":
            scale = 1.0 if len(argument.shape) == 1 else (3.0 / argument.shape[-1]) ** 0.5
            # int8 weights are made of floats.
            element = rng.choice(["f32", "f16", "bf16"]) if argument.element == "i8" else argument.element
            arguments[key] = floats(rng, argument.shape, element, scale)
        else:
            dynamic = slots if argument.name == "lightning_state" else pages
            shape = [extent or dynamic for extent in argument.shape]
            arguments[key] = floats(rng, shape, argument.element, 1.0)
    return arguments


def check(seed, folder):
    rng = random.Random(seed)
    config = draw_config(rng)
    names = ("config.json", "graph.mlir", "program.so", "args", "expected", "found")
    config_file, graph, program, args, expected, found = (f"{folder}/{name}" for name in names)
    with open(config_file, "w", encoding="utf-8") as file:
        json.dump(config, file)
    quantize = "--quantize=" + rng.choice(["none", "int8", "int8-experts"])
    run("mm01-compile", config_file, quantize, "--compile-to=graph", "-o", graph)
    run("mm01-compile", config_file, quantize, "-o", program)
    safetensors_file.write(args, draw_arguments(rng, Entry(graph), config))
    run("mm01-interpret", graph, "--entry", "forward", "--in", args, "--out", expected)
    run("mm01-run", "call", program, "--entry", "forward", "--in", args, "--out", found)

    results, worst = safetensors_file.read(found), 0.0
    for name, tensor in safetensors_file.read(expected).items():
        if results[name].shape != tensor.shape:
            fail(f"seed {seed}: {name} has shape {results[name].shape}, expected {tensor.shape}")
        for a, b in zip(tensor.values(), results[name].values()):
            difference = abs(a - b) / max(1.0, abs(a))
            if not difference <= TOLERANCE:
                fail(f"seed {seed}: {name} holds {b}, expected {a}; {quantize}, configuration {json.dumps(config)}")
            worst = max(worst, difference)
    print(f"seed {seed}: {len(config['attn_type_list'])} layers, {quantize}, greatest difference {worst:.1e}")


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    first, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.makedirs(folder, exist_ok=True)
    for seed in range(first, first + count):
        check(seed, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
