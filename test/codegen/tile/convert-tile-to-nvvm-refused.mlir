// RUN: mm01-opt %s -mm01-convert-tile-to-nvvm -split-input-file -verify-diagnostics

gpu.module @kernels {
  // expected-error @+1 {{expected 'tile.threads', which --mm01-dispatch-roles writes}}
  tile.kernel @no_threads() {
    tile.return
  }
}

// -----

gpu.module @kernels {
  tile.kernel @no_swizzle() attributes {tile.threads = 128 : i64} {
    // expected-error @+1 {{has a buffer without a swizzle: '!tile.buffer<64x64xbf16>'}}
    %tile = tile.alloc : !tile.buffer<64x64xbf16>
    tile.return
  }
}

// -----

gpu.module @kernels {
  tile.kernel @no_layout(%x: f32) attributes {tile.threads = 128 : i64} {
    // expected-error @+1 {{has a tensor without a layout: 'tensor<64x64xf32>'}}
    %tile = tensor.splat %x : tensor<64x64xf32>
    tile.return
  }
}

// -----

// Two blocks cannot share one panel of three blocks of 8 rows.
gpu.module @kernels {
  tile.kernel @one_panel(%map: !exec.tensor_map, %n: index) attributes {cluster = 2 : i64, tile.threads = 128 : i64} {
    %tile = tile.alloc : !tile.buffer<24x64xbf16, 128>
    %b = tile.barrier arrivals 1 : !tile.barriers<1>
    // expected-error @+2 {{each of the 2 blocks of the cluster copies the same number of panels of 64 columns, or of blocks of 8 rows of one panel; found 1 panels of 24 rows}}
    // expected-error @+1 {{failed to legalize operation 'tile.copy_in'}}
    tile.copy_in %map[%n, %n] to %tile multicast signals %b[%n] : !tile.buffer<24x64xbf16, 128>, !tile.barriers<1>
    tile.return
  }
}

// -----

// Turns are made barriers before.
gpu.module @kernels {
  tile.kernel @turns() attributes {tile.threads = 128 : i64} {
    // expected-error @+1 {{failed to legalize operation 'tile.pipe'}}
    %pipe = tile.pipe : !tile.pipe<2>
    tile.return
  }
}
