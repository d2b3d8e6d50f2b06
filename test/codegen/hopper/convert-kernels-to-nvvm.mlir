// RUN: mm01-opt %s -mm01-convert-kernels-to-nvvm -split-input-file | FileCheck %s

// Buffers are pointers, scratch is dynamic shared memory, ids are registers.
// CHECK: gpu.module @kernels
// CHECK: llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: llvm.func @scale(%{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias}, %{{.*}}: i64)
// CHECK-SAME: nvvm.kernel
// CHECK-SAME: nvvm.reqntid = array<i32: 256>
// CHECK: nvvm.read.ptx.sreg.tid.x
// CHECK: %[[SHARED:.*]] = llvm.mlir.addressof @shared : !llvm.ptr<3>
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[SHARED]][64]
// CHECK: llvm.addrspacecast %[[PLACE]] : !llvm.ptr<3> to !llvm.ptr
// CHECK: nvvm.barrier
gpu.module @kernels {
  func.func @scale(%x: memref<f32>, %n: index) {
    %t = gpu.thread_id x
    %s = exec.scratch at 64 () : memref<256xf32>
    %v = memref.load %x[] : memref<f32>
    memref.store %v, %s[%t] : memref<256xf32>
    gpu.barrier
    return
  }
}

// -----

// Parts of a weight lie one behind the other; a batch is read through its
// pointer.
// CHECK-LABEL: llvm.func @parts
// CHECK-SAME: (%[[W:[^:]*]]: !llvm.ptr {{[^,]*, [^,]*}}, %[[E:[^:]*]]: i64, %[[R:[^:]*]]: !llvm.ptr
// CHECK: llvm.getelementptr %[[W]][%[[E]]] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<32 x bf16>
// CHECK: llvm.getelementptr %[[R]][0]
gpu.module @kernels {
  func.func @parts(%w: !mm01.weight<2x4x8xbf16>, %e: index, %r: !mm01.ragged, %y: memref<bf16>) {
    %part = exec.weight_part %w[%e] : !mm01.weight<2x4x8xbf16> -> memref<4x8xbf16>
    %c0 = arith.constant 0 : index
    %t = mm01.ragged_size %r tokens
    %v = memref.load %part[%c0, %t] : memref<4x8xbf16>
    memref.store %v, %y[] : memref<bf16>
    return
  }
}

// -----

// Scales lie behind all parts, 66 elements here, from a multiple of 64 bytes on.
// CHECK-LABEL: llvm.func @scales
// CHECK-SAME: (%[[W:[^:]*]]: !llvm.ptr {{[^,]*, [^,]*}}, %[[E:[^:]*]]: i64
// CHECK: %[[PLACE:.*]] = llvm.mlir.constant(128 : i64) : i64
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[W]][%[[PLACE]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK: llvm.getelementptr %[[FIRST]][%[[E]]] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3 x f32>
gpu.module @kernels {
  func.func @scales(%w: !mm01.weight<2x3x11xi8>, %e: index, %y: memref<f32>) {
    %s = exec.weight_scales %w[%e] : !mm01.weight<2x3x11xi8> -> memref<3xf32>
    %v = memref.load %s[%e] : memref<3xf32>
    memref.store %v, %y[] : memref<f32>
    return
  }
}

// -----

// A shuffle of 64 bits is two of 32.
// CHECK-LABEL: llvm.func @wide
// CHECK-COUNT-2: nvvm.shfl.sync bfly
gpu.module @kernels {
  func.func @wide(%x: memref<f64>) {
    %v = memref.load %x[] : memref<f64>
    %offset = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %w, %valid = gpu.shuffle xor %v, %offset, %width : f64
    memref.store %w, %x[] : memref<f64>
    return
  }
}

// -----

// Kernels that are functions of LLVM already stay as they are.
// CHECK-LABEL: llvm.func @tile
// CHECK-SAME: nvvm.reqntid = array<i32: 384>
gpu.module @kernels {
  llvm.func @tile() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384>} {
    llvm.return
  }
}
