"""Random programs: one function an op, with shapes and arguments that a seed decides.

Each case is a function of a random.Random that gives a Case. The shapes are chosen to break assumptions: odd extents,
head counts that are no powers of two, one token, one expert, sequences that go on from a past.
"""

import dataclasses
import math
import re


@dataclasses.dataclass
class Case:
    name: str
    function: str  # MLIR of func.func @name
    arguments: list  # a tensor (see safetensors_file.py), or a dictionary for a ragged batch
    outputs: set  # indices of arguments whose content must not matter: compared programs get other garbage

    def tensors(self):
        """The file of arguments (docs/contract.md, "Arguments in files")."""
        named = {}
        for index, argument in enumerate(self.arguments):
            if isinstance(argument, dict):
                named.update({f"arg{index}.{field}": tensor for field, tensor in argument.items()})
            else:
                named[f"arg{index}"] = argument
        return named


# --------------------------------------------------------------------------------------------------------- arguments


def floats(rng, *shape, scale=1.0, dtype="F32"):
    return (dtype, shape, [rng.gauss(0, scale) for _ in range(math.prod(shape))])


def weights(rng, *shape, dtype="F32"):
    """As large as keeps a product with a row of order 1."""
    return floats(rng, *shape, scale=shape[-1] ** -0.5, dtype=dtype)


def integers(shape, elements):
    return ("I32", shape, list(elements))


def output(*shape):
    """A destination: what it holds must not matter."""
    return ("F32", shape, [math.nan] * math.prod(shape))


def storage(rng):
    return rng.choice([("f32", "F32"), ("bf16", "BF16")])


@dataclasses.dataclass
class Batch:
    lengths: list
    past: list
    slots: int
    pages: int
    argument: dict

    @property
    def tokens(self):
        return sum(self.lengths)


