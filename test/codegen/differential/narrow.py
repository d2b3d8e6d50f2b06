"""Random programs with activations in bf16, for GPUs alone: the CPU's products are of float32."""

import re

import cases


def narrow(maker):
    """The case of another op, with activations in bf16: what has a row a token. Weights, states and slopes stay."""

    def make(rng):
        case = maker(rng)
        name = f"{maker.__name__}_bf16"
        function = re.sub(r"(tensor<\?x[?0-9x]+x)f32>", r"\1bf16>", case.function)
        function = function.replace(f"@{maker.__name__}(", f"@{name}(")
        kinds = re.findall(r"%\w+: (!?[\w.]+(?:<[^>]*>)?)", function.split("->")[0])
        arguments = [
            ("BF16", *argument[1:]) if kind.endswith("bf16>") and kind.startswith("tensor") else argument
            for kind, argument in zip(kinds, case.arguments, strict=True)
        ]
        return cases.Case(name, function, arguments, case.outputs)

    make.__name__ = f"{maker.__name__}_bf16"
    return make


CASES = [
    narrow(getattr(cases, name))
    for name in ("embedding", "rms_norm", "linear", "head", "rotary", "lightning_attention", "softmax_attention", "dispatch",
                 "grouped_linear", "combine")
]
