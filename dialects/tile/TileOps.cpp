//===- TileOps.cpp - verifiers of the tile ops ----------------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tile/TileDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mm01::tile;

#define GET_OP_CLASSES
#include "dialects/tile/TileOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Kernels and roles
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto makeType =
      [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
         function_interface_impl::VariadicFlag, std::string &) -> Type {
    return builder.getFunctionType(arguments, results);
  };
  SMLoc place = parser.getCurrentLocation();
  if (function_interface_impl::parseFunctionOp(
          parser, result, /*allowVariadic=*/false,
          getFunctionTypeAttrName(result.name), makeType,
          getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name)))
    return failure();
  // One of another kind would silently be none.
  return verifyInherentAttrs(result.name, result.attributes, [&] {
    return parser.emitError(place)
           << "'" << result.name.getStringRef() << "' op ";
  });
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

/// C2 of kernels and programs.
static LogicalResult verifyCluster(Operation *op, int64_t cluster) {
  if (cluster < 1 || cluster > 8)
    return op->emitOpError("C2: expected a cluster of 1 to 8 blocks, found ")
           << cluster;
  return success();
}

/// C3 of kernels and C4 of programs.
static LogicalResult verifyResident(Operation *op, int64_t resident,
                                    StringRef label) {
  if (resident < 1 || resident > 8)
    return op->emitOpError()
           << label << ": expected 1 to 8 resident blocks, found " << resident;
  return success();
}

LogicalResult KernelOp::verify() {
  if (getFunctionType().getNumResults() != 0)
    return emitOpError("C1: expected no results, found ")
           << getFunctionType().getResults();
  if (failed(verifyCluster(*this, getCluster())))
    return failure();
  return verifyResident(*this, getResident(), "C3");
}

Type ProgramOp::getArgumentType(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !isa<RankedTensorType, MemRefType>(type))
    return type;
  SmallVector<int64_t> strides(shaped.getRank(), ShapedType::kDynamic);
  auto layout =
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides);
  return MemRefType::get(shaped.getShape(), shaped.getElementType(), layout);
}

/// On buffers `ins` are read, and `outs` read and written.
void ProgramOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

LogicalResult ProgramOp::verify() {
  SmallVector<Type> expected;
  for (ValueRange operands : {getIns(), getOuts()})
    for (Type type : operands.getTypes())
      expected.push_back(getArgumentType(type));
  Block &block = getBody().front();
  if (block.getArgumentTypes() != TypeRange(expected))
    return emitOpError("C1: expected a body with arguments (")
           << expected << "), found (" << block.getArgumentTypes() << ")";
  if (failed(verifyCluster(*this, getCluster())))
    return failure();
  if (block.empty() || !isa<ReturnOp>(block.back()))
    return emitOpError("C3: expected a body that ends with tile.return");
  return verifyResident(*this, getResident(), "C4");
}

LogicalResult RoleOp::verify() {
  int64_t registers = getRegisters();
  if (registers % 8 != 0 || registers < 24 || registers > 256)
    return emitOpError("C1: expected a multiple of 8 from 24 to 256 registers, "
                       "found ")
           << registers;
  int64_t groups = getGroups();
  if (groups < 1 || groups > (getSingle() ? 1 : 4))
    return emitOpError("C2: expected ")
           << (getSingle() ? "1 group of a single role" : "1 to 4 groups")
           << ", found " << groups;
  return success();
}

