// RUN: mm01-opt %s | mm01-opt | FileCheck %s
// RUN: mm01-opt %s --mlir-print-op-generic | mm01-opt | FileCheck %s

// CHECK-LABEL: func @embedding
// CHECK-SAME: %[[IDS:[^:]+]]: tensor<?xi32>, %[[TABLE:[^:]+]]: !mm01.weight<256x64xbf16>, %[[OUT:[^:]+]]: tensor
// CHECK: mm01.embedding %[[IDS]], %[[TABLE]] into %[[OUT]] : tensor<?xi32>, <256x64xbf16> into tensor<?x64xf32>
func.func @embedding(%ids: tensor<?xi32>, %table: !mm01.weight<256x64xbf16>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %x = mm01.embedding %ids, %table into %out : tensor<?xi32>, !mm01.weight<256x64xbf16> into tensor<?x64xf32>
  return %x : tensor<?x64xf32>
}

// CHECK-LABEL: func @rms_norm
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x64xbf16>, %[[W:[^:]+]]: !mm01.weight<64xf16>, %[[OUT:[^:]+]]: tensor
// CHECK: mm01.rms_norm %[[X]], %[[W]] into %[[OUT]] {eps = 9.9999999999999995E-7 : f64} : tensor<?x64xbf16>, <64xf16> into tensor<?x64xbf16>
func.func @rms_norm(%x: tensor<?x64xbf16>, %w: !mm01.weight<64xf16>, %out: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %y = mm01.rms_norm %x, %w into %out {eps = 1.0e-6} : tensor<?x64xbf16>, !mm01.weight<64xf16> into tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// CHECK-LABEL: func @linear
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x64xf32>, %[[W:[^:]+]]: !mm01.weight<96x64xf32>, %[[OUT:[^:]+]]: tensor
// CHECK: mm01.linear %[[X]], %[[W]] into %[[OUT]] : tensor<?x64xf32>, <96x64xf32> into tensor<?x96xf32>
func.func @linear(%x: tensor<?x64xf32>, %w: !mm01.weight<96x64xf32>, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %y = mm01.linear %x, %w into %out : tensor<?x64xf32>, !mm01.weight<96x64xf32> into tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// CHECK-LABEL: func @library_linear
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x64xbf16>, %[[W:[^:]+]]: !mm01.weight<96x64xbf16>, %[[OUT:[^:]+]]: tensor
// CHECK: mm01.library_linear %[[X]], %[[W]] into %[[OUT]] above 16 : tensor<?x64xbf16>, <96x64xbf16> into tensor<?x96xf32>
func.func @library_linear(%x: tensor<?x64xbf16>, %w: !mm01.weight<96x64xbf16>, %out: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %y = mm01.library_linear %x, %w into %out above 16
    : tensor<?x64xbf16>, !mm01.weight<96x64xbf16> into tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// CHECK-LABEL: func @head
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x64xf32>, %[[ROWS:[^:]+]]: tensor<?xi32>, %[[W:[^:]+]]: !mm01.weight<256x64xbf16>, %[[OUT:[^:]+]]: tensor
// CHECK: mm01.head %[[X]], %[[ROWS]], %[[W]] into %[[OUT]] : tensor<?x64xf32>, tensor<?xi32>, <256x64xbf16> into tensor<?x256xf32>
func.func @head(%x: tensor<?x64xf32>, %rows: tensor<?xi32>, %w: !mm01.weight<256x64xbf16>, %out: tensor<?x256xf32>)
    -> tensor<?x256xf32> {
  %y = mm01.head %x, %rows, %w into %out : tensor<?x64xf32>, tensor<?xi32>, !mm01.weight<256x64xbf16> into tensor<?x256xf32>
  return %y : tensor<?x256xf32>
}

// CHECK-LABEL: func @rotary
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x4x32xf32>, %[[R:[^:]+]]: !mm01.ragged, %[[OUT:[^:]+]]: tensor
// CHECK: mm01.rotary %[[X]], %[[R]] into %[[OUT]] {rotary_dim = 16 : i64, theta = 1.000000e+07 : f64} : tensor<?x4x32xf32> into tensor<?x4x32xf32>
func.func @rotary(%x: tensor<?x4x32xf32>, %r: !mm01.ragged, %out: tensor<?x4x32xf32>) -> tensor<?x4x32xf32> {
  %y = mm01.rotary %x, %r into %out {rotary_dim = 16, theta = 1.0e7} : tensor<?x4x32xf32> into tensor<?x4x32xf32>
  return %y : tensor<?x4x32xf32>
}

// None of a head, or all of it.
// CHECK-LABEL: func @rotary_bounds
// CHECK: rotary_dim = 0 : i64
// CHECK: rotary_dim = 32 : i64
func.func @rotary_bounds(%x: tensor<?x4x32xf32>, %r: !mm01.ragged, %out: tensor<?x4x32xf32>) -> tensor<?x4x32xf32> {
  %y = mm01.rotary %x, %r into %out {rotary_dim = 0, theta = 1.0e7} : tensor<?x4x32xf32> into tensor<?x4x32xf32>
  %z = mm01.rotary %y, %r into %out {rotary_dim = 32, theta = 1.0e7} : tensor<?x4x32xf32> into tensor<?x4x32xf32>
  return %z : tensor<?x4x32xf32>
}
