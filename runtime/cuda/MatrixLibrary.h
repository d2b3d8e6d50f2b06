//===- MatrixLibrary.h - cuBLASLt, found at run time ----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of large dense matrices. One table of function pointers is filled
// when the first product needs it, so that programs without one run where the
// library is not. The few types and constants of its binary interface that are
// used are declared here, as in DriverTypes.h.
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CUDA_MATRIXLIBRARY_H
#define MM01_RUNTIME_CUDA_MATRIXLIBRARY_H

#include "runtime/abi/program.h"
#include "runtime/cuda/Driver.h"

#include <array>
#include <map>
#include <memory>

/// cuBLASLt's functions by their documented names.
#define MM01_CUBLASLT_FUNCTIONS(F)                                             \
  F(cublasLtCreate, LibraryHandle *)                                           \
  F(cublasLtDestroy, LibraryHandle)                                            \
  F(cublasLtMatmulDescCreate, ProductLayout *, int, int)                       \
  F(cublasLtMatmulDescDestroy, ProductLayout)                                  \
  F(cublasLtMatmulDescSetAttribute, ProductLayout, int, const void *, size_t)  \
  F(cublasLtMatrixLayoutCreate, MatrixLayout *, int, uint64_t, uint64_t,       \
    int64_t)                                                                   \
  F(cublasLtMatrixLayoutDestroy, MatrixLayout)                                 \
  F(cublasLtMatmulPreferenceCreate, Preference *)                              \
  F(cublasLtMatmulPreferenceDestroy, Preference)                               \
  F(cublasLtMatmulPreferenceSetAttribute, Preference, int, const void *,       \
    size_t)                                                                    \
  F(cublasLtMatmulAlgoGetHeuristic, LibraryHandle, ProductLayout,              \
    MatrixLayout, MatrixLayout, MatrixLayout, MatrixLayout, Preference, int,   \
    AlgorithmChoice *, int *)                                                  \
  F(cublasLtMatmul, LibraryHandle, ProductLayout, const void *, const void *,  \
    MatrixLayout, const void *, MatrixLayout, const void *, const void *,      \
    MatrixLayout, void *, MatrixLayout, const Algorithm *, void *, size_t,     \
    Stream)

namespace mm01::cuda {

using LibraryCode = int; // 0 is success
using LibraryHandle = struct LibraryHandleData *;
using ProductLayout = struct ProductLayoutData *;
using MatrixLayout = struct MatrixLayoutData *;
using Preference = struct PreferenceData *;
struct Algorithm {
  uint64_t data[8];
};
struct AlgorithmChoice {
  Algorithm algorithm;
  size_t workspaceBytes;
  LibraryCode state;
  float waves;
  int reserved[4];
};

inline constexpr int library32Bit = 0; // CUDA_R_32F
inline constexpr int libraryF16 = 2;   // CUDA_R_16F
inline constexpr int libraryBf16 = 14; // CUDA_R_16BF
inline constexpr int sumInF32 = 68;    // CUBLAS_COMPUTE_32F
inline constexpr int transposeA = 3;   // CUBLASLT_MATMUL_DESC_TRANSA
inline constexpr int transposed = 1;   // CUBLAS_OP_T
inline constexpr int mostWorkspace = 1;

/// Multiplies with cuBLASLt in the current context. The algorithm of a shape is
/// chosen once, by the library's heuristics, so that a call that repeats shapes
/// neither waits nor allocates and may be recorded in a graph.
class MatrixLibrary {
public:
  /// Finds the library: libcublasLt.so.13 or .12 on the loader's path, else in
  /// $CUDA_HOME/lib64, else where CUDA is installed by default. Takes a
  /// workspace. Fails, in one line, where there is none.
  static Result<std::unique_ptr<MatrixLibrary>> open(const Driver &driver);
  MatrixLibrary(const MatrixLibrary &) = delete;
  MatrixLibrary &operator=(const MatrixLibrary &) = delete;
  ~MatrixLibrary();

  /// Puts the product on the stream. Fails, naming the shape, where the library
  /// refuses it.
  Status multiply(const mm01_device_product &product, Stream stream);

private:
  /// What of a product its algorithm depends on.
  using Shape = std::array<int64_t, 8>;
  struct Plan {
    ProductLayout product = nullptr;
    MatrixLayout a = nullptr, b = nullptr, c = nullptr;
    Algorithm algorithm{};
  };

  explicit MatrixLibrary(const Driver &driver) : driver(driver) {}
  Status load();
  Result<const Plan *> plan(const mm01_device_product &product);
  Status choose(const mm01_device_product &product, Plan &plan);
  void drop(Plan &plan);

#define MM01_CUBLASLT_DECLARE(name, ...)                                       \
  LibraryCode (*name)(__VA_ARGS__) = nullptr;
  MM01_CUBLASLT_FUNCTIONS(MM01_CUBLASLT_DECLARE)
#undef MM01_CUBLASLT_DECLARE

  const Driver &driver;
  LibraryHandle handle = nullptr;
  DevicePointer workspace = 0;
  std::map<Shape, Plan> plans;
};

} // namespace mm01::cuda

#endif // MM01_RUNTIME_CUDA_MATRIXLIBRARY_H
