//===- MatrixLibrary.cpp - cuBLASLt, found at run time --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/MatrixLibrary.h"

#include "runtime/cuda/SharedLibrary.h"

using namespace mm01;
using namespace mm01::cuda;

/// What the library's maker advises for Hopper.
static constexpr size_t workspaceBytes = 32 << 20;

static Status check(LibraryCode code, const char *what) {
  if (code == 0)
    return {};
  return Status::error(what, ": cuBLASLt's error ", code);
}

//===----------------------------------------------------------------------===//
// Start and end
//===----------------------------------------------------------------------===//

Status MatrixLibrary::load() {
  SharedLibrary library({"libcublasLt.so.13", "libcublasLt.so.12"}, {"lib64"});
  if (!library)
    return Status::error(
        "no cuBLASLt, which products of this many rows need: expected "
        "libcublasLt.so.13 or .12 on the library path, in $CUDA_HOME/lib64 or "
        "in /usr/local/cuda/lib64");
#define MM01_CUBLASLT_RESOLVE(name, ...) library.resolve(#name, name);
  MM01_CUBLASLT_FUNCTIONS(MM01_CUBLASLT_RESOLVE)
#undef MM01_CUBLASLT_RESOLVE
  if (library.missing())
    return Status::error("cuBLASLt has no ", library.missing(),
                         ", expected that of CUDA 12 or 13");
  MM01_RETURN_IF_FAILED(check(cublasLtCreate(&handle), "cublasLtCreate"));
  return driver.check(driver.cuMemAlloc(&workspace, workspaceBytes),
                      "cuMemAlloc of cuBLASLt's workspace");
}

Result<std::unique_ptr<MatrixLibrary>>
MatrixLibrary::open(const Driver &driver) {
  std::unique_ptr<MatrixLibrary> library(new MatrixLibrary(driver));
  MM01_RETURN_IF_FAILED(library->load());
  return library;
}

void MatrixLibrary::drop(Plan &plan) {
  if (plan.product)
    cublasLtMatmulDescDestroy(plan.product);
  for (MatrixLayout layout : {plan.a, plan.b, plan.c})
    if (layout)
      cublasLtMatrixLayoutDestroy(layout);
}

MatrixLibrary::~MatrixLibrary() {
  for (auto &[shape, plan] : plans)
    drop(plan);
  if (workspace)
    driver.cuMemFree(workspace);
  if (handle)
    cublasLtDestroy(handle);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static int libraryType(int64_t element) {
  switch (element) {
  case MM01_ELEMENT_BF16:
    return libraryBf16;
  case MM01_ELEMENT_F16:
    return libraryF16;
  default:
    return library32Bit;
  }
}

/// Matrices of the library lie column by column: to it, a row-major c is its
/// transpose, cᵀ[n, m] = (bᵀ[k, n])ᵀ aᵀ[k, m].
Status MatrixLibrary::choose(const mm01_device_product &p, Plan &plan) {
  MM01_RETURN_IF_FAILED(
      check(cublasLtMatmulDescCreate(&plan.product, sumInF32, library32Bit),
            "cublasLtMatmulDescCreate"));
  int transpose = transposed;
  MM01_RETURN_IF_FAILED(
      check(cublasLtMatmulDescSetAttribute(plan.product, transposeA, &transpose,
                                           sizeof transpose),
            "cublasLtMatmulDescSetAttribute"));
  auto layout = [&](MatrixLayout &made, int64_t element, int64_t rows,
                    int64_t columns, int64_t leading) {
    return check(cublasLtMatrixLayoutCreate(
                     &made, libraryType(element), static_cast<uint64_t>(rows),
                     static_cast<uint64_t>(columns), leading),
                 "cublasLtMatrixLayoutCreate");
  };
  MM01_RETURN_IF_FAILED(layout(plan.b, p.element, p.depth, p.columns, p.ldb));
  MM01_RETURN_IF_FAILED(layout(plan.a, p.element, p.depth, p.rows, p.lda));
  MM01_RETURN_IF_FAILED(layout(plan.c, p.element_c, p.columns, p.rows, p.ldc));

  Preference preference = nullptr;
  MM01_RETURN_IF_FAILED(check(cublasLtMatmulPreferenceCreate(&preference),
                              "cublasLtMatmulPreferenceCreate"));
  AlgorithmChoice choice{};
  int found = 0;
  LibraryCode code = cublasLtMatmulPreferenceSetAttribute(
      preference, mostWorkspace, &workspaceBytes, sizeof workspaceBytes);
  if (code == 0)
    code = cublasLtMatmulAlgoGetHeuristic(handle, plan.product, plan.b, plan.a,
                                          plan.c, plan.c, preference, 1,
                                          &choice, &found);
  cublasLtMatmulPreferenceDestroy(preference);
  MM01_RETURN_IF_FAILED(check(code, "cublasLtMatmulAlgoGetHeuristic"));
  if (found == 0 || choice.state != 0)
    return Status::error("cuBLASLt has no algorithm for it");
  plan.algorithm = choice.algorithm;
  return {};
}

Result<const MatrixLibrary::Plan *>
MatrixLibrary::plan(const mm01_device_product &p) {
  Shape shape = {p.rows,      p.columns, p.depth, p.element,
                 p.element_c, p.lda,     p.ldb,   p.ldc};
  auto [entry, isNew] = plans.try_emplace(shape);
  if (isNew)
    if (Status status = choose(p, entry->second); status.failed()) {
      drop(entry->second);
      plans.erase(entry);
      return status;
    }
  return static_cast<const Plan *>(&entry->second);
}

Status MatrixLibrary::multiply(const mm01_device_product &p, Stream stream) {
  auto named = [&](const Status &why) {
    return Status::error("product of ", p.rows, " x ", p.depth, " and ",
                         p.columns, " x ", p.depth, ": ", why.message());
  };
  Result<const Plan *> chosen = plan(p);
  if (chosen.failed())
    return named(statusOf(chosen));
  const Plan &plan = **chosen;
  const float one = 1, zero = 0;
  Status status =
      check(cublasLtMatmul(handle, plan.product, &one, p.b, plan.b, p.a, plan.a,
                           &zero, p.c, plan.c, p.c, plan.c, &plan.algorithm,
                           reinterpret_cast<void *>(workspace), workspaceBytes,
                           stream),
            "cublasLtMatmul");
  return status.failed() ? named(status) : status;
}
