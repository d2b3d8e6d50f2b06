//===- TileSyncOps.td - pipes, barriers and fences ---------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_SYNC_OPS_TD
#define TILE_SYNC_OPS_TD

include "dialects/tile/TileBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Pipes
//===----------------------------------------------------------------------===//

def Tile_PipeOp : Tile_Op<"pipe"> {
  let summary = "rings of buffers that one role fills and others empty";
  let description = [{
    One turn fills one tile of each ring. With `multicast` tiles come from all
    blocks of the cluster, so the producer waits for the consumers of all.

    - C1: each ring has as many tiles as the pipe has stages.

    ```mlir
    tile.kernel @pipe() {
      %pipe, %q, %k = tile.pipe multicast : !tile.pipe<4>, !tile.buffer<4x64x64xbf16>, !tile.buffer<4x64x64xbf16>
      tile.return
    }
    ```
  }];
  let arguments = (ins UnitAttr:$multicast);
  let results = (outs Res<Tile_Pipe, "", [MemAlloc]>:$pipe, Variadic<Tile_Buffer>:$rings);
  let assemblyFormat = "(`multicast` $multicast^)? attr-dict `:` type($pipe) (`,` type($rings)^)?";
  let hasVerifier = 1;
}

class Tile_TurnOp<string mnemonic, string what, string meaning> : Tile_Op<mnemonic> {
  let summary = what;
  let description = meaning # [{

    ```mlir
    func.func @turn(%pipe: !tile.pipe<4>, %t: index) {
      tile.}] # mnemonic # [{ %pipe[%t] : !tile.pipe<4>
      return
    }
    ```
  }];
  let arguments = (ins Arg<Tile_Pipe, "", [MemRead, MemWrite]>:$pipe, Index:$turn);
  let assemblyFormat = "$pipe `[` $turn `]` attr-dict `:` type($pipe)";
}

def Tile_AcquireOp : Tile_TurnOp<"acquire", "waits until the tiles of a turn may be overwritten", [{
    The producer's first step of turn `t`: consumers have released turn
    `t - stages`.}]>;
def Tile_CommitOp : Tile_TurnOp<"commit", "says that the tiles of a turn are written", [{
    The producer's last step of a turn. Tiles that bulk copies fill are complete
    when the copies are.}]>;
