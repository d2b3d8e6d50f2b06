//===- Passes.td - passes from tiled to scheduled -------------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_SCHEDULE_PASSES_TD
#define MM01_PASSES_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def MarkTiedArgumentsPass : Pass<"mm01-mark-tied-arguments", "mlir::ModuleOp"> {
  let summary = "Forbid writing to arguments that are not returned";
  let description = [{
    The caller donates an argument of a public function when the function returns
    its new content: a returned tensor is traced through destinations, views and
    calls, and where the trace ends at an argument of the same type, that argument
    is tied to the result and may be written. Every other tensor argument of a
    public function gets `bufferization.writable = false`, so that bufferization
    copies it before a write. Recursion, and calls of functions without a body,
    are refused: no program has them.

    Example: `%out` may be written, `%x` may not.

    ```mlir
    func.func @add_one(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
      %one = arith.constant 1.0 : f32
      %sum = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>],
                             iterator_types = ["parallel"]}
          ins(%x : tensor<4xf32>) outs(%out : tensor<4xf32>) {
      ^bb0(%in: f32, %unused: f32):
        %y = arith.addf %in, %one : f32
        linalg.yield %y : f32
      } -> tensor<4xf32>
      return %sum : tensor<4xf32>
    }
    ```
  }];
}

def VerifyInPlacePass : Pass<"mm01-verify-in-place", "mlir::ModuleOp"> {
  let summary = "Fail where a cache is allocated or copied";
  let description = [{
    Caches are values that are updated in place: `mm01.role` lightning_state, keys
    and values of a public function, and whatever arguments of private functions
    receive them. A cache has gigabytes, so an allocation or a copy of the type of
    a cache is an error in the passes before, and this pass says where it is.
    Requires a bufferized module, before kernels are outlined. Copies of slices
    of a cache are none of its business.
  }];
}

def PlaceResultsPass : Pass<"mm01-place-results", "mlir::ModuleOp"> {
  let summary = "Put results of functions where callers find them";
  let description = [{
    After it, no function returns a buffer. A private function's result that is
    one of its arguments is dropped, and callers use what they passed. A public
    function's result is described in `exec.results`: `#exec.tied` when it is an
    argument, `#exec.fresh` when it is a buffer of the function, which becomes an
    `exec.result`; any other value (a view, the same buffer or argument twice)
    is copied into one. Refuses private functions that return buffers of their own and public
    ones that return scalars.
  }];
  let dependentDialects = ["mm01::exec::ExecDialect", "mlir::memref::MemRefDialect"];
}

