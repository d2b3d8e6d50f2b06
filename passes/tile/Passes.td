//===- Passes.td - from tile programs to explicit ones -----*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_PASSES_TILE_PASSES_TD
#define MM01_PASSES_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

class TilePass<string flag> : Pass<flag, "::mm01::tile::KernelOp"> {
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mm01::tile::TileDialect"];
}

def AssignRolesPass : TilePass<"mm01-assign-roles"> {
  let summary = "Say which role does each effect of a kernel";
  let description = [{
    Writes `tile.role` on each operation of a sequential tile program that writes
    memory, from the flow of data. Bulk copies into shared memory are the role
    `load`, copies out of it `store`. What threads write belongs to `recurrence` if
    it depends on a tile that a loop carries, and to `ahead` if it does not: that
    part can run ahead of the loop's chain on other threads. Where there is only one
    of the two kinds the role is called `compute`. Writes that share no `tile.mma`,
    directly or through others, are two roles' work, `compute0` and `compute1` say:
    each has its accumulators, and both read the same tiles.

    Buffers must be allocated inside the loop that uses them, or before it.

    ```mlir
    tile.kernel @copy(%from: !exec.tensor_map, %to: !exec.tensor_map, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %t = %c0 to %n step %c1 {
        %tile = tile.alloc : !tile.buffer<64x64xbf16>
        tile.copy_in %from[%c0, %t] to %tile : !tile.buffer<64x64xbf16>
        tile.copy_out %tile to %to[%c0, %t] : !tile.buffer<64x64xbf16>
      }
      tile.return
    }
    ```
  }];
}

def PipelineBuffersPass : TilePass<"mm01-pipeline-buffers"> {
  let summary = "Give buffers versions and their uses turns";
  let description = [{
    Every buffer that one role fills and others read becomes a ring, and rings that
    a role fills by bulk copies in one loop share a pipe. The producer's writes stand
    between `tile.acquire` and `tile.commit` of the iteration's turn, each consumer's
    reads between `tile.await` and `tile.release`; these operations carry the role.
    The program is still sequential.

    Pipes that threads fill have two stages; outside of the innermost loop one, if
    that gives the copies a stage. Those that bulk copies fill have as many as
    memory's latency asks for, and as fit in the chip's shared memory.

    In a loop that counts from 0 by 1 the turn is its number. In any other, and in a
    nest of loops, turns go on from one run of the inner loop to the next, counted by
    a value that all loops carry.

    Requires roles. Nothing but `scf.for` stands around buffers.

    ```mlir
    tile.kernel @copy(%from: !exec.tensor_map, %to: !exec.tensor_map, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %t = %c0 to %n step %c1 {
        %tile = tile.alloc : !tile.buffer<64x64xbf16>
        tile.copy_in %from[%c0, %t] to %tile {tile.role = "load"} : !tile.buffer<64x64xbf16>
        tile.copy_out %tile to %to[%c0, %t] {tile.role = "store"} : !tile.buffer<64x64xbf16>
      }
      tile.return
    }
    ```
  }];
  let options = [Option<"chip", "chip", "std::string", "\"h200\"", "h20, h100, h200 or h800">];
}

def SplitRolesPass : TilePass<"mm01-split-roles"> {
  let summary = "Split a sequential program into one program a role";
  let description = [{
    Makes a `tile.role` for each role that operations name, with those operations and
    what they need: the values they are computed from, and the loops and branches
    around them. Operations with other regions, `scf.while` say, are taken whole.
    Loops keep only the values that the role carries. Arithmetic that
    two roles need is done by both; nothing but memory is shared.

    Roles of bulk copies run on one thread. The chip's registers are shared out by
    how many elements a role's threads hold at most; roles of equally large tiles
    get equal shares.

    Requires turns (--mm01-pipeline-buffers).

    ```mlir
    tile.kernel @wait() {
      %c0 = arith.constant 0 : index
      %pipe = tile.pipe : !tile.pipe<2>
      tile.acquire %pipe[%c0] {tile.role = "load"} : !tile.pipe<2>
      tile.await %pipe[%c0] {tile.role = "compute"} : !tile.pipe<2>
      tile.return
    }
    ```
  }];
  let options = [Option<"chip", "chip", "std::string", "\"h200\"", "h20, h100, h200 or h800">];
}

