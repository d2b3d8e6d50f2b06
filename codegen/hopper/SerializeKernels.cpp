//===- SerializeKernels.cpp - turn kernels into images --------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the program carries of a GPU's kernels are images and records of them.
//
// Before: gpu.module @kernels {
//           llvm.func @norm(…) attributes {nvvm.kernel, nvvm.reqntid = …} …
//         }
//         exec.launch_device @kernels::@norm grid(…) (…)
// After:  llvm.mlir.global internal constant @device.norm.ptx("…\00")
//         llvm.mlir.global internal constant @device.norm.cubin("…")
//         llvm.mlir.global internal constant @device.norm() { an
//           mm01_device_kernel }
//         exec.launch_device @device.norm grid(…) (…)
//
// Each kernel gets images of its own: one that is not launched goes away with
// the linker, and equal ones of several programs are loaded once. Requires the
// kernels phase. Tested by test/codegen/hopper/serialize-kernels*.mlir.
//
//===----------------------------------------------------------------------===//

#include "codegen/hopper/SerializeKernels.h"
#include "codegen/hopper/Passes.h"
#include "codegen/hopper/Ptx.h"
#include "codegen/hopper/Ptxas.h"
#include "codegen/hopper/Translate.h"
#include "dialects/exec/ExecDialect.h"
#include "runtime/abi/program.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace mm01 {
#define GEN_PASS_DEF_SERIALIZEKERNELSPASS
#include "codegen/hopper/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01;

static constexpr llvm::StringLiteral kPrefix = "device.";

std::optional<std::string> mm01::getImageFile(StringRef global) {
  if (!global.consume_front(kPrefix) ||
      !(global.ends_with(".ptx") || global.ends_with(".cubin")))
    return std::nullopt;
  return global.str();
}

namespace {

// The record is laid out below as this structure is.
static_assert(sizeof(mm01_device_kernel) == 11 * 8);

/// What becomes of one kernel.
struct Image {
  std::string name, ptx, cubin;
  SmallVector<int64_t> block, cluster;
  int64_t dynamicSharedBytes = 0;

  /// Equal for equal kernels alone.
  uint64_t getId() const {
    std::string all = name + '\0' + ptx + '\0' + cubin;
    for (int64_t number : block)
      all += std::to_string(number) + ' ';
    return llvm::xxh3_64bits(all + std::to_string(dynamicSharedBytes));
  }
};

/// Three numbers of an attribute, those that it lacks being 1.
SmallVector<int64_t> getThree(Operation *op, StringRef name) {
  SmallVector<int64_t> three(3, 1);
  if (auto given = op->getAttrOfType<DenseI32ArrayAttr>(name))
    for (auto [to, from] : llvm::zip(three, given.asArrayRef()))
      to = from;
  return three;
}

struct SerializeKernelsPass
    : mm01::impl::SerializeKernelsPassBase<SerializeKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    ptxas = findPtxas();
    for (auto kernels : llvm::make_early_inc_range(
             getOperation().getOps<gpu::GPUModuleOp>())) {
      if (failed(serialize(kernels)))
        return signalPassFailure();
      kernels.erase();
    }
  }

