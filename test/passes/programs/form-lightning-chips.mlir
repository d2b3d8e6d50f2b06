// How many segments long sequences have depends on the chip that the module
// names: 16 heads in clusters of two blocks fill 132 multiprocessors best with 4
// of them, 78 with 12; there is room for twice as many. Without a name the chip is
// an H200.
//
// RUN: mm01-opt %s -mm01-form-lightning-programs | FileCheck %s --check-prefixes=CHECK,H200
// RUN: sed s/mm01.other/mm01.chip/ %s | mm01-opt -mm01-form-lightning-programs | FileCheck %s --check-prefixes=CHECK,H20
// RUN: sed 's/mm01.other = "h20"/mm01.chip = "b300"/' %s | not mm01-opt -mm01-form-lightning-programs 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: error: no chip is called 'b300', expected h20, h100, h200 or h800

// CHECK-LABEL: func.func @lightning
// H200: tensor.empty() : tensor<8x16x128x128xf32>
// H20: tensor.empty() : tensor<24x16x128x128xf32>
module attributes {mm01.other = "h20"} {
  func.func @lightning(%q: tensor<?x16x128xbf16>, %k: tensor<?x16x128xbf16>, %v: tensor<?x16x128xbf16>,
                       %slopes: tensor<16xf32>, %ragged: !mm01.ragged, %layer: index,
                       %state: tensor<2x?x16x128x128xf32>, %out: tensor<?x16x128xbf16>)
      -> (tensor<?x16x128xbf16>, tensor<2x?x16x128x128xf32>) {
    %o, %s = mm01.lightning_attention %q, %k, %v, %slopes, %ragged, %layer into %out, %state
        : tensor<?x16x128xbf16>, tensor<16xf32> into tensor<?x16x128xbf16>, tensor<2x?x16x128x128xf32>
    return %o, %s : tensor<?x16x128xbf16>, tensor<2x?x16x128x128xf32>
  }
}
