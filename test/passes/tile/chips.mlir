// RUN: not mm01-opt %s -mm01-pipeline-buffers=chip=a100 2>&1 | FileCheck %s
// RUN: not mm01-opt %s -mm01-split-roles=chip=a100 2>&1 | FileCheck %s

// A chip that is in no table is refused by name.
// CHECK: error: no chip is called 'a100', expected h20, h100, h200 or h800
tile.kernel @nothing() {
  tile.return
}
