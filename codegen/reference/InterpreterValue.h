//===- InterpreterValue.h - what a value holds while it is interpreted ----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MM01_CODEGEN_REFERENCE_INTERPRETERVALUE_H
#define MM01_CODEGEN_REFERENCE_INTERPRETERVALUE_H

#include "dialects/mm01/Mm01Dialect.h"
#include "frontend/safetensors/ElementType.h"

#include <map>
#include <memory>
#include <variant>
#include <vector>

namespace mm01::reference {

/// One element: `f` where the element type is a float of any width, `i` where
/// it is an index or an integer. Integers are sign-extended, but i1 is 0 or 1.
union Scalar {
  double f;
  int64_t i;
};

/// More elements than this are refused before memory for them is asked for.
inline constexpr int64_t kMaxElements = int64_t(1) << 30;

/// A dense row-major tensor. Copies share their elements until one of them is
/// written, so that passing a whole cache around costs nothing.
class Tensor {
public:
  Tensor() = default;

  /// A tensor whose floats are NaN and whose integers are the least int64, so
  /// that reading an element which was never written is seen in the result.
  /// The extents must not be negative and their product at most kMaxElements.
  Tensor(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);

  /// For tests and constants.
  static Tensor floats(llvm::ArrayRef<int64_t> shape, mlir::Type elementType,
                       llvm::ArrayRef<double> elements);
  static Tensor integers(llvm::ArrayRef<int64_t> shape, mlir::Type elementType,
                         llvm::ArrayRef<int64_t> elements);

  llvm::ArrayRef<int64_t> shape() const { return extents; }
  int64_t extent(size_t dimension) const { return extents[dimension]; }
  size_t rank() const { return extents.size(); }
  int64_t elements() const;
  mlir::Type elementType() const { return type; }
  /// Elements from one index of the first dimension to the next.
  int64_t rowElements() const;

  const Scalar *data() const { return buffer->elements.data(); }
  const Scalar *row(int64_t index) const {
    return data() + index * rowElements();
  }

  /// The elements, to be changed in part: copied first if they are shared.
  Scalar *mutableData();
  /// The same, for a caller that only writes elements of a tensor which was
  /// rounded if this one was.
  Scalar *mutableDataForCopies();
  /// The elements, all to be written: their content is unspecified.
  Scalar *overwrite();

  /// The same elements in the same order under another shape.
  Tensor reshaped(llvm::ArrayRef<int64_t> shape) const;

  /// Rounds every float to the element type; see roundToType.
  void roundToStorage();

private:
  struct Buffer {
    std::vector<Scalar> elements;
    bool rounded = false;
  };

  llvm::SmallVector<int64_t, 5> extents;
  mlir::Type type;
  std::shared_ptr<Buffer> buffer = std::make_shared<Buffer>();
};

/// A parameter in its storage type. The parts stay where they are, usually in a
/// mapped file, and are widened when they are read.
class Weight {
public:
  Weight() = default;

  /// `parts` has one address for each part of the type; `owner` keeps the
  /// memory alive.
  Weight(WeightType type, safetensors::ElementType storage,
         std::vector<const std::byte *> parts,
         std::shared_ptr<const void> owner);

  /// An int8 weight of these elements, row-major, with a scale for each row.
  static Weight quantized(llvm::ArrayRef<int64_t> shape,
                          mlir::MLIRContext *context,
                          std::vector<int8_t> elements,
                          std::vector<float> scales);

  /// A weight that holds these elements exactly, whatever the float type; for
  /// tests.
  static Weight floats(WeightType type, llvm::ArrayRef<double> elements);

  WeightType type() const { return weightType; }
  /// Rows and columns of one part; a weight of one dimension has one row.
  int64_t rows() const;
  int64_t columns() const;

  /// Row `row` of part `part`, as float64: of an int8 weight the elements times
  /// their scale.
  void readRow(int64_t part, int64_t row,
               llvm::MutableArrayRef<double> to) const;

  /// All of one part, as a tensor of the weight's part type. Widened once and
  /// kept: kernels read a part in every workgroup.
  Tensor readPart(int64_t part) const;

  /// The scales of one part of an int8 weight, as a tensor of its scales type.
  Tensor readScales(int64_t part) const;

private:
  WeightType weightType;
  safetensors::ElementType storage = safetensors::ElementType::F64;
  std::vector<const std::byte *> parts;
  /// Of all rows, of an int8 weight; null otherwise.
  std::shared_ptr<const std::vector<float>> scales;
  std::shared_ptr<const void> owner;
  std::shared_ptr<std::map<int64_t, Tensor>> widened =
      std::make_shared<std::map<int64_t, Tensor>>();
};

/// A ragged batch (mm01_ragged in runtime/abi/program.h).
class Ragged {
public:
  Ragged() = default;

  /// Fails, in words, for offsets that do not rise from 0, a negative past, and
  /// a slot that is negative or taken twice. `pageTable` is [N, P].
  static llvm::Expected<Ragged> create(std::vector<int64_t> seqOffsets,
                                       std::vector<int64_t> past,
                                       std::vector<int64_t> slot,
                                       std::vector<int64_t> pageTable);

  int64_t tokens() const { return data->sequence.size(); }
  int64_t sequences() const { return data->past.size(); }
  int64_t pages() const { return data->pages; }
  /// Sequences of more than one token.
  int64_t several() const { return data->several.size(); }

  int64_t begin(int64_t sequence) const { return data->offsets[sequence]; }
  int64_t end(int64_t sequence) const { return data->offsets[sequence + 1]; }
  int64_t past(int64_t sequence) const { return data->past[sequence]; }
  int64_t slot(int64_t sequence) const { return data->slot[sequence]; }
  int64_t page(int64_t sequence, int64_t page) const {
    return data->table[sequence * data->pages + page];
  }
  /// Sequence of a token, and its position in the sequence.
  int64_t sequence(int64_t token) const { return data->sequence[token]; }
  int64_t position(int64_t token) const { return data->position[token]; }

  /// The elements of a field, in order.
  llvm::ArrayRef<int64_t> field(RaggedField field) const;

private:
  struct Arrays {
    int64_t pages = 0;
    std::vector<int64_t> offsets = {0}, past, slot, table, sequence, position,
                         several;
  };
  std::shared_ptr<const Arrays> data = std::make_shared<Arrays>();
};

using InterpreterValue = std::variant<Scalar, Tensor, Weight, Ragged>;

/// The nearest value of the type, ties to even; the value itself where the type
/// is f64 or no float.
double roundToType(double value, mlir::Type type);

/// Cuts an integer to the width of its type; index has 64 bits.
int64_t wrapToType(int64_t value, mlir::Type type);

/// True where a shape is one that a static shape, with dynamic extents, allows.
bool compatibleExtents(llvm::ArrayRef<int64_t> found,
                       llvm::ArrayRef<int64_t> expected);

/// "[3, 4]", a dynamic extent as "?".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

} // namespace mm01::reference

#endif // MM01_CODEGEN_REFERENCE_INTERPRETERVALUE_H
