// RUN: mm01-opt %s -mm01-dispatch-roles -split-input-file -verify-diagnostics | FileCheck %s

// Single roles are warps 0 and 1 of the first group, 384 threads have 168 registers
// each before roles exchange them, and the last role is what remains.
// CHECK-LABEL: tile.kernel @three
// CHECK-SAME: tile.threads = 384 : i64
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[GROUP:.*]] = arith.divui %[[THREAD]], %c128
// CHECK: arith.cmpi ult, %[[GROUP]], %c1
// CHECK: scf.if
// CHECK-NEXT: nvvm.setmaxregister decrease 40
// CHECK: arith.cmpi eq, %[[THREAD]], %c0
// CHECK: scf.if
// CHECK-NEXT: tile.copy_wait 0
// CHECK: arith.cmpi eq, %[[THREAD]], %c32
// CHECK: scf.if
// CHECK-NEXT: tile.copy_wait 1
// CHECK: } else {
// CHECK: arith.cmpi ult, %[[GROUP]], %c2
// CHECK: scf.if
// CHECK-NEXT: nvvm.setmaxregister decrease 152
// CHECK-NEXT: tile.mma_wait 0
// CHECK-NEXT: } else {
// CHECK-NEXT: nvvm.setmaxregister increase 240
// CHECK-NEXT: tile.mma_wait 1
// CHECK: tile.cluster_sync
// CHECK-NEXT: tile.return
tile.kernel @three() {
  tile.role "load" registers 40 single {
    tile.copy_wait 0
  }
  tile.role "ahead" registers 152 {
    tile.mma_wait 0
  }
  tile.role "recurrence" registers 240 {
    tile.mma_wait 1
  }
  tile.role "store" registers 40 single {
    tile.copy_wait 1
  }
  tile.cluster_sync
  tile.return
}

// -----

// A role of two groups counts as two, for threads and for registers.
// CHECK-LABEL: tile.kernel @groups
// CHECK-SAME: tile.threads = 384 : i64
// CHECK: %[[GROUP:.*]] = arith.divui %{{.*}}, %c128
// CHECK: arith.cmpi ult, %[[GROUP]], %c1
// CHECK: } else {
// CHECK-NEXT: nvvm.setmaxregister increase 232
// CHECK-NEXT: tile.mma_wait 0
// CHECK-NOT: arith.cmpi
tile.kernel @groups() {
  tile.role "load" registers 40 single {
    tile.copy_wait 0
  }
  tile.role "compute" registers 232 groups 2 {
    tile.mma_wait 0
  }
  tile.return
}

// -----

// A multiprocessor has as many registers, but 384 threads begin with 168 each: the
// last role would wait for ever for its own.
// expected-error @+1 {{has roles that use 65536 registers, expected 64512 at most}}
tile.kernel @too_many_in_groups() {
  tile.role "load" registers 40 single {
  }
  tile.role "ahead" registers 232 {
  }
  tile.role "compute" registers 240 {
  }
  tile.return
}

// -----

// One group needs no branch and exchanges nothing.
// CHECK-LABEL: tile.kernel @one
// CHECK-SAME: tile.threads = 128 : i64
// CHECK-NOT: scf.if
// CHECK-NOT: nvvm.setmaxregister
// CHECK: tile.mma_wait 0
tile.kernel @one() {
  tile.role "compute" registers 240 {
    tile.mma_wait 0
  }
  tile.return
}

// -----

// A kernel without roles runs on one warp group.
// CHECK-LABEL: tile.kernel @none
// CHECK-SAME: tile.threads = 128 : i64
tile.kernel @none() {
  tile.return
}

// -----

// expected-error @+1 {{has roles that use 71680 registers, expected 64512 at most}}
tile.kernel @too_many_registers() {
  tile.role "load" registers 80 single {
  }
  tile.role "one" registers 240 {
  }
  tile.role "two" registers 240 {
  }
  tile.return
}

// -----

// expected-error @+1 {{has 5 single roles, and the 4 warps of a group take one each}}
tile.kernel @too_many_single() {
  tile.role "a" registers 40 single {
  }
  tile.role "b" registers 40 single {
  }
  tile.role "c" registers 40 single {
  }
  tile.role "d" registers 40 single {
  }
  tile.role "e" registers 40 single {
  }
  tile.return
}

// -----

// Two blocks of a multiprocessor share its registers: 256 threads begin with 128.
// CHECK-LABEL: tile.kernel @resident
// CHECK: nvvm.setmaxregister decrease 40
// CHECK: nvvm.setmaxregister increase 216
tile.kernel @resident() attributes {resident = 2 : i64} {
  tile.role "load" registers 40 single {
    tile.copy_wait 0
  }
  tile.role "compute" registers 216 {
    tile.mma_wait 0
  }
  tile.return
}

// -----

// expected-error @+1 {{has roles that use 35840 registers, expected 32768 at most}}
tile.kernel @too_many_resident() attributes {resident = 2 : i64} {
  tile.role "load" registers 40 single {
    tile.copy_wait 0
  }
  tile.role "compute" registers 240 {
    tile.mma_wait 0
  }
  tile.return
}
