// Entries whose offsets pass 2^31 elements at extents that a server reaches. Built and run by WideOffsetTest.cpp.

// Row 262,144 of 8,192 features begins at element 2^31.
func.func @far_row(%x: tensor<?x8192xf32>, %rows: tensor<?xi32>, %w: !mm01.weight<4x8192xf32>, %out: tensor<?x4xf32>)
    -> tensor<?x4xf32> {
  %y = mm01.head %x, %rows, %w into %out : tensor<?x8192xf32>, tensor<?xi32>, !mm01.weight<4x8192xf32> into tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// Slot 2,048 of 64 heads of 128 x 128 begins at element 2^31.
func.func @far_slot(%x: tensor<?x64x128xf32>, %slopes: tensor<64xf32>, %r: !mm01.ragged, %layer: index,
                    %out: tensor<?x64x128xf32>, %state: tensor<1x?x64x128x128xf32>)
    -> (tensor<?x64x128xf32>, tensor<1x?x64x128x128xf32>) {
  %o, %s = mm01.lightning_attention %x, %x, %x, %slopes, %r, %layer into %out, %state
    : tensor<?x64x128xf32>, tensor<64xf32> into tensor<?x64x128xf32>, tensor<1x?x64x128x128xf32>
  return %o, %s : tensor<?x64x128xf32>, tensor<1x?x64x128x128xf32>
}

// Page 32,768 of 64 rows of 8 x 128 begins at element 2^31.
func.func @far_page(%x: tensor<?x8x128xf32>, %r: !mm01.ragged, %layer: index, %out: tensor<?x8x128xf32>,
                    %keys: tensor<1x?x64x8x128xf32>, %values: tensor<1x?x64x8x128xf32>)
    -> (tensor<?x8x128xf32>, tensor<1x?x64x8x128xf32>, tensor<1x?x64x8x128xf32>) {
  %k, %v = mm01.cache_update %x, %x, %r, %layer into %keys, %values : tensor<?x8x128xf32> into tensor<1x?x64x8x128xf32>
  %o = mm01.softmax_attention %x, %k, %v, %r, %layer into %out {scale = 1.0}
    : tensor<?x8x128xf32>, tensor<1x?x64x8x128xf32> into tensor<?x8x128xf32>
  return %o, %k, %v : tensor<?x8x128xf32>, tensor<1x?x64x8x128xf32>, tensor<1x?x64x8x128xf32>
}
