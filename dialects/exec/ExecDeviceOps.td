//===- ExecDeviceOps.td - ops that use a GPU ------------------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EXEC_DEVICE_OPS_TD
#define EXEC_DEVICE_OPS_TD

def Exec_LaunchDeviceOp : Exec_Op<"launch_device", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel of a GPU on a grid of blocks";
  let description = [{
    Runs `kernel(captures…)` on `grid_x · grid_y · grid_z` blocks, after all
    launches before it (but those of other branches, see `exec.concurrent`) and
    without waiting for its end. Threads of a block,
    blocks of a cluster and dynamic shared memory are the kernel's own attributes
    `nvvm.reqntid`, `nvvm.cluster_dim` and `exec.dynamic_shared_bytes`.

    What a kernel gets of a capture: of a memref the pointer to its first element,
    in device memory; of a ragged batch the pointer to the batch in device memory;
    of a weight the pointer to its first part, behind which the others lie (and scales,
    64 bytes aligned); the 128 bytes of a tensor map; of others the value, an index as i64.

    - C1: `kernel` is a function in a `gpu.module`, or the record that serialising
      leaves of it, an `llvm.mlir.global`.
    - C2: the captures have the types of the kernel's arguments, while it is no
      function of LLVM yet.
    - C3: a memref's offset is static.

    ```mlir
    gpu.module @kernels {
      func.func @fill(%x: memref<f32>, %n: index) {
        return
      }
    }
    func.func @host(%x: memref<f32>, %n: index) {
      %c1 = arith.constant 1 : index
      exec.launch_device @kernels::@fill grid(%n, %c1, %c1) (%x, %n) : memref<f32>, index
      return
    }
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, Index:$gridX, Index:$gridY, Index:$gridZ,
                       Variadic<AnyType>:$captures);
  let assemblyFormat = "$kernel `grid` `(` $gridX `,` $gridY `,` $gridZ `)` `(` $captures `)` attr-dict "
                       "(`:` type($captures)^)?";
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def Exec_ConcurrentOp : Exec_Op<"concurrent", [NoTerminator, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "lets launches for different sequences run side by side";
  let description = [{
    All branches run after the work before the op and before the work behind it;
    they may run at the same time. Where there is not room for all, earlier
    branches come first. A branch is launches, in order, and operations without
    effects.

    - C1: there are at least two branches, and none is empty.
    - C2: an operation with effects has `exec.sequences`.
    - C3: all operations of a branch are for the same sequences, those of another
      branch for other ones.
    - C4: all are for sequences of one ragged batch.

    ```mlir
    gpu.module @kernels {
      func.func @prefill(%r: !mm01.ragged) {
        return
      }
      func.func @decode(%r: !mm01.ragged) {
        return
      }
    }
    func.func @host(%r: !mm01.ragged) {
      %c1 = arith.constant 1 : index
      %n = mm01.ragged_size %r sequences
      exec.concurrent {
        exec.launch_device @kernels::@prefill grid(%n, %c1, %c1) (%r)
            {exec.sequences = #exec.sequences<several>} : !mm01.ragged
      }, {
        exec.launch_device @kernels::@decode grid(%n, %c1, %c1) (%r)
            {exec.sequences = #exec.sequences<single>} : !mm01.ragged
      }
      return
    }
    ```
  }];
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let assemblyFormat = "$branches attr-dict";
  let hasVerifier = 1;
}

def Exec_GemmDeviceOp : Exec_Op<"gemm_device"> {
  let summary = "multiplies two matrices of a GPU with its library";
  let description = [{
    Where a has more than `above` rows,

        c[m, n] = sum_k a[m, k] * b[n, k], summed in float32,

    after all work before it and without waiting for its end; else nothing. Rows
    may lie apart, elements of a row may not.

    - C1: the inner stride of each operand is 1.
    - C2: the extents agree.
    - C3: a and b are of one type, bf16 or f16, and c is of it or f32.
    - C4: above is not negative.

    ```mlir
    func.func @gemm(%a: memref<?x64xbf16>, %b: memref<96x64xbf16>, %c: memref<?x96xf32>) {
      exec.gemm_device %a, %b, %c above 16 : memref<?x64xbf16>, memref<96x64xbf16>, memref<?x96xf32>
      return
    }
    ```
  }];
  let arguments = (ins Arg<MemRefRankOf<[BF16, F16], [2]>, "", [MemRead]>:$a,
                       Arg<MemRefRankOf<[BF16, F16], [2]>, "", [MemRead]>:$b,
                       Arg<MemRefRankOf<[BF16, F16, F32], [2]>, "", [MemWrite]>:$c, I64Attr:$above);
  let assemblyFormat = "$a `,` $b `,` $c `above` $above attr-dict `:` type($a) `,` type($b) `,` type($c)";
  let hasVerifier = 1;
}

def Exec_TensorMapOp : Exec_Op<"tensor_map", [Pure, AttrSizedOperandSegments]> {
  let summary = "describes a tensor for bulk copies of its tiles";
  let description = [{
    A tile is a box of `box` elements, outermost extent first. What it covers
    beyond the tensor reads as 0 and is not written. `swizzle` is the width in
    bytes of the pattern in which shared memory holds the tile; 0 is none.

    The tensor is `source`, or a view of its memory: `extents` and `strides` (of
    all dimensions but the innermost, whose stride is 1) in elements,
    `displacement` elements behind the first one of `source`, which may be
    negative. The first element must lie at a multiple of 16 bytes, and so must
    each stride.

    - C1: a box has 1 to 5 extents, one for each of the tensor.
    - C2: the extents of a box are 1 to 256, the innermost a multiple of 16 bytes.
    - C3: the swizzle is 0, 32, 64 or 128, and the innermost extent of the box is
      at most as wide.
    - C4: a view has a stride for each extent but the innermost.
    - C5: the elements are f32, f16, bf16, i8 or i32.
    - C6: without a view, the source's inner stride is 1; its offset is static.

    ```mlir
    func.func @maps(%x: memref<?x128xbf16>, %n: index, %row: index) -> (!exec.tensor_map, !exec.tensor_map) {
      %all = exec.tensor_map %x box [64, 64] swizzle 128 : memref<?x128xbf16>
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %half = exec.tensor_map %x at %row view [%n, %c64] strides [%c128] box [64, 64] swizzle 128
          : memref<?x128xbf16>
      return %all, %half : !exec.tensor_map, !exec.tensor_map
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Optional<Index>:$displacement, Variadic<Index>:$extents,
                       Variadic<Index>:$strides, DenseI64ArrayAttr:$box,
                       DefaultValuedAttr<I64Attr, "0">:$swizzle);
  let results = (outs Exec_TensorMapType:$map);
  let assemblyFormat = "$source (`at` $displacement^)? (`view` `[` $extents^ `]` `strides` `[` $strides `]`)? "
                       "`box` $box (`swizzle` $swizzle^)? attr-dict `:` type($source)";
  let hasVerifier = 1;
}

#endif // EXEC_DEVICE_OPS_TD
