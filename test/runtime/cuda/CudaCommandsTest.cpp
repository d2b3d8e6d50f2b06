//===- CudaCommandsTest.cpp - GPU programs as a user runs them ------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../TestProgram.h"

#include "frontend/safetensors/File.h"
#include "frontend/safetensors/Writer.h"

#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>

using namespace mm01;
using namespace mm01::test;

namespace {

class CudaCommands : public ::testing::Test {
protected:
  /// Calls an entry on the fake GPU, or on one in another mode; the exit code.
  int call(const std::string &entry, const std::string &mode = "",
           const std::string &libraries = MM01_FAKE_DRIVER) {
    safetensors::Writer writer;
    std::vector<float> x = {1, 2, 3, 4};
    writer.add("arg0", safetensors::ElementType::F32, {4}, x.data());
    EXPECT_TRUE(writer.write(folder.file("in")).ok());
    return run(concat("call ", MM01_GPU_PROGRAM, " --entry ", entry, " --in ",
                      folder.file("in"), " --out ", folder.file("out")),
               mode, libraries);
  }

  int run(const std::string &words, const std::string &mode = "",
          const std::string &libraries = MM01_FAKE_DRIVER) {
    std::string command =
        concat("CUDA_HOME= LD_LIBRARY_PATH='", libraries, "' FAKE_CUDA='", mode,
               "' FAKE_CUDA_LOG='", folder.file("log"), "' '", MM01_TEST_RUN,
               "' ", words, " > '", folder.file("printed"), "' 2> '",
               folder.file("err"), "'");
    int status = std::system(command.c_str());
    err = readFile(folder.file("err"));
    if (!err.empty())
      err.pop_back();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string log() { return readFile(folder.file("log")); }

  /// Expects a failure of one line with these words.
  void fails(const std::string &entry, const std::string &mode,
             std::initializer_list<const char *> words) {
    EXPECT_EQ(call(entry, mode), 1) << entry << " " << mode;
    expectLine(err, words);
    expectLine(err, {"mm01-run: "});
  }

  std::vector<float> result(const std::string &name) {
    Result<safetensors::File> file =
        safetensors::File::open(folder.file("out"));
    EXPECT_TRUE(file.ok()) << file.message();
    const safetensors::TensorInfo *tensor = file->find(name);
    EXPECT_NE(tensor, nullptr) << name;
    std::vector<float> values(tensor->elements());
    std::memcpy(values.data(), tensor->data, tensor->bytes);
    return values;
  }

  TemporaryFolder folder;
  std::string err;
};

} // namespace

TEST_F(CudaCommands, CallsInOrderAndCopiesBack) {
  ASSERT_EQ(call("add_one"), 0) << err;
  EXPECT_EQ(result("result0"), (std::vector<float>{3, 4, 5, 6}));
  // The kernel that ran on a grid of 0 did nothing; equal kernels are one.
  std::string lines = log();
  size_t launches = 0, loads = 0;
  for (size_t at = 0; (at = lines.find("launch ", at)) != std::string::npos;
       ++at)
    ++launches;
  for (size_t at = 0; (at = lines.find("load ", at)) != std::string::npos; ++at)
    ++loads;
  EXPECT_EQ(launches, 3u) << lines;
  EXPECT_EQ(loads, 1u) << lines;
  EXPECT_NE(lines.find("load machine code\n"), std::string::npos) << lines;
  EXPECT_NE(lines.find("launch add_one grid 1x1x1 block 256x1x1 shared 0\n"),
            std::string::npos)
      << lines;
  EXPECT_NE(lines.find("release, 0 allocations left"), std::string::npos)
      << lines;
}

TEST_F(CudaCommands, LaunchesClustersWithSharedMemory) {
  ASSERT_EQ(call("cluster"), 0) << err;
  std::string lines = log();
  // 200,000 bytes of shared memory and 16 blocks of a cluster are asked for.
  EXPECT_NE(lines.find("attribute 8 = 200000\n"), std::string::npos) << lines;
  EXPECT_NE(lines.find("attribute 14 = 1\n"), std::string::npos) << lines;
  EXPECT_NE(lines.find("launch cluster grid 8x4x2 block 128x1x1 shared 200000 "
                       "cluster 4x2x2\n"),
            std::string::npos)
      << lines;
}

// The first branch that launches anything stays on the stream, each other one
// has one of its own, and what follows is behind all of them.
TEST_F(CudaCommands, LaunchesBranchesBesideEachOther) {
  for (const char *mode : {"", "late"}) {
    ASSERT_EQ(call("branches", mode), 0) << err;
    EXPECT_EQ(result("result0"), (std::vector<float>{3, 4, 5, 6})) << mode;
  }
  std::string lines = log();
  auto count = [&](const std::string &words) {
    size_t found = 0;
    for (size_t at = 0; (at = lines.find(words, at)) != std::string::npos; ++at)
      ++found;
    return found;
  };
  // Two runs: elements 0 and 1 and all of them, element 2, element 3.
  EXPECT_EQ(count("launch add_one"), 2 * 5u) << lines;
  EXPECT_EQ(count("stream 2\n"), 2 * 1u) << lines;
  EXPECT_EQ(count("stream 3\n"), 2 * 1u) << lines;
}

// A graph has all branches, from what the arguments were before the first call.
TEST_F(CudaCommands, CallsFromAGraph) {
  for (const char *entry : {"branches", "add_one"}) {
    ASSERT_EQ(call(concat(entry, " --graph")), 0) << err;
    EXPECT_EQ(result("result0"), (std::vector<float>{3, 4, 5, 6})) << entry;
  }
  EXPECT_NE(log().find("launch graph"), std::string::npos);
  EXPECT_EQ(call("add_one --graph", "no-capture"), 1);
  expectLine(err, {"cuStreamBeginCapture"});
}

TEST_F(CudaCommands, EndsBranchesAfterAFailure) {
  fails("bad_branch", "", {"bad_branch", "missing", "cuModuleGetFunction"});
  EXPECT_NE(log().find("release, 0 allocations left"), std::string::npos);
}

TEST_F(CudaCommands, TracesBranchesInRowsOfTheirOwn) {
  ASSERT_EQ(run(concat("bench ", MM01_GPU_PROGRAM,
                       " --entry branches --set "
                       "arg0.dim0=4 --set "
                       "iterations=1 --trace ",
                       folder.file("trace"))),
            0)
      << err;
  std::string trace = readFile(folder.file("trace"));
  for (const char *words : {R"("tid":2,"args":{"name":"kernels of stream 1"})",
                            R"("tid":3,"args":{"name":"kernels of stream 2"})",
                            R"("pid":0,"tid":2,"args":{"grid":1})",
                            R"("pid":0,"tid":3,"args":{"grid":1})"})
    EXPECT_NE(trace.find(words), std::string::npos) << trace;
}

TEST_F(CudaCommands, FallsBackToPtx) {
  ASSERT_EQ(call("add_one", "no-binary"), 0) << err;
  EXPECT_NE(log().find("load machine code\nload PTX\n"), std::string::npos);
  fails("add_one", "bad-ptx", {"kernel add_one", "PTX", "line 1: nonsense"});
}

TEST_F(CudaCommands, EncodesTensorMaps) {
  ASSERT_EQ(call("map"), 0) << err;
  // From the innermost dimension on: extent, stride in bytes, box, step.
  EXPECT_NE(log().find("map type 7 swizzle 3 [64 0 32 1] [4 256 2 1]\n"),
            std::string::npos)
      << log();
  fails("bad_map", "", {"tensor map", "stride 0", "multiple of 16", "65"});
}

TEST_F(CudaCommands, MeasuresWithTheClockOfTheDevice) {
  ASSERT_EQ(run(concat("bench ", MM01_GPU_PROGRAM,
                       " --entry add_one --set arg0.dim0=4 --set "
                       "iterations=3 --json")),
            0)
      << err;
  std::string printed = readFile(folder.file("printed"));
  EXPECT_NE(printed.find("\"multiprocessors\":132"), std::string::npos)
      << printed;
}

TEST_F(CudaCommands, WritesATrace) {
  std::string trace = folder.file("trace.json");
  std::string bench = concat("bench ", MM01_GPU_PROGRAM,
                             " --entry add_one --set arg0.dim0=4 --set "
                             "iterations=2 --set warmup=0 --trace ");
  ASSERT_EQ(run(bench + trace), 0) << err;
  std::string text = readFile(trace);
  auto count = [&](const std::string &words) {
    size_t found = 0;
    for (size_t at = 0; (at = text.find(words, at)) != std::string::npos; ++at)
      ++found;
    return found;
  };
  // Three launches a call; the grid of 0 is none.
  EXPECT_EQ(count("{\"name\":\"add_one\",\"cat\":\"kernel\",\"ph\":\"X\""), 6u)
      << text;
  EXPECT_GE(count("\"name\":\"copy in\""), 1u) << text;
  EXPECT_EQ(log().find("capture"), std::string::npos);
  // A path that cannot be written is refused before anything is done.
  std::filesystem::remove(folder.file("log"));
  EXPECT_EQ(run(bench + folder.file("none/trace.json")), 1);
  expectLine(err, {"none/trace.json", "cannot be written"});
  EXPECT_FALSE(std::filesystem::exists(folder.file("log")));
  EXPECT_EQ(run(bench + MM01_GPU_PROGRAM), 1);
  expectLine(err, {"gpuProgram.so", "is read by this command"});
}

TEST_F(CudaCommands, RefusesWhatThisMachineIsNot) {
  fails("add_one", "no-device", {"gpuProgram.so", "no GPU", "sm_90a"});
  fails("add_one", "capability",
        {"Fake GPU", "compute capability 8.0", "expected 9.0"});
  fails("add_one", "old", {"too old", "cuInit", "CUDA 12.0"});
  fails("add_one", "memory=100",
        {"not enough memory on the GPU", "expected", "found"});
  fails("add_one", "broken", {"failed on the GPU", "CUDA_ERROR_FAKE"});
}

TEST_F(CudaCommands, NoticesMistakesOfTheProgram) {
  fails("grid", "", {"kernel cluster", "grid extent 1", "multiple", "found 3"});
  fails("missing", "", {"kernel missing", "cuModuleGetFunction"});
  fails("host_kernel", "", {"kernel idle", "processor"});
}

// Of each step only the tokens and their problems come to the host, not the
// logits of 8 sequences of 16 tokens, and they are those of the CPU.
TEST_F(CudaCommands, GeneratesWithLogitsOnTheGpu) {
  std::string words = " --weights random:3 --max-new-tokens 6 --temperature 1 "
                      "--top-k 9 --top-p 0.9 --seed 4";
  for (int i = 1; i <= 8; ++i)
    words += concat(" --prompt-ids ", i, ",", i + 2);
  ASSERT_EQ(run(concat("generate ", TOY_PROGRAM, words)), 0) << err;
  std::string expected = readFile(folder.file("printed"));
  for (const char *graphs : {" --graphs=on", " --graphs=off"}) {
    std::filesystem::remove(folder.file("log"));
    ASSERT_EQ(run(concat("generate ", TOY_GPU_PROGRAM, words, graphs)), 0)
        << err;
    EXPECT_EQ(readFile(folder.file("printed")), expected);
    std::string lines = log();
    EXPECT_NE(lines.find("copy out 96\n"), std::string::npos) << lines;
    EXPECT_EQ(lines.find("copy out 512\n"), std::string::npos) << lines;
  }
}

// Its manifest can be read, and CPU programs run, where there is no driver.
TEST_F(CudaCommands, NeedsNoDriverToLook) {
  std::string empty = folder.file("");
  EXPECT_EQ(run(concat("info ", MM01_GPU_PROGRAM), "", empty), 0) << err;
  EXPECT_NE(readFile(folder.file("printed")).find("target: sm_90a"),
            std::string::npos);
}

static const char withLibrary[] = MM01_FAKE_DRIVER ":" MM01_FAKE_LIBRARY;

TEST_F(CudaCommands, MultipliesWithTheLibrary) {
  // float32 1, 2, 3, 4 is bf16 0 1 0 2 and 0 3 0 4.
  ASSERT_EQ(call("product", "", withLibrary), 0) << err;
  EXPECT_EQ(result("result0"), (std::vector<float>{3, 4, 6, 8}));
  std::string lines = log();
  // To the library the product is the transpose of a row-major one.
  EXPECT_NE(lines.find("multiply 2x2 of types 14 14 0\n"), std::string::npos)
      << lines;
  // None of the product without rows, and all is given back.
  EXPECT_EQ(lines.find("multiply"), lines.rfind("multiply")) << lines;
  EXPECT_NE(lines.find("library destroyed\n"), std::string::npos) << lines;
  EXPECT_NE(lines.find("release, 0 allocations left\n"), std::string::npos)
      << lines;
}

TEST_F(CudaCommands, NamesTheProductThatTheLibraryRefuses) {
  EXPECT_EQ(call("refused_product", "", withLibrary), 1);
  expectLine(err, {"mm01-run: ", "product of 2 x 2 and 2 x 2", "no algorithm"});
}

TEST_F(CudaCommands, NeedsTheLibraryForProductsAlone) {
  for (const char *folder : {"", "/usr/local/cuda/lib64/"})
    for (const char *name : {"libcublasLt.so.13", "libcublasLt.so.12"})
      if (dlopen(concat(folder, name).c_str(), RTLD_LAZY))
        GTEST_SKIP() << "this machine has cuBLASLt";
  EXPECT_EQ(call("add_one"), 0) << err;
  EXPECT_EQ(call("product"), 1);
  expectLine(err, {"mm01-run: ", "no cuBLASLt", "libcublasLt.so.13"});
}
