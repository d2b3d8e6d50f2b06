"""Random programs of several ops, as they follow each other in a layer: what fusion makes one kernel of.

See cases.py for what a case is.
"""

from cases import Case, experts, features, floats, output, rows, storage, weights

SAME = "affine_map<(i, j) -> (i, j)>"


def elementwise(result, kind, inputs, out, body):
    """A linalg.generic over elements of one type; `body` gives %new from %in0, … and %old, which is what `out` holds."""
    maps = ", ".join([SAME] * (len(inputs) + 1))
    ins = f"ins({', '.join(inputs)} : {', '.join([kind] * len(inputs))}) " if inputs else ""
    points = "".join(f"%in{i}: f32, " for i in range(len(inputs))) + "%old: f32"
    return f"""  {result} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
      {ins}outs({out} : {kind}) {{
  ^bb0({points}):
{body}
    linalg.yield %new : f32
  }} -> {kind}"""


def divided(x, over, result="%new"):
    """over / (1 + exp(-x))"""
    return f"""    %one = arith.constant 1.0 : f32
    %minus = arith.negf {x} : f32
    %exp = math.exp %minus : f32
    %below = arith.addf %exp, %one : f32
    {result} = arith.divf {over}, %below : f32"""


RESIDUAL = """    %two = arith.constant 2.0 : f32
    %kept = arith.mulf %in0, %two : f32
    %new = arith.addf %kept, %old : f32"""
SILU = divided("%old", "%old")
SILU_TIMES = divided("%old", "%old", "%silu") + """
    %new = arith.mulf %silu, %in0 : f32"""
SIGMOID_TIMES = divided("%old", "%in0")


def finish(rng):
    """Combine, residual and norm, with the sum as a second result, as pre-norm wants it."""
    t, x, k, (w, dtype) = rows(rng), features(rng), rng.randint(1, 8), storage(rng)
    kind = f"tensor<?x{x}xf32>"
    function = f"""
func.func @finish(%rows: {kind}, %p: tensor<?x{k}xi32>, %s: tensor<?x{k}xf32>, %n: {kind}, %w: !mm01.weight<{x}x{w}>,
                  %sum: {kind}, %out: {kind}) -> ({kind}, {kind}) {{
  %y = mm01.combine %rows, %p, %s into %sum : {kind}, tensor<?x{k}xi32>, tensor<?x{k}xf32> into {kind}
{elementwise("%h", kind, ["%n"], "%y", RESIDUAL)}
  %z = mm01.rms_norm %h, %w into %out {{eps = 1.0e-5}} : {kind}, !mm01.weight<{x}x{w}> into {kind}
  return %z, %h : {kind}, {kind}
}}"""
    positions = ("I32", [t, k], rng.sample(range(t * k), t * k))
    arguments = [floats(rng, t * k, x), positions, floats(rng, t, k), floats(rng, t, x), floats(rng, x, dtype=dtype)]
    return Case("finish", function, [*arguments, output(t, x), output(t, x)], {5, 6})


def gated_norm(rng):
    """Attention's norm, times the sigmoid of a projection, which may be written before or after the norm."""
    t, x, k, (w, dtype) = rows(rng), features(rng), features(rng), storage(rng)
    kind, hidden = f"tensor<?x{x}xf32>", f"tensor<?x{k}xf32>"
    ops = [
        f"""  %y = mm01.rms_norm %x, %g into %e {{eps = 1.0e-5}} : {kind}, !mm01.weight<{x}x{w}> into {kind}""",
        f"""  %l = mm01.linear %n, %w into %out : {hidden}, !mm01.weight<{x}x{k}x{w}> into {kind}""",
    ]
    rng.shuffle(ops)
    lines = "\n".join(ops)
    function = f"""
func.func @gated_norm(%x: {kind}, %n: {hidden}, %g: !mm01.weight<{x}x{w}>, %w: !mm01.weight<{x}x{k}x{w}>, %out: {kind}) -> {kind} {{
  %zero = arith.constant 0 : index
  %t = tensor.dim %x, %zero : {kind}
  %e = tensor.empty(%t) : {kind}
{lines}
{elementwise("%z", kind, ["%y"], "%l", SIGMOID_TIMES)}
  return %z : {kind}
}}"""
    arguments = [floats(rng, t, x), floats(rng, t, k), floats(rng, x, dtype=dtype), weights(rng, x, k, dtype=dtype)]
    return Case("gated_norm", function, [*arguments, output(t, x)], {4})