def FuseLaunchesPass : Pass<"mm01-fuse-launches", "mlir::ModuleOp"> {
  let summary = "Make one launch of kernels that share no data";
  let description = [{
    A kernel, an `scf.forall` of a host function, joins the first kernel before it
    in its block from which nothing keeps it away: no operation from there to its
    own place writes a buffer that it reads or writes, or reads one that it writes.
    The first workgroups of the kernel that comes of it do what those of the first
    did, those after them what those of the next did.

    Cost: each joined kernel saves a launch, and the wait for the last workgroup
    of the one before; nothing is computed twice, and workgroups are as many as
    before. A worker's scratch holds the temporaries of both.

    Refuses where an operation's effects on memory are not known, and where a
    value that the kernel uses cannot be made earlier. Buffers with no common
    origin are taken to share no memory, as kernels take them. Requires
    bufferized, normalised loops, before they are outlined. Does nothing where the
    module's `mm01.fusion` lacks "launches".

    ```mlir
    func.func @two(%n: index, %x: memref<8xf32>, %y: memref<8xf32>, %v: f32) {
      scf.forall (%i) in (8) {
        memref.store %v, %x[%i] : memref<8xf32>
      } {mm01.kernel = "first"}
      scf.forall (%i) in (8) {
        memref.store %v, %y[%i] : memref<8xf32>
      } {mm01.kernel = "second"}
      return
    }
    ```

    becomes one loop over 16 workgroups with `{mm01.kernel = "first|second"}`.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

def OutlineKernelsPass : Pass<"mm01-outline-kernels", "mlir::ModuleOp"> {
  let summary = "Make a kernel function of each scf.forall";
  let description = [{
    An `scf.forall` of a host function becomes `exec.launch` of a new private
    function with the attribute `exec.kernel`. The grid is the product of the
    loop's extents, the kernel takes the workgroup's number apart. Constants and
    views of buffers move into the kernel, all other values it uses are captured:
    no two arguments are views of one buffer. Requires bufferized,
    normalised loops (from 0 in steps of 1). The kernel's name is that of the
    function and the loop's `mm01.kernel`. Kernels that are equal but for their
    names are merged, so their number depends on the kinds of layers alone. The
    loop's `exec.sequences` becomes the launch's.
  }];
  let dependentDialects = ["mm01::exec::ExecDialect", "mlir::arith::ArithDialect", "mlir::func::FuncDialect"];
}

def FormBranchesPass : Pass<"mm01-form-branches", "mlir::ModuleOp"> {
  let summary = "Let launches for different sequences run side by side";
  let description = [{
    Launches of a block that have `exec.sequences`, for sequences of one ragged
    batch, become branches of one `exec.concurrent`, one for those for several
    tokens and one for those for single tokens, each in the order in which it was.
    What lies between them and has no effects goes before, and so do allocations.

    The attribute is what makes that right: see `#exec.sequences`. Anything else
    that may read or write memory ends the launches that can be joined, and so does
    one for another batch. Launches for the same sequences stay as they are.
    Requires kernels outlined, and buffers before they are laid out, because those
    that one branch uses must not share memory with those of another. Does nothing
    where the module's `mm01.fusion` lacks "launches".

    ```mlir
    func.func private @decode(%workgroup: index, %r: !mm01.ragged) attributes {exec.kernel} {
      return
    }
    func.func private @prefill(%workgroup: index, %r: !mm01.ragged) attributes {exec.kernel} {
      return
    }
    func.func @host(%r: !mm01.ragged, %n: index) {
      exec.launch @decode grid(%n) (%r) {exec.sequences = #exec.sequences<single>} : !mm01.ragged
      exec.launch @prefill grid(%n) (%r) {exec.sequences = #exec.sequences<several>} : !mm01.ragged
      return
    }
    ```

    becomes `exec.concurrent` with the launch of @prefill and that of @decode.
  }];
  let dependentDialects = ["mm01::exec::ExecDialect"];
}

def OffloadCopiesPass : Pass<"mm01-offload-copies", "mlir::func::FuncOp"> {
  let summary = "Copy buffers in kernels instead of on the host";
  let description = [{
    Every `memref.copy` outside of kernels becomes an `scf.forall` over tiles of
    its first dimension, to be outlined as a kernel: the host of a program for a
    GPU cannot reach the memory. A constant buffer that the host does more with
    than use it in such loops, pass it to a function say, becomes a buffer and a
    copy. Requires bufferized functions, before kernels are
    outlined.

    ```mlir
    func.func @f(%a: memref<?x64xf32>, %b: memref<?x64xf32>) {
      memref.copy %a, %b : memref<?x64xf32> to memref<?x64xf32>
      return
    }
    ```

    becomes one loop over tiles of 64 rows with `{mm01.kernel = "copy"}`.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::gpu::GPUDialect", "mlir::linalg::LinalgDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"];
}

def OffloadKernelsPass : Pass<"mm01-offload-kernels", "mlir::ModuleOp"> {
  let summary = "Move the kernels to a module for the GPU";
  let description = [{
    Each function with `exec.kernel` moves to `gpu.module @kernels`, and each
    `exec.launch` becomes `exec.launch_device`. A kernel is then a `func.func`
    whose arguments are numbers, ragged batches, weights and, of each buffer, a
    `memref` of no dimensions that is its first element, with the extents that
    the buffer's type leaves open. The workgroup is the block's number. Scratch
    becomes dynamic shared memory. Constant buffers that a kernel uses are copied
    into the module.

    Requires `mm01-plan-scratch{stack-bytes=0}`: threads of a block have no stack
    in common. Refuses a kernel with more scratch than a block's shared memory,
    by its name, and, in host functions, operations that would reach device
    memory.

    ```mlir
    func.func private @set(%workgroup: index, %x: memref<?xf32>) attributes {exec.kernel} {
      return
    }
    func.func private @host(%x: memref<?xf32>, %n: index) {
      exec.launch @set grid(%n) (%x) : memref<?xf32>
      return
    }
    ```
  }];
  let dependentDialects = ["mm01::exec::ExecDialect", "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
                           "mlir::gpu::GPUDialect", "mlir::memref::MemRefDialect"];
}

def PlanScratchPass : Pass<"mm01-plan-scratch", "mlir::func::FuncOp"> {
  let summary = "Give every buffer of a kernel its place";
  let description = [{
    A `memref.alloc` in a kernel of at most `stack-bytes` becomes a stack slot at
    the kernel's entry, a greater one `exec.scratch` at an offset; `exec.scratch_bytes`
    is the sum. A dynamic extent must have a constant upper bound that follows
    from the operations that compute it. Buffers do not share memory: a kernel
    has few. Functions that are no kernels are left alone.
  }];
  let options = [Option<"stackBytes", "stack-bytes", "int64_t", "1024",
                        "Greatest buffer that goes to the stack; 0 for a GPU, whose threads share none">];
  let dependentDialects = ["mm01::exec::ExecDialect", "mlir::memref::MemRefDialect"];
}

def PlanArenaPass : Pass<"mm01-plan-arena", "mlir::ModuleOp"> {
  let summary = "Lay out the host's buffers in one arena";
  let description = [{
    Every `memref.alloc` of a host function becomes an `exec.arena` view. Offsets
    and sizes are affine in the extents of the function's arguments. Private
    functions get the offset of their frame as a last argument; a callee's frame
    begins where its caller's ends. Buffers share memory where their
    lifetimes, views included, do not overlap and one is large enough for the
    other whatever the extents are. `exec.frame`
    says what a function and its callees need.

    Refuses sizes that do not follow from the extents, recursion, and buffers
    allocated in nested regions.
  }];
  let dependentDialects = ["mm01::exec::ExecDialect", "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
                           "mlir::memref::MemRefDialect"];
}

def PrintMemoryPlanPass : Pass<"mm01-print-memory-plan", "mlir::ModuleOp"> {
  let summary = "Print where a scheduled program's memory goes";
  let description = [{
    Prints to standard output what each entry needs in bytes (weights, arguments,
    arena, scratch, results) and each buffer of the arena with its place and the
    steps between which it lives; a step is a launch or a call. Sizes are formulas
    in the extents of the arguments. `mm01-compile --dump-dir` writes the same to
    `memory-plan.txt`. Changes nothing.

    ```
    function layer: 1536*T bytes, 9 steps
      at 0: 512*T bytes, steps 1 to 4, first used by layer_rms_norm
    ```
  }];
}

#endif // MM01_PASSES_SCHEDULE_PASSES_TD
