//===- FuzzMlir.cpp - reads damaged modules -------------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a .mlir file as the tools do: parses and verifies it, and says in one
// line what is wrong. A module that is accepted must survive being printed and
// read again. A mutation changes bytes, or puts a word of another place or an
// extreme number in the place of a word: most others stop at the first bracket.
//
//===----------------------------------------------------------------------===//

#include "dialects/exec/ExecDialect.h"
#include "dialects/mm01/Mm01Dialect.h"
#include "dialects/tile/TileDialect.h"
#include "test/fuzz/Support.h"
#include "tools/common/MlirFile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <optional>
#include <vector>

using namespace mlir;
using namespace mm01;

static const DialectRegistry &dialects() {
  static const DialectRegistry registry = [] {
    DialectRegistry made;
    made.insert<Mm01Dialect, exec::ExecDialect, tile::TileDialect,
                affine::AffineDialect, arith::ArithDialect, func::FuncDialect,
                gpu::GPUDialect, linalg::LinalgDialect, math::MathDialect,
                memref::MemRefDialect, scf::SCFDialect,
                tensor::TensorDialect>();
    return made;
  }();
  return registry;
}

/// A context lives for many inputs, as it takes a millisecond to make, but not
/// for ever, as it keeps every type and attribute that it has seen. One input
/// is read twice and must meet one context: its first module is still alive.
static MLIRContext &contextOfInput() {
  static std::optional<MLIRContext> current;
  static int uses = 0;
  if (!current || ++uses == 5000) {
    current.emplace(dialects(), MLIRContext::Threading::DISABLED);
    uses = 0;
  }
  return *current;
}

static Result<OwningOpRef<ModuleOp>> read(MLIRContext &context,
                                          const std::string &text) {
  return parseMlirText(context,
                       llvm::MemoryBuffer::getMemBuffer(text, "input.mlir"));
}

static std::string printed(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().assumeVerified());
  return text;
}

/// The words of a text: names, numbers, and what stands between them.
static std::vector<std::string> wordsOf(llvm::StringRef text) {
  auto isName = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '%' || c == '@';
  };
  std::vector<std::string> words;
  while (!text.empty()) {
    size_t length = text.take_while(isName).size();
    words.push_back(text.take_front(std::max<size_t>(length, 1)).str());
    text = text.drop_front(words.back().size());
  }
  return words;
}

/// Puts another word in the place of one, or takes it out.
static void mutateWords(std::string &text, std::minstd_rand &random) {
  static constexpr const char *extremes[] = {
      "",   "0",   "-1",  "1",     "65536", "9223372036854775807",
      "?",  "f32", "i1",  "index", "bf16",  "-9223372036854775808",
      "!a", "#b",  "nan", "1e999", "\"\"",  "170141183460469231731687303715"};
  std::vector<std::string> words = wordsOf(text);
  if (words.empty())
    return;
  std::string &word = words[fuzz::draw(random, words.size())];
  if (fuzz::draw(random, 2) == 0)
    word = extremes[fuzz::draw(random, std::size(extremes))];
  else
    word = words[fuzz::draw(random, words.size())];
  text.clear();
  for (const std::string &each : words)
    text += each;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  std::string text(fuzz::text(data, size));
  if (fuzz::draw(random, 3) == 0)
    fuzz::mutate(text, most - std::min(most, size));
  else
    mutateWords(text, random);
  return fuzz::give(text, data, most);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext &context = contextOfInput();
  Result<OwningOpRef<ModuleOp>> module =
      read(context, std::string(fuzz::text(data, size)));
  if (module.failed()) {
    fuzz::expect(!module.message().empty() &&
                     module.message().find('\n') == std::string::npos,
                 "an error of one line");
    return 0;
  }
  const std::string text = printed(module->get());
  Result<OwningOpRef<ModuleOp>> again = read(context, text);
  fuzz::expect(!again.failed(), "the printed module to be read again");
  fuzz::expect(printed(again->get()) == text, "the module that was printed");
  return 0;
}
