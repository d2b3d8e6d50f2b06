// RUN: mm01-opt %s -mm01-print-memory-plan -o /dev/null | FileCheck %s

// Extents of a ragged batch and of roles have the contract's letters, others say where they come from; a frame that
// may be either of two sizes is their maximum. Buffers stand in the order of their first use, and one that no step
// uses is left out.

// CHECK: entry step
// CHECK-NEXT: weights    12288
// CHECK-NEXT: arguments  logit_rows 4*R; lightning_state 32768*arg2[1]
// CHECK-NEXT: arena      max(256*T + 64*ceildiv(T, 16), 512*R)
// CHECK-NEXT: scratch    4096 a worker
// CHECK-NEXT: results    result0 1024*R

// CHECK: function layer: 256*T bytes, 2 steps
// CHECK-NEXT: at 0: 256*T bytes, steps 1 to 2, first used by fill
// CHECK: function step: max(256*T + 64*ceildiv(T, 16), 512*R) bytes, 2 steps
// CHECK-NEXT: at 0: 4*T bytes, steps 1 to 2, first used by ids
// CHECK-NOT: at

func.func private @fill(%workgroup: index, %x: memref<?x64xf32>) attributes {exec.kernel, exec.scratch_bytes = 4096 : i64} {
  return
}
func.func private @ids(%workgroup: index, %x: memref<?xi32>) attributes {exec.kernel, exec.scratch_bytes = 64 : i64} {
  return
}

func.func private @layer(%r: !mm01.ragged, %ids: memref<?xi32>, %frame: index) attributes {
    exec.frame = #exec.frame<()[s0] -> (s0 * 256), arguments = [0], extents = [0]>} {
  %t = mm01.ragged_size %r tokens
  %x = exec.arena at %frame (%t) : memref<?x64xf32>
  exec.launch @fill grid(%t) (%x) : memref<?x64xf32>
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %left = memref.subview %x[0, 0] [%t, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32>
  exec.launch @fill grid(%t) (%left) : memref<?x64xf32>
  return
}

func.func @step(%r: !mm01.ragged, %rows: memref<?xi32> {mm01.role = "logit_rows"},
                %state: memref<2x?x1x64x64xf32> {mm01.role = "lightning_state"}, %w: !mm01.weight<64x96xbf16>) attributes {
    exec.frame = #exec.frame<()[s0, s1] -> (s0 * 256 + (s0 ceildiv 16) * 64, s1 * 512), arguments = [0, 1], extents = [0, 0]>,
    exec.results = [#exec.fresh<"logits" : memref<?x256xf32>>, #exec.tied<2>]} {
  %c0 = arith.constant 0 : index
  %t = mm01.ragged_size %r tokens
  %n = memref.dim %rows, %c0 : memref<?xi32>
  %behind = affine.apply affine_map<()[s0] -> ((s0 ceildiv 16) * 64)>()[%t]
  %ids = exec.arena at %c0 (%t) : memref<?xi32>
  %unused = exec.arena at %c0 (%n) : memref<?x128xf32>
  exec.launch @ids grid(%t) (%ids) : memref<?xi32>
  %logits = exec.result 0 (%n) : memref<?x256xf32>
  call @layer(%r, %ids, %behind) : (!mm01.ragged, memref<?xi32>, index) -> ()
  return
}
