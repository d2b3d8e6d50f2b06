//===- Passes.td - passes that make kernels for Hopper -----*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_HOPPER_PASSES_TD
#define MM01_CODEGEN_HOPPER_PASSES_TD

include "mlir/Pass/PassBase.td"

def DistributeThreadsPass : Pass<"mm01-distribute-threads", "mlir::func::FuncOp"> {
  let summary = "Share the work of a workgroup among threads";
  let description = [{
    A kernel in a `gpu.module` is written as one thread's work for a workgroup;
    afterwards the 256 threads of a block do it together. Linalg operations on
    buffers and `scf.forall` loops inside the kernel are shared out point by
    point, neighbours in memory to neighbouring threads; of elementwise operations
    a thread takes as many neighbours as 16 bytes hold. A loop that only reduces
    (sums with `reassoc`, products, least and greatest values) is done in parts,
    which shuffles and shared memory combine, always in the same order; where it
    reads along rows, a thread takes eight neighbours, 16 bytes of bf16 at once.
    The iterations of an `scf.forall` with the mapping `#gpu.warp<linear_dim_0>`
    are shared among the 8 warps, and what is inside among the lanes of one. What
    writes single elements, the first thread does. All else is uniform: every
    thread does it. Barriers stand around all writes.

    Refuses operations that write memory in another way. Adds the slots of
    reductions to `exec.dynamic_shared_bytes`. Kernels outside a `gpu.module` are
    left alone.

    ```mlir
    gpu.module @kernels {
      func.func @zero(%base: memref<f32>, %n: index) {
        %zero = arith.constant 0.0 : f32
        %x = memref.reinterpret_cast %base to offset: [0], sizes: [%n], strides: [1]
            : memref<f32> to memref<?xf32>
        linalg.fill ins(%zero : f32) outs(%x : memref<?xf32>)
        return
      }
    }
    ```

    becomes a loop from `gpu.thread_id x` to `%n` in steps of 256.
  }];
  let dependentDialects = ["mm01::exec::ExecDialect", "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
                           "mlir::gpu::GPUDialect", "mlir::memref::MemRefDialect", "mlir::NVVM::NVVMDialect",
                           "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"];
}

def LegalizeMathPass : Pass<"mm01-legalize-math", "mlir::func::FuncOp"> {
  let summary = "Expand sines, cosines and exponentials into arithmetic";
  let description = [{
    `math.sin`, `cos`, `exp` and `expm1` of f64 scalars, and f32 ones by way of
    f64, become range reductions and series in `arith` and `math.fma`, to an error
    of some units in the last place of float64: for sine and cosine of angles up
    to 2^30, and exponentials without exception. A GPU has no library to call, and
    LLVM's back end does not survive some of them. Other functions are left; float32
    ones are to be expanded before (`mm01-approximate-math`).

    ```mlir
    func.func @angle(%x: f64) -> f64 {
      %y = math.cos %x : f64
      return %y : f64
    }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect"];
}

def ConvertKernelsToNvvmPass : Pass<"mm01-convert-kernels-to-nvvm", "mlir::gpu::GPUModuleOp"> {
  let summary = "Convert distributed kernels to the NVVM dialect";
  let description = [{
    The functions of a `gpu.module` become kernels of the LLVM and NVVM dialects,
    of blocks of 256 threads. A buffer of no dimensions is passed as one pointer,
    `exec.scratch` is dynamic shared memory, a part of a weight lies behind the
    one before. Requires loops lowered to branches. Kernels that are functions of
    LLVM already are left alone.

    ```mlir
    gpu.module @kernels {
      func.func @set(%x: memref<f32>, %value: f32) {
        memref.store %value, %x[] : memref<f32>
        return
      }
    }
    ```
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::NVVM::NVVMDialect"];
}

def SerializeKernelsPass : Pass<"mm01-serialize-kernels", "mlir::ModuleOp"> {
  let summary = "Turn the kernels of a GPU into images";
  let description = [{
    Each kernel of a `gpu.module` (a function of the LLVM dialect with
    `nvvm.kernel`) is translated to LLVM IR, optimised, written as PTX for sm_90a
    and assembled by ptxas, where there is one (codegen/hopper/Ptxas.h says where
    it is looked for). PTX, machine code and a record of both, laid out as
    `mm01_device_kernel`, become globals; launches name the record, and the
    `gpu.module` goes away.

    A kernel that spills registers with its loops unrolled is compiled again
    without, and if it still does, with all registers for one block on a
    multiprocessor. Requires `nvvm.reqntid` on each kernel. Fails, naming the kernel, where it
    calls what a GPU does not have (exp, log, sin: legalise them before), spills
    registers, uses local memory, or makes ptxas note C75xx.

    ```mlir
    gpu.module @kernels {
      llvm.func @set(%x: !llvm.ptr) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1>} {
        %one = llvm.mlir.constant(1.0 : f32) : f32
        llvm.store %one, %x : f32, !llvm.ptr
        llvm.return
      }
    }
    ```

    becomes the globals `@device.set.name`, `@device.set.ptx`,
    `@device.set.cubin` and `@device.set`.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // MM01_CODEGEN_HOPPER_PASSES_TD
