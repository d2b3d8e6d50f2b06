//===- Manifest.h - what a program says about itself ---------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_RUNTIME_CORE_MANIFEST_H
#define MM01_RUNTIME_CORE_MANIFEST_H

#include "frontend/safetensors/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mm01 {

/// Element types of arguments, results and parameters. `Index` is an int64_t
/// in memory.
enum class ElementType { F32, F16, BF16, I8, I32, I64, Index };

/// Bytes of one element.
int64_t elementBytes(ElementType type);
/// The manifest's name of a type, e.g. "bf16".
std::string_view elementName(ElementType type);
/// The type of a name in the manifest; nothing for another.
std::optional<ElementType> parseElementType(std::string_view name);

/// Bytes of a dense tensor of this shape; nothing when an extent is negative
/// or the product does not fit in int64_t.
std::optional<int64_t> tensorBytes(ElementType type,
                                   const std::vector<int64_t> &shape);
/// "[4, ?, 64]": a shape for messages; a negative extent is printed as `?`.
std::string shapeText(const std::vector<int64_t> &shape);

/// How an argument is passed; a scalar has one element, a weight one pointer
/// for each part.
enum class ArgumentKind { Tensor, Scalar, Ragged, Weight };

/// One argument of an entry.
struct ArgumentSpec {
  ArgumentKind kind = ArgumentKind::Tensor;
  /// What the argument is to a model ("tokens", "keys", …); may be empty.
  std::string role;
  /// Extents, -1 where dynamic; empty for scalars and ragged arguments.
  std::vector<int64_t> shape;
  /// Meaningless for a ragged argument.
  ElementType type = ElementType::F32;
  /// Index into Manifest::parameters; of a weight only. Absent when the weight
  /// belongs to no parameter: a program made from plain MLIR, for `call`.
  std::optional<size_t> parameter;
};

enum class ResultKind {
  /// Memory that the call allocates.
  Fresh,
  /// The new content of an argument, updated in place.
  Tied
};

/// One result of an entry.
struct ResultSpec {
  ResultKind kind = ResultKind::Fresh;
  std::string role;
  std::vector<int64_t> shape;
  ElementType type = ElementType::F32;
  /// Index of the tied argument; of a tied result only. A tied result has the
  /// argument's role, shape and type.
  size_t argument = 0;
};

/// An extent of an argument: of a tensor in a dimension; T, N or P (0, 1, 2) of
/// a ragged batch; the value of a scalar of type index (0).
struct ExtentPlace {
  size_t argument = 0;
  size_t extent = 0;

  bool operator==(const ExtentPlace &) const = default;
};

/// What an extent must be: that of another argument, or a number.
struct ExtentRule {
  ExtentPlace place;
  std::optional<ExtentPlace> like;
  int64_t number = 0;
};

/// How an entry addresses a cache [layers, rows, …] that has no role: rows are
/// slots or pages of a ragged batch.
struct CacheUse {
  enum class Rows { Slots, Pages };

  size_t cache = 0; ///< index of the argument
  Rows rows = Rows::Slots;
  size_t batch = 0;            ///< index of the ragged argument
  std::optional<size_t> layer; ///< index of the scalar that is the layer
  int64_t layers = 0;          ///< how many layers there must be at least
};

/// A function of the program that can be called.
struct EntrySpec {
  std::string name;
  /// The compiler added it for the runtime to call: it is no entry of the
  /// user's, who is not told of it.
  bool isHelper = false;
  std::vector<ArgumentSpec> arguments;
  std::vector<ResultSpec> results;
  /// What checkExtents() asks of the arguments (runtime/core/Extents.h).
  std::vector<ExtentRule> extentRules;
  std::vector<CacheUse> cacheUses;

  /// Index of the first argument or result of this role.
  std::optional<size_t> findArgument(std::string_view role) const;
  std::optional<size_t> findResult(std::string_view role) const;
};

/// One way to make a parameter from tensors of a checkpoint.
struct SourceSpec {
  /// Name of the tensor; "{}" stands for the number of the part.
  std::string tensor;
  /// Shape that the tensor has in the checkpoint.
  std::vector<int64_t> shape;
  /// Part i is rows firstRow + i * rowStride and following of the tensor seen
  /// as a matrix; both are 0 with "{}" in the name.
  int64_t firstRow = 0;
  int64_t rowStride = 0;

  bool isStack() const { return tensor.find("{}") != std::string::npos; }
  /// The tensor of a part: its name with "{}" replaced.
  std::string tensorOf(int64_t part) const;
};

/// A weight of the model, and how a checkpoint's tensors make it.
struct ParameterSpec {
  std::string name;
  /// Extents, all positive. Three of them make a stack of parts.
  std::vector<int64_t> shape;
  /// Of the elements in memory: f32, f16, bf16, or i8 with a scale a row.
  ElementType type = ElementType::F32;
  /// Of the elements of the sources' tensors: f32, f16 or bf16; the same as
  /// `type` unless that is i8.
  ElementType stored = ElementType::F32;
  /// Alternatives, the first that a checkpoint has is bound; at least one.
  std::vector<SourceSpec> sources;

  bool isQuantized() const { return type == ElementType::I8; }
  int64_t partCount() const { return shape.size() == 3 ? shape[0] : 1; }
  std::vector<int64_t> partShape() const;
  /// Rows and columns of a part; a parameter of one dimension is one row.
  int64_t partRows() const {
    return shape.size() == 1 ? 1 : shape[shape.size() - 2];
  }
  int64_t columns() const { return shape.back(); }
  /// Bytes of the elements of a part in memory.
  int64_t partBytes() const;
  /// Bytes of the scales of a part.
  int64_t scaleBytes() const { return isQuantized() ? 4 * partRows() : 0; }
};

/// All that a program says about itself (docs/contract.md, "The manifest").
struct Manifest {
  int64_t abi = 0;
  std::string compiler;
  std::string target;
  /// Of a GPU, by whose figures the program was made: it runs on others of its
  /// kind. Empty for the processor.
  std::string chip;
  std::string mode;
  /// The x86 level that the machine must have, e.g. "x86-64-v3".
  std::string isa;
  int64_t maxTokens = 0;
  int64_t maxSequences = 0;
  /// The resolved configuration as JSON text; empty for a program that was not
  /// made from a model.
  std::string model;
  /// vocab_size of the resolved configuration.
  std::optional<int64_t> vocabularySize;
  int64_t parameterCount = 0;
  /// Glob patterns (* only) of checkpoint tensors that are no parameters.
  std::vector<std::string> ignoredTensors;
  /// The user's, then the helpers.
  std::vector<EntrySpec> entries;
  std::vector<ParameterSpec> parameters;
  /// The manifest as it stands in the program.
  std::string text;

  /// Index of the entry of this name, or an error that lists the user's.
  Result<size_t> findEntry(std::string_view name) const;
};

/// Reads a manifest (docs/contract.md, "The manifest"). Every field is checked:
/// kinds, types, extents, indices and references. `file` names the program in
/// messages.
Result<Manifest> parseManifest(std::string_view text, const std::string &file);

} // namespace mm01

#endif // MM01_RUNTIME_CORE_MANIFEST_H
