//===- Passes.td - tile programs in compiled programs ---------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_PROGRAMS_PASSES_TD
#define MM01_PASSES_PROGRAMS_PASSES_TD

include "mlir/Pass/PassBase.td"

class ProgramPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::mm01::exec::ExecDialect", "::mm01::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def FormLightningProgramsPass : ProgramPass<"mm01-form-lightning-programs"> {
  let summary = "Make tile programs of lightning attention on bf16 activations";
  let description = [{
    Each `mm01.lightning_attention` whose q, k, v and out are bf16, whose slopes and
    state are f32 and whose head size is a multiple of 16 up to 128 becomes a
    `tile.program` with a cluster for each sequence and head, or with few heads two
    programs, of which the first computes what segments of long sequences add to the
    state (LightningSegments.h). States are updated in
    their slots; a sequence without tokens touches none. Where the op has
    `mm01.skip_single` there are clusters for sequences of several tokens alone, the
    programs have `exec.sequences`, and unless the module's `mm01.fusion` lacks
    "launches" one more, of few clusters that take several heads each, does prefills
    so short that they hide beside single tokens (LightningShare.h). With `mm01.reverse`
    the tokens of each sequence are taken from the last to the first: the recurrence
    that gradients of keys and values need. Other ops are left for
    `mm01-form-kernels`, but for those in reverse, of which it has none: they are
    refused.

    ```mlir
    func.func @lightning(%q: tensor<?x64x128xbf16>, %slopes: tensor<64xf32>, %r: !mm01.ragged, %layer: index,
                         %out: tensor<?x64x128xbf16>, %state: tensor<7x?x64x128x128xf32>)
        -> (tensor<?x64x128xbf16>, tensor<7x?x64x128x128xf32>) {
      %o, %s = mm01.lightning_attention %q, %q, %q, %slopes, %r, %layer into %out, %state
        : tensor<?x64x128xbf16>, tensor<64xf32> into tensor<?x64x128xbf16>, tensor<7x?x64x128x128xf32>
      return %o, %s : tensor<?x64x128xbf16>, tensor<7x?x64x128x128xf32>
    }
    ```

    becomes one `tile.program "lightning"` with `cluster 2`.
  }];
}

