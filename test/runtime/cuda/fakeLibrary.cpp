//===- fakeLibrary.cpp - a cuBLASLt for machines without a GPU ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built as libcublasLt.so.13. It multiplies bf16 to float32 at once, with the
// first operand transposed, and writes what it is asked for to $FAKE_CUDA_LOG.
// It has no algorithm where the leading dimension of the first operand is odd.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/MatrixLibrary.h"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace mm01;
using namespace mm01::cuda;

namespace {

struct FakeLayout {
  int type;
  uint64_t rows, columns;
  int64_t leading;
};

void log(const std::string &line) {
  if (const char *path = std::getenv("FAKE_CUDA_LOG"))
    if (FILE *file = std::fopen(path, "a")) {
      std::fprintf(file, "%s\n", line.c_str());
      std::fclose(file);
    }
}

FakeLayout &of(MatrixLayout layout) {
  return *reinterpret_cast<FakeLayout *>(layout);
}

/// Column-major.
float at(const void *data, const FakeLayout &layout, uint64_t row,
         uint64_t column) {
  auto *bits = static_cast<const uint16_t *>(data);
  uint32_t wide = bits[column * layout.leading + row];
  return std::bit_cast<float>(wide << 16);
}

} // namespace

extern "C" {

LibraryCode cublasLtCreate(LibraryHandle *handle) {
  *handle = reinterpret_cast<LibraryHandle>(new int);
  return 0;
}
LibraryCode cublasLtDestroy(LibraryHandle handle) {
  delete reinterpret_cast<int *>(handle);
  log("library destroyed");
  return 0;
}
LibraryCode cublasLtMatmulDescCreate(ProductLayout *product, int compute,
                                     int scale) {
  *product = reinterpret_cast<ProductLayout>(new int(0));
  return compute == sumInF32 && scale == library32Bit ? 0 : 7;
}
LibraryCode cublasLtMatmulDescDestroy(ProductLayout product) {
  delete reinterpret_cast<int *>(product);
  return 0;
}
LibraryCode cublasLtMatmulDescSetAttribute(ProductLayout product, int attribute,
                                           const void *value, size_t) {
  if (attribute == transposeA)
    *reinterpret_cast<int *>(product) = *static_cast<const int *>(value);
  return 0;
}
LibraryCode cublasLtMatrixLayoutCreate(MatrixLayout *layout, int type,
                                       uint64_t rows, uint64_t columns,
                                       int64_t leading) {
  *layout = reinterpret_cast<MatrixLayout>(
      new FakeLayout{type, rows, columns, leading});
  return 0;
}
LibraryCode cublasLtMatrixLayoutDestroy(MatrixLayout layout) {
  delete &of(layout);
  return 0;
}
LibraryCode cublasLtMatmulPreferenceCreate(Preference *preference) {
  *preference = reinterpret_cast<Preference>(new int);
  return 0;
}
LibraryCode cublasLtMatmulPreferenceDestroy(Preference preference) {
  delete reinterpret_cast<int *>(preference);
  return 0;
}
LibraryCode cublasLtMatmulPreferenceSetAttribute(Preference, int, const void *,
                                                 size_t) {
  return 0;
}
LibraryCode cublasLtMatmulAlgoGetHeuristic(
    LibraryHandle, ProductLayout, MatrixLayout a, MatrixLayout, MatrixLayout,
    MatrixLayout, Preference, int, AlgorithmChoice *choice, int *found) {
  log("choose an algorithm");
  *found = of(a).leading % 2 == 0;
  choice->state = 0;
  return 0;
}
LibraryCode cublasLtMatmul(LibraryHandle, ProductLayout product,
                           const void *alpha, const void *a, MatrixLayout wideA,
                           const void *b, MatrixLayout wideB, const void *beta,
                           const void *, MatrixLayout, void *d,
                           MatrixLayout wideD, const Algorithm *, void *,
                           size_t, Stream) {
  const FakeLayout &left = of(wideA), &right = of(wideB), &out = of(wideD);
  log(concat("multiply ", out.rows, 'x', out.columns, " of types ", left.type,
             ' ', right.type, ' ', out.type));
  if (*reinterpret_cast<int *>(product) != transposed ||
      *static_cast<const float *>(alpha) != 1 ||
      *static_cast<const float *>(beta) != 0 || out.type != library32Bit)
    return 7;
  std::vector<float> sums(out.rows * out.columns);
  for (uint64_t m = 0; m < out.rows; ++m)
    for (uint64_t n = 0; n < out.columns; ++n)
      for (uint64_t k = 0; k < left.rows; ++k)
        sums[n * out.rows + m] += at(a, left, k, m) * at(b, right, k, n);
  for (uint64_t n = 0; n < out.columns; ++n)
    for (uint64_t m = 0; m < out.rows; ++m)
      static_cast<float *>(d)[n * out.leading + m] = sums[n * out.rows + m];
  return 0;
}
}
