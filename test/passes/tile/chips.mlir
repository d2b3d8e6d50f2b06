// RUN: sed s/mm01.chip/mm01.other/ %s > %t
// RUN: not mm01-opt %t -pass-pipeline='builtin.module(gpu.module(tile.kernel(mm01-pipeline-buffers{chip=a100})))' 2>&1 | FileCheck %s -DCHIP=a100
// RUN: not mm01-opt %t -pass-pipeline='builtin.module(gpu.module(tile.kernel(mm01-split-roles{chip=a100})))' 2>&1 | FileCheck %s -DCHIP=a100
// RUN: not mm01-opt %s -pass-pipeline='builtin.module(gpu.module(tile.kernel(mm01-pipeline-buffers)))' 2>&1 | FileCheck %s -DCHIP=b300
// RUN: not mm01-opt %s -pass-pipeline='builtin.module(gpu.module(tile.kernel(mm01-split-roles)))' 2>&1 | FileCheck %s -DCHIP=b300

// A chip that is in no table is refused by name, whether an option or the module
// around names it; the module goes first.
module attributes {mm01.chip = "b300"} {
  gpu.module @kernels {
    // CHECK: error: no chip is called '[[CHIP]]', expected h20, h100, h200 or h800
    tile.kernel @nothing() {
      tile.return
    }
  }
}
