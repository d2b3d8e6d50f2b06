"""Random choices of tokens from logits (cases.py says what a case is)."""

import math

import cases


def sample(rng):
    """Rows with ties, with tokens that cannot be, and sometimes without a token."""
    n, v = cases.rows(rng), rng.choice([1, 5, 64, 130, 300])
    function = f"""func.func @sample(%logits: tensor<?x{v}xf32>, %draws: tensor<?xi64>, %t: f32, %k: i64, %p: f32,
    %tokens: tensor<?xi32>, %problems: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {{
  %0, %1 = mm01.sample %logits, %draws temperature %t top_k %k top_p %p into %tokens, %problems
    : tensor<?x{v}xf32>, tensor<?xi64> into tensor<?xi32>, tensor<?xi32>
  return %0, %1 : tensor<?xi32>, tensor<?xi32>
}}"""
    logits = []
    for _ in range(n):
        row = [rng.gauss(0, 2) for _ in range(v)]
        kind = rng.randrange(8)
        if kind == 0:
            row = [float(round(x)) for x in row]
        elif kind == 1:
            row = [x if i % 3 == 0 else -math.inf for i, x in enumerate(row)]
        elif kind == 2:
            row[rng.randrange(v)] = rng.choice([math.nan, math.inf])
        elif kind == 3:
            row = [rng.choice([0.25, -math.inf])] * v
        logits += row
    # Some on both sides of a half and of the end, which a double rounds to it.
    edges = [0, -1, (1 << 63) - 1, -(1 << 63)]
    draws = ("I64", [n], [rng.choice([rng.randrange(-(1 << 63), 1 << 63), rng.choice(edges)]) for _ in range(n)])
    options = [("F32", [], [rng.choice([0.0, 0.5, 1.0])]), ("I64", [], [rng.choice([0, 1, 3, 50])])]
    options.append(("F32", [], [rng.choice([1.0, 0.9, 0.25])]))
    outputs = [cases.integers([n], [-7] * n)] * 2
    return cases.Case("sample", function, [("F32", [n, v], logits), draws, *options, *outputs], {5, 6})


CASES = [sample]
