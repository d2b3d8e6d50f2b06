//===- CommandLineTest.cpp - mm01-run info and call as a user runs them --===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"

#include "frontend/safetensors/File.h"
#include "frontend/safetensors/Writer.h"

#include <sys/wait.h>

using namespace mm01;
using namespace mm01::test;
using Type = safetensors::ElementType;

namespace {

class CommandLine : public ::testing::Test {
protected:
  CommandLine() { writeFile(program, sealed(unsealedProgram())); }

  /// Runs mm01-run with these words of a shell; keeps what it printed.
  int run(const std::string &words) {
    std::string command = concat("'", MM01_TEST_RUN, "' ", words);
    if (words.find("1>") == std::string::npos)
      command += " 1> '" + folder.file("out") + "'";
    command += " 2> '" + folder.file("err") + "'";
    int status = std::system(command.c_str());
    err = readFile(folder.file("err"));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string out() { return readFile(folder.file("out")); }

  void fails(const std::string &words, int code,
             std::initializer_list<const char *> expected) {
    EXPECT_EQ(run(words), code) << words << ": " << err;
    ASSERT_TRUE(err.ends_with('\n')) << words;
    err.pop_back();
    expectLine(err, expected);
    expectLine(err, {"mm01-run: error: "});
  }

  /// The words of a call of `entry` with the arguments that `writer` holds.
  std::string call(const std::string &entry,
                   const safetensors::Writer &writer) {
    Status status = writer.write(folder.file("in.safetensors"));
    EXPECT_TRUE(status.ok()) << status.message();
    return concat("call '", program, "' --entry ", entry, " --in '",
                  folder.file("in.safetensors"), "' --out '",
                  folder.file("results.safetensors"), "' --threads 2");
  }

  /// Arguments of `affine`, but for the one of this name.
  safetensors::Writer affine(const std::string &without = "") {
    safetensors::Writer writer;
    auto add = [&](const char *name, Type type, std::vector<int64_t> shape,
                   const void *data) {
      if (without != name)
        writer.add(name, type, std::move(shape), data);
    };
    add("arg0", Type::F32, {2, 4}, x);
    add("arg1", Type::I64, {}, &factor);
    add("arg2", Type::F32, {4}, bias);
    add("arg3", Type::BF16, {2, 3, 4}, stack);
    return writer;
  }

  /// Arguments of `batch`, with other ones in the place of some.
  struct Batch {
    std::vector<int32_t> tokens = {1, 2, 15}, offsets = {0, 2, 3},
                         past = {0, 63}, slot = {1, 0}, pages = {2, 1};
    int64_t slots = 2, keyPages = 3, valuePages = 3;
  };
  std::string callBatch(const Batch &b) {
    safetensors::Writer writer;
    auto count = [](const auto &values) { return int64_t(values.size()); };
    std::vector<float> zeros(4096);
    writer.add("arg0", Type::I32, {count(b.tokens)}, b.tokens.data());
    writer.add("arg1.seq_offsets", Type::I32, {count(b.offsets)},
               b.offsets.data());
    writer.add("arg1.past", Type::I32, {count(b.past)}, b.past.data());
    writer.add("arg1.slot", Type::I32, {count(b.slot)}, b.slot.data());
    writer.add("arg1.page_table", Type::I32,
               {count(b.past), count(b.pages) / count(b.past)}, b.pages.data());
    writer.add("arg2", Type::F32, {1, b.slots, 1, 2, 2}, zeros.data());
    writer.add("arg3", Type::F32, {1, b.keyPages, 64, 1, 2}, zeros.data());
    writer.add("arg4", Type::F32, {1, b.valuePages, 64, 1, 2}, zeros.data());
    return call("batch", writer);
  }

  TemporaryFolder folder;
  std::string program = folder.file("p.so");
  std::string err;
  float x[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  float bias[4] = {1, 1, 1, 1};
  uint16_t stack[24] = {};
  int64_t factor = 2;
};

} // namespace

TEST_F(CommandLine, Help) {
  EXPECT_EQ(run("--help"), 0);
  EXPECT_NE(out().find("call"), std::string::npos);
  EXPECT_EQ(run("call --help"), 0);
  EXPECT_NE(out().find("--threads"), std::string::npos);
  EXPECT_EQ(err, "");
  EXPECT_EQ(run("--version"), 0);
}

TEST_F(CommandLine, WrongUsage) {
  fails("", 2, {"expected a command"});
  fails("dance", 2, {"dance"});
  fails("info", 2, {"program"});
  fails("info --loud p.so", 2, {"--loud"});
  fails("call p.so --entry f --in x", 2, {"--out"});
  for (const char *threads : {"0", "-1", "1025", "x", "1.5", "99999999999"})
    fails(concat("call p.so --entry f --in x --out y --threads ", threads), 2,
          {"--threads"});
  for (const char *seed : {"-1", "18446744073709551616", "1.5", "0x1"})
    fails(concat("generate p.so --weights w --prompt-ids 1 --seed ", seed), 2,
          {"--seed", seed});
  for (const char *option : {"--seed", "--top-k", "--top-p", "--temperature"})
    fails(concat("generate p.so --weights w --prompt-ids 1 ", option, " ''"), 2,
          {option, "'' is no"});
  fails("generate p.so --weights w --prompt-ids 1 --top-k 9223372036854775808",
        2, {"--top-k", "from 0 to 9223372036854775807"});
}

TEST_F(CommandLine, Info) {
  EXPECT_EQ(run("info '" + program + "'"), 0) << err;
  for (const char *words :
       {"target: cpu", "isa: x86-64", "64 tokens, 4 sequences",
        "parameters: 1,234,567\n  bf16: 24\n  f32: 4\n", "vocab_size: 16",
        "  affine\n", "argument 0: [?, 4] f32", "argument 1: index",
        "weights: 2", "result 1: in argument 0", "argument 0: tokens [?] i32",
        "argument 1: ragged"})
    EXPECT_NE(out().find(words), std::string::npos) << words << " in " << out();
  EXPECT_EQ(run("info --json '" + program + "'"), 0);
  EXPECT_EQ(out(), testManifest() + "\n");
}

TEST_F(CommandLine, StandardOutputMustBeWritable) {
  fails("info '" + program + "' 1> /dev/full", 1, {"standard output", "space"});
  fails("info '" + program + "' 1>&-", 1, {"standard output"});
  fails("--help 1> /dev/full", 1, {"standard output"});
}

TEST_F(CommandLine, NotAProgram) {
  fails("info /nowhere/p.so", 1, {"/nowhere/p.so", "No such file"});
  fails("info /tmp", 1, {"/tmp", "regular file"});
  writeFile(program, "text");
  fails(call("affine", affine()), 1, {"p.so", "not a program"});
}

TEST_F(CommandLine, CallWritesResults) {
  std::string words = call("affine", affine());
  std::string before = readFile(folder.file("in.safetensors"));
  ASSERT_EQ(run(words), 0) << err;
  // A tied argument is updated in a copy.
  EXPECT_EQ(readFile(folder.file("in.safetensors")), before);
  auto results = safetensors::File::open(folder.file("results.safetensors"));
  ASSERT_TRUE(results.ok()) << results.message();
  ASSERT_EQ(results->tensors().size(), 2u);
  const auto *y = results->find("result0"), *tied = results->find("result1");
  ASSERT_TRUE(y && tied);
  EXPECT_EQ(y->shape, (std::vector<int64_t>{2, 4}));
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(reinterpret_cast<const float *>(y->data)[i], x[i] * 2 + 1);
    EXPECT_EQ(reinterpret_cast<const float *>(tied->data)[i], x[i] + 1);
  }
}

TEST_F(CommandLine, CallRefusesArguments) {
  fails(call("nothing", affine()), 1, {"p.so", "'nothing'", "affine, batch"});
  for (const char *name : {"arg0", "arg1", "arg2", "arg3"})
    fails(call("affine", affine(name)), 1,
          {"in.safetensors", "missing tensor", name});
  safetensors::Writer writer = affine("arg0");
  writer.add("arg0", Type::F32, {8}, x);
  fails(call("affine", writer), 1,
        {"'arg0'", "expected F32 [?, 4]", "found F32 [8]"});
  writer = affine("arg1");
  writer.add("arg1", Type::F32, {}, x);
  fails(call("affine", writer), 1, {"'arg1'", "expected I64", "found F32"});
  writer = affine();
  writer.add("arg9", Type::F32, {1}, x);
  fails(call("affine", writer), 1, {"'arg9'", "arg0 to arg3"});
  std::string words = call("affine", affine());
  writeFile(folder.file("in.safetensors"), "");
  fails(words, 1, {"in.safetensors"});
  std::filesystem::remove(folder.file("in.safetensors"));
  fails(words, 1, {"in.safetensors", "No such file"});
}

TEST_F(CommandLine, CallTakesAScalarOfOneExtent) {
  safetensors::Writer writer = affine("arg1");
  writer.add("arg1", Type::I64, {1}, &factor);
  EXPECT_EQ(run(call("affine", writer)), 0) << err;
}

TEST_F(CommandLine, CallRefusesUnwritableResults) {
  std::string words = call("affine", affine());
  words.replace(words.find("results.safetensors"), 0, "no/");
  fails(words, 1, {"no/results.safetensors"});
}

TEST_F(CommandLine, CallSparesItsInputs) {
  std::string words = call("affine", affine());
  std::string before = readFile(program);
  std::string out = "results.safetensors";
  size_t at = words.find(out);
  fails(words.substr(0, at) + "in.safetensors" + words.substr(at + out.size()),
        1, {"in.safetensors", "is read by this command"});
  fails(words.substr(0, at) + "p.so" + words.substr(at + out.size()), 1,
        {"p.so", "is read by this command"});
  EXPECT_EQ(readFile(program), before);
}

TEST_F(CommandLine, CallChecksBatches) {
  EXPECT_EQ(run(callBatch({})), 0) << err;
  auto results = safetensors::File::open(folder.file("results.safetensors"));
  ASSERT_TRUE(results.ok());
  const auto *rows =
      reinterpret_cast<const int32_t *>(results->find("result0")->data);
  EXPECT_EQ(std::vector<int32_t>(rows, rows + 9),
            (std::vector<int32_t>{1, 0, 0, 2, 0, 1, 15, 1, 63}));

  fails(callBatch({.tokens = {1, 16, 2}}), 1,
        {"'arg0' (tokens)", "0 to 15", "found 16 at 1"});
  fails(callBatch({.tokens = {1, 2, -1}}), 1, {"found -1 at 2"});
  fails(callBatch({.tokens = {1, 2}}), 1, {"arg1.seq_offsets", "2 tokens"});
  fails(callBatch({.slot = {1, 1}}), 1, {"arg1", "ragged.slot[1]"});
  fails(callBatch({.slot = {2, 0}}), 1, {"ragged.slot[0]", "less than 2"});
  fails(callBatch({.pages = {2, 3}}), 1,
        {"ragged.page_table[1, 0]", "less than 3"});
  fails(callBatch({.past = {0, 64}}), 1, {"page_table", "2 columns"});
  fails(callBatch({.offsets = {0, 2, 2}}), 1, {"ragged.seq_offsets[2]"});
  fails(callBatch({.valuePages = 2}), 1, {"pages of values"});
}
