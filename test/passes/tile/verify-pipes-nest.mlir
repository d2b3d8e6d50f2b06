// RUN: mm01-opt %s -mm01-verify-pipes -split-input-file -verify-diagnostics

!ring = !tile.buffer<2x64x64xbf16>
!buffer = !tile.buffer<64x64xbf16>

// Turns that go on from item to item, in loops of unknown bounds and steps.
tile.kernel @nest(%map: !exec.tensor_map, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = gpu.cluster_id x
  %pipe, %ring = tile.pipe : !tile.pipe<2>, !ring
  tile.role "load" registers 40 single {
    scf.for %item = %first to %n step %m iter_args(%count = %c0) -> (index) {
      %last = scf.for %k = %c0 to %m step %c1 iter_args(%t = %count) -> (index) {
        tile.acquire %pipe[%t] : !tile.pipe<2>
        tile.commit %pipe[%t] : !tile.pipe<2>
        %next = arith.addi %t, %c1 : index
        scf.yield %next : index
      }
      scf.yield %last : index
    }
  }
  tile.role "compute" registers 232 {
    scf.for %item = %first to %n step %m iter_args(%count = %c0) -> (index) {
      %last = scf.for %k = %c0 to %m step %c1 iter_args(%t = %count) -> (index) {
        %tile = tile.slot %ring[%t] : !ring -> !buffer
        %rows = tile.rows %tile[0] : !buffer -> !buffer
        tile.await %pipe[%t] : !tile.pipe<2>
        %s = tile.read %rows : !buffer -> tensor<64x64xbf16>
        tile.release %pipe[%t] : !tile.pipe<2>
        %next = arith.addi %t, %c1 : index
        scf.yield %next : index
      }
      scf.yield %last : index
    }
  }
  tile.return
}

// -----

// Each item begins its turns anew: the second finds them taken.
tile.kernel @nest_anew(%n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe = tile.pipe : !tile.pipe<2>
  tile.role "load" registers 40 single {
    scf.for %item = %c0 to %n step %c1 {
      scf.for %k = %c0 to %m step %c1 {
        // expected-error @+1 {{begins turn 0, expected turn 2}}
        tile.acquire %pipe[%k] : !tile.pipe<2>
        tile.commit %pipe[%k] : !tile.pipe<2>
      }
    }
  }
  tile.role "compute" registers 232 {
    scf.for %item = %c0 to %n step %c1 {
      scf.for %k = %c0 to %m step %c1 {
        tile.await %pipe[%k] : !tile.pipe<2>
        tile.release %pipe[%k] : !tile.pipe<2>
      }
    }
  }
  tile.return
}

// -----

!ring = !tile.buffer<2x64x64xbf16>
!buffer = !tile.buffer<64x64xbf16>

// Rows of a tile belong to its turn.
tile.kernel @rows_outside(%map: !exec.tensor_map) {
  %c0 = arith.constant 0 : index
  %pipe, %ring = tile.pipe : !tile.pipe<2>, !ring
  tile.role "load" registers 40 single {
    tile.acquire %pipe[%c0] : !tile.pipe<2>
    tile.commit %pipe[%c0] : !tile.pipe<2>
  }
  tile.role "compute" registers 232 {
    %tile = tile.slot %ring[%c0] : !ring -> !buffer
    %rows = tile.rows %tile[0] : !buffer -> !buffer
    tile.await %pipe[%c0] : !tile.pipe<2>
    tile.release %pipe[%c0] : !tile.pipe<2>
    // expected-error @+1 {{uses a tile of turn 0 outside of the turn}}
    %s = tile.read %rows : !buffer -> tensor<64x64xbf16>
  }
  tile.return
}
