// RUN: mm01-opt %s --mm01-annotate-cost="tokens=10 sequences=2 rows=2 context=100" --split-input-file | FileCheck %s
// RUN: mm01-opt %s --mm01-annotate-cost="tokens=10 experts-per-token=3" --split-input-file | FileCheck %s --check-prefix=THREE

// 10 rows of 64: reads 10·64·4 + 64·2, writes 10·64·4, four operations an element.
// CHECK-LABEL: func @norm
// CHECK-SAME: mm01.cost = {bytes_read = 2688 : i64, bytes_written = 2560 : i64, flops = 2560 : i64}
// CHECK: mm01.rms_norm
// CHECK-SAME: mm01.cost = {bytes_read = 2688 : i64, bytes_written = 2560 : i64, flops = 2560 : i64}
func.func @norm(%x: tensor<?x64xf32>, %w: !mm01.weight<64xbf16>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = mm01.rms_norm %x, %w into %out {eps = 1.0e-5} : tensor<?x64xf32>, !mm01.weight<64xbf16> into tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// A call counts as its callee, each time; a callee without a body as nothing.
// CHECK: func private @elsewhere(tensor<?x64xf32>)
// CHECK-NOT: mm01.cost
// CHECK-LABEL: func @twice
// CHECK-SAME: flops = 5120 : i64
func.func private @elsewhere(tensor<?x64xf32>)
func.func @twice(%x: tensor<?x64xf32>, %w: !mm01.weight<64xbf16>, %out: tensor<?x64xf32>) {
  %y = call @norm(%x, %w, %out) : (tensor<?x64xf32>, !mm01.weight<64xbf16>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %z = call @norm(%y, %w, %out) : (tensor<?x64xf32>, !mm01.weight<64xbf16>, tensor<?x64xf32>) -> tensor<?x64xf32>
  call @elsewhere(%z) : (tensor<?x64xf32>) -> ()
  return
}

// -----

// The experts get k rows a token, with the k of the routing: 2·20·96·64, or 3 where the option says so.
// CHECK-LABEL: func @experts
// CHECK: mm01.grouped_linear
// CHECK-SAME: flops = 245760 : i64
// THREE: mm01.grouped_linear
// THREE-SAME: flops = 368640 : i64
func.func @experts(%logits: tensor<?x4xf32>, %w: tensor<?x2xf32>, %e: tensor<?x2xi32>, %rows: tensor<?x64xf32>,
                   %offsets: tensor<5xi32>, %w1: !mm01.weight<4x96x64xbf16>, %out: tensor<?x96xf32>)
    -> (tensor<?x2xf32>, tensor<?x96xf32>) {
  %shares, %chosen = mm01.route %logits into %w, %e : tensor<?x4xf32> into tensor<?x2xf32>, tensor<?x2xi32>
  %y = mm01.grouped_linear %rows, %offsets, %w1 into %out
    : tensor<?x64xf32>, tensor<5xi32>, !mm01.weight<4x96x64xbf16> into tensor<?x96xf32>
  return %shares, %y : tensor<?x2xf32>, tensor<?x96xf32>
}

// -----

// Of a collective, what a rank sends: 3/4 of 10·64·4 bytes, twice.
mm01.mesh @world <tp = 4>
mm01.process_group @TP over @world axes ["tp"]
// CHECK-LABEL: func @all_reduce
// CHECK-SAME: bytes_sent = 3840 : i64
func.func @all_reduce(%x: tensor<?x64xf32>, %out: tensor<?x64xf32>, %t0: !mm01.token<@TP>)
    -> (tensor<?x64xf32>, !mm01.token<@TP>) {
  %p, %t1 = mm01.all_reduce sum %x into %out after %t0 : tensor<?x64xf32> into tensor<?x64xf32>, !mm01.token<@TP>
  %y = mm01.wait %p : !mm01.pending<tensor<?x64xf32>>
  return %y, %t1 : tensor<?x64xf32>, !mm01.token<@TP>
}