def batch(rng, page_size=64, longest=90, lengths=None):
    """Sequences of these lengths, or one to four; some are new, some go on, at distinct slots and pages."""
    if lengths is None:
        lengths = [rng.choice([1, 1, 2, rng.randint(1, longest)]) for _ in range(rng.choice([1, 1, 2, 3, 4]))]
    sequences = len(lengths)
    past = [rng.choice([0, 0, 1, rng.randint(1, 150)]) for _ in range(sequences)]
    slots = sequences + rng.randint(0, 2)
    needed = [-(-(p + n) // page_size) for p, n in zip(past, lengths)]
    width = max(needed) + rng.randint(0, 1)
    pages = sum(needed) + rng.randint(0, 2)
    free = rng.sample(range(pages), sum(needed))
    table = []
    for count in needed:
        table += [free.pop() for _ in range(count)] + [-1] * (width - count)
    offsets = [sum(lengths[:n]) for n in range(sequences + 1)]
    argument = {
        "seq_offsets": integers([sequences + 1], offsets),
        "past": integers([sequences], past),
        "slot": integers([sequences], rng.sample(range(slots), sequences)),
        "page_table": integers([sequences, width], table),
    }
    return Batch(lengths, past, slots, pages, argument)


def rows(rng, least=0):
    return rng.choice([least, 1, 2, 7, 16, 33, rng.randint(1, 80)])


def features(rng):
    return rng.choice([8, 24, 32, 64, 72, 96, 130])


def heads(rng):
    """Heads, key heads, head size."""
    key_heads = rng.choice([1, 1, 2, 3])
    return key_heads * rng.choice([1, 2, 3, 5]), key_heads, rng.choice([16, 32, 48, 64, 128])


# ------------------------------------------------------------------------------------------------------- dense ops


def embedding(rng):
    t, v, k, (w, dtype) = rows(rng), rng.randint(1, 50), features(rng), storage(rng)
    function = f"""
func.func @embedding(%ids: tensor<?xi32>, %table: !mm01.weight<{v}x{k}x{w}>, %out: tensor<?x{k}xf32>) -> tensor<?x{k}xf32> {{
  %x = mm01.embedding %ids, %table into %out : tensor<?xi32>, !mm01.weight<{v}x{k}x{w}> into tensor<?x{k}xf32>
  return %x : tensor<?x{k}xf32>
}}"""
    ids = integers([t], [rng.randrange(v) for _ in range(t)])
    return Case("embedding", function, [ids, floats(rng, v, k, dtype=dtype), output(t, k)], {2})


def rms_norm(rng):
    t, k, (w, dtype) = rows(rng), features(rng), storage(rng)
    function = f"""
func.func @rms_norm(%x: tensor<?x{k}xf32>, %w: !mm01.weight<{k}x{w}>, %out: tensor<?x{k}xf32>) -> tensor<?x{k}xf32> {{
  %y = mm01.rms_norm %x, %w into %out {{eps = 1.0e-5}} : tensor<?x{k}xf32>, !mm01.weight<{k}x{w}> into tensor<?x{k}xf32>
  return %y : tensor<?x{k}xf32>
}}"""
    return Case("rms_norm", function, [floats(rng, t, k), floats(rng, k, dtype=dtype), output(t, k)], {2})


def linear(rng, square=False):
    t, n, k, (w, dtype) = rows(rng), features(rng), features(rng), storage(rng)
    n = k if square else n
    function = f"""
func.func @linear(%x: tensor<?x{k}xf32>, %w: !mm01.weight<{n}x{k}x{w}>, %out: tensor<?x{n}xf32>) -> tensor<?x{n}xf32> {{
  %y = mm01.linear %x, %w into %out : tensor<?x{k}xf32>, !mm01.weight<{n}x{k}x{w}> into tensor<?x{n}xf32>
  return %y : tensor<?x{n}xf32>
}}"""
    return Case("linear", function, [floats(rng, t, k), weights(rng, n, k, dtype=dtype), output(t, n)], {2})


def head(rng):
    t, r, n, k, (w, dtype) = rows(rng, least=1), rng.randint(1, 9), features(rng), features(rng), storage(rng)
    function = f"""
func.func @head(%x: tensor<?x{k}xf32>, %rows: tensor<?xi32>, %w: !mm01.weight<{n}x{k}x{w}>, %out: tensor<?x{n}xf32>) -> tensor<?x{n}xf32> {{
  %y = mm01.head %x, %rows, %w into %out : tensor<?x{k}xf32>, tensor<?xi32>, !mm01.weight<{n}x{k}x{w}> into tensor<?x{n}xf32>
  return %y : tensor<?x{n}xf32>
}}"""
    chosen = integers([r], [rng.randrange(t) for _ in range(r)])
    return Case("head", function, [floats(rng, t, k), chosen, weights(rng, n, k, dtype=dtype), output(r, n)], {3})


def rotary(rng):
    b, (h, _, d) = batch(rng), heads(rng)
    rotary_dim = rng.choice([0, d // 2, d, 2])
    function = f"""
func.func @rotary(%x: tensor<?x{h}x{d}xf32>, %r: !mm01.ragged, %out: tensor<?x{h}x{d}xf32>) -> tensor<?x{h}x{d}xf32> {{
  %y = mm01.rotary %x, %r into %out {{rotary_dim = {rotary_dim}, theta = 1.0e4}} : tensor<?x{h}x{d}xf32> into tensor<?x{h}x{d}xf32>
  return %y : tensor<?x{h}x{d}xf32>
}}"""
    return Case("rotary", function, [floats(rng, b.tokens, h, d), b.argument, output(b.tokens, h, d)], {2})


# --------------------------------------------------------------------------------------------------- attention ops


def lightning_plan(repeat, *rest):
    """The attribute for a repeated level and (bound, levels)…"""
    entries = ", ".join(
        f"{{bound = {bound}, items = array<i64{': ' if levels else ''}{', '.join(map(str, levels))}>}}" for bound, levels in rest
    )
    return f"{{repeat = {repeat}, rest = [{entries}]}}"


def lightning(rng, b, h, d, plan):
    """`plan` is what lightning_plan takes, or None for the planner's."""
    layers = rng.randint(1, 3)
    q, state = f"tensor<?x{h}x{d}xf32>", f"tensor<{layers}x?x{h}x{d}x{d}xf32>"
    attributes = f" {{mm01.lightning_plan = {lightning_plan(*plan)}}}" if plan else ""
    function = f"""
func.func @lightning_attention(%q: {q}, %k: {q}, %v: {q}, %slopes: tensor<{h}xf32>, %r: !mm01.ragged, %layer: index,
                               %out: {q}, %state: {state}) -> ({q}, {state}) {{
  %o, %s = mm01.lightning_attention %q, %k, %v, %slopes, %r, %layer into %out, %state{attributes}
    : {q}, tensor<{h}xf32> into {q}, {state}
  return %o, %s : {q}, {state}
}}"""
    slopes = ("F32", [h], [rng.choice([0.0, 1e-8, 0.004, 0.1, 0.5, 1.0]) for _ in range(h)])
    tokens = [floats(rng, b.tokens, h, d, scale=d**-0.5) for _ in range(3)]
    arguments = tokens + [slopes, b.argument, ("I64", [], [rng.randrange(layers)]), output(b.tokens, h, d)]
    arguments.append(floats(rng, layers, b.slots, h, d, d, scale=0.3))
    return Case("lightning_attention", function, arguments, {6})


def lightning_attention(rng):
    plan = rng.choice([None, None, (1,), (16,), (32, (4, []), (9, [8]), (18, [16])), (64, (20, []), (41, [32]))])
    return lightning(rng, batch(rng), rng.choice([1, 3, 4, 5]), rng.choice([16, 32, 48, 64, 128]), plan)


def cache(layers, kv, d):
    return f"tensor<{layers}x?x64x{kv}x{d}xf32>"


def cache_update(rng):
    b, (_, kv, d), layers = batch(rng), heads(rng), rng.randint(1, 2)
    k, keys = f"tensor<?x{kv}x{d}xf32>", cache(layers, kv, d)
    function = f"""
func.func @cache_update(%k: {k}, %v: {k}, %r: !mm01.ragged, %layer: index, %keys: {keys}, %values: {keys}) -> ({keys}, {keys}) {{
  %a, %b = mm01.cache_update %k, %v, %r, %layer into %keys, %values : {k} into {keys}
  return %a, %b : {keys}, {keys}
}}"""
    arguments = [floats(rng, b.tokens, kv, d) for _ in range(2)]
    arguments += [b.argument, ("I64", [], [rng.randrange(layers)])]
    arguments += [floats(rng, layers, b.pages, 64, kv, d) for _ in range(2)]
    return Case("cache_update", function, arguments, set())


def softmax_attention(rng):
    b, (h, kv, d) = batch(rng, longest=40), heads(rng)
    q, keys = f"tensor<?x{h}x{d}xf32>", cache(1, kv, d)
    function = f"""
func.func @softmax_attention(%q: {q}, %keys: {keys}, %values: {keys}, %r: !mm01.ragged, %layer: index, %out: {q}) -> {q} {{
  %o = mm01.softmax_attention %q, %keys, %values, %r, %layer into %out {{scale = {d ** -0.5!r}}} : {q}, {keys} into {q}
  return %o : {q}
}}"""
    arguments = [floats(rng, b.tokens, h, d, scale=2)]
    arguments += [floats(rng, 1, b.pages, 64, kv, d) for _ in range(2)]
    arguments += [b.argument, ("I64", [], [0]), output(b.tokens, h, d)]
    return Case("softmax_attention", function, arguments, {5})


# ---------------------------------------------------------------------------------------------- mixture of experts


def experts(rng):
    """Experts, and how many of them a token takes."""
    total = rng.choice([1, 2, 4, 5, 8, 32])
    return total, rng.randint(1, min(total, 8))


def choose(rng, t, total, chosen):
    return integers([t, chosen], [e for _ in range(t) for e in rng.sample(range(total), chosen)])


def route(rng):
    t, (e, k) = rows(rng), experts(rng)
    function = f"""
func.func @route(%l: tensor<?x{e}xf32>, %w: tensor<?x{k}xf32>, %e: tensor<?x{k}xi32>) -> (tensor<?x{k}xf32>, tensor<?x{k}xi32>) {{
  %a, %b = mm01.route %l into %w, %e : tensor<?x{e}xf32> into tensor<?x{k}xf32>, tensor<?x{k}xi32>
  return %a, %b : tensor<?x{k}xf32>, tensor<?x{k}xi32>
}}"""
    # Multiples of 1/4: exact ties are common, near ties impossible.
    logits = ("F32", [t, e], [rng.randint(-20, 20) / 4 for _ in range(t * e)])
    return Case("route", function, [logits, output(t, k), integers([t, k], [-1] * (t * k))], {1, 2})


def dispatch(rng, square=False):
    t, x, (e, k) = rows(rng), features(rng), experts(rng)
    k = 1 if square else k
    function = f"""
func.func @dispatch(%x: tensor<?x{x}xf32>, %e: tensor<?x{k}xi32>, %rows: tensor<?x{x}xf32>, %o: tensor<{e + 1}xi32>, %p: tensor<?x{k}xi32>)
    -> (tensor<?x{x}xf32>, tensor<{e + 1}xi32>, tensor<?x{k}xi32>) {{
  %a, %b, %c = mm01.dispatch %x, %e into %rows, %o, %p
    : tensor<?x{x}xf32>, tensor<?x{k}xi32> into tensor<?x{x}xf32>, tensor<{e + 1}xi32>, tensor<?x{k}xi32>
  return %a, %b, %c : tensor<?x{x}xf32>, tensor<{e + 1}xi32>, tensor<?x{k}xi32>
}}"""
    arguments = [floats(rng, t, x), choose(rng, t, e, k), output(t * k, x)]
    arguments += [integers([e + 1], [-1] * (e + 1)), integers([t, k], [-1] * (t * k))]
    return Case("dispatch", function, arguments, {2, 3, 4})


def grouped_linear(rng, square=False):
    m, n, k, (e, _), (w, dtype) = rows(rng), features(rng), features(rng), experts(rng), storage(rng)
    n = k if square else n
    function = f"""
func.func @grouped_linear(%rows: tensor<?x{k}xf32>, %o: tensor<{e + 1}xi32>, %w: !mm01.weight<{e}x{n}x{k}x{w}>, %out: tensor<?x{n}xf32>)
    -> tensor<?x{n}xf32> {{
  %y = mm01.grouped_linear %rows, %o, %w into %out
    : tensor<?x{k}xf32>, tensor<{e + 1}xi32>, !mm01.weight<{e}x{n}x{k}x{w}> into tensor<?x{n}xf32>
  return %y : tensor<?x{n}xf32>
}}"""
    offsets = [0] + sorted(rng.randint(0, m) for _ in range(e - 1)) + [m]
    arguments = [floats(rng, m, k), integers([e + 1], offsets), weights(rng, e, n, k, dtype=dtype), output(m, n)]
    return Case("grouped_linear", function, arguments, {3})


def combine(rng, square=False):
    t, x, k = rows(rng), features(rng), rng.randint(1, 8)
    k = 1 if square else k
    function = f"""
func.func @combine(%rows: tensor<?x{x}xf32>, %p: tensor<?x{k}xi32>, %w: tensor<?x{k}xf32>, %out: tensor<?x{x}xf32>) -> tensor<?x{x}xf32> {{
  %y = mm01.combine %rows, %p, %w into %out : tensor<?x{x}xf32>, tensor<?x{k}xi32>, tensor<?x{k}xf32> into tensor<?x{x}xf32>
  return %y : tensor<?x{x}xf32>
}}"""
    positions = integers([t, k], rng.sample(range(t * k), t * k))
    return Case("combine", function, [floats(rng, t * k, x), positions, floats(rng, t, k), output(t, x)], {3})


# ------------------------------------------------------------------------------------------------------------ int8


def int8(maker):
    """The case of another op, with its weight in int8: made of the floats of the case by whoever reads them."""

    def make(rng):
        case = maker(rng)
        name = f"{maker.__name__}_int8"
        function = re.sub(r"(!mm01\.weight<[0-9x]+x)\w+>", r"\1i8>", case.function)
        return Case(name, function.replace(f"@{maker.__name__}(", f"@{name}("), case.arguments, case.outputs)

    make.__name__ = f"{maker.__name__}_int8"
    return make


# ---------------------------------------------------------------------------------------------------------- linalg


def elementwise(rng):
    """silu(a) · b + c, with c a row that is broadcast, as upstream ops say it."""
    t, k = rows(rng), features(rng)
    function = f"""
func.func @elementwise(%a: tensor<?x{k}xf32>, %b: tensor<?x{k}xf32>, %c: tensor<{k}xf32>, %out: tensor<?x{k}xf32>) -> tensor<?x{k}xf32> {{
  %y = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                        affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
      ins(%a, %b, %c : tensor<?x{k}xf32>, tensor<?x{k}xf32>, tensor<{k}xf32>) outs(%out : tensor<?x{k}xf32>) {{
  ^bb0(%x: f32, %g: f32, %z: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %one : f32
    %s = arith.divf %x, %d : f32
    %p = arith.mulf %s, %g : f32
    %r = arith.addf %p, %z : f32
    linalg.yield %r : f32
  }} -> tensor<?x{k}xf32>
  return %y : tensor<?x{k}xf32>
}}"""
    arguments = [floats(rng, t, k, scale=3), floats(rng, t, k), floats(rng, k), output(t, k)]
    return Case("elementwise", function, arguments, {3})


# -------------------------------------------------------------------------------------------------------- in place


def in_place(maker, source, destination, **shape):
    """The case of another op, with its result written over one of its own operands."""

    def make(rng):
        case = maker(rng, **shape)
        name = f"{maker.__name__}_into_{source[1:]}"
        first, body = case.function.split(" {\n", 1)
        first = first.replace(f"@{maker.__name__}(", f"@{name}(")
        kind = re.search(rf"{source}: (tensor<[^>]*>)", first).group(1)
        loops = kind.count("x")
        point = ", ".join(f"d{i}" for i in range(loops))
        identity = f"affine_map<({point}) -> ({point})>"
        parallel = ", ".join(['"parallel"'] * loops)
        copy = f"""  %fresh = linalg.generic {{indexing_maps = [{identity}, {identity}], iterator_types = [{parallel}]}}
      ins({source} : {kind}) outs({destination} : {kind}) {{
  ^bb0(%from: f32, %to: f32):
    %twice = arith.addf %from, %from : f32
    linalg.yield %twice : f32
  }} -> {kind}
"""
        body = re.sub(rf"({source}|{destination})\b", "%fresh", body)
        return Case(name, first + " {\n" + copy + body, case.arguments, case.outputs)

    make.__name__ = f"{maker.__name__}_into_{source[1:]}"
    return make


CASES = [embedding, rms_norm, linear, head, rotary, lightning_attention, cache_update, softmax_attention, route, dispatch,
         grouped_linear, combine, elementwise]
CASES += [int8(linear), int8(grouped_linear), int8(head)]
CASES += [
    in_place(rms_norm, "%x", "%out"),
    in_place(linear, "%x", "%out", square=True),
    in_place(rotary, "%x", "%out"),
    in_place(lightning_attention, "%q", "%out"),
    in_place(lightning_attention, "%k", "%out"),
    in_place(lightning_attention, "%v", "%out"),
    in_place(softmax_attention, "%q", "%out"),
    in_place(dispatch, "%x", "%rows", square=True),
    in_place(grouped_linear, "%rows", "%out", square=True),
    in_place(combine, "%rows", "%out", square=True),
    in_place(elementwise, "%a", "%out"),
    in_place(elementwise, "%b", "%out"),
]
