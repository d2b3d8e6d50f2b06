/*===- gpuProgram.c - a program for a GPU as the compiler would make it ---===*\
|*
|* Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Entries with which tests see the GPU's part of the ABI, on the driver of
|* fakeDriver.cpp.
|*
\*===----------------------------------------------------------------------===*/

#include "runtime/abi/program.h"

#include <stddef.h>

#define TENSOR "{\"kind\":\"tensor\",\"shape\":[-1],\"type\":\"f32\"}"
#define TIED "\"results\":[{\"kind\":\"tied\",\"argument\":0}]"
#define ENTRY(name)                                                            \
  "{\"name\":\"" name "\",\"arguments\":[" TENSOR "]," TIED "}"

#define AND(name) "," ENTRY(name)

#define MANIFEST                                                               \
  "{\"abi\":4,\"compiler\":\"0.1.0\",\"target\":\"sm_90a\","                   \
  "\"mode\":\"inference\",\"isa\":\"x86-64\","                                 \
  "\"limits\":{\"max_tokens\":64,\"max_sequences\":4},"                        \
  "\"parameter_count\":0,\"ignored_tensors\":[],\"parameters\":[],"            \
  "\"entries\":[{\"name\":\"add_one\",\"arguments\":[" TENSOR "],"             \
  "\"results\":[{\"kind\":\"tied\",\"argument\":0},"                           \
  "{\"kind\":\"fresh\",\"shape\":[-1],\"type\":\"f32\"}]}" AND("cluster")      \
      AND("grid") AND("missing") AND("host_kernel") AND("map") AND("bad_map")  \
          AND("product") AND("refused_product") AND("branches")                \
              AND("bad_branch") "]}"

/* Without the zero at its end. */
__attribute__((used, section(MM01_MANIFEST_SECTION))) static const char
    manifest[sizeof(MANIFEST) - 1] = MANIFEST;

__attribute__((used,
               section(MM01_SEAL_SECTION))) static const mm01_seal seal = {
    {'m', 'm', '0', '1', 's', 'e', 'a', 'l'}, MM01_ABI_VERSION, 0, 0};

static const char code[] = "\177ELF machine code";
static const char ptx[] = "// PTX";

static const mm01_device_kernel add_one = {"add_one",   code,      ptx, 1,
                                           {256, 1, 1}, {1, 1, 1}, 0};
static const mm01_device_kernel cluster = {"cluster",   code,      ptx,   2,
                                           {128, 1, 1}, {4, 2, 2}, 200000};
static const mm01_device_kernel missing = {"missing",   NULL,      ptx, 3,
                                           {256, 1, 1}, {1, 1, 1}, 0};

#define ARENA(name)                                                            \
  int64_t mm01_arena_##name(const mm01_argument *arguments) { return 64; }
ARENA(add_one)
ARENA(cluster)
ARENA(grid)
ARENA(missing)
ARENA(host_kernel)
ARENA(map)
ARENA(bad_map)
ARENA(product)
ARENA(refused_product)
ARENA(branches)
ARENA(bad_branch)

static void launch(const mm01_context *context, const mm01_argument *arguments,
                   const mm01_device_kernel *kernel, int64_t x, int64_t y,
                   int64_t z) {
  int64_t grid[3] = {x, y, z};
  const void *parameters[] = {&arguments[0].data, &arguments[0].shape[0]};
  context->launch_device(context, kernel, grid, parameters, 2);
}

/* x += 1, twice; the fresh result gets 1 added to what is there. */
int32_t mm01_entry_add_one(const mm01_context *context,
                           const mm01_argument *arguments) {
  int64_t n = arguments[0].shape[0];
  mm01_argument fresh = {context->allocate_result(context, 1, 1, &n), &n};
  if (!fresh.data)
    return 1;
  launch(context, arguments, &add_one, (n + 255) / 256, 1, 1);
  launch(context, arguments, &add_one, (n + 255) / 256, 1, 1);
  launch(context, &fresh, &add_one, 1, 1, 1);
  launch(context, &fresh, &add_one, 0, 1, 1);
  return 0;
}

