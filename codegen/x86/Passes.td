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
    Sets `reassoc` and `contract` on float additions, subtractions and
    multiplications of kernels: a sum may have several partial sums and a product
    may be fused with it. Infinities, NaNs and the sign of zero keep their meaning.
    The order is fixed when the program is compiled and depends on extents alone,
    so results depend neither on the number of threads nor on addresses. To be run
    before transcendental functions are expanded, whose order matters.
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
