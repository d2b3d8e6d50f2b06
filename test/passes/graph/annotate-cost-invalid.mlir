// RUN: mm01-opt %s --mm01-annotate-cost --split-input-file --verify-diagnostics
// RUN: not mm01-opt %s --mm01-annotate-cost=tokens=-1 2>&1 | FileCheck %s
// RUN: not mm01-opt %s --mm01-annotate-cost="tokens=9223372036854775807 experts-per-token=2" 2>&1 | FileCheck %s
// CHECK: sizes must not be negative, and tokens times experts must be less than 2^63

// expected-error @below {{the function calls itself: its cost has no end}}
func.func @circle() {
  call @back() : () -> ()
  return
}
func.func @back() {
  call @circle() : () -> ()
  return
}
