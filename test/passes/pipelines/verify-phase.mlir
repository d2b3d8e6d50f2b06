// What each phase's verify pass lets through and what it stops.

// RUN: split-file %s %t
// RUN: mm01-opt --mm01-verify-phase=phase=graph %t/tensors.mlir | FileCheck %t/tensors.mlir
// RUN: mm01-opt --mm01-verify-phase=phase=grad %t/tensors.mlir | FileCheck %t/tensors.mlir
// RUN: mm01-opt --mm01-verify-phase=phase=spmd %t/tensors.mlir | FileCheck %t/tensors.mlir
// RUN: mm01-opt --mm01-verify-phase=phase=spmd %t/collective.mlir | FileCheck %t/collective.mlir
// RUN: mm01-opt --mm01-verify-phase=phase=tiled %t/tiles.mlir | FileCheck %t/tiles.mlir
// RUN: mm01-opt --mm01-verify-phase=phase=tiled %t/scales.mlir | FileCheck %t/scales.mlir
// RUN: mm01-opt --mm01-verify-phase=phase=graph %t/program.mlir | FileCheck %t/program.mlir
// RUN: mm01-opt --mm01-verify-phase=phase=tiled %t/program.mlir | FileCheck %t/program.mlir
// RUN: mm01-opt --mm01-verify-phase=phase=scheduled %t/kernel.mlir | FileCheck %t/kernel.mlir
// RUN: mm01-opt --mm01-verify-phase=phase=scheduled %t/buffers.mlir | FileCheck %t/buffers.mlir
// RUN: mm01-opt --mm01-verify-phase=phase=kernels %t/buffers.mlir | FileCheck %t/buffers.mlir
// RUN: mm01-opt --mm01-verify-phase=phase=host %t/machine.mlir | FileCheck %t/machine.mlir

// RUN: not mm01-opt --mm01-verify-phase=phase=graph %t/buffers.mlir 2>&1 | FileCheck %s --check-prefix=GRAPH
// GRAPH: buffers.mlir:2:1: error: 'func.func' op has a value of type 'memref<4xf32>' in phase graph, expected no buffers
// RUN: not mm01-opt --mm01-verify-phase=phase=grad %t/vector.mlir 2>&1 | FileCheck %s --check-prefix=GRAD
// GRAD: vector.mlir:2:8: error: 'arith.constant' op has a value of type 'vector<4xf32>' in phase grad, expected no vectors
// Ranks and collectives begin with spmd.
// RUN: not mm01-opt --mm01-verify-phase=phase=grad %t/collective.mlir 2>&1 | FileCheck %s --check-prefix=COLLECTIVE
// COLLECTIVE: collective.mlir:4:1: error: 'func.func' op has a value of type '!mm01.token<@TP>' in phase grad, expected no collectives
// RUN: not mm01-opt --mm01-verify-phase=phase=spmd %t/machine.mlir 2>&1 | FileCheck %s --check-prefix=SPMD
// SPMD: machine.mlir:2:1: error: 'llvm.func' op has no place in phase spmd, expected only builtin.module, func.func, func.call, func.return, arith, math, tensor, linalg, scf, mm01
// RUN: not mm01-opt --mm01-verify-phase=phase=graph %t/declaration.mlir 2>&1 | FileCheck %s --check-prefix=DECLARATION
// DECLARATION: declaration.mlir:1:1: error: 'func.func' op has no body in phase graph, expected a definition

// Programs of the tile dialect are outlined, and kernels lowered.
// RUN: not mm01-opt --mm01-verify-phase=phase=scheduled %t/program.mlir 2>&1 | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: error: 'func.func' op has a value of type 'tensor<4xf32>' in phase scheduled
// RUN: not mm01-opt --mm01-verify-phase=phase=kernels %t/kernel.mlir 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: error: 'tile.kernel' op has no place in phase kernels

// Entries are for the runtime alone.
// RUN: not mm01-opt --mm01-verify-phase=phase=graph %t/call.mlir 2>&1 | FileCheck %s --check-prefix=CALL
// CALL: call.mlir:5:8: error: 'func.call' op calls the entry @entry in phase graph, expected a private function

// An op that tiling must have turned into kernels.
// RUN: not mm01-opt --mm01-verify-phase=phase=tiled %t/tensors.mlir 2>&1 | FileCheck %s --check-prefix=TILED
// TILED: error: 'mm01.linear' op has no place in phase tiled, expected only {{.*}}mm01.weight_part

