// RUN: mm01-opt %s -mm01-serialize-kernels -split-input-file -verify-diagnostics

// What a GPU has no function for is named, and does not end the process.
gpu.module @kernels {
  // expected-error @+1 {{kernel sine calls llvm.sin.f64, which a GPU does not have, expected it legalised before}}
  llvm.func @sine(%x: !llvm.ptr) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1>} {
    %v = llvm.load %x : !llvm.ptr -> f64
    %w = llvm.intr.sin(%v) : (f64) -> f64
    llvm.store %w, %x : f64, !llvm.ptr
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{kernel exponential calls llvm.exp.f32, which a GPU does not have}}
  llvm.func @exponential(%x: !llvm.ptr) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1>} {
    %v = llvm.load %x : !llvm.ptr -> f32
    %w = llvm.intr.exp(%v) : (f32) -> f32
    llvm.store %w, %x : f32, !llvm.ptr
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @erfcf(f32) -> f32
  // expected-error @+1 {{kernel library calls erfcf, which a GPU does not have}}
  llvm.func @library(%x: !llvm.ptr) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1>} {
    %v = llvm.load %x : !llvm.ptr -> f32
    %w = llvm.call @erfcf(%v) : (f32) -> f32
    llvm.store %w, %x : f32, !llvm.ptr
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{kernel blockless has no nvvm.reqntid, expected the threads of a block}}
  llvm.func @blockless() attributes {nvvm.kernel} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @early() {
    llvm.return
  }
}
func.func @host(%n: index) {
  // expected-error @+1 {{launches @kernels::@early, which is no kernel of the LLVM dialect}}
  exec.launch_device @kernels::@early grid(%n, %n, %n) ()
  return
}
