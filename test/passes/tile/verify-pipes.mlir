// RUN: mm01-opt %s -mm01-verify-pipes -split-input-file -verify-diagnostics

!ring = !tile.buffer<2x64x64xbf16>
!buffer = !tile.buffer<64x64xbf16>

// Turn by turn, with a product that is waited for before its turn is released, and
// one turn left under way from iteration to iteration by the producer.
tile.kernel @good(%map: !exec.tensor_map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe, %ring = tile.pipe : !tile.pipe<2>, !ring
  tile.role "load" registers 40 single {
    scf.for %t = %c0 to %n step %c1 {
      %tile = tile.slot %ring[%t] : !ring -> !buffer
      tile.acquire %pipe[%t] : !tile.pipe<2>
      tile.copy_in %map[%c0, %t] to %tile : !buffer
      tile.commit %pipe[%t] : !tile.pipe<2>
    }
  }
  tile.role "compute" registers 232 {
    scf.for %t = %c0 to %n step %c1 {
      %tile = tile.slot %ring[%t] : !ring -> !buffer
      tile.await %pipe[%t] : !tile.pipe<2>
      %s = tile.mma %tile, %tile : !buffer, !buffer -> tensor<64x64xf32>
      tile.mma_commit
      %r = tile.mma_wait 0, %s : tensor<64x64xf32>
      tile.release %pipe[%t] : !tile.pipe<2>
    }
  }
  tile.return
}

// -----

!ring = !tile.buffer<2x64x64xbf16>
!buffer = !tile.buffer<64x64xbf16>

// The next product's group is waited for, this one's is not.
tile.kernel @early_release(%map: !exec.tensor_map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe, %ring = tile.pipe : !tile.pipe<2>, !ring
  tile.role "load" registers 40 single {
    scf.for %t = %c0 to %n step %c1 {
      tile.acquire %pipe[%t] : !tile.pipe<2>
      tile.commit %pipe[%t] : !tile.pipe<2>
    }
  }
  tile.role "compute" registers 232 {
    scf.for %t = %c0 to %n step %c1 {
      %tile = tile.slot %ring[%t] : !ring -> !buffer
      tile.await %pipe[%t] : !tile.pipe<2>
      %s = tile.mma %tile, %tile : !buffer, !buffer -> tensor<64x64xf32>
      tile.mma_commit
      tile.mma_wait 1
      // expected-error @+1 {{releases turn 0 while a product may read it}}
      tile.release %pipe[%t] : !tile.pipe<2>
    }
  }
  tile.return
}

// -----

!ring = !tile.buffer<2x64x64xbf16>
!buffer = !tile.buffer<64x64xbf16>

// Written after the consumer may read it.
tile.kernel @late_write(%map: !exec.tensor_map) {
  %c0 = arith.constant 0 : index
  %pipe, %ring = tile.pipe : !tile.pipe<2>, !ring
  %tile = tile.slot %ring[%c0] : !ring -> !buffer
  tile.role "load" registers 40 single {
    tile.acquire %pipe[%c0] : !tile.pipe<2>
    tile.commit %pipe[%c0] : !tile.pipe<2>
    // expected-error @+1 {{uses a tile of turn 0 outside of the turn}}
    tile.copy_in %map[%c0, %c0] to %tile : !buffer
  }
  tile.role "store" registers 40 single {
    tile.await %pipe[%c0] : !tile.pipe<2>
    tile.release %pipe[%c0] : !tile.pipe<2>
  }
  tile.return
}

// -----

!ring = !tile.buffer<2x64x64xbf16>
!buffer = !tile.buffer<64x64xbf16>

// Read before the producer has written it.
tile.kernel @early_read(%map: !exec.tensor_map) {
  %c0 = arith.constant 0 : index
  %pipe, %ring = tile.pipe : !tile.pipe<2>, !ring
  %tile = tile.slot %ring[%c0] : !ring -> !buffer
  tile.role "load" registers 40 single {
    tile.acquire %pipe[%c0] : !tile.pipe<2>
    tile.commit %pipe[%c0] : !tile.pipe<2>
  }
  tile.role "store" registers 40 single {
    // expected-error @+1 {{uses a tile of turn 0 outside of the turn}}
    tile.copy_out %tile to %map[%c0, %c0] : !buffer
    tile.await %pipe[%c0] : !tile.pipe<2>
    tile.release %pipe[%c0] : !tile.pipe<2>
  }
  tile.return
}

// -----

// Never released: the third turn has no tile. With two turns nobody would notice.
tile.kernel @deadlock(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe = tile.pipe : !tile.pipe<2>
  tile.role "load" registers 40 single {
    scf.for %t = %c0 to %n step %c1 {
      // expected-error @+1 {{waits for ever for turn 2}}
      tile.acquire %pipe[%t] : !tile.pipe<2>
      tile.commit %pipe[%t] : !tile.pipe<2>
    }
  }
  tile.role "compute" registers 232 {
  }
  tile.return
}

// -----

// One turn fewer is emptied than filled.
tile.kernel @unmatched(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe = tile.pipe : !tile.pipe<2>
  tile.role "load" registers 40 single {
    scf.for %t = %c0 to %n step %c1 {
      tile.acquire %pipe[%t] : !tile.pipe<2>
      tile.commit %pipe[%t] : !tile.pipe<2>
    }
  }
  // expected-error @+1 {{awaits 1 and releases 0 turns of a pipe of which 1 are filled}}
  tile.role "compute" registers 232 {
    scf.for %t = %c0 to %n step %c1 {
      tile.await %pipe[%t] : !tile.pipe<2>
    }
  }
  tile.return
}

// -----

// Phases have no numbers, so turns come in order.
tile.kernel @every_other(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %pipe = tile.pipe : !tile.pipe<2>
  tile.role "load" registers 40 single {
    scf.for %t = %c0 to %n step %c1 {
      %twice = arith.muli %t, %c2 : index
      // expected-error @+1 {{begins turn 2, expected turn 1}}
      tile.acquire %pipe[%twice] : !tile.pipe<2>
      tile.commit %pipe[%twice] : !tile.pipe<2>
    }
  }
  tile.role "compute" registers 232 {
    scf.for %t = %c0 to %n step %c1 {
      tile.await %pipe[%t] : !tile.pipe<2>
      tile.release %pipe[%t] : !tile.pipe<2>
    }
  }
  tile.return
}

// -----

tile.kernel @unknown_condition(%which: i1) {
  %c0 = arith.constant 0 : index
  %pipe = tile.pipe : !tile.pipe<2>
  tile.role "load" registers 40 single {
    // expected-error @+1 {{holds steps of a pipe under a condition that depends on more than the iteration}}
    scf.if %which {
      tile.acquire %pipe[%c0] : !tile.pipe<2>
    }
  }
  tile.return
}

// -----

tile.kernel @unknown_turn(%t: index) {
  %pipe = tile.pipe : !tile.pipe<2>
  tile.role "load" registers 40 single {
    // expected-error @+1 {{has a turn that depends on more than the iteration}}
    tile.acquire %pipe[%t] : !tile.pipe<2>
  }
  tile.return
}
