// RUN: mm01-opt %s -mm01-form-branches -split-input-file | FileCheck %s

// Again, it changes nothing.
// RUN: mm01-opt %s -mm01-form-branches -split-input-file > %t.once
// RUN: mm01-opt %t.once -mm01-form-branches -split-input-file | diff %t.once -

// Launches for several tokens come first, each branch in its order; numbers and
// buffers that are made between them go before. What is behind stays there.
func.func private @decode(%workgroup: index, %r: !mm01.ragged, %x: memref<?x64xf32>) attributes {exec.kernel} {
  return
}
func.func private @part(%workgroup: index, %r: !mm01.ragged, %x: memref<?x64xf32>) attributes {exec.kernel} {
  return
}
func.func private @norm(%workgroup: index, %x: memref<?x64xf32>) attributes {exec.kernel} {
  return
}
// CHECK-LABEL: func.func @three
// CHECK-SAME: (%[[R:.*]]: !mm01.ragged, %[[X:.*]]: memref<?x64xf32>)
// CHECK: exec.launch @norm
// CHECK: %[[N:.*]] = mm01.ragged_size %[[R]] sequences
// CHECK: %[[SEVERAL:.*]] = mm01.ragged_size %[[R]] several
// CHECK: %[[PARTS:.*]] = memref.alloc(%[[SEVERAL]])
// CHECK: exec.concurrent {
// CHECK-NEXT: exec.launch @part grid(%[[SEVERAL]]) (%[[R]], %[[PARTS]]) {exec.sequences = #exec.sequences<several>}
// CHECK-NEXT: tile.program "prefill" grid(%[[SEVERAL]], %{{.*}}, %{{.*}}) ins(%[[R]] : !mm01.ragged) outs(%[[PARTS]], %[[X]] :
// CHECK: }, {
// CHECK-NEXT: exec.launch @decode grid(%[[N]]) (%[[R]], %[[X]]) {exec.sequences = #exec.sequences<single>}
// CHECK-NEXT: }
// CHECK: memref.dim
// CHECK-NEXT: exec.launch @norm
func.func @three(%r: !mm01.ragged, %x: memref<?x64xf32>) {
  %c1 = arith.constant 1 : index
  exec.launch @norm grid(%c1) (%x) : memref<?x64xf32>
  %n = mm01.ragged_size %r sequences
  exec.launch @decode grid(%n) (%r, %x) {exec.sequences = #exec.sequences<single>} : !mm01.ragged, memref<?x64xf32>
  %several = mm01.ragged_size %r several
  %parts = memref.alloc(%several) : memref<?x64xf32>
  exec.launch @part grid(%several) (%r, %parts) {exec.sequences = #exec.sequences<several>} : !mm01.ragged, memref<?x64xf32>
  tile.program "prefill" grid(%several, %c1, %c1) ins(%r : !mm01.ragged) outs(%parts, %x : memref<?x64xf32>, memref<?x64xf32>)
      attributes {exec.sequences = #exec.sequences<several>} {
  ^bb0(%q: !mm01.ragged, %p: memref<?x64xf32, strided<[?, ?], offset: ?>>, %o: memref<?x64xf32, strided<[?, ?], offset: ?>>):
    tile.return
  }
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x64xf32>
  exec.launch @norm grid(%t) (%x) : memref<?x64xf32>
  return
}

// -----

func.func private @decode(%workgroup: index, %r: !mm01.ragged) attributes {exec.kernel} {
  return
}
func.func private @norm(%workgroup: index) attributes {exec.kernel} {
  return
}
// A launch between them may read what one writes; it is not known to be for some
// sequences.
// CHECK-LABEL: func.func @between
// CHECK-NOT: exec.concurrent
func.func @between(%r: !mm01.ragged, %n: index) {
  exec.launch @decode grid(%n) (%r) {exec.sequences = #exec.sequences<single>} : !mm01.ragged
  exec.launch @norm grid(%n) ()
  exec.launch @decode grid(%n) (%r) {exec.sequences = #exec.sequences<several>} : !mm01.ragged
  return
}

// Sequences of several tokens of one batch may be single ones of another.
// CHECK-LABEL: func.func @two_batches
// CHECK-NOT: exec.concurrent
func.func @two_batches(%r: !mm01.ragged, %s: !mm01.ragged, %n: index) {
  exec.launch @decode grid(%n) (%r) {exec.sequences = #exec.sequences<single>} : !mm01.ragged
  exec.launch @decode grid(%n) (%s) {exec.sequences = #exec.sequences<several>} : !mm01.ragged
  return
}

// Launches for the same sequences depend on each other.
// CHECK-LABEL: func.func @same
// CHECK-NOT: exec.concurrent
func.func @same(%r: !mm01.ragged, %n: index) {
  exec.launch @decode grid(%n) (%r) {exec.sequences = #exec.sequences<single>} : !mm01.ragged
  exec.launch @decode grid(%n) (%r) {exec.sequences = #exec.sequences<single>} : !mm01.ragged
  return
}

// Two runs are two operations, in blocks that are no function's, too.
// CHECK-LABEL: func.func @two_runs
// CHECK: scf.if
// CHECK: exec.concurrent
// CHECK: exec.launch @norm
// CHECK: exec.concurrent
// CHECK-NOT: exec.concurrent
func.func @two_runs(%r: !mm01.ragged, %n: index, %some: i1) {
  scf.if %some {
    exec.launch @decode grid(%n) (%r) {exec.sequences = #exec.sequences<several>} : !mm01.ragged
    exec.launch @decode grid(%n) (%r) {exec.sequences = #exec.sequences<single>} : !mm01.ragged
    exec.launch @norm grid(%n) ()
    exec.launch @decode grid(%n) (%r) {exec.sequences = #exec.sequences<single>} : !mm01.ragged
    exec.launch @decode grid(%n) (%r) {exec.sequences = #exec.sequences<several>} : !mm01.ragged
  }
  return
}

// -----

// Those on tensors have the order of their values.
// CHECK-LABEL: func.func @tensors
// CHECK-NOT: exec.concurrent
func.func @tensors(%r: !mm01.ragged, %n: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  %a = scf.forall (%i) in (%n) shared_outs(%o = %x) -> tensor<4xf32> {
    %past = mm01.ragged_get %r past[%i]
    scf.forall.in_parallel {
    }
  } {exec.sequences = #exec.sequences<single>}
  %b = scf.forall (%i) in (%n) shared_outs(%o = %a) -> tensor<4xf32> {
    %past = mm01.ragged_get %r past[%i]
    scf.forall.in_parallel {
    }
  } {exec.sequences = #exec.sequences<several>}
  return %b : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @not_wanted
// CHECK-NOT: exec.concurrent
module attributes {mm01.fusion = ["rows"]} {
  func.func private @decode(%workgroup: index, %r: !mm01.ragged) attributes {exec.kernel} {
    return
  }
  func.func @not_wanted(%r: !mm01.ragged, %n: index) {
    exec.launch @decode grid(%n) (%r) {exec.sequences = #exec.sequences<single>} : !mm01.ragged
    exec.launch @decode grid(%n) (%r) {exec.sequences = #exec.sequences<several>} : !mm01.ragged
    return
  }
}
