//===- ExecOps.td - ops of the exec dialect -------------------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EXEC_OPS_TD
#define EXEC_OPS_TD

include "dialects/exec/ExecBase.td"
include "dialects/mm01/Mm01Base.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Exec_Op<string mnemonic, list<Trait> traits = []> : Op<Exec_Dialect, mnemonic, traits>;

include "dialects/exec/ExecDeviceOps.td"

def Exec_Matrix : MemRefRankOf<[F32], [2]>;

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

def Exec_LaunchOp : Exec_Op<"launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel for every workgroup of a grid";
  let description = [{
    Calls `kernel(workgroup, arguments…)` for workgroups `0 … grid - 1`, in any
    order and at the same time, and goes on when all are done. Workgroups must
    not depend on each other.

    - C1: `kernel` is a function with the attribute `exec.kernel`.
    - C2: the captures have the types of the kernel's arguments after the first.

    ```mlir
    func.func private @fill(%workgroup: index, %x: memref<?xf32>) attributes {exec.kernel} {
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %x[%workgroup] : memref<?xf32>
      return
    }
    func.func @host(%x: memref<?xf32>, %n: index) {
      exec.launch @fill grid(%n) (%x) : memref<?xf32>
      return
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Index:$grid, Variadic<AnyType>:$captures);
  let assemblyFormat = "$kernel `grid` `(` $grid `)` `(` $captures `)` attr-dict (`:` type($captures)^)?";
  let hasCanonicalizeMethod = 1;
}

def Exec_GemmOp : Exec_Op<"gemm"> {
  let summary = "multiplies two matrices with the library of the runtime";
  let description = [{
    `c[m, n] = sum_k a[m, k] * b[n, k] (+ c[m, n] if accumulate)` in float32, on
    the calling thread alone. Rows may lie apart, elements of a row may not.

    - C1: the inner stride of each operand is 1.
    - C2: the extents agree.

    ```mlir
    func.func @gemm(%a: memref<?x64xf32>, %b: memref<96x64xf32>, %c: memref<?x96xf32, strided<[192, 1], offset: ?>>) {
      exec.gemm %a, %b, %c accumulate : memref<?x64xf32>, memref<96x64xf32>,
                                        memref<?x96xf32, strided<[192, 1], offset: ?>>
      return
    }
    ```
  }];
  let arguments = (ins Arg<Exec_Matrix, "", [MemRead]>:$a, Arg<Exec_Matrix, "", [MemRead]>:$b,
                       Arg<Exec_Matrix, "", [MemRead, MemWrite]>:$c, UnitAttr:$accumulate);
  let assemblyFormat = "$a `,` $b `,` $c (`accumulate` $accumulate^)? attr-dict `:` "
                       "type($a) `,` type($b) `,` type($c)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// A view of memory that is laid out at compile time.
class Exec_MemoryOp<string mnemonic, list<Trait> traits = []> : Exec_Op<mnemonic, traits> {
  let results = (outs AnyMemRef:$view);
  let hasVerifier = 1;
}

def Exec_ArenaOp : Exec_MemoryOp<"arena", [Pure]> {
  let summary = "views the arena of the call at an offset in bytes";
  let description = [{
    The arena lives as long as the call. Its size is the frame of the entry
    function; offsets are multiples of 64.

    - C1: there is a size for each dynamic extent.
    - C2: the layout is the identity.

    ```mlir
    func.func @view(%offset: index, %n: index) -> memref<?x64xf32> {
      %view = exec.arena at %offset (%n) : memref<?x64xf32>
      return %view : memref<?x64xf32>
    }
    ```
  }];
  let arguments = (ins Index:$offset, Variadic<Index>:$sizes);
  let assemblyFormat = "`at` $offset `(` $sizes `)` attr-dict `:` type($view)";
}

def Exec_ScratchOp : Exec_MemoryOp<"scratch", [Pure]> {
  let summary = "views the scratch of a kernel's worker at an offset";
  let description = [{
    Scratch is private to the worker and holds nothing when a workgroup begins.

    - C1: there is a size for each dynamic extent.
    - C2: the layout is the identity.
    - C3: the offset is a multiple of 64 and not negative.

    ```mlir
    func.func private @kernel(%workgroup: index) attributes {exec.kernel, exec.scratch_bytes = 16384 : i64} {
      %tile = exec.scratch at 0 () : memref<64x64xf32>
      return
    }
    ```
  }];
  let arguments = (ins I64Attr:$offset, Variadic<Index>:$sizes);
  let assemblyFormat = "`at` $offset `(` $sizes `)` attr-dict `:` type($view)";
}

// Asking is an effect of its own: the runtime wants an answer for each result,
// also for one that nobody writes to.
def Exec_ResultOp : Exec_MemoryOp<"result", [MemoryEffects<[MemWrite]>]> {
  let summary = "asks the runtime for the memory of a result";
  let description = [{
    The caller of the program owns the memory. When the runtime has none, the
    entry function returns 1 at once.

    - C1: there is a size for each dynamic extent.
    - C2: the layout is the identity.

    ```mlir
    func.func @forward(%rows: index) attributes {exec.results = [#exec.fresh<"logits" : memref<?x256xf32>>]} {
      %logits = exec.result 0 (%rows) : memref<?x256xf32>
      return
    }
    ```
  }];
  let arguments = (ins I64Attr:$index, Variadic<Index>:$sizes);
  let results = (outs Res<AnyMemRef, "", [MemAlloc]>:$view);
  let assemblyFormat = "$index `(` $sizes `)` attr-dict `:` type($view)";
}

def Exec_WeightPartOp : Exec_Op<"weight_part", [Pure]> {
  let summary = "views one part of a weight where it was bound";
  let description = [{
    What `mm01.weight_part` becomes when tensors become buffers. Nobody may write
    to it: the memory is a file mapped for reading, or that of a quantised weight.

    - C1: the result has the shape and element type of a part, and no layout.

    ```mlir
    func.func @part(%w: !mm01.weight<4x96x64xbf16>, %e: index) -> memref<96x64xbf16> {
      %p = exec.weight_part %w[%e] : !mm01.weight<4x96x64xbf16> -> memref<96x64xbf16>
      return %p : memref<96x64xbf16>
    }
    ```
  }];
  let arguments = (ins Mm01_WeightType:$weight, Index:$part);
  let results = (outs AnyMemRef:$view);
  let assemblyFormat = "$weight `[` $part `]` attr-dict `:` type($weight) `->` type($view)";
  let hasVerifier = 1;
}

def Exec_WeightScalesOp : Exec_Op<"weight_scales", [Pure]> {
  let summary = "views the scales of one part of a quantised weight";
  let description = [{
    What `mm01.weight_scales` becomes when tensors become buffers. Nobody may write
    to it.

    - C1: the weight is quantised.
    - C2: the result is [rows of a part] in f32, without layout.

    ```mlir
    func.func @scales(%w: !mm01.weight<4x96x64xi8>, %e: index) -> memref<96xf32> {
      %s = exec.weight_scales %w[%e] : !mm01.weight<4x96x64xi8> -> memref<96xf32>
      return %s : memref<96xf32>
    }
    ```
  }];
  let arguments = (ins Mm01_WeightType:$weight, Index:$part);
  let results = (outs AnyMemRef:$view);
  let assemblyFormat = "$weight `[` $part `]` attr-dict `:` type($weight) `->` type($view)";
  let hasVerifier = 1;
}

#endif // EXEC_OPS_TD
