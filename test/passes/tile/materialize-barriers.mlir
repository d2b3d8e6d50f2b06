// RUN: mm01-opt %s -mm01-materialize-barriers -split-input-file -verify-diagnostics | FileCheck %s

// Tiles come from both blocks of the cluster, so consumers of both release them: 2
// blocks x 4 warps. The producer arrives once and says the bytes; its copies signal.
// CHECK-LABEL: tile.kernel @copies
// CHECK: %[[RING:.*]] = tile.alloc : <3x64x64xbf16, 128>
// CHECK: %[[FULL:.*]] = tile.barrier arrivals 1 : <3>
// CHECK: %[[EMPTY:.*]] = tile.barrier arrivals 8 : <3>
// CHECK: tile.cluster_sync
// CHECK: tile.role "load"
// CHECK: %[[SLOT:.*]] = arith.remui %[[T:.*]], %{{.*}} : index
// CHECK: %[[BUFFER:.*]] = tile.slot %[[RING]][%[[SLOT]]]
// CHECK: %[[PHASE:.*]] = arith.divui
// CHECK: %[[BEFORE:.*]] = arith.addi %[[PHASE]]
// CHECK: %[[PARITY:.*]] = arith.remui %[[BEFORE]]
// CHECK: tile.wait %[[EMPTY]][%{{.*}}], %[[PARITY]]
// CHECK-NEXT: tile.expect %[[FULL]][%{{.*}}], 8192
// CHECK-NEXT: tile.copy_in {{.*}} to %[[BUFFER]] multicast signals %[[FULL]][%[[SLOT]]]
// CHECK-NEXT: }
// CHECK: tile.role "compute"
// CHECK: tile.wait %[[FULL]][
// CHECK: tile.arrive %[[EMPTY]][%{{.*}}] cluster
// CHECK: tile.cluster_sync
// CHECK-NEXT: tile.return
tile.kernel @copies(%map: !exec.tensor_map, %t: index) attributes {cluster = 2 : i64} {
  %pipe, %ring = tile.pipe multicast : !tile.pipe<3>, !tile.buffer<3x64x64xbf16, 128>
  tile.role "load" registers 40 single {
    %tile = tile.slot %ring[%t] : !tile.buffer<3x64x64xbf16, 128> -> !tile.buffer<64x64xbf16, 128>
    tile.acquire %pipe[%t] : !tile.pipe<3>
    tile.copy_in %map[%t, %t] to %tile multicast : !tile.buffer<64x64xbf16, 128>
    tile.commit %pipe[%t] : !tile.pipe<3>
  }
  tile.role "compute" registers 232 {
    tile.await %pipe[%t] : !tile.pipe<3>
    tile.release %pipe[%t] : !tile.pipe<3>
  }
  tile.return
}

// -----

// What threads fill is committed by an arrival of each warp; one thread that copies
// it out releases it, when the copy has read it.
// CHECK-LABEL: tile.kernel @threads
// CHECK: tile.barrier arrivals 4 : <2>
// CHECK: tile.barrier arrivals 1 : <2>
// CHECK: tile.role "compute"
// CHECK: tile.arrive %{{.*}}[%{{.*}}] : <2>
// CHECK: tile.role "store"
// CHECK: tile.copy_out
// CHECK: tile.copy_wait 0
// CHECK-NEXT: tile.arrive %{{.*}}[%{{.*}}] single : <2>
tile.kernel @threads(%map: !exec.tensor_map, %t: index, %x: tensor<64x64xbf16>) {
  %pipe, %ring = tile.pipe : !tile.pipe<2>, !tile.buffer<2x64x64xbf16, 128>
  tile.role "compute" registers 232 {
    %tile = tile.slot %ring[%t] : !tile.buffer<2x64x64xbf16, 128> -> !tile.buffer<64x64xbf16, 128>
    tile.acquire %pipe[%t] : !tile.pipe<2>
    tile.write %x to %tile : tensor<64x64xbf16>, !tile.buffer<64x64xbf16, 128>
    tile.commit %pipe[%t] : !tile.pipe<2>
  }
  tile.role "store" registers 40 single {
    %tile = tile.slot %ring[%t] : !tile.buffer<2x64x64xbf16, 128> -> !tile.buffer<64x64xbf16, 128>
    tile.await %pipe[%t] : !tile.pipe<2>
    tile.copy_out %tile to %map[%t, %t] : !tile.buffer<64x64xbf16, 128>
    tile.release %pipe[%t] : !tile.pipe<2>
  }
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @no_pipes
// CHECK-NEXT: tile.return
tile.kernel @no_pipes() {
  tile.return
}

// -----

tile.kernel @no_producer() {
  // expected-error @+1 {{expected one role that fills it, found 0}}
  %pipe = tile.pipe : !tile.pipe<2>
  tile.return
}

// -----

tile.kernel @no_consumer(%t: index) {
  // expected-error @+1 {{expected a role that empties it}}
  %pipe = tile.pipe : !tile.pipe<2>
  tile.role "load" registers 40 single {
    tile.acquire %pipe[%t] : !tile.pipe<2>
  }
  tile.return
}

// -----

tile.kernel @no_layout(%t: index) {
  // expected-error @+1 {{has a ring without a layout: '!tile.buffer<2x64x64xbf16>'}}
  %pipe, %ring = tile.pipe : !tile.pipe<2>, !tile.buffer<2x64x64xbf16>
  tile.role "load" registers 40 single {
    tile.acquire %pipe[%t] : !tile.pipe<2>
  }
  tile.role "compute" registers 40 {
    tile.release %pipe[%t] : !tile.pipe<2>
  }
  tile.return
}