def OverlapProductsPass : TilePass<"mm01-overlap-products"> {
  let summary = "Run the products of two iterations of a loop together";
  let description = [{
    Where threads compute the A operand of a loop's second product from the result of
    its first, as in attention, and the first depends on no tile that the loop
    carries, the loop is turned: an iteration begins the first product of the next
    iteration and then the second of its own, and does the arithmetic between them
    for the next while the second runs. The first iteration's first part stands
    before the loop, the last one's second product behind it.

    Loops stay as they are that do not have exactly two such products, whose products
    read tiles of one pipe, or that may run zero times: a loop runs from 0 by 1 to a
    number that is a constant or an `arith.maxsi` with one.

    Requires roles, and products that are not scheduled.

    ```mlir
    tile.kernel @weights(%n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %often = arith.maxsi %n, %c1 : index
      %q = tile.alloc : !tile.buffer<64x64xbf16>
      %k = tile.alloc : !tile.buffer<64x64xbf16>
      %v = tile.alloc : !tile.buffer<64x64xbf16>
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %o = scf.for %t = %c0 to %often step %c1 iter_args(%sum = %zero) -> tensor<64x64xf32> {
        %s = tile.mma %q, %k transposed : !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
        %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
        %next = tile.mma %p, %v into %sum : tensor<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      tile.return
    }
    ```
  }];
}

def ScheduleProductsPass : TilePass<"mm01-schedule-products"> {
  let summary = "Let products run while a role goes on";
  let description = [{
    A `tile.mma` only begins a product. Each becomes a group of its own and is waited
    for where its result is first used by anything but a product that goes on with
    it, or where the loop ends; the number of younger groups in flight is counted.
    What threads compute for a product passes through a `tile.mma_fence` before it.
    A `tile.release` moves behind the wait for the products that read its tiles, and
    a group is waited for before a register tile that it reads is given up.

    Requires roles, whose blocks are straight lines but for loops and branches that
    hold no products.

    ```mlir
    func.func @scores(%q: !tile.buffer<64x64xbf16>, %k: !tile.buffer<64x64xbf16>) -> tensor<64x64xf32> {
      %s = tile.mma %q, %k transposed : !tile.buffer<64x64xbf16>, !tile.buffer<64x64xbf16> -> tensor<64x64xf32>
      %twice = arith.addf %s, %s : tensor<64x64xf32>
      return %twice : tensor<64x64xf32>
    }
    ```
  }];
}

def VerifyPipesPass : Pass<"mm01-verify-pipes", "::mm01::tile::KernelOp"> {
  let summary = "Verify that roles keep to their turns";
  let description = [{
    Proves of a kernel with roles and turns that no role waits for ever, that each
    turn that is filled is emptied once by every consumer, that turns come in order,
    as phases of a barrier must, and that nobody touches a tile outside of its turn:
    not before it is full, not while it may be overwritten, and not by a product that
    is still under way when the turn is released.

    Runs the program's turns for every number of iterations up to twice the most
    stages of a pipe and one more; a loop in such a loop, a different number of times
    in each iteration. Loops of unknown length are taken to run equally often in all
    roles. Changes nothing. What makes turns by more than arithmetic on iterations,
    and on what loops carry, is refused.

    ```mlir
    tile.kernel @turn() {
      %c0 = arith.constant 0 : index
      %pipe = tile.pipe : !tile.pipe<2>
      tile.role "load" registers 40 single {
        tile.acquire %pipe[%c0] : !tile.pipe<2>
        tile.commit %pipe[%c0] : !tile.pipe<2>
      }
      tile.role "compute" registers 232 {
        tile.await %pipe[%c0] : !tile.pipe<2>
        tile.release %pipe[%c0] : !tile.pipe<2>
      }
      tile.return
    }
    ```
  }];
}

