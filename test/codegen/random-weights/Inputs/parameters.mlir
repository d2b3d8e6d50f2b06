// Parameters of every type and kind of source, and an entry that needs none of them.
mm01.parameter @norm : !mm01.weight<1001xf32> from [#mm01.source<"model.norm.weight" : 1001>]
mm01.parameter @gate : !mm01.weight<33x65xbf16> from [#mm01.source<"model.gate.weight" : 33x65>]
mm01.parameter @half : !mm01.weight<8x24xf16> from [#mm01.source<"model.half.weight" : 8x24>]
mm01.parameter @stack : !mm01.weight<3x5x7xbf16> from [#mm01.source<"model.experts.{}.w1.weight" : 5x7>]
mm01.parameter @fused : !mm01.weight<4x96x64xbf16> from [#mm01.source<"model.gate_up" : 4x192x64, rows 96 stride 192>]
mm01.parameter @bytes : !mm01.weight<33x1065xi8> from [#mm01.source<"model.bytes.weight" : 33x1065>] stored bf16
mm01.parameter @byte_norm : !mm01.weight<1001xi8> from [#mm01.source<"model.byte_norm.weight" : 1001>] stored f32
mm01.parameter @byte_stack : !mm01.weight<3x5x7xi8> from [#mm01.source<"model.experts.{}.w2.weight" : 5x7>] stored f16
mm01.parameter @byte_fused : !mm01.weight<4x96x64xi8> from [#mm01.source<"model.bytes" : 4x192x64, rows 96 stride 192>] stored bf16

func.func @entry(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
