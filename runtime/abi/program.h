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
function
|* pointers of mm01_context.
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

#define MM01_ABI_VERSION 2
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
typedef struct mm01_ragged {
  int64_t tokens;                /* T */
  int64_t sequences;             /* N */
  int64_t pages;                 /* P, row length of page_table */
  const int32_t *seq_offsets;    /* [N + 1], rising, from 0 to T */
  const int32_t *past;           /* [N] tokens that the slot already holds */
  const int32_t *slot;           /* [N] row of the lightning state, distinct */
  const int32_t *page_table;     /* [N, P] page of positions 64p … 64p + 63 */
  const int32_t *token_sequence; /* [T] sequence of each token */
  const int32_t *token_position; /* [T] position of each token in it */
} mm01_ragged;

/* One argument of an entry, by the kind that the manifest gives it:
 *   tensor  data: first element, dense row-major; shape: its extents
 *   scalar  data: the value
 *   ragged  data: const mm01_ragged *
 *   weight  data: const void *const *, one pointer a part: a weight of three
 *           dimensions has as many parts as its first extent, another has one;
 *           of an i8 weight as many pointers follow, each to the float32 scales
 *           of a part, one for each of its rows
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

/* What a program may ask of the runtime. `arena` holds at least as many bytes
 * as mm01_arena_F(arguments) said. */
struct mm01_context {
  int64_t abi;   /* MM01_ABI_VERSION */
  void *runtime; /* the runtime's own */
  void *arena;

  /* Runs kernel for workgroups 0 … grid - 1, in any order, on any worker, and
   * returns when all are done. A grid of 0 does nothing. */
  void (*launch)(const mm01_context *context, mm01_kernel kernel,
                 const char *name, int64_t grid, const void *arguments,
                 int64_t scratch_bytes);

  /* Memory of result `index`, of the element type that the manifest names and
   * this shape; owned by the caller of the entry. Null when there is none: the
   * entry then returns 1 at once. */
  void *(*allocate_result)(const mm01_context *context, int64_t index,
                           int64_t rank, const int64_t *shape);

  /* c[m, n] = a[m, k] * b[n, k]^T + (accumulate ? c : 0), float32, row-major
   * with leading dimensions in elements, on the calling thread alone. */
  void (*gemm_f32)(const mm01_context *context, int64_t m, int64_t n, int64_t k,
                   const float *a, int64_t lda, const float *b, int64_t ldb,
                   float *c, int64_t ldc, int32_t accumulate);
};

/* 0: done; 1: memory for a result was refused. */
typedef int32_t (*mm01_entry)(const mm01_context *context,
                              const mm01_argument *arguments);
typedef int64_t (*mm01_arena_size)(const mm01_argument *arguments);

#ifdef __cplusplus
}
#endif

#endif /* MM01_RUNTIME_ABI_PROGRAM_H */
