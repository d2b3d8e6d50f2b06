// RUN: mm01-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{a weight has one to three dimensions, found 0}}
func.func private @scalar(!mm01.weight<f32>)

// -----

// expected-error @below {{a weight has one to three dimensions, found 4}}
func.func private @four(!mm01.weight<2x2x2x2xf32>)

// -----

// expected-error @below {{the extents of a weight must be positive}}
func.func private @empty(!mm01.weight<4x0x64xf32>)

// -----

// expected-error @below {{expected static shape}}
func.func private @dynamic(!mm01.weight<4x?xf32>)

// -----

// expected-error @below {{a weight is stored as f32, f16, bf16 or i8, found 'f64'}}
func.func private @wide(!mm01.weight<4xf64>)

// -----

// expected-error @below {{a weight is stored as f32, f16, bf16 or i8, found 'i4'}}
func.func private @integer(!mm01.weight<4xi4>)

// -----

// Elements of int8 have a sign, which the type does not say.
// expected-error @below {{a weight is stored as f32, f16, bf16 or i8, found 'ui8'}}
func.func private @unsigned(!mm01.weight<4xui8>)

// -----

// 2^64 elements: their number would wrap to 0.
// expected-error @below {{a weight has more than 2^60 elements}}
func.func private @huge(!mm01.weight<4294967296x4294967296xf32>)

// -----

// expected-error @below {{a source names a tensor, with at most one {}}}
mm01.parameter @nameless : !mm01.weight<64xbf16> from [#mm01.source<"" : 64>]

// -----

// expected-error @below {{a source names a tensor, with at most one {}}}
mm01.parameter @twice : !mm01.weight<4x64x64xbf16> from [#mm01.source<"layers.{}.experts.{}" : 64x64>]

// -----

// expected-error @below {{a source has at least one dimension}}
mm01.parameter @scalar : !mm01.weight<64xbf16> from [#mm01.source<"w" : >]

// -----

// expected-error @below {{the rows of a source must not be negative}}
mm01.parameter @before : !mm01.weight<64xbf16> from [#mm01.source<"w" : 64, rows -1 stride 0>]

// -----

// expected-error @below {{a source with {} is whole tensors, without rows}}
mm01.parameter @rows : !mm01.weight<4x64x64xbf16> from [#mm01.source<"w.{}" : 64x64, rows 64 stride 0>]

// -----

// expected-error @below {{a source has more than 2^60 elements}}
mm01.parameter @wraps : !mm01.weight<64xbf16> from [#mm01.source<"w" : 4294967296x4294967296x64>]

// -----

// expected-error @below {{'mm01.role' must be a string}}
func.func private @role(tensor<?xi32> {mm01.role = 1})

// -----

// expected-error @below {{unknown attribute 'mm01.rôle', expected 'mm01.role', 'mm01.parameter', 'mm01.extents' or 'mm01.cache_uses'}}
func.func private @unknown(tensor<?xi32> {"mm01.rôle" = "tokens"})

// -----

// expected-error @below {{'mm01.parameter' must be a symbol such as @name}}
func.func private @string(!mm01.weight<64xbf16> {mm01.parameter = "norm"})

// -----

// expected-error @below {{no mm01.parameter is named @norm}}
func.func private @missing(!mm01.weight<64xbf16> {mm01.parameter = @norm})

// -----

// A symbol, but not of a parameter.
// expected-error @below {{no mm01.parameter is named @function}}
func.func private @function(!mm01.weight<64xbf16> {mm01.parameter = @function})

// -----

mm01.parameter @norm : !mm01.weight<64xbf16> from [#mm01.source<"norm" : 64>]
// expected-error @below {{the argument bound to @norm has type '!mm01.weight<32xbf16>', expected '!mm01.weight<64xbf16>'}}
func.func private @type(!mm01.weight<32xbf16> {mm01.parameter = @norm})

// -----

// expected-error @below {{a result takes no 'mm01.parameter', expected 'mm01.role'}}
func.func private @result() -> (tensor<?xf32> {mm01.parameter = @norm})

// -----

// One element for each extent.
// expected-error @below {{'mm01.extents' must be an array with an element for each extent of 'tensor<?x?xf32>'}}
func.func private @extents(tensor<?x?xf32> {mm01.extents = ["e0"]})

// -----

// expected-error @below {{'mm01.cache_uses' must be an array of {batch, rows} and layer or layers, on a tensor of five dimensions, found [{rows = "slots"}]}}
func.func private @no_batch(tensor<?x?x4x32x32xf32> {mm01.cache_uses = [{rows = "slots"}]}, !mm01.ragged)

// -----

// expected-error @below {{'mm01.cache_uses' must be an array}}
func.func private @not_ragged(tensor<?x?x4x32x32xf32> {mm01.cache_uses = [{batch = 0 : i64, rows = "slots"}]}, !mm01.ragged)

// -----

// expected-error @below {{'mm01.cache_uses' must be an array}}
func.func private @not_there(tensor<?x?x4x32x32xf32> {mm01.cache_uses = [{batch = 1 : i64, layer = 2 : i64, rows = "slots"}]}, !mm01.ragged)

// -----

// expected-error @below {{'mm01.cache_uses' must be an array}}
func.func private @no_cache(tensor<?x4xf32> {mm01.cache_uses = [{batch = 1 : i64, rows = "pages"}]}, !mm01.ragged)

// -----

// A weight has no extents that a call could change.
// expected-error @below {{'mm01.extents' must be an array with an element for each extent of '!mm01.weight<64xbf16>'}}
func.func private @weight_extents(!mm01.weight<64xbf16> {mm01.extents = ["e0"]})

// -----

// expected-error @below {{'mm01.extents' must hold strings, numbers of i64 from 0, and unit, found -1}}
func.func private @negative_extent(!mm01.ragged {mm01.extents = ["e0", unit, -1]})
