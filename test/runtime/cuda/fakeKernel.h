/*===- fakeKernel.h - machine code of a GPU that is none ------------------===*\
|*
|* Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* A program of the tests says here what its kernel does: fakeDriver.cpp calls
|* the function.
|*
\*===----------------------------------------------------------------------===*/

#ifndef MM01_TEST_RUNTIME_CUDA_FAKEKERNEL_H
#define MM01_TEST_RUNTIME_CUDA_FAKEKERNEL_H

#include <stdint.h>

#define FAKE_CODE "\177ELF function"

/* The image of a kernel. */
struct fake_code {
  char magic[16]; /* FAKE_CODE */
  /* Runs the whole grid; `values` are pointers to its parameters. */
  void (*function)(void *const *values);
  int64_t count; /* of the parameters, 8 bytes each */
};

#endif /* MM01_TEST_RUNTIME_CUDA_FAKEKERNEL_H */
