//===- DispatchRoles.cpp - gives each role of a kernel its warps ----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Threads find out what they are by their number alone, in one chain of
// branches, so that the assembler sees each role's registers and code apart.
//
// Before: tile.role "load" registers 40 single {…}
//         tile.role "compute" registers 232 {…}
// After:  scf.if %group == 0 { nvvm.setmaxregister decrease 40
//                              scf.if %thread == 0 {…} }
//         else { nvvm.setmaxregister increase 232; … }
//
// Requires explicit barriers: roles share nothing but memory.
// Test: test/codegen/tile/dispatch-roles.mlir
//
//===----------------------------------------------------------------------===//

#include "codegen/tile/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mm01 {
#define GEN_PASS_DEF_DISPATCHROLESPASS
#include "codegen/tile/Passes.h.inc"
} // namespace mm01

using namespace mlir;
using namespace mm01::tile;

namespace {

/// Registers of a multiprocessor.
constexpr int64_t kRegisters = 65536;

/// Registers that threads of a block have before roles exchange them: an equal
/// share of what the block has, in steps of 8, and 255 at most.
int64_t initialRegisters(int64_t threads, int64_t resident) {
  return std::min<int64_t>(kRegisters / resident / threads / 8 * 8, 255);
}

struct DispatchRolesPass
    : mm01::impl::DispatchRolesPassBase<DispatchRolesPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<RoleOp> single, groups;
    for (RoleOp role : kernel.getBody().getOps<RoleOp>())
      (role.getSingle() ? single : groups).push_back(role);
    int64_t count = !single.empty();
    for (RoleOp role : groups)
      count += role.getGroups();
    int64_t threads = kGroupThreads * std::max<int64_t>(count, 1);
    Builder builder(&getContext());
    kernel->setAttr("tile.threads", builder.getI64IntegerAttr(threads));
    if (count == 0)
      return;
    if (single.size() > size_t(kGroupWarps)) {
      kernel.emitOpError("has ") << single.size() << " single roles, and the "
                                 << kGroupWarps << " warps of a group take "
                                 << "one each";
      return signalPassFailure();
    }
    int64_t resident = kernel.getResident();
    int64_t total = single.empty() ? 0 : single.front().getRegisters();
    for (RoleOp role : groups)
      total += role.getGroups() * role.getRegisters();
    // A role that asks for more than the others give away waits for ever.
    int64_t before = initialRegisters(threads, resident);
    if (total > count * before) {
      kernel.emitOpError("has roles that use ")
          << total * kGroupThreads << " registers, expected "
          << before * threads << " at most";
      return signalPassFailure();
    }

    RoleOp first = *kernel.getBody().getOps<RoleOp>().begin();
    ImplicitLocOpBuilder b(first.getLoc(), first);
    thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
    Value group = arith::DivUIOp::create(b, thread, constant(b, kGroupThreads));
    int64_t branches = groups.size() + !single.empty(), end = 0;
    for (int64_t i = 0; i < branches; ++i) {
      bool isSingle = i == 0 && !single.empty();
      RoleOp role = isSingle ? single.front() : groups[i - !single.empty()];
      end += role.getGroups();
      // The last role needs no question.
      if (i + 1 < branches)
        b.setInsertionPointToStart(branch(b, arith::CmpIPredicate::ult, group,
                                          end, /*withElse=*/true));
      // With one group nothing is exchanged.
      if (count > 1 && role.getRegisters() != uint64_t(before))
        NVVM::SetMaxRegisterOp::create(
            b, role.getRegisters(),
            int64_t(role.getRegisters()) > before
                ? NVVM::SetMaxRegisterAction::increase
                : NVVM::SetMaxRegisterAction::decrease);
      if (isSingle) {
        for (auto [warp, one] : llvm::enumerate(single)) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(branch(b, arith::CmpIPredicate::eq, thread,
                                            32 * warp,
                                            /*withElse=*/false));
          move(one, b);
        }
      } else {
        move(role, b);
      }
      if (i + 1 < branches)
        b.setInsertionPointToStart(
            &cast<scf::IfOp>(b.getInsertionBlock()->getParentOp())
                 .getElseRegion()
                 .front());
    }
  }

private:
  static Value constant(ImplicitLocOpBuilder &b, int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }

  /// The block that runs where `value` compares so with `number`.
  static Block *branch(ImplicitLocOpBuilder &b, arith::CmpIPredicate predicate,
                       Value value, int64_t number, bool withElse) {
    Value here =
        arith::CmpIOp::create(b, predicate, value, constant(b, number));
    return scf::IfOp::create(b, here, withElse).thenBlock();
  }

  /// Moves what a role does to where the builder is.
  static void move(RoleOp role, ImplicitLocOpBuilder &b) {
    Block *target = b.getInsertionBlock();
    target->getOperations().splice(b.getInsertionPoint(),
                                   role.getBody().front().getOperations());
    role.erase();
  }

  Value thread;
};

} // namespace
