// RUN: mm01-opt %s -mm01-verify-pipes -split-input-file -verify-diagnostics

// A loop that is turned: a turn before it, one behind it, and the number of turns a maximum with 1.
tile.kernel @turned(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %often = arith.maxsi %n, %c1 : index
  %pipe = tile.pipe : !tile.pipe<2>
  tile.role "load" registers 40 single {
    scf.for %t = %c0 to %often step %c1 {
      tile.acquire %pipe[%t] : !tile.pipe<2>
      tile.commit %pipe[%t] : !tile.pipe<2>
    }
  }
  tile.role "compute" registers 232 {
    tile.await %pipe[%c0] : !tile.pipe<2>
    %last = arith.subi %often, %c1 : index
    scf.for %t = %c0 to %last step %c1 {
      %next = arith.addi %t, %c1 : index
      tile.await %pipe[%next] : !tile.pipe<2>
      tile.release %pipe[%t] : !tile.pipe<2>
    }
    tile.release %pipe[%last] : !tile.pipe<2>
  }
  tile.return
}

// -----

// The turn behind a turned loop is its last, not the one before.
tile.kernel @turned_wrong(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %often = arith.maxsi %n, %c1 : index
  %pipe = tile.pipe : !tile.pipe<2>
  tile.role "load" registers 40 single {
    scf.for %t = %c0 to %often step %c1 {
      tile.acquire %pipe[%t] : !tile.pipe<2>
      tile.commit %pipe[%t] : !tile.pipe<2>
    }
  }
  tile.role "compute" registers 232 {
    %last = arith.subi %often, %c1 : index
    scf.for %t = %c0 to %last step %c1 {
      tile.await %pipe[%t] : !tile.pipe<2>
      tile.release %pipe[%t] : !tile.pipe<2>
    }
    %wrong = arith.subi %often, %c2 : index
    // expected-error @+1 {{begins turn -1, expected turn 0}}
    tile.await %pipe[%wrong] : !tile.pipe<2>
    tile.release %pipe[%wrong] : !tile.pipe<2>
  }
  tile.return
}