LogicalResult IotaOp::verify() {
  int64_t dimension = getDimension();
  if (dimension < 0 || dimension >= getType().getRank())
    return emitOpError("C1: expected dimension 0 or 1, found ") << dimension;
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The extents of an operand as the formula of a product sees them.
static std::pair<int64_t, int64_t> extents(Type type, bool transposed) {
  auto buffer = dyn_cast<BufferType>(type);
  ArrayRef<int64_t> shape = buffer ? buffer.getShape().take_back(2)
                                   : cast<RankedTensorType>(type).getShape();
  if (shape.size() != 2)
    return {-1, -1};
  return transposed ? std::pair{shape[1], shape[0]}
                    : std::pair{shape[0], shape[1]};
}

LogicalResult MmaOp::verify() {
  auto [m, k] = extents(getA().getType(), getTransposeA());
  auto [otherK, n] = extents(getB().getType(), getTransposeB());
  ArrayRef<int64_t> result = getType().getShape();
  if (k != otherK || result != ArrayRef<int64_t>{m, n})
    return emitOpError("C1: expected [m, k] · [k, n] -> [m, n], found [")
           << m << ", " << k << "] · [" << otherK << ", " << n << "] -> "
           << getType();
  if (getTransposeA() && !isa<BufferType>(getA().getType()))
    return emitOpError("C2: only an operand in shared memory is transposed");
  if (m % FragmentLayout::rows != 0 || k % 16 != 0 || n % 8 != 0 || n > 256)
    return emitOpError("C3: expected 64 rows for each warp group, k a multiple "
                       "of 16 and n a multiple of 8 up to 256, found [")
           << m << ", " << k << "] · [" << k << ", " << n << "]";
  for (Type type : {getA().getType(), Type(getB().getType())})
    if (auto buffer = dyn_cast<BufferType>(type);
        buffer && !buffer.getElementType().isBF16())
      return emitOpError("C4: expected operands of bf16, found ") << buffer;
  return success();
}

/// C1 of the ops that wait for all but some.
static LogicalResult verifyPending(Operation *op, int64_t pending) {
  if (pending < 0 || pending > 7)
    return op->emitOpError("C1: expected 0 to 7 pending groups, found ")
           << pending;
  return success();
}

LogicalResult MmaWaitOp::verify() { return verifyPending(*this, getPending()); }
LogicalResult CopyWaitOp::verify() {
  return verifyPending(*this, getPending());
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// C1 of the reductions of rows.
static LogicalResult verifyReduction(Operation *op, RankedTensorType value,
                                     RankedTensorType result) {
  bool sameRows = value.getRank() == 2 && result.getRank() >= 1 &&
                  value.getDimSize(0) == result.getDimSize(0);
  bool parts = result.getRank() == 2 && result.getDimSize(1) == 8;
  if (!sameRows || (result.getRank() != 1 && !parts))
    return op->emitOpError("C1: expected [m, n] -> [m] or [m, 8], found ")
           << value << " -> " << result;
  return success();
}

LogicalResult RowSumOp::verify() {
  return verifyReduction(*this, getValue().getType(), getType());
}
LogicalResult RowMaximumOp::verify() {
  return verifyReduction(*this, getValue().getType(), getType());
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType rows = getRows().getType();
  if (rows.getRank() != 1 || getType().getRank() != 2 ||
      rows.getDimSize(0) != getType().getDimSize(0))
    return emitOpError("C1: expected [m] -> [m, n], found ")
           << rows << " -> " << getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult SlotOp::verify() {
  BufferType ring = getRing().getType();
  if (!ring.isRing() || getType() != ring.getTile())
    return emitOpError("C1: expected a ring and a tile of it, found ")
           << ring << " and " << getType();
  return success();
}

LogicalResult RowsOp::verify() {
  BufferType tile = getTile().getType(), part = getType();
  int64_t first = getFirst();
  if (tile.isRing() || part.isRing() ||
      part.getColumns() != tile.getColumns() ||
      part.getSwizzle() != tile.getSwizzle() || first < 0 ||
      first > tile.getRows() - part.getRows())
    return emitOpError("C1: expected rows of the tile from ")
           << first << " on, found " << tile << " and " << part;
  if (first % 8 != 0)
    return emitOpError("C2: expected a first row that is a multiple of 8, "
                       "found ")
           << first;
  if (tile.getColumns() >
      8 * 128 / tile.getElementType().getIntOrFloatBitWidth())
    return emitOpError("C3: expected rows of at most 128 bytes, found ")
           << tile;
  return success();
}

/// C1 of the bulk copies.
static LogicalResult verifyCoordinates(Operation *op, ValueRange coordinates) {
  if (coordinates.size() < 2 || coordinates.size() > 5)
    return op->emitOpError("C1: expected 2 to 5 coordinates, found ")
           << coordinates.size();
  return success();
}

LogicalResult CopyInOp::verify() {
  if (failed(verifyCoordinates(*this, getCoordinates())))
    return failure();
  if (bool(getBarriers()) != bool(getSlot()))
    return emitOpError("C2: expected barriers and a slot, or neither");
  if (getBuffer().getType().isRing())
    return emitOpError("C3: expected one tile, found the ring ")
           << getBuffer().getType();
  std::optional<ArrayRef<int64_t>> rows = getRows();
  int64_t all = getBuffer().getType().getRows();
  if (rows &&
      (rows->size() != 2 || (*rows)[0] < 0 || (*rows)[0] % 8 != 0 ||
       (*rows)[1] <= 0 || (*rows)[1] % 8 != 0 || (*rows)[0] > all - (*rows)[1]))
    return emitOpError("C4: expected the first row and the number of rows, in "
                       "blocks of 8, of a tile of ")
           << all << " rows, found [" << *rows << "]";
  return success();
}

LogicalResult CopyOutOp::verify() {
  return verifyCoordinates(*this, getCoordinates());
}

/// C1 of the ops between a tile in registers and one in shared memory.
static LogicalResult verifySameExtents(Operation *op, RankedTensorType tensor,
                                       Type buffer, bool transposed) {
  auto [rows, columns] = extents(buffer, transposed);
  if (cast<BufferType>(buffer).isRing() ||
      tensor.getShape() != ArrayRef<int64_t>{rows, columns})
    return op->emitOpError("C1: expected the extents of the tile")
           << (transposed ? ", exchanged" : "") << ", found " << tensor
           << " and " << buffer;
  return success();
}

LogicalResult ReadOp::verify() {
  if (failed(verifySameExtents(*this, getType(), getBuffer().getType(),
                               getTransposed())))
    return failure();
  Type element = getBuffer().getType().getElementType();
  if (getType().getElementType() != element)
    return emitOpError("C2: expected elements of ")
           << element << ", found " << getType();
  if (element.isInteger(8) && getTransposed())
    return emitOpError("C3: a tile of i8 is not transposed");
  return success();
}

LogicalResult WriteOp::verify() {
  if (failed(verifySameExtents(*this, getValue().getType(),
                               getBuffer().getType(), getTransposed())))
    return failure();
  if (!getBuffer().getType().getElementType().isBF16())
    return emitOpError("C2: expected a tile of bf16, found ")
           << getBuffer().getType();
  return success();
}

/// C1 and C2 of loads and stores.
static LogicalResult verifyGlobal(Operation *op, RankedTensorType tensor,
                                  ValueRange strides, RankedTensorType mask) {
  if (int64_t(strides.size()) != tensor.getRank())
    return op->emitOpError("C1: expected ")
           << tensor.getRank() << " strides, found " << strides.size();
  if (mask.getShape() != tensor.getShape())
    return op->emitOpError("C2: expected a mask with the extents of ")
           << tensor << ", found " << mask;
  return success();
}

LogicalResult LoadOp::verify() {
  return verifyGlobal(*this, getType(), getStrides(), getMask().getType());
}

LogicalResult StoreOp::verify() {
  return verifyGlobal(*this, getValue().getType(), getStrides(),
                      getMask().getType());
}

//===----------------------------------------------------------------------===//
// Pipes and barriers
//===----------------------------------------------------------------------===//

LogicalResult PipeOp::verify() {
  int64_t stages = getPipe().getType().getStages();
  for (Type ring : getRings().getTypes())
    if (!cast<BufferType>(ring).isRing() ||
        cast<BufferType>(ring).getVersions() != stages)
      return emitOpError("C1: expected rings of ")
             << stages << " tiles, found " << ring;
  return success();
}

LogicalResult BarrierOp::verify() {
  if (int64_t(getArrivals()) <= 0)
    return emitOpError("C1: expected one arrival or more, found ")
           << int64_t(getArrivals());
  return success();
}

LogicalResult ExpectOp::verify() {
  int64_t bytes = getBytes();
  if (bytes <= 0 || bytes >= 1048576)
    return emitOpError("C1: expected from 1 to 1048575 bytes, found ") << bytes;
  return success();
}
