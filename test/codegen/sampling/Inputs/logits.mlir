// Logits of vocabularies of one token, of a few, of one part of a row of mm01.sample, of a part and a rest, and of parts
// alone: for each the compiler adds the helper that chooses tokens.
func.func @logits_1(%x: tensor<?x1xf32>) -> (tensor<?x1xf32> {mm01.role = "logits"}) {
  return %x : tensor<?x1xf32>
}
func.func @logits_6(%x: tensor<?x6xf32>) -> (tensor<?x6xf32> {mm01.role = "logits"}) {
  return %x : tensor<?x6xf32>
}
func.func @logits_64(%x: tensor<?x64xf32>) -> (tensor<?x64xf32> {mm01.role = "logits"}) {
  return %x : tensor<?x64xf32>
}
func.func @logits_4096(%x: tensor<?x4096xf32>) -> (tensor<?x4096xf32> {mm01.role = "logits"}) {
  return %x : tensor<?x4096xf32>
}
func.func @logits_10000(%x: tensor<?x10000xf32>) -> (tensor<?x10000xf32> {mm01.role = "logits"}) {
  return %x : tensor<?x10000xf32>
}
func.func @logits_12288(%x: tensor<?x12288xf32>) -> (tensor<?x12288xf32> {mm01.role = "logits"}) {
  return %x : tensor<?x12288xf32>
}