def InferLayoutsPass : TilePass<"mm01-infer-layouts"> {
  let summary = "Decide where elements of tiles lie";
  let description = [{
    Tensors get the layout that the matrix unit, ldmatrix and stmatrix share, so that
    none is ever converted. A buffer gets the least swizzle whose panel holds one of
    its rows, or the greatest; the matrix unit reads either major order from it, and
    the bulk copies that fill or drain it take the same swizzle and the panel as their
    box: both are written on the tensor map's argument. Blocks that share a tile of one
    panel each copy some of its rows, and the box has so many. Maps of one argument must
    agree.

    A tensor that does not have 64 rows, and columns in blocks of 8, is refused.

    ```mlir
    tile.kernel @load(%map: !exec.tensor_map) {
      %c0 = arith.constant 0 : index
      %q = tile.alloc : !tile.buffer<64x128xbf16>
      tile.copy_in %map[%c0, %c0] to %q : !tile.buffer<64x128xbf16>
      tile.return
    }
    ```
  }];
}

def ShapeTensorMapsPass : Pass<"mm01-shape-tensor-maps", "::mlir::ModuleOp"> {
  let summary = "Give tensor maps of launches the layouts of kernels";
  let description = [{
    Where `exec.launch_device` passes an `exec.tensor_map` to a `tile.kernel` whose
    argument has `tile.box` and `tile.swizzle`, the map gets a box of one panel's
    columns, and the swizzle. The rows that its box has must be the kernel's. Maps
    that two launches share become two.

    Requires layouts (--mm01-infer-layouts).

    ```mlir
    gpu.module @kernels {
      tile.kernel @k(%map: !exec.tensor_map {tile.box = [64, 64], tile.swizzle = 128 : i64}) {
        tile.return
      }
    }
    func.func @host(%x: memref<?x128xbf16>, %n: index, %c1: index, %c128: index) {
      %map = exec.tensor_map %x view [%n, %c128] strides [%c128] box [64, 128] : memref<?x128xbf16>
      exec.launch_device @kernels::@k grid(%n, %c1, %c1) (%map) : !exec.tensor_map
      return
    }
    ```
  }];
  let dependentDialects = ["::mm01::exec::ExecDialect"];
}

def MaterializeBarriersPass : TilePass<"mm01-materialize-barriers"> {
  let summary = "Turn the turns of pipes into phases of barriers";
  let description = [{
    A pipe becomes its rings, one barrier a stage that is complete when a turn's tiles
    are full, and one that is when they are empty. Turn t uses stage `t mod stages`
    in its phase `t / stages`. Arrivals are counted from the roles that commit and
    release: one for each warp, and with multicast of every block of the cluster. A
    producer that copies says how many bytes come before it copies.

    All threads of the cluster meet when barriers are set up, and at the end, so that
    no block is gone while another copies into it or arrives there.

    Requires roles and layouts.

    ```mlir
    tile.kernel @pipe() {
      %pipe, %ring = tile.pipe : !tile.pipe<2>, !tile.buffer<2x64x64xbf16, 128>
      tile.return
    }
    ```
  }];
}

def TakeItemsPass : TilePass<"mm01-take-items"> {
  let summary = "Let clusters take items as they are done";
  let description = [{
    A loop from `tile.first_item`, by 1, is in every role the loop over the items of
    the cluster. The role that copies tiles in takes the numbers from the counter, the
    next one while it works on the last, and sends them to a ring of two words in each
    block of the cluster; all roles read them there. In the end the counter is 0 again.

    So clusters that were slower get less, and items of neighbouring numbers, which
    share tiles in the cache, run at the same time.

    Requires explicit barriers, a cluster of two blocks or more, and the loop to be
    a role's outermost. The bounds of the loop are the same in all roles.

    ```mlir
    tile.kernel @items(%counter: memref<?xi32>, %n: index) attributes {cluster = 2 : i64} {
      %c1 = arith.constant 1 : index
      tile.cluster_sync
      tile.role "load" registers 40 single {
        %first = tile.first_item %counter : memref<?xi32>
        scf.for %item = %first to %n step %c1 {
        }
      }
      tile.return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
                           "::mm01::tile::TileDialect"];
}

def InsertProxyFencesPass : TilePass<"mm01-insert-proxy-fences"> {
  let summary = "Show what threads wrote to the asynchronous proxy";
  let description = [{
    The matrix unit and bulk copies see shared memory through another path than
    threads. Where a thread has written to it, by the operations' memory effects, a
    `tile.proxy_fence` goes before the next arrival at a barrier.

    Requires explicit barriers.

    ```mlir
    tile.kernel @nothing() {
      tile.return
    }
    ```
  }];
}

#endif // MM01_PASSES_TILE_PASSES_TD
