/*===- program.h - what a compiled program and the runtime agree on -------===*\
|*
|* Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* The only header that code generation and the runtime share. A program is an
|* ELF shared object without undefined symbols but those of libm and the memory
|* functions of libc: everything it asks of the runtime goes through the
|* function pointers of mm01_context.
|*
|* A program for target cpu runs its kernels on the processor, one for sm_90a
|* on a GPU, and the entry on the processor in both cases. Where it says
|* "device memory" below, that is the memory that the kernels of the target
|* read and write: the processor's own for cpu.
|*
|* For each entry F of its manifest it exports
|*
|*     int32_t mm01_entry_F(const mm01_context *, const mm01_argument *);
|*     int64_t mm01_arena_F(const mm01_argument *);
|*
|* and it holds two sections that are read without loading it:
|*
|*     .mm01.manifest   JSON, see docs/contract.md
|*     .mm01.seal       one mm01_seal
|*
|* Change MM01_ABI_VERSION with every change of this file.
|*
\*===----------------------------------------------------------------------===*/

#ifndef MM01_RUNTIME_ABI_PROGRAM_H
#define MM01_RUNTIME_ABI_PROGRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MM01_ABI_VERSION 4
#define MM01_MANIFEST_SECTION ".mm01.manifest"
#define MM01_SEAL_SECTION ".mm01.seal"
#define MM01_SEAL_MAGIC "mm01seal"

/* Alignment in bytes of the arena, of a kernel's scratch and of each buffer
 * that the compiler places in them. */
#define MM01_ALIGNMENT 64

/* The content of .mm01.seal. The compiler writes it after linking. */
typedef struct mm01_seal {
  char magic[8];       /* MM01_SEAL_MAGIC, without a terminating zero */
  uint64_t abi;        /* MM01_ABI_VERSION */
  uint64_t file_bytes; /* size of the whole file */
  uint64_t xxh3;       /* XXH3_64bits of the whole file, with this field 0 */
} mm01_seal;

/* A ragged batch: the tokens of `sequences` sequences, one after another.
 * Sequence n owns tokens [seq_offsets[n], seq_offsets[n+1]) of this call, at
 * positions past[n], past[n]+1, … of the sequence. All arrays are host memory,
 * constant during the call. */
typedef struct mm01_ragged mm01_ragged;
struct mm01_ragged {
  int64_t tokens;                /* T */
  int64_t sequences;             /* N */
  int64_t pages;                 /* P, row length of page_table */
  int64_t several;               /* sequences of more than one token */
  const int32_t *seq_offsets;    /* [N + 1], rising, from 0 to T */
  const int32_t *past;           /* [N] tokens that the slot already holds */
  const int32_t *slot;           /* [N] row of the lightning state, distinct */
  const int32_t *page_table;     /* [N, P] page of positions 64p … 64p + 63 */
  const int32_t *token_sequence; /* [T] sequence of each token */
  const int32_t *token_position; /* [T] position of each token in it */
  /* [N], of which the first `several` are the sequences of more than one token,
   * rising; the others are 0. */
  const int32_t *several_sequence;
  /* The same batch in device memory, its arrays too; null for target cpu and
   * in the copy itself. */
  const mm01_ragged *device;
};

/* One argument of an entry, by the kind that the manifest gives it:
 *   tensor  data: first element in device memory, dense row-major; shape: its
 *           extents
 *   scalar  data: the value
 *   ragged  data: const mm01_ragged *
 *   weight  data: const void *const *, one pointer a part, into device memory:
 *           a weight of three dimensions has as many parts as its first
 *           extent, another has one; of an i8 weight as many pointers follow,
 *           each to the float32 scales of a part, one a row. For target sm_90a
 *           parts lie without gaps, and scales from the next MM01_ALIGNMENT on.
 * shape is null unless the kind is tensor. */
typedef struct mm01_argument {
  void *data;
  const int64_t *shape;
} mm01_argument;

typedef struct mm01_context mm01_context;

/* A kernel: one workgroup of a grid. `arguments` is laid out by the compiler,
 * `scratch` holds as many bytes as its launch asked for, private to the worker.
 */
typedef void (*mm01_kernel)(const mm01_context *context, const void *arguments,
                            void *scratch, int64_t workgroup);

/* A kernel of the GPU: constant data of the program. An image is loaded once,
 * however many programs hold it. */
typedef struct mm01_device_kernel {
  const char *name;             /* its symbol in both images */
  const void *cubin;            /* machine code; null when none was made */
  const char *ptx;              /* for the driver to compile, ends in a zero */
  uint64_t id;                  /* checksum of name and images */
  int64_t block[3];             /* threads of a block */
  int64_t cluster[3];           /* blocks of a cluster; 1, 1, 1 without one */
  int64_t dynamic_shared_bytes; /* of a block, beside what the image declares */
} mm01_device_kernel;