// Weights are buffers from scheduled on.
// RUN: not mm01-opt --mm01-verify-phase=phase=kernels %t/scales.mlir 2>&1 | FileCheck %s --check-prefix=SCALES
// SCALES: scales.mlir:3:8: error: 'mm01.weight_scales' op has no place in phase kernels
// Ops of dialects that may be there, but have no lowering.
// RUN: not mm01-opt --mm01-verify-phase=phase=tiled %t/softmax.mlir 2>&1 | FileCheck %s --check-prefix=SOFTMAX
// SOFTMAX: softmax.mlir:3:8: error: 'linalg.softmax' op has no lowering on tensors, expected ops of mm01
// RUN: not mm01-opt --mm01-verify-phase=phase=tiled %t/gather.mlir 2>&1 | FileCheck %s --check-prefix=GATHER
// GATHER: gather.mlir:2:8: error: 'tensor.gather' op has no lowering on tensors
// RUN: not mm01-opt --mm01-verify-phase=phase=tiled %t/elementwise.mlir 2>&1 | FileCheck %s --check-prefix=ELEMENTWISE
// ELEMENTWISE: elementwise.mlir:2:8: error: 'arith.addf' op has no lowering on tensors

// RUN: not mm01-opt --mm01-verify-phase=phase=scheduled %t/tiles.mlir 2>&1 | FileCheck %s --check-prefix=SCHEDULED
// SCHEDULED: error: 'func.func' op has a value of type 'tensor<4xf32>' in phase scheduled, expected no tensors
// RUN: not mm01-opt --mm01-verify-phase=phase=kernels %t/linalg.mlir 2>&1 | FileCheck %s --check-prefix=KERNELS
// KERNELS: linalg.mlir:2:3: error: 'linalg.fill' op has no place in phase kernels
// RUN: not mm01-opt --mm01-verify-phase=phase=host %t/buffers.mlir 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: buffers.mlir:2:1: error: 'func.func' op has no place in phase host, expected only builtin.module, llvm

// RUN: not mm01-opt --mm01-verify-phase=phase=final %t/tensors.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: 'final'

//--- tensors.mlir
// CHECK: mm01.linear
func.func @linear(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xbf16>, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %y = mm01.linear %x, %w into %out : tensor<?x64xf32>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

//--- collective.mlir
mm01.mesh @world <tp = 2>
mm01.process_group @TP over @world axes ["tp"]
// CHECK: mm01.all_reduce
func.func @all_reduce(%x: tensor<?x64xf32>, %out: tensor<?x64xf32>, %t0: !mm01.token<@TP>) -> (tensor<?x64xf32>, !mm01.token<@TP>) {
  %p, %t1 = mm01.all_reduce sum %x into %out after %t0 : tensor<?x64xf32> into tensor<?x64xf32>, !mm01.token<@TP>
  %y = mm01.wait %p : !mm01.pending<tensor<?x64xf32>>
  return %y, %t1 : tensor<?x64xf32>, !mm01.token<@TP>
}

// What a program does to its registers and memory is no business of the phase.
//--- program.mlir
// CHECK: tile.program
func.func @program(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %y = tile.program "p" grid(%n, %n, %n) ins() outs(%x : tensor<4xf32>) {
  ^bb0(%m: memref<4xf32, strided<[?], offset: ?>>):
    %b = gpu.block_id x
    tile.return
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

//--- kernel.mlir
// CHECK: tile.kernel
gpu.module @kernels {
  tile.kernel @k() {
    %t = arith.constant dense<0.0> : tensor<64x64xf32>
    tile.return
  }
}

//--- tiles.mlir
// CHECK: scf.forall
func.func @tiles(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = scf.forall (%i) in (4) shared_outs(%out = %x) -> tensor<4xf32> {
    %tile = tensor.extract_slice %out[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %tile into %out[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  } {mm01.kernel = "tiles"}
  return %y : tensor<4xf32>
}

//--- scales.mlir
// CHECK: mm01.weight_scales
func.func @scales(%w: !mm01.weight<4x8xi8>, %i: index) -> tensor<4xf32> {
  %s = mm01.weight_scales %w[%i] : !mm01.weight<4x8xi8> -> tensor<4xf32>
  return %s : tensor<4xf32>
}

//--- buffers.mlir
// CHECK: memref.load
func.func @buffers(%x: memref<4xf32>, %i: index) {
  %a = memref.load %x[%i] : memref<4xf32>
  memref.store %a, %x[%i] : memref<4xf32>
  return
}

//--- linalg.mlir
func.func @linalg(%x: memref<4xf32>, %a: f32) {
  linalg.fill ins(%a : f32) outs(%x : memref<4xf32>)
  return
}

//--- vector.mlir
func.func @vector() {
  %a = arith.constant dense<0.0> : vector<4xf32>
  return
}

//--- machine.mlir
// CHECK: llvm.func
llvm.func @machine(%x: !llvm.ptr) {
  llvm.return
}

//--- call.mlir
func.func @entry(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @entry(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

//--- declaration.mlir
func.func private @elsewhere(tensor<4xf32>)

//--- softmax.mlir
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %out = tensor.empty() : tensor<4x8xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%out : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

//--- gather.mlir
func.func @gather(%x: tensor<4x8xf32>, %rows: tensor<3x1xindex>) -> tensor<3x8xf32> {
  %y = tensor.gather %x[%rows] gather_dims([0]) : (tensor<4x8xf32>, tensor<3x1xindex>) -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

//--- elementwise.mlir
func.func @elementwise(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
