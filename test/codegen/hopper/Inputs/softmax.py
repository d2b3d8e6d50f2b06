"""usage: softmax.py QUERY-HEADS KEY-HEADS HEAD-SIZE

Prints a function of softmax attention on bf16 activations, keys and values in pages of 64 tokens.
"""

import sys

heads, key_heads, size = sys.argv[1:]
q, cache = f"tensor<?x{heads}x{size}xbf16>", f"tensor<2x?x64x{key_heads}x{size}xbf16>"
print(f"""
func.func @softmax(%q: {q}, %keys: {cache}, %values: {cache}, %r: !mm01.ragged, %layer: index, %out: {q}) -> {q} {{
  %o = mm01.softmax_attention %q, %keys, %values, %r, %layer into %out {{scale = {int(size) ** -0.5}}} : {q}, {cache} into {q}
  return %o : {q}
}}""")
