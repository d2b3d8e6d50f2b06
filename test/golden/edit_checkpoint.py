#!/usr/bin/env python3
"""usage: edit_checkpoint.py FOLDER NEW-FOLDER EDIT...

Copies a checkpoint into NEW-FOLDER, as one model.safetensors and config.json, with edits:

  drop=NAME             without this tensor
  rename=OLD=NEW        a tensor under another name
  shape=NAME=2,3,4      a tensor of the same elements in another shape
  type=NAME=F32         a tensor of zeros of this type: F32, F64 or I32
  copy=OLD=NEW          a tensor twice
  widen=NAME            a tensor with its values in float32
  infinity=NAME         a tensor whose last value is infinite
  v5                    the tensors of the experts in the layout of Hugging Face v5, with a buffer to ignore
"""

import json
import math
import os
import re
import sys

import safetensors_file
from command import fail
from safetensors_file import Tensor

EXPERT = "model.layers.{}.block_sparse_moe.experts.{}.{}.weight"


def merge_experts(all_tensors, layer, experts):
    """Stacks one layer's experts: w1 above w3 in gate_up_proj, w2 in down_proj."""
    take = lambda expert, name: all_tensors.pop(EXPERT.format(layer, expert, name))
    both, down = [], []
    for expert in range(experts):
        w1, w2, w3 = (take(expert, name) for name in ("w1", "w2", "w3"))
        both.append(w1.data + w3.data)
        down.append(w2.data)
    prefix = f"model.layers.{layer}.mlp."
    rows, columns = w1.shape
    all_tensors[prefix + "experts.gate_up_proj"] = Tensor(w1.dtype, [experts, 2 * rows, columns], b"".join(both))
    all_tensors[prefix + "experts.down_proj"] = Tensor(w2.dtype, [experts] + w2.shape, b"".join(down))
    all_tensors[prefix + "gate.weight"] = all_tensors.pop(f"model.layers.{layer}.block_sparse_moe.gate.weight")


def to_v5(all_tensors):
    experts = {}
    for name in all_tensors:
        if match := re.fullmatch(re.escape(EXPERT).replace(r"\{\}", "(.*)"), name):
            layer, expert = int(match[1]), int(match[2])
            experts[layer] = max(experts.get(layer, 0), expert + 1)
    for layer, count in experts.items():
        merge_experts(all_tensors, layer, count)
    all_tensors["model.layers.0.self_attn.slope_rate"] = Tensor.of("F32", [1], [0.5])


def edit(all_tensors, text):
    kind, *words = text.split("=")
    if kind == "v5":
        to_v5(all_tensors)
    elif kind == "drop":
        del all_tensors[words[0]]
    elif kind == "rename":
        all_tensors[words[1]] = all_tensors.pop(words[0])
    elif kind == "copy":
        all_tensors[words[1]] = all_tensors[words[0]]
    elif kind == "widen":
        all_tensors[words[0]] = Tensor.of("F32", all_tensors[words[0]].shape, all_tensors[words[0]].values())
    elif kind == "infinity":
        tensor = all_tensors[words[0]]
        values = [*tensor.values()[:-1], math.inf]
        all_tensors[words[0]] = Tensor.of(tensor.dtype, tensor.shape, values)
    elif kind == "shape":
        all_tensors[words[0]].shape = [int(extent) for extent in words[1].split(",")]
    elif kind == "type":
        shape = all_tensors[words[0]].shape
        all_tensors[words[0]] = Tensor.of(words[1], shape, [0] * math.prod(shape))
    else:
        fail(f"edit '{text}' is unknown")


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    source, target = sys.argv[1:3]
    all_tensors = safetensors_file.read_checkpoint(source)
    for text in sys.argv[3:]:
        edit(all_tensors, text)
    os.makedirs(target, exist_ok=True)
    safetensors_file.write(f"{target}/model.safetensors", all_tensors)
    with open(f"{source}/config.json", encoding="utf-8") as file:
        config = json.load(file)
    with open(f"{target}/config.json", "w", encoding="utf-8") as file:
        json.dump(config, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
