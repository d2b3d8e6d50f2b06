//===- CpuCeilings.cpp - what this CPU can do at most ---------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: cpu-ceilings THREADS [M,N,K ...]
//
// Prints one JSON object: the seconds that oneDNN's sgemm takes for each shape
// c[M, N] = a[M, K] b[N, K]^T, with its own threads, and the bytes a second
// that as many threads read from memory. Peers of the numbers that cpu.py takes
// from compiled programs, in the same run.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#include <thread>
#include <vector>

namespace {

struct Shape {
  long m, n, k;
};

double seconds(const std::function<void()> &work) {
  auto begin = std::chrono::steady_clock::now();
  work();
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - begin;
  return taken.count();
}

/// The median of at least five runs and 0.3 seconds, after one to warm up.
double median(const std::function<void()> &work) {
  work();
  std::vector<double> taken;
  for (double total = 0; taken.size() < 5 || total < 0.3;) {
    taken.push_back(seconds(work));
    total += taken.back();
  }
  std::nth_element(taken.begin(), taken.begin() + taken.size() / 2,
                   taken.end());
  return taken[taken.size() / 2];
}

/// Weights rotate through memory of 256 MiB, as a model's do: none is in a
/// cache when its turn comes.
double gemmSeconds(const Shape &shape) {
  const long weight = shape.n * shape.k;
  const long copies = std::max(1L, (64L << 20) / weight);
  std::vector<float> a(shape.m * shape.k, 1), b(copies * weight, 1);
  std::vector<float> c(shape.m * shape.n);
  long turn = 0;
  return median([&] {
    const float *w = b.data() + turn++ % copies * weight;
    dnnl_sgemm('N', 'T', shape.m, shape.n, shape.k, 1, a.data(), shape.k, w,
               shape.k, 0, c.data(), shape.n);
  });
}

/// Each thread sums its part of 1 GiB.
double readBandwidth(int threads) {
  std::vector<uint64_t> data((1L << 30) / sizeof(uint64_t), 1);
  const size_t part = data.size() / threads;
  std::vector<uint64_t> sums(threads);
  double taken = median([&] {
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t)
      workers.emplace_back([&, t] {
        uint64_t sum = 0;
        for (size_t i = t * part; i < (t + 1) * part; ++i)
          sum += data[i];
        sums[t] = sum;
      });
    for (std::thread &worker : workers)
      worker.join();
  });
  for (uint64_t sum : sums)
    if (sum != part)
      std::abort(); // also keeps the sums from being optimised away
  return part * threads * sizeof(uint64_t) / taken;
}

int usage() {
  std::fprintf(stderr, "usage: cpu-ceilings THREADS [M,N,K ...]\n");
  return 2;
}

} // namespace

int main(int argc, char **argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 0;
  if (threads < 1)
    return usage();
  omp_set_num_threads(threads);
  std::vector<Shape> shapes;
  for (int i = 2; i < argc; ++i) {
    Shape &shape = shapes.emplace_back();
    if (std::sscanf(argv[i], "%ld,%ld,%ld", &shape.m, &shape.n, &shape.k) !=
            3 ||
        shape.m < 1 || shape.n < 1 || shape.k < 1)
      return usage();
  }
  std::printf("{\"gemm_seconds\": [");
  for (size_t i = 0; i < shapes.size(); ++i)
    std::printf("%s%.9f", i ? ", " : "", gemmSeconds(shapes[i]));
  std::printf("], \"read_bytes_per_second\": %.0f}\n", readBandwidth(threads));
  return 0;
}