def FormSoftmaxDecodePass : Pass<"mm01-form-softmax-decode", "::mlir::ModuleOp"> {
  let summary = "Give single tokens of softmax attention a program";
  let description = [{
    Puts before each `mm01.softmax_attention` that `mm01-form-softmax-programs` makes a
    program of, and in which at most 64 query heads share a key head, what does the
    sequences of exactly one token: a `tile.program "softmax_decode"` with a block for
    each key head, sequence and piece of its pages, which leaves maxima, sums and
    outputs of pieces in memory, and a kernel candidate `softmax_merge` that puts them
    together. How many pages a piece has depends on the sequence's length and the chip
    alone (SoftmaxDecode.h); the grid is as large as the widest page table could need.
    The op gets the result as its destination and `mm01.skip_single`, which says that
    it leaves such sequences as they are.

    Leaves other ops, and those that have `mm01.skip_single` already.

    ```mlir
    func.func @attention(%q: tensor<?x64x128xbf16>, %keys: tensor<1x?x64x8x128xbf16>, %r: !mm01.ragged, %layer: index,
                         %out: tensor<?x64x128xbf16>) -> tensor<?x64x128xbf16> {
      %o = mm01.softmax_attention %q, %keys, %keys, %r, %layer into %out {scale = 0.0883883461}
        : tensor<?x64x128xbf16>, tensor<1x?x64x8x128xbf16> into tensor<?x64x128xbf16>
      return %o : tensor<?x64x128xbf16>
    }
    ```

    gets pieces of 4 pages or more, 16 at most, in a grid of 8 times the sequences and
    the number of pieces, and a loop over `(%sequences, 8)`.
  }];
  let dependentDialects = ["::mm01::exec::ExecDialect", "::mm01::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FormSoftmaxProgramsPass : ProgramPass<"mm01-form-softmax-programs"> {
  let summary = "Make tile programs of softmax attention on bf16 activations";
  let description = [{
    Each `mm01.softmax_attention` whose q, keys, values and out are bf16, whose pages
    have 64 tokens, whose scale is positive, whose numbers of heads are static and
    whose head size is a multiple of 16 up to 128 becomes a `tile.program` with a block for 128 tokens of
    a sequence and a query head. Where an even number of query heads of more than 64
    elements shares a key head, clusters of two of them share its keys and values.
    Where the op has `mm01.skip_single` the blocks are those of the sequences of
    several tokens, and there are none without such. Other ops are left for `mm01-form-kernels`.

    ```mlir
    func.func @attention(%q: tensor<?x64x128xbf16>, %keys: tensor<1x?x64x8x128xbf16>, %r: !mm01.ragged, %layer: index,
                         %out: tensor<?x64x128xbf16>) -> tensor<?x64x128xbf16> {
      %o = mm01.softmax_attention %q, %keys, %keys, %r, %layer into %out {scale = 0.0883883461}
        : tensor<?x64x128xbf16>, tensor<1x?x64x8x128xbf16> into tensor<?x64x128xbf16>
      return %o : tensor<?x64x128xbf16>
    }
    ```

    becomes a `tile.program "softmax"` with a grid of 4, tokens / 128 + sequences, 8,
    and `cluster 2`.
  }];
}

def FormGroupedProgramsPass : ProgramPass<"mm01-form-grouped-programs"> {
  let summary = "Make tile programs of products of experts and of int8 weights";
  let description = [{
    Each `mm01.grouped_linear` on bf16 with a weight of bf16 or int8 becomes a
    `tile.program` for every width of a tile of rows. An expert is done by the program
    of the least width that holds its rows, divided into as few equal parts as 256 rows
    allow, or 128 where its weight is int8 (64 of a gate); which that is, the device finds out. A program is launched where there are enough rows for any expert to
    need it. Two products of the same rows that are a gate and what it is multiplied
    with, `silu(gate) * up` in a `linalg.generic` for them alone, become one program
    of each width that never writes them to memory.

    A `mm01.linear` with an int8 weight is the product of one expert with all rows, in
    programs for more than 4 rows, of which one is launched. The op stays behind them
    with `mm01.few_rows = 4`, which says that what has more rows is done.

    Leaves to other passes: other types, rows that are no multiple of 16 bytes, and
    rows of one iteration of a product or less, which is 64 elements of a bf16 weight
    and 256 of an int8 one.

    ```mlir
    func.func @experts(%x: tensor<?x128xbf16>, %o: tensor<5xi32>, %w: !mm01.weight<4x96x128xbf16>,
                       %out: tensor<?x96xbf16>) -> tensor<?x96xbf16> {
      %y = mm01.grouped_linear %x, %o, %w into %out
        : tensor<?x128xbf16>, tensor<5xi32>, !mm01.weight<4x96x128xbf16> into tensor<?x96xbf16>
      return %y : tensor<?x96xbf16>
    }
    ```

    becomes `tile.program "experts16"`, `"experts32"` and so on.
  }];
}

def BufferizePass : Pass<"mm01-bufferize", "::mlir::ModuleOp"> {
  let summary = "Turn tensors into buffers, in place where they can be";
  let description = [{
    One-shot bufferization of all functions, their arguments as dense buffers.
    A `tile.program` takes buffers instead of tensors; the tensors of its body are
    registers and stay. Arguments with `bufferization.writable = false` are copied
    before they are written (`mm01-mark-tied-arguments`).

    ```mlir
    func.func private @first(%x: tensor<4xf32>, %i: index) -> f32 {
      %y = tensor.extract %x[%i] : tensor<4xf32>
      return %y : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def OutlineProgramsPass : Pass<"mm01-outline-programs", "::mlir::ModuleOp"> {
  let summary = "Make a kernel of each tile program";
  let description = [{
    The body of a `tile.program` becomes a `tile.kernel` of `gpu.module @kernels`,
    launched by `exec.launch_device`. Tensor maps, and the arithmetic that they need,
    become operations of the host. Extents, strides and offsets of buffers that the
    kernel needs are constants where they are known, else arguments; of a buffer it
    gets the memory that it is a view of. The kernel's name is that of the function
    and the program's. Kernels that are equal but for their names are merged.

    Refuses maps that depend on what the host does not know (numbers of blocks,
    memory), maps without a view, and uses of buffers other than loads, stores and
    `tile` operations on memory. Requires bufferized functions.

    ```mlir
    !rows = memref<?x64xf32, strided<[?, ?], offset: ?>>
    func.func @one(%x: memref<?x64xf32>, %n: index) {
      %c1 = arith.constant 1 : index
      tile.program "nothing" grid(%n, %c1, %c1) ins() outs(%x : memref<?x64xf32>) {
      ^bb0(%memory: !rows):
        tile.return
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mm01::exec::ExecDialect", "::mm01::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect"];
}

#endif // MM01_PASSES_PROGRAMS_PASSES_TD
