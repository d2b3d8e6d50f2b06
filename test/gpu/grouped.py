"""Products of experts on bf16 activations: programs for make_cases.py.

Experts have from no row to more than the widest tile, and rows and features that end tiles anywhere. What the results'
memory held before is NaN.
"""

COUNTS = [0, 1, 15, 16, 17, 33, 0, 65, 257, 130]
HIDDEN, FEATURES = 136, 200
SILU_TIMES = """
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%u : OUT) outs(%g : OUT) {
  ^bb0(%i: bf16, %o: bf16):
    %up = arith.extf %i : bf16 to f32
    %gate = arith.extf %o : bf16 to f32
    %minus = arith.negf %gate : f32
    %exp = math.exp %minus : f32
    %one = arith.constant 1.0 : f32
    %sum = arith.addf %exp, %one : f32
    %silu = arith.divf %gate, %sum : f32
    %wide = arith.mulf %silu, %up : f32
    %narrow = arith.truncf %wide : f32 to bf16
    linalg.yield %narrow : bf16
  } -> OUT
"""


def module(gated):
    weight = "%w{}: !mm01.weight<EXPERTSxFEATURESxHIDDENxbf16>"
    product = "  %{} = mm01.grouped_linear %x, %offsets, %w{} into %{} : IN, OFFSETS, !mm01.weight<EXPERTSxFEATURESxHIDDENxbf16> into OUT\n"
    arguments = [weight.format(1), "%a: OUT"]
    body = product.format("g" if gated else "y", 1, "a")
    if gated:
        arguments += [weight.format(3), "%b: OUT"]
        body += product.format("u", 3, "b") + SILU_TIMES
    text = f"func.func @experts(%x: IN, %offsets: OFFSETS, {', '.join(arguments)}) -> OUT {{\n{body}  return %y : OUT\n}}\n"
    for word, meaning in (
        ("IN,", "tensor<?xHIDDENxbf16>,"),
        ("OUT", "tensor<?xFEATURESxbf16>"),
        ("OFFSETS", f"tensor<{len(COUNTS) + 1}xi32>"),
        ("EXPERTS", str(len(COUNTS))),
        ("FEATURES", str(FEATURES)),
        ("HIDDEN", str(HIDDEN)),
    ):
        text = text.replace(word, meaning)
    return text


def tensors(rng, gated):
    rows = sum(COUNTS)
    offsets = [sum(COUNTS[:i]) for i in range(len(COUNTS) + 1)]
    draw = lambda count, scale: [rng.gauss(0, scale) for _ in range(count)]
    weight = lambda: ("BF16", [len(COUNTS), FEATURES, HIDDEN], draw(len(COUNTS) * FEATURES * HIDDEN, 0.1))
    nothing = ("BF16", [rows, FEATURES], [float("nan")] * (rows * FEATURES))
    values = [("BF16", [rows, HIDDEN], draw(rows * HIDDEN, 1)), ("I32", [len(offsets)], offsets), weight(), nothing]
    if gated:
        values += [weight(), nothing]
    return {f"arg{i}": value for i, value in enumerate(values)}