def projections(rng):
    """SiLU behind one product, and two more products of the same rows, one of them transposed into its place."""
    t, n, m, k, (w, dtype) = rows(rng), rng.choice([24, 130, 200]), features(rng), features(rng), storage(rng)
    x, a, b = f"tensor<?x{k}xf32>", f"tensor<?x{n}xf32>", f"tensor<?x{m}xf32>"
    function = f"""
func.func @projections(%x: {x}, %u: !mm01.weight<{n}x{k}x{w}>, %v: !mm01.weight<{m}x{k}x{w}>, %a: {a}, %b: {b}, %c: tensor<{n}x?xf32>)
    -> ({a}, {b}, tensor<{n}x?xf32>) {{
  %zero = arith.constant 0 : index
  %t = tensor.dim %x, %zero : {x}
  %e = tensor.empty(%t) : {a}
  %p = mm01.linear %x, %u into %a : {x}, !mm01.weight<{n}x{k}x{w}> into {a}
{elementwise("%s", a, [], "%p", SILU)}
  %q = mm01.linear %x, %v into %b : {x}, !mm01.weight<{m}x{k}x{w}> into {b}
  %l = mm01.linear %x, %u into %e : {x}, !mm01.weight<{n}x{k}x{w}> into {a}
  %r = linalg.transpose ins(%l : {a}) outs(%c : tensor<{n}x?xf32>) permutation = [1, 0]
  return %s, %q, %r : {a}, {b}, tensor<{n}x?xf32>
}}"""
    arguments = [floats(rng, t, k), weights(rng, n, k, dtype=dtype), weights(rng, m, k, dtype=dtype)]
    return Case("projections", function, [*arguments, output(t, n), output(t, m), output(n, t)], {3, 4, 5})


def router(rng):
    t, k, (e, chosen) = rows(rng), features(rng), experts(rng)
    function = f"""
func.func @router(%x: tensor<?x{k}xf32>, %w: !mm01.weight<{e}x{k}xf32>, %s: tensor<?x{chosen}xf32>, %i: tensor<?x{chosen}xi32>)
    -> (tensor<?x{chosen}xf32>, tensor<?x{chosen}xi32>) {{
  %zero = arith.constant 0 : index
  %t = tensor.dim %x, %zero : tensor<?x{k}xf32>
  %a = tensor.empty(%t) : tensor<?x{e}xf32>
  %l = mm01.linear %x, %w into %a : tensor<?x{k}xf32>, !mm01.weight<{e}x{k}xf32> into tensor<?x{e}xf32>
  %p, %q = mm01.route %l into %s, %i : tensor<?x{e}xf32> into tensor<?x{chosen}xf32>, tensor<?x{chosen}xi32>
  return %p, %q : tensor<?x{chosen}xf32>, tensor<?x{chosen}xi32>
}}"""
    # Whole numbers: products are exact, ties are common and near ties impossible.
    x = ("F32", [t, k], [rng.randint(-3, 3) for _ in range(t * k)])
    w = ("F32", [e, k], [rng.randint(-1, 1) / 4 for _ in range(e * k)])
    return Case("router", function, [x, w, output(t, chosen), ("I32", [t, chosen], [-1] * (t * chosen))], {2, 3})


def swiglu(rng):
    m, n, k, (e, _), (w, dtype) = rows(rng), features(rng), features(rng), experts(rng), storage(rng)
    x, y, weight = f"tensor<?x{k}xf32>", f"tensor<?x{n}xf32>", f"!mm01.weight<{e}x{n}x{k}x{w}>"
    function = f"""
func.func @swiglu(%x: {x}, %i: tensor<{e + 1}xi32>, %w1: {weight}, %w3: {weight}, %out: {y}) -> {y} {{
  %zero = arith.constant 0 : index
  %t = tensor.dim %x, %zero : {x}
  %a = tensor.empty(%t) : {y}
  %g = mm01.grouped_linear %x, %i, %w1 into %out : {x}, tensor<{e + 1}xi32>, {weight} into {y}
  %u = mm01.grouped_linear %x, %i, %w3 into %a : {x}, tensor<{e + 1}xi32>, {weight} into {y}
{elementwise("%z", y, ["%u"], "%g", SILU_TIMES)}
  return %z : {y}
}}"""
    offsets = [0] + sorted(rng.randint(0, m) for _ in range(e - 1)) + [m]
    arguments = [floats(rng, m, k), ("I32", [e + 1], offsets)]
    arguments += [weights(rng, e, n, k, dtype=dtype) for _ in range(2)]
    return Case("swiglu", function, [*arguments, output(m, n)], {4})


CHAINS = [finish, gated_norm, projections, router, swiglu]
