// RUN: mm01-opt %s -split-input-file -verify-diagnostics

gpu.module @kernels {
  func.func @step(%r: !mm01.ragged) {
    return
  }
}
func.func @concurrent_c1(%r: !mm01.ragged, %n: index) {
  // expected-error @+1 {{C1: expected at least two branches, found 1}}
  exec.concurrent {
    exec.launch_device @kernels::@step grid(%n, %n, %n) (%r) {exec.sequences = #exec.sequences<single>} : !mm01.ragged
  }
  return
}

// -----

gpu.module @kernels {
  func.func @step(%r: !mm01.ragged) {
    return
  }
}
// An empty branch is none.
func.func @concurrent_c1_empty(%r: !mm01.ragged, %n: index) {
  // expected-error @+1 {{C1: expected a launch in each branch}}
  exec.concurrent {
    exec.launch_device @kernels::@step grid(%n, %n, %n) (%r) {exec.sequences = #exec.sequences<single>} : !mm01.ragged
  }, {
    %t = mm01.ragged_size %r tokens
  }
  return
}

// -----

gpu.module @kernels {
  func.func @step(%r: !mm01.ragged) {
    return
  }
}
// A launch that some pass put there.
func.func @concurrent_c2(%r: !mm01.ragged, %n: index) {
  exec.concurrent {
    exec.launch_device @kernels::@step grid(%n, %n, %n) (%r) {exec.sequences = #exec.sequences<several>} : !mm01.ragged
    // expected-error @+1 {{C2: runs beside the other branches of an exec.concurrent, expected an operation without effects, or 'exec.sequences'}}
    exec.launch_device @kernels::@step grid(%n, %n, %n) (%r) : !mm01.ragged
  }, {
    exec.launch_device @kernels::@step grid(%n, %n, %n) (%r) {exec.sequences = #exec.sequences<single>} : !mm01.ragged
  }
  return
}

// -----

func.func @concurrent_c2_memory(%r: !mm01.ragged, %n: index, %x: memref<4xf32>) {
  exec.concurrent {
    // expected-error @+1 {{C2: runs beside the other branches}}
    %v = memref.load %x[%n] : memref<4xf32>
  }, {
    %t = mm01.ragged_size %r tokens
  }
  return
}

// -----

gpu.module @kernels {
  func.func @step(%r: !mm01.ragged) {
    return
  }
}
func.func @concurrent_c3(%r: !mm01.ragged, %n: index) {
  exec.concurrent {
    exec.launch_device @kernels::@step grid(%n, %n, %n) (%r) {exec.sequences = #exec.sequences<several>} : !mm01.ragged
  }, {
    // expected-error @+1 {{C3: is for #exec.sequences<several>, expected one branch to be for those, and for no others}}
    exec.launch_device @kernels::@step grid(%n, %n, %n) (%r) {exec.sequences = #exec.sequences<several>} : !mm01.ragged
  }
  return
}

// -----

gpu.module @kernels {
  func.func @step(%r: !mm01.ragged) {
    return
  }
}
func.func @concurrent_c3_in_a_branch(%r: !mm01.ragged, %n: index) {
  exec.concurrent {
    exec.launch_device @kernels::@step grid(%n, %n, %n) (%r) {exec.sequences = #exec.sequences<several>} : !mm01.ragged
    // expected-error @+1 {{C3: is for #exec.sequences<single>}}
    exec.launch_device @kernels::@step grid(%n, %n, %n) (%r) {exec.sequences = #exec.sequences<single>} : !mm01.ragged
  }, {
    %t = mm01.ragged_size %r tokens
  }
  return
}

// -----

gpu.module @kernels {
  func.func @step(%r: !mm01.ragged) {
    return
  }
}
func.func @concurrent_c4(%r: !mm01.ragged, %s: !mm01.ragged, %n: index) {
  exec.concurrent {
    exec.launch_device @kernels::@step grid(%n, %n, %n) (%r) {exec.sequences = #exec.sequences<several>} : !mm01.ragged
  }, {
    // expected-error @+1 {{C4: is for sequences of another ragged batch}}
    exec.launch_device @kernels::@step grid(%n, %n, %n) (%s) {exec.sequences = #exec.sequences<single>} : !mm01.ragged
  }
  return
}
