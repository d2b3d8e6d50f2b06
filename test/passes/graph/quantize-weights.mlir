// RUN: split-file %s %t
// RUN: mm01-opt %t/int8.mlir --mm01-quantize-weights | FileCheck %t/int8.mlir
// RUN: mm01-opt %t/experts.mlir --mm01-quantize-weights | FileCheck %t/experts.mlir
// RUN: mm01-opt %t/calls.mlir --mm01-quantize-weights | FileCheck %t/calls.mlir
// RUN: mm01-opt %t/none.mlir --mm01-quantize-weights | FileCheck %t/none.mlir

// Again, it changes nothing.
// RUN: mm01-opt %t/int8.mlir --mm01-quantize-weights > %t/once.mlir
// RUN: mm01-opt %t/once.mlir --mm01-quantize-weights | diff %t/once.mlir -

// RUN: not mm01-opt %t/kind.mlir --mm01-quantize-weights 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: error: 'mm01.quantize' is "int4", expected "int8" or "int8-experts"
// RUN: not mm01-opt %t/number.mlir --mm01-quantize-weights 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: 'mm01.quantize' is 8 : i64, expected "int8" or "int8-experts"

//--- int8.mlir
module attributes {mm01.quantize = "int8"} {
// Linear weights, of each storage type, and those of experts.
// CHECK: mm01.parameter @dense : !mm01.weight<96x64xi8> from [#mm01.source<"dense" : 96x64>] stored bf16
mm01.parameter @dense : !mm01.weight<96x64xbf16> from [#mm01.source<"dense" : 96x64>]
// CHECK: mm01.parameter @wide : !mm01.weight<64x96xi8> {{.*}} stored f32
mm01.parameter @wide : !mm01.weight<64x96xf32> from [#mm01.source<"wide" : 64x96>]
// CHECK: mm01.parameter @experts : !mm01.weight<4x32x64xi8> {{.*}} stored f16
mm01.parameter @experts : !mm01.weight<4x32x64xf16> from [#mm01.source<"experts.{}" : 32x64>]
// Not the tables, norms, heads, and what the routing is computed from.
// CHECK: mm01.parameter @embedding : !mm01.weight<256x64xbf16> from [#mm01.source<"embedding" : 256x64>]{{$}}
mm01.parameter @embedding : !mm01.weight<256x64xbf16> from [#mm01.source<"embedding" : 256x64>]
// CHECK: mm01.parameter @norm : !mm01.weight<64xbf16> from [#mm01.source<"norm" : 64>]{{$}}
mm01.parameter @norm : !mm01.weight<64xbf16> from [#mm01.source<"norm" : 64>]
// CHECK: mm01.parameter @head : !mm01.weight<256x64xbf16> from [#mm01.source<"head" : 256x64>]{{$}}
mm01.parameter @head : !mm01.weight<256x64xbf16> from [#mm01.source<"head" : 256x64>]
// CHECK: mm01.parameter @gate : !mm01.weight<4x64xf32> from [#mm01.source<"gate" : 4x64>]{{$}}
mm01.parameter @gate : !mm01.weight<4x64xf32> from [#mm01.source<"gate" : 4x64>]
// One that is a head as well as a linear map has one type: it stays.
// CHECK: mm01.parameter @both : !mm01.weight<96x64xbf16> from [#mm01.source<"both" : 96x64>]{{$}}
mm01.parameter @both : !mm01.weight<96x64xbf16> from [#mm01.source<"both" : 96x64>]
// One that nothing reads stays.
// CHECK: mm01.parameter @unused : !mm01.weight<96x64xbf16> from [#mm01.source<"unused" : 96x64>]{{$}}
mm01.parameter @unused : !mm01.weight<96x64xbf16> from [#mm01.source<"unused" : 96x64>]

// CHECK-LABEL: func.func @linear
// CHECK-SAME: !mm01.weight<96x64xi8> {mm01.parameter = @dense}
// CHECK-SAME: !mm01.weight<64x96xi8> {mm01.parameter = @wide}
// CHECK: mm01.linear {{.*}}<96x64xi8>
// CHECK: mm01.linear {{.*}}<64x96xi8>
func.func @linear(%x: tensor<?x64xf32>, %a: !mm01.weight<96x64xbf16> {mm01.parameter = @dense},
                  %b: !mm01.weight<64x96xf32> {mm01.parameter = @wide}, %t: tensor<?x96xf32>, %out: tensor<?x64xf32>,
                  %unused: !mm01.weight<96x64xbf16> {mm01.parameter = @unused}) -> tensor<?x64xf32> {
  %y = mm01.linear %x, %a into %t : tensor<?x64xf32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
  %z = mm01.linear %y, %b into %out : tensor<?x96xf32>, !mm01.weight<64x96xf32> into tensor<?x64xf32>
  return %z : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @experts_entry
// CHECK: mm01.grouped_linear {{.*}}<4x32x64xi8>
func.func @experts_entry(%rows: tensor<?x64xf32>, %offsets: tensor<5xi32>,
                         %w: !mm01.weight<4x32x64xf16> {mm01.parameter = @experts}, %out: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %y = mm01.grouped_linear %rows, %offsets, %w into %out
    : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<4x32x64xf16> into tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// The same parameter in another entry.
// CHECK-LABEL: func.func @again
// CHECK-SAME: !mm01.weight<4x32x64xi8> {mm01.parameter = @experts}
func.func @again(%w: !mm01.weight<4x32x64xf16> {mm01.parameter = @experts}) {
  return
}

// CHECK-LABEL: func.func @kept
// CHECK: mm01.embedding {{.*}}<256x64xbf16>
// CHECK: mm01.rms_norm {{.*}}<64xbf16>
// CHECK: mm01.head {{.*}}<256x64xbf16>
// CHECK: mm01.head {{.*}}<96x64xbf16>
// CHECK: mm01.linear {{.*}}<96x64xbf16>
func.func @kept(%ids: tensor<?xi32>, %e: !mm01.weight<256x64xbf16> {mm01.parameter = @embedding},
                %n: !mm01.weight<64xbf16> {mm01.parameter = @norm}, %h: !mm01.weight<256x64xbf16> {mm01.parameter = @head},
                %b: !mm01.weight<96x64xbf16> {mm01.parameter = @both}, %x: tensor<?x64xf32>, %logits: tensor<?x256xf32>,
                %t: tensor<?x96xf32>) -> (tensor<?x256xf32>, tensor<?x96xf32>, tensor<?x96xf32>) {
  %0 = mm01.embedding %ids, %e into %x : tensor<?xi32>, !mm01.weight<256x64xbf16> into tensor<?x64xf32>
  %1 = mm01.rms_norm %0, %n into %x {eps = 1.0e-5} : tensor<?x64xf32>, !mm01.weight<64xbf16> into tensor<?x64xf32>
  %2 = mm01.head %1, %ids, %h into %logits : tensor<?x64xf32>, tensor<?xi32>, !mm01.weight<256x64xbf16> into tensor<?x256xf32>
  %3 = mm01.head %1, %ids, %b into %t : tensor<?x64xf32>, tensor<?xi32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
  %4 = mm01.linear %1, %b into %t : tensor<?x64xf32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
  return %2, %3, %4 : tensor<?x256xf32>, tensor<?x96xf32>, tensor<?x96xf32>
}

// The logits of the routing are computed from the gate's product, here by way of an addition.
// CHECK-LABEL: func.func @route
// CHECK: mm01.linear {{.*}}<4x64xf32>
func.func @route(%x: tensor<?x64xf32>, %g: !mm01.weight<4x64xf32> {mm01.parameter = @gate}, %l: tensor<?x4xf32>,
                 %s: tensor<?x2xf32>, %c: tensor<?x2xi32>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
  %0 = mm01.linear %x, %g into %l : tensor<?x64xf32>, !mm01.weight<4x64xf32> into tensor<?x4xf32>
  %1 = arith.addf %0, %0 : tensor<?x4xf32>
  %2, %3 = mm01.route %1 into %s, %c : tensor<?x4xf32> into tensor<?x2xf32>, tensor<?x2xi32>
  return %2, %3 : tensor<?x2xf32>, tensor<?x2xi32>
}
}

//--- experts.mlir
module attributes {mm01.quantize = "int8-experts"} {
// A weight that is bound to no parameter is quantised, too: the caller gives it as floats.
// CHECK-LABEL: func.func @mixed
// CHECK-SAME: !mm01.weight<96x64xbf16>
// CHECK-SAME: !mm01.weight<4x96x64xi8>
func.func @mixed(%x: tensor<?x64xf32>, %a: !mm01.weight<96x64xbf16>, %offsets: tensor<5xi32>, %w: !mm01.weight<4x96x64xbf16>,
                 %t: tensor<?x96xf32>) -> (tensor<?x96xf32>, tensor<?x96xf32>) {
  %y = mm01.linear %x, %a into %t : tensor<?x64xf32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
  %z = mm01.grouped_linear %x, %offsets, %w into %t
    : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<4x96x64xbf16> into tensor<?x96xf32>
  return %y, %z : tensor<?x96xf32>, tensor<?x96xf32>
}
}

//--- calls.mlir
module attributes {mm01.quantize = "int8"} {
mm01.parameter @first : !mm01.weight<64x64xbf16> from [#mm01.source<"first" : 64x64>]
mm01.parameter @second : !mm01.weight<64x64xbf16> from [#mm01.source<"second" : 64x64>]
mm01.parameter @seen : !mm01.weight<64x64xbf16> from [#mm01.source<"seen" : 64x64>]
// CHECK: mm01.parameter @first : !mm01.weight<64x64xi8>
// CHECK: mm01.parameter @second : !mm01.weight<64x64xi8>
// CHECK: mm01.parameter @seen : !mm01.weight<64x64xbf16>

// Through two functions, and two calls of one.
// CHECK-LABEL: func.func private @inner(%{{.*}}: tensor<?x64xf32>, %{{.*}}: !mm01.weight<64x64xi8>
func.func private @inner(%x: tensor<?x64xf32>, %w: !mm01.weight<64x64xbf16>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = mm01.linear %x, %w into %out : tensor<?x64xf32>, !mm01.weight<64x64xbf16> into tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
// CHECK-LABEL: func.func private @layer(%{{.*}}: tensor<?x64xf32>, %{{.*}}: !mm01.weight<64x64xi8>
func.func private @layer(%x: tensor<?x64xf32>, %w: !mm01.weight<64x64xbf16>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = call @inner(%x, %w, %out) : (tensor<?x64xf32>, !mm01.weight<64x64xbf16>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
// What another program does with a weight is not known.
func.func private @elsewhere(!mm01.weight<64x64xbf16>)
// CHECK-LABEL: func.func @entry
// CHECK: call @layer({{.*}}) : (tensor<?x64xf32>, !mm01.weight<64x64xi8>, tensor<?x64xf32>)
// CHECK: call @elsewhere({{.*}}) : (!mm01.weight<64x64xbf16>)
func.func @entry(%x: tensor<?x64xf32>, %a: !mm01.weight<64x64xbf16> {mm01.parameter = @first},
                 %b: !mm01.weight<64x64xbf16> {mm01.parameter = @second}, %c: !mm01.weight<64x64xbf16> {mm01.parameter = @seen},
                 %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = call @layer(%x, %a, %out) : (tensor<?x64xf32>, !mm01.weight<64x64xbf16>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %z = call @layer(%y, %b, %out) : (tensor<?x64xf32>, !mm01.weight<64x64xbf16>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %v = mm01.linear %z, %c into %out : tensor<?x64xf32>, !mm01.weight<64x64xbf16> into tensor<?x64xf32>
  call @elsewhere(%c) : (!mm01.weight<64x64xbf16>) -> ()
  return %v : tensor<?x64xf32>
}
}

//--- none.mlir
// Without the attribute nothing is quantised.
// CHECK: !mm01.weight<96x64xbf16>
func.func @linear(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xbf16>, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %y = mm01.linear %x, %w into %out : tensor<?x64xf32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

//--- kind.mlir
module attributes {mm01.quantize = "int4"} {}

//--- number.mlir
module attributes {mm01.quantize = 8} {}
