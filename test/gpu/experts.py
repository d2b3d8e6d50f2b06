"""Products of experts on bf16 activations, and with int8 weights those of linear maps: programs for make_cases.py.

Experts have from no row to more than the widest tile, and rows and features that end tiles anywhere; linear maps have
rows for the kernel of few and for a program of each width. What the results' memory held before is NaN.
"""

import random

COUNTS = [0, 1, 15, 16, 17, 33, 0, 65, 257, 130]
HIDDEN, FEATURES = {"bf16": 136, "i8": 272}, 200  # more than one step of a program of each kind, and not two
LINEAR_ROWS = (1, 4, 5, 16, 17, 33, 100, 129, 300)
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


def module(gated, element="bf16", experts=len(COUNTS), features=FEATURES, hidden=None):
    weight = "%w{}: !mm01.weight<EXPERTSxFEATURESxHIDDENxELEMENT>"
    product = "  %{} = mm01.grouped_linear %x, %offsets, %w{} into %{} : IN, OFFSETS, !mm01.weight<EXPERTSxFEATURESxHIDDENxELEMENT> into OUT\n"
    arguments = [weight.format(1), "%a: OUT"]
    body = product.format("g" if gated else "y", 1, "a")
    if gated:
        arguments += [weight.format(3), "%b: OUT"]
        body += product.format("u", 3, "b") + SILU_TIMES
    text = f"func.func @experts(%x: IN, %offsets: OFFSETS, {', '.join(arguments)}) -> OUT {{\n{body}  return %y : OUT\n}}\n"
    for word, meaning in (
        ("IN,", "tensor<?xHIDDENxbf16>,"),
        ("OUT", "tensor<?xFEATURESxbf16>"),
        ("OFFSETS", f"tensor<{experts + 1}xi32>"),
        ("EXPERTS", str(experts)),
        ("FEATURES", str(features)),
        ("HIDDEN", str(hidden or HIDDEN[element])),
        ("ELEMENT", element),
    ):
        text = text.replace(word, meaning)
    return text


def draw(rng, count, scale):
    return [rng.gauss(0, scale) for _ in range(count)]


def nothing(rows):
    return "BF16", [rows, FEATURES], [float("nan")] * (rows * FEATURES)


def tensors(rng, gated, element="bf16"):
    rows, hidden = sum(COUNTS), HIDDEN[element]
    offsets = [sum(COUNTS[:i]) for i in range(len(COUNTS) + 1)]
    weight = lambda: ("BF16", [len(COUNTS), FEATURES, hidden], draw(rng, len(COUNTS) * FEATURES * hidden, 0.1))
    x = ("BF16", [rows, hidden], draw(rng, rows * hidden, 1))
    values = [x, ("I32", [len(offsets)], offsets), weight(), nothing(rows)]
    if gated:
        values += [weight(), nothing(rows)]
    return {f"arg{i}": value for i, value in enumerate(values)}


def linear_module():
    hidden = HIDDEN["i8"]
    return f"""
func.func @linear(%x: tensor<?x{hidden}xbf16>, %w: !mm01.weight<{FEATURES}x{hidden}xi8>, %out: tensor<?x{FEATURES}xbf16>)
    -> tensor<?x{FEATURES}xbf16> {{
  %y = mm01.linear %x, %w into %out
    : tensor<?x{hidden}xbf16>, !mm01.weight<{FEATURES}x{hidden}xi8> into tensor<?x{FEATURES}xbf16>
  return %y : tensor<?x{FEATURES}xbf16>
}}
"""


def linear_tensors(rng, rows):
    hidden = HIDDEN["i8"]
    x, weight = (("BF16", [n, hidden], draw(rng, n * hidden, scale)) for n, scale in ((rows, 1), (FEATURES, 0.1)))
    return {"arg0": x, "arg1": weight, "arg2": nothing(rows)}


def write_programs(write, seed):
    """Calls write(name, module, entry, tensors) for each program."""
    for element, suffix in (("bf16", ""), ("i8", "-int8")):
        for gated in (False, True):
            name = ("experts-silu" if gated else "experts") + suffix
            rng = random.Random(f"{seed} {gated}{suffix}")
            write(name, module(gated, element), "experts", tensors(rng, gated, element))
    for rows in LINEAR_ROWS:
        rng = random.Random(f"{seed} {rows}")
        write(f"linear-int8-{rows}", linear_module(), "linear", linear_tensors(rng, rows))