int32_t mm01_entry_cluster(const mm01_context *context,
                           const mm01_argument *arguments) {
  launch(context, arguments, &cluster, 8, 4, 2);
  return 0;
}

int32_t mm01_entry_grid(const mm01_context *context,
                        const mm01_argument *arguments) {
  launch(context, arguments, &cluster, 8, 3, 2);
  return 0;
}

int32_t mm01_entry_missing(const mm01_context *context,
                           const mm01_argument *arguments) {
  launch(context, arguments, &missing, 1, 1, 1);
  return 0;
}

static void idle(const mm01_context *context, const void *arguments,
                 void *scratch, int64_t workgroup) {}

int32_t mm01_entry_host_kernel(const mm01_context *context,
                               const mm01_argument *arguments) {
  context->launch(context, idle, "idle", 1, NULL, 0);
  return 0;
}

static int32_t encode(const mm01_context *context,
                      const mm01_argument *arguments, int64_t stride) {
  _Alignas(MM01_TENSOR_MAP_ALIGNMENT) char encoded[MM01_TENSOR_MAP_BYTES];
  int64_t extents[] = {4, 64}, strides[] = {stride}, box[] = {2, 32};
  mm01_tensor_map map = {
      arguments[0].data, MM01_ELEMENT_F32, 2, extents, strides, box, 128};
  context->encode_tensor_map(context, &map, encoded);
  return 0;
}

int32_t mm01_entry_map(const mm01_context *context,
                       const mm01_argument *arguments) {
  return encode(context, arguments, 64);
}

int32_t mm01_entry_bad_map(const mm01_context *context,
                           const mm01_argument *arguments) {
  return encode(context, arguments, 65);
}

/* The argument's bytes are eight bf16, a[2, 2] and b[2, 2]; c replaces them. */
static int32_t multiply(const mm01_context *context,
                        const mm01_argument *arguments, int64_t ldb) {
  char *data = arguments[0].data;
  mm01_device_product product = {
      0,   2,    2, MM01_ELEMENT_BF16, MM01_ELEMENT_F32, data, 2, data + 8,
      ldb, data, 2};
  context->gemm_device(context, &product);
  product.rows = 2;
  context->gemm_device(context, &product);
  return 0;
}

int32_t mm01_entry_product(const mm01_context *context,
                           const mm01_argument *arguments) {
  return multiply(context, arguments, 2);
}

int32_t mm01_entry_refused_product(const mm01_context *context,
                                   const mm01_argument *arguments) {
  return multiply(context, arguments, 3);
}

/* x[i] += 1 for each element i, each in a branch of its own, but for the first
 * two, which have one with nothing to do beside them; then for all. */
static int32_t fork_and_join(const mm01_context *context,
                             const mm01_argument *arguments,
                             const mm01_device_kernel *second) {
  float *x = arguments[0].data;
  int64_t one = 1, n = arguments[0].shape[0];
  context->fork(context);
  launch(context, arguments, &add_one, 0, 1, 1);
  for (int64_t i = 0; i < n; ++i) {
    mm01_argument element = {x + i, &one};
    if (i != 1)
      context->next_branch(context);
    launch(context, &element, i == 2 ? second : &add_one, 1, 1, 1);
  }
  context->join(context);
  launch(context, arguments, &add_one, 1, 1, 1);
  return 0;
}

int32_t mm01_entry_branches(const mm01_context *context,
                            const mm01_argument *arguments) {
  return fork_and_join(context, arguments, &add_one);
}

/* A branch whose kernel is not there. */
int32_t mm01_entry_bad_branch(const mm01_context *context,
                              const mm01_argument *arguments) {
  return fork_and_join(context, arguments, &missing);
}
