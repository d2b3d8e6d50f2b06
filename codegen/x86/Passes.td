//===- Passes.td - passes that make CPU kernels ------------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_X86_PASSES_TD
#define MM01_CODEGEN_X86_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertMatmulToGemmPass : Pass<"mm01-convert-matmul-to-gemm", "mlir::func::FuncOp"> {
  let summary = "Call the library for products with transposed B";
  let description = [{
    In kernels, a linalg contraction `c[m, n] += a[m, k] * b[n, k]` on float32
    buffers whose rows are contiguous becomes `exec.gemm`. A `linalg.fill` of c
    with zero right before it goes away, and the library overwrites c. Every other
    contraction is left for loops.
  }];
  let dependentDialects = ["mm01::exec::ExecDialect"];
}

def PrefetchRowsPass : Pass<"mm01-prefetch-rows", "mlir::func::FuncOp"> {
  let summary = "Ask for the rows of the next block early";
  let description = [{
    In a loop over blocks of rows with a loop over the rows of each, a row of
    static length that is read or written at a kilobyte or more from its
    neighbours is asked for by `memref.prefetch` two blocks before, into the second
    cache; beyond the last row that is asked for. The processor does not foresee
    such strides, and in its first cache such rows would evict each other. Where
    the blocks have products, all rows of a tensor are asked for before one of
    them, those of the next tensor before the next product, so that they come in
    while it computes; else each is asked for beside the row of its own block.

    Applies where the row's number grows by 1 with the inner loop and by a constant
    with the outer one. A number with effects or regions among what makes it is not
    moved to a product.

    ```mlir
    func.func @sum(%x: memref<?x1024xf32>, %sum: memref<16xf32>, %blocks: index) attributes {exec.kernel} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %t = %c0 to %blocks step %c1 {
        %begin = arith.muli %t, %c8 : index
        scf.for %i = %c0 to %c8 step %c1 {
          %at = arith.addi %begin, %i : index
          %row = memref.subview %x[%at, 0] [1, 16] [1, 1]
              : memref<?x1024xf32> to memref<16xf32, strided<[1], offset: ?>>
          linalg.add ins(%row, %sum : memref<16xf32, strided<[1], offset: ?>>, memref<16xf32>) outs(%sum : memref<16xf32>)
        }
      }
      return
    }
    ```

    prefetches row `min(%at + 16, %rows - 1)`.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::memref::MemRefDialect"];
}

def VectorizeProductsPass : Pass<"mm01-vectorize-products", "mlir::func::FuncOp"> {
  let summary = "Compute small products of matrices in registers";
  let description = [{
    In kernels, a linalg contraction `c[m, n] += a[m, k] * b[k, n]` on float32
    buffers whose rows are contiguous, with a c of static shape, becomes loops over tiles of
    c that stay in vector registers while k runs: at most 8 rows of two vectors of
    16 with the module's `mm01.isa` x86-64-v4, 4 of two vectors of 8 with
    x86-64-v3 or none, and 4 of two vectors of 4 below, or twice the rows of one
    vector. Narrower tiles divide what these do not; where not even 4 columns
    divide n, the product is left for loops. Sums run in the order of k, for
    tiles of fewer than 8 vectors in parts of a static k that take turns.

    An elementwise op that makes all of c right before the product, from c,
    scalars and a number for each row, is done to the tile.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def VectorizeRowsPass : Pass<"mm01-vectorize-rows", "mlir::func::FuncOp"> {
  let summary = "Compute elementwise ops on short rows in vectors";
  let description = [{
    In kernels, an elementwise linalg op on float32 buffers of static shape with
    contiguous rows becomes loops over rows of vectors, as many lanes each as
    those of the module's `mm01.isa` or, if these do not divide a row, half or a
    quarter. Operands are buffers of the result's shape or of its leading
    dimensions, and scalars; the body is arithmetic on float32. Rows of more than
    8 vectors of 16, or 4 of other levels, other bodies and other layouts are
    left for loops.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def VectorizeSumsPass : Pass<"mm01-vectorize-sums", "mlir::func::FuncOp"> {
  let summary = "Compute many sums over a row in vectors, and ask for memory early";
  let description = [{
    In kernels, a loop that adds to eight sums of float32 or more, from 0, what
    arithmetic makes of elements of rows (float32, bf16 or int8, contiguous) is
    written in vectors of as many lanes as the module's `mm01.isa` has, if these
    divide its static length; the sums are reduced behind it. Where a row grows by
    one with a loop further out, as that of a weight does, each step asks for the
    cache line 4 KiB behind, at most in the last row, into the first cache.
    Other loops are left for LLVM.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def VectorizeTransposesPass : Pass<"mm01-vectorize-transposes", "mlir::func::FuncOp"> {
  let summary = "Transpose small matrices in vector registers";
  let description = [{
    In kernels, a `linalg.generic` that transposes one static float32 buffer with
    contiguous rows into another becomes loops over squares of as many rows as a
    vector of the module's `mm01.isa` has lanes or, where these do not divide the
    extents, half or a quarter, which are loaded, shuffled and stored whole.
    Other transposes are left for loops.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"];
}

def SetLightningCostsPass : Pass<"mm01-set-lightning-costs", "mlir::ModuleOp"> {
  let summary = "Put the target's costs of lightning levels on the module";
  let description = [{
    Sets `mm01.lightning_costs` to the times measured for the module's `mm01.isa`,
    x86-64-v3 where it has none. A table that is there stays. The
    table is codegen/x86/LightningCosts.def, which
    `tools/bench/lightning.py --measure` writes.

    ```mlir
    module attributes {mm01.isa = "x86-64-v4"} {}
    ```
  }];
  let dependentDialects = ["mm01::Mm01Dialect"];
}

def ExpandCopiesPass : Pass<"mm01-expand-copies", "mlir::func::FuncOp"> {
  let summary = "Turn buffer copies into linalg copies";
  let description = [{
    `memref.copy` of buffers with strides lowers to a call of a function that a
    program does not have, so every copy becomes `linalg.copy` and then a loop, in
    which LLVM sees memcpy where there is one.
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect"];
}

def RelaxFloatOrderPass : Pass<"mm01-relax-float-order", "mlir::func::FuncOp"> {
  let summary = "Let LLVM vectorise sums and products in kernels";
  let description = [{
    Sets `contract` on scalar float additions, subtractions and multiplications of
    kernels, but for products that are stored, and `reassoc` on the sums and
    products of loops: those carried by an `scf.for`, results of linalg
    reductions, and those loaded from where they are stored. So a sum may have several partial sums and a product may be fused with it.
    Infinities, NaNs and the sign of zero keep their meaning. The order is fixed
    when the program is compiled and depends on extents alone, so results depend
    neither on the number of threads nor on addresses. To be run before
    transcendental functions are expanded, whose order matters.
  }];
}

def ApproximateMathPass : Pass<"mm01-approximate-math", "mlir::func::FuncOp"> {
  let summary = "Expand float32 math functions into polynomials";
  let description = [{
    float32 exp, log, tanh, erf and their like become polynomials in kernels, to a
    few units in the last place, so that LLVM vectorises the loops they are in.
    float64 functions, and float32 sin and cos, stay and become calls of libm.
    Where the module's `mm01.isa` has no fused multiply-add, products and sums of
    the polynomials are rounded one by one.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::vector::VectorDialect"];
}

def ExpandArithPass : Pass<"mm01-expand-arith"> {
  let summary = "Expand what neither LLVM nor x86 has";
  let description = [{
    Rounding integer divisions become plain ones. Widening bf16 and f16 to float32
    and narrowing float32 to them become integer arithmetic, which vectorises on
    every x86 level and needs no function of the compiler's own library. Integer
    division by 0, which would end the process, gives 0, and so does the
    remainder; the least number divided by -1 is itself.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

#endif // MM01_CODEGEN_X86_PASSES_TD