private:
  LogicalResult serialize(gpu::GPUModuleOp kernels) {
    llvm::LLVMContext context;
    auto parts = translateKernels(kernels, context);
    if (!parts)
      return kernels.emitError(llvm::toString(parts.takeError()));
    llvm::DenseMap<StringAttr, FlatSymbolRefAttr> records;
    for (auto [kernel, part] :
         llvm::zip_equal(getDeviceKernels(kernels), *parts)) {
      if (!kernel->hasAttr(NVVM::NVVMDialect::getReqntidAttrName()))
        return kernel.emitError("kernel ")
               << kernel.getSymName()
               << " has no nvvm.reqntid, expected the threads of a block";
      auto image = makeImage(kernel, *part);
      if (!image)
        return kernel.emitError(llvm::toString(image.takeError()));
      records[kernel.getSymNameAttr()] = makeRecord(kernels, *image);
    }
    WalkResult walk =
        getOperation().walk([&](exec::LaunchDeviceOp launch) -> WalkResult {
          SymbolRefAttr name = launch.getKernelAttr();
          if (name.getRootReference() != kernels.getNameAttr())
            return WalkResult::advance();
          auto record = records.find(name.getLeafReference());
          if (record == records.end())
            return launch.emitError("launches ")
                   << name
                   << ", which is no kernel of the LLVM dialect, "
                      "expected the kernels phase";
          launch.setKernelAttr(record->second);
          return WalkResult::advance();
        });
    return failure(walk.wasInterrupted());
  }

  llvm::Expected<Image> makeImage(LLVM::LLVMFuncOp kernel,
                                  llvm::Module &module) {
    Image image;
    image.name = getDeviceName(kernel);
    image.block = getThree(kernel, NVVM::NVVMDialect::getReqntidAttrName());
    image.cluster =
        getThree(kernel, NVVM::NVVMDialect::getClusterDimAttrName());
    if (auto bytes =
            kernel->getAttrOfType<IntegerAttr>(exec::kDynamicSharedBytesAttr))
      image.dynamicSharedBytes = bytes.getInt();
    if (!ptxas) {
      if (llvm::Error error = fill(image, module, kernel, {}))
        return error;
      return image;
    }
    // Unrolled loops may need more registers than there are; then they stay. Of
    // a kernel that spills even so, the assembler meant to have several blocks
    // on a multiprocessor: one may have all registers.
    constexpr Form forms[] = {
        {true, false}, {false, false}, {true, true}, {false, true}};
    for (const Form &form : forms) {
      auto copy = llvm::CloneModule(module);
      llvm::Error error = fill(image, *copy, kernel, form);
      if (!error)
        return image;
      if (&form == std::end(forms) - 1)
        return error;
      llvm::consumeError(std::move(error));
    }
    llvm_unreachable("the last form returns");
  }

  /// How a kernel is compiled.
  struct Form {
    bool unroll = true;
    /// One block on a multiprocessor is enough.
    bool allRegisters = false;
  };

  /// Makes the PTX, and the machine code where there is an assembler.
  llvm::Error fill(Image &image, llvm::Module &module, LLVM::LLVMFuncOp kernel,
                   const Form &form) {
    constexpr llvm::StringLiteral least = "nvvm.minctasm";
    for (llvm::Function &function : module)
      if (form.allRegisters && !function.isDeclaration() &&
          !function.hasFnAttribute(least))
        function.addFnAttr(least, "1");
    auto ptx = emitPtx(module, kernel.getSymName(), form.unroll);
    if (!ptx)
      return ptx.takeError();
    image.ptx = std::move(*ptx);
    if (!ptxas)
      return llvm::Error::success();
    auto cubin = assemble(*ptxas, image.ptx, kernel.getSymName());
    if (!cubin)
      return cubin.takeError();
    image.cubin = std::move(*cubin);
    return llvm::Error::success();
  }

  /// Makes the globals of an image before the kernels' module; the result names
  /// the record.
  FlatSymbolRefAttr makeRecord(gpu::GPUModuleOp kernels, const Image &image) {
    OpBuilder builder(kernels);
    Location loc = kernels.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    Type i64 = builder.getI64Type();
    auto three = LLVM::LLVMArrayType::get(i64, 3);
    auto type = LLVM::LLVMStructType::getLiteral(
        &getContext(), {pointer, pointer, pointer, i64, three, three, i64});
    std::string symbol = (kPrefix + image.name).str();
    auto makeBytes = [&](StringRef suffix, StringRef bytes) {
      LLVM::GlobalOp::create(
          builder, loc,
          LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size()),
          /*isConstant=*/true, LLVM::Linkage::Internal, (symbol + suffix).str(),
          builder.getStringAttr(bytes),
          /*alignment=*/MM01_ALIGNMENT);
    };
    makeBytes(".name", StringRef(image.name.c_str(), image.name.size() + 1));
    makeBytes(".ptx", StringRef(image.ptx.c_str(), image.ptx.size() + 1));
    if (!image.cubin.empty())
      makeBytes(".cubin", image.cubin);

    auto record =
        LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                               LLVM::Linkage::Internal, symbol, Attribute());
    builder.createBlock(&record.getInitializerRegion());
    Value value = LLVM::UndefOp::create(builder, loc, type);
    auto set = [&](ArrayRef<int64_t> place, Value field) {
      value = LLVM::InsertValueOp::create(builder, loc, value, field, place);
    };
    auto address = [&](StringRef suffix) -> Value {
      return LLVM::AddressOfOp::create(builder, loc, pointer,
                                       (symbol + suffix).str());
    };
    auto number = [&](int64_t number) -> Value {
      return LLVM::ConstantOp::create(builder, loc, i64,
                                      builder.getI64IntegerAttr(number));
    };
    set({0}, address(".name"));
    set({1}, image.cubin.empty()
                 ? Value(LLVM::ZeroOp::create(builder, loc, pointer))
                 : address(".cubin"));
    set({2}, address(".ptx"));
    set({3}, number(static_cast<int64_t>(image.getId())));
    for (int64_t i = 0; i < 3; ++i) {
      set({4, i}, number(image.block[i]));
      set({5, i}, number(image.cluster[i]));
    }
    set({6}, number(image.dynamicSharedBytes));
    LLVM::ReturnOp::create(builder, loc, value);
    return FlatSymbolRefAttr::get(&getContext(), symbol);
  }

  std::optional<std::string> ptxas;
};

} // namespace
