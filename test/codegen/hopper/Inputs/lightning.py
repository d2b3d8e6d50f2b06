"""usage: lightning.py HEADS SIZE [ATTRIBUTES]

Prints a module with lightning attention of as many heads, of bf16 activations.
"""

import sys

heads, size, *attributes = sys.argv[1:]
q, state = f"tensor<?x{heads}x{size}xbf16>", f"tensor<7x?x{heads}x{size}x{size}xf32>"
print(f"""
func.func @lightning(%q: {q}, %k: {q}, %v: {q}, %slopes: tensor<{heads}xf32>, %r: !mm01.ragged, %layer: index,
                     %out: {q}, %state: {state}) -> ({q}, {state}) {{
  %o, %s = mm01.lightning_attention %q, %k, %v, %slopes, %r, %layer into %out, %state {" ".join(attributes)}
    : {q}, tensor<{heads}xf32> into {q}, {state}
  return %o, %s : {q}, {state}
}}""")