def Tile_AwaitOp : Tile_TurnOp<"await", "waits until the tiles of a turn are written", [{
    A consumer's first step of a turn.}]>;
def Tile_ReleaseOp : Tile_TurnOp<"release", "says that the tiles of a turn have been read", [{
    A consumer's last step of a turn.}]>;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

def Tile_BarrierOp : Tile_Op<"barrier"> {
  let summary = "barriers in shared memory with a number of arrivals";
  let description = [{
    A phase of a barrier ends when it has been arrived at `arrivals` times and all
    bytes that were expected in the phase have come.

    - C1: `arrivals` is positive.

    ```mlir
    func.func @barriers() {
      %full = tile.barrier arrivals 1 : !tile.barriers<4>
      return
    }
    ```
  }];
  let arguments = (ins I64Attr:$arrivals);
  let results = (outs Res<Tile_Barriers, "", [MemAlloc]>:$result);
  let assemblyFormat = "`arrivals` $arrivals attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_BarrierUse : Arg<Tile_Barriers, "", [MemRead, MemWrite]>;

def Tile_WaitOp : Tile_Op<"wait"> {
  let summary = "waits for a phase of a barrier";
  let description = [{
    Returns when the phase of the given parity is complete: phases count from 0, and
    the phase before the first, of parity 1, is.

    ```mlir
    func.func @wait(%full: !tile.barriers<4>, %slot: index, %parity: index) {
      tile.wait %full[%slot], %parity : !tile.barriers<4>
      return
    }
    ```
  }];
  let arguments = (ins Tile_BarrierUse:$barriers, Index:$slot, Index:$parity);
  let assemblyFormat = "$barriers `[` $slot `]` `,` $parity attr-dict `:` type($barriers)";
}

def Tile_ArriveOp : Tile_Op<"arrive"> {
  let summary = "arrives at a barrier, once for each warp";
  let description = [{
    The four warps of a warp group arrive once each, when their threads are there;
    `single` is for a role of one thread. With `cluster` they arrive at the
    barriers of every block of the cluster.

    ```mlir
    func.func @arrive(%empty: !tile.barriers<4>, %slot: index) {
      tile.arrive %empty[%slot] cluster : !tile.barriers<4>
      return
    }
    ```
  }];
  let arguments = (ins Tile_BarrierUse:$barriers, Index:$slot, UnitAttr:$single, UnitAttr:$cluster);
  let assemblyFormat = "$barriers `[` $slot `]` (`single` $single^)? (`cluster` $cluster^)? attr-dict `:` type($barriers)";
}

def Tile_ExpectOp : Tile_Op<"expect"> {
  let summary = "arrives at a barrier and says how many bytes are to come";
  let description = [{
    - C1: the bytes are positive and below 1,048,576, which a barrier can count.

    ```mlir
    func.func @expect(%full: !tile.barriers<4>, %slot: index) {
      tile.expect %full[%slot], 40960 : !tile.barriers<4>
      return
    }
    ```
  }];
  let arguments = (ins Tile_BarrierUse:$barriers, Index:$slot, I64Attr:$bytes);
  let assemblyFormat = "$barriers `[` $slot `]` `,` $bytes attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def Tile_ProxyFenceOp : Tile_Op<"proxy_fence"> {
  let summary = "lets the matrix unit and bulk copies see what threads wrote";
  let description = [{
    Stands between writes to shared memory by threads and the arrival after which
    others read them through the asynchronous proxy.

    ```mlir
    func.func @fence() {
      tile.proxy_fence
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_ClusterSyncOp : Tile_Op<"cluster_sync"> {
  let summary = "waits for all threads of all blocks of the cluster";
  let description = [{
    Barriers that were made before it are ready after it, in every block.

    ```mlir
    func.func @sync() {
      tile.cluster_sync
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

def Tile_FirstItemOp : Tile_Op<"first_item"> {
  let summary = "the first item of a grid, of which clusters take each in turn";
  let description = [{
    As the lower bound of a loop by 1 it leaves to the chip which cluster does which
    iteration: whichever is done first takes the next number of `counter[0]`. The
    result is 0; a cluster sees its items in rising order, and what the loop carries
    may depend on no more than that. `counter[0]` is 0 before and after the kernel.

    ```mlir
    func.func @first(%counter: memref<?xi32>) -> index {
      %first = tile.first_item %counter : memref<?xi32>
      return %first : index
    }
    ```
  }];
  let arguments = (ins Arg<MemRefOf<[I32]>, "", [MemRead, MemWrite]>:$counter);
  let results = (outs Index:$result);
  let assemblyFormat = "$counter attr-dict `:` type($counter)";
}

def Tile_WordsOp : Tile_Op<"words"> {
  let summary = "words of shared memory";
  let description = [{
    ```mlir
    func.func @words() {
      %words = tile.words : !tile.words<2>
      return
    }
    ```
  }];
  let results = (outs Res<Tile_Words, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_TakeOp : Tile_Op<"take"> {
  let summary = "takes the next number of a counter for a cluster";
  let description = [{
    For one thread in each block of a cluster. That of block 0 adds 1 to
    `counter[0]`, which becomes 0 again behind `last`, and sends what it was to
    `words[slot]` of every block, where 4 bytes are counted at `barriers[slot]`; in
    other blocks nothing is done.

    ```mlir
    func.func @take(%counter: memref<?xi32>, %last: index, %words: !tile.words<2>, %full: !tile.barriers<2>,
                    %slot: index) {
      tile.take %counter until %last to %words[%slot] signals %full : memref<?xi32>, !tile.words<2>, !tile.barriers<2>
      return
    }
    ```
  }];
  let arguments = (ins Arg<MemRefOf<[I32]>, "", [MemRead, MemWrite]>:$counter, Index:$last,
                       Arg<Tile_Words, "", [MemWrite]>:$words, Index:$slot, Tile_BarrierUse:$barriers);
  let assemblyFormat = [{
    $counter `until` $last `to` $words `[` $slot `]` `signals` $barriers attr-dict
    `:` type($counter) `,` type($words) `,` type($barriers)
  }];
}

def Tile_WordOp : Tile_Op<"word"> {
  let summary = "reads a word of shared memory";
  let description = [{
    ```mlir
    func.func @word(%words: !tile.words<2>, %slot: index) -> index {
      %item = tile.word %words[%slot] : !tile.words<2>
      return %item : index
    }
    ```
  }];
  let arguments = (ins Arg<Tile_Words, "", [MemRead]>:$words, Index:$slot);
  let results = (outs Index:$result);
  let assemblyFormat = "$words `[` $slot `]` attr-dict `:` type($words)";
}

#endif // TILE_SYNC_OPS_TD
