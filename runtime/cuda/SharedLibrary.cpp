//===- SharedLibrary.cpp - a library of CUDA's, found at run time ---------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/SharedLibrary.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <vector>

using namespace mm01::cuda;

SharedLibrary::SharedLibrary(std::initializer_list<const char *> names,
                             std::initializer_list<const char *> folders) {
  std::vector<std::string> places = {""}; // the loader's path
  const char *homes[] = {std::getenv("CUDA_HOME"), "/usr/local/cuda"};
  for (const char *home : homes)
    if (home && *home)
      for (const char *folder : folders)
        places.push_back(std::string(home) + '/' + folder + '/');
  for (const std::string &place : places)
    for (const char *name : names)
      if (handle = dlopen((place + name).c_str(), RTLD_NOW | RTLD_LOCAL);
          handle)
        return;
}

void *SharedLibrary::find(const char *name) {
  void *address = dlsym(handle, name);
  if (!address && !firstMissing)
    firstMissing = name;
  return address;
}