/* Element types of tensor maps and products. */
enum {
  MM01_ELEMENT_F32,
  MM01_ELEMENT_F16,
  MM01_ELEMENT_BF16,
  MM01_ELEMENT_I8,
  MM01_ELEMENT_I32
};

/* A tensor in device memory, as bulk copies of tiles see it. What a box reads
 * beyond the tensor is 0. */
typedef struct mm01_tensor_map {
  const void *address;    /* of the first element */
  int64_t element;        /* one of the above */
  int64_t rank;           /* 1 … 5 */
  const int64_t *extents; /* [rank] in elements, outermost first */
  const int64_t *strides; /* [rank - 1] in elements; the innermost is 1 */
  const int64_t *box;     /* [rank] extents of a tile */
  int64_t swizzle;        /* 0, 32, 64 or 128 bytes */
} mm01_tensor_map;

/* Bytes and alignment of an encoded tensor map, a parameter of kernels. */
#define MM01_TENSOR_MAP_BYTES 128
#define MM01_TENSOR_MAP_ALIGNMENT 64

/* c[rows, columns] = a[rows, depth] * b[columns, depth]^T in device memory,
 * row-major with leading dimensions in elements, summed in float32. a and b are
 * of `element`, bf16 or f16; c is of `element_c`, the same or f32. */
typedef struct mm01_device_product {
  int64_t rows, columns, depth;
  int64_t element, element_c; /* of the above */
  const void *a;
  int64_t lda;
  const void *b;
  int64_t ldb;
  void *c;
  int64_t ldc;
} mm01_device_product;

/* What a program may ask of the runtime. `arena`, device memory, holds at least
 * as many bytes as mm01_arena_F(arguments) said. */
struct mm01_context {
  int64_t abi;   /* MM01_ABI_VERSION */
  void *runtime; /* the runtime's own */
  void *arena;

  /* Runs kernel for workgroups 0 … grid - 1, in any order, on any worker, and
   * returns when all are done. A grid of 0 does nothing. */
  void (*launch)(const mm01_context *context, mm01_kernel kernel,
                 const char *name, int64_t grid, const void *arguments,
                 int64_t scratch_bytes);

  /* Device memory of result `index`, of the element type that the manifest
   * names and this shape; owned by the caller of the entry. Null when there is
   * none: the entry then returns 1 at once. */
  void *(*allocate_result)(const mm01_context *context, int64_t index,
                           int64_t rank, const int64_t *shape);

  /* c[m, n] = a[m, k] * b[n, k]^T + (accumulate ? c : 0), float32, row-major
   * with leading dimensions in elements, on the calling thread alone. */
  void (*gemm_f32)(const mm01_context *context, int64_t m, int64_t n, int64_t k,
                   const float *a, int64_t lda, const float *b, int64_t ldb,
                   float *c, int64_t ldc, int32_t accumulate);

  /* Runs a kernel of the GPU on grid[0] x grid[1] x grid[2] blocks, after all
   * that was launched before, and returns without waiting for it. `parameters`
   * are pointers to the values of its `count` parameters, read before it
   * returns. A grid of 0 does nothing. */
  void (*launch_device)(const mm01_context *context,
                        const mm01_device_kernel *kernel, const int64_t grid[3],
                        const void *const *parameters, int64_t count);

  /* Writes the encoded map, MM01_TENSOR_MAP_BYTES at a multiple of
   * MM01_TENSOR_MAP_ALIGNMENT in host memory. */
  void (*encode_tensor_map)(const mm01_context *context,
                            const mm01_tensor_map *map, void *encoded);

  /* Multiplies matrices with the library of the GPU, after all that was
   * launched before, and returns without waiting for it. With 0 rows it does
   * nothing. */
  void (*gemm_device)(const mm01_context *context,
                      const mm01_device_product *product);

  /* What is launched between fork and join forms branches, which next_branch
   * separates. No branch writes what another one reads or writes, so they may
   * run at the same time: all after the work before fork, and before the work
   * after join. Where there is not room for all, earlier branches come first.
   * In branches there are calls of launch_device and encode_tensor_map alone;
   * a branch that launches nothing costs nothing. */
  void (*fork)(const mm01_context *context);
  void (*next_branch)(const mm01_context *context);
  void (*join)(const mm01_context *context);
};

/* 0: done; 1: memory for a result was refused. */
typedef int32_t (*mm01_entry)(const mm01_context *context,
                              const mm01_argument *arguments);
typedef int64_t (*mm01_arena_size)(const mm01_argument *arguments);

#ifdef __cplusplus
}
#endif

#endif /* MM01_RUNTIME_ABI_PROGRAM_H */
