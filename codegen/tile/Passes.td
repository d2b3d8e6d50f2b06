//===- Passes.td - passes that make Hopper kernels ---------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_TILE_PASSES_TD
#define MM01_CODEGEN_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def DispatchRolesPass : Pass<"mm01-dispatch-roles", "::mm01::tile::KernelOp"> {
  let summary = "Give each role of a kernel its warps";
  let description = [{
    Replaces the `tile.role`s of a kernel by branches on the number of the thread's
    warp. Single roles are one thread each of the first warp group, every other role
    has warp groups of its own; each group takes the registers of its role. Writes
    `tile.threads` on the kernel: threads of a block. A kernel without roles runs on
    one warp group.

    ```mlir
    tile.kernel @two(%n: index) {
      tile.role "load" registers 40 single {
      }
      tile.role "compute" registers 232 {
      }
      tile.return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def ConvertTileToNvvmPass : Pass<"mm01-convert-tile-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn tile programs into programs of one thread";
  let description = [{
    Each `tile.kernel` becomes an `llvm.func` for one thread, with `nvvm.kernel`,
    `nvvm.reqntid`, `nvvm.cluster_dim` and, in `exec.dynamic_shared_bytes`, the
    shared memory that a block needs. A memref is passed as a pointer, an index as
    i64, a tensor map by value. A tensor becomes the registers that a thread holds
    of it, two bf16 values in one; a buffer becomes its address. Instructions that
    NVVM lacks are inline PTX; accumulators are tied operands of it, so that they
    stay in their registers.

    Requires layouts, explicit barriers and dispatched roles. What is left in the
    function is scf, arith and math on scalars, for the upstream conversions.

    ```mlir
    gpu.module @kernels {
      tile.kernel @fence() attributes {tile.threads = 128 : i64} {
        tile.proxy_fence
        tile.return
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ExpandExponentialsPass : Pass<"mm01-expand-exponentials"> {
  let summary = "Express exponentials by the base that a GPU has";
  let description = [{
    The GPU computes base-2 exponentials and logarithms of f32: `exp` and `log`
    become these, and `expm1` a series near 0, where a difference would cancel.
    Functions that have no form here, `sin` and others, are refused by name, before
    LLVM would end the process over them.

    ```mlir
    func.func @decay(%s: f32) -> f32 {
      %0 = math.exp %s : f32
      return %0 : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif // MM01_CODEGEN_TILE_PASSES_TD
