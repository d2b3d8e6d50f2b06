//===- ExecBase.td - the exec dialect and its attributes ------*- tablegen -*-===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EXEC_BASE_TD
#define EXEC_BASE_TD

include "dialects/exec/ExecEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Exec_Dialect : Dialect {
  let name = "exec";
  let cppNamespace = "::mm01::exec";
  let summary = "What the host of a program does: buffers, kernels, library calls";
  let description = [{
    The form of a program after scheduling: memory is laid out, kernels are grid
    functions launched by name, and results are placed where the caller finds
    them. Its ops map one to one on `runtime/abi/program.h`.

    Attributes of functions:

    - `exec.kernel` (unit): the function runs once for each workgroup of a grid.
      Its first argument is the number of the workgroup, it has no results.
    - `exec.scratch_bytes` (i64): bytes of scratch that a worker needs for it.
    - `exec.results`: on a public function, an array of `#exec.fresh` and
      `#exec.tied`, one for each result that the program's caller sees.
    - `exec.dynamic_shared_bytes` (i64): on a kernel of a GPU, the shared memory
      that a block gets at its launch.
    - `exec.frame`: `#exec.frame`, the bytes of the arena that a host function
      and the functions it calls use.

    What runs on a ragged batch, a launch or what becomes one, may have
    `exec.sequences`: a `#exec.sequences`, the sequences that it is for.

    A module for another target than the CPU has `exec.target`, its name. It has
    `exec.manifest`, the JSON that the program carries, once its
    entries have their C interface.
  }];
  let dependentDialects = ["::mm01::Mm01Dialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

class Exec_Attr<string name, string attrMnemonic> : AttrDef<Exec_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Exec_TensorMapType : TypeDef<Exec_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "how bulk copies of a GPU see a tensor";
  let description = [{
    A value of 128 bytes that the driver encodes, passed to a kernel by value
    (`exec.tensor_map`).

    ```mlir
    func.func private @kernel(%workgroup: index, %x: !exec.tensor_map)
    ```
  }];
}

def Exec_FreshAttr : Exec_Attr<"Fresh", "fresh"> {
  let summary = "a result in memory that the call allocates";
  let description = [{
    ```mlir
    func.func @forward() attributes {exec.results = [#exec.fresh<"logits" : memref<?x256xf32>>]} {
      return
    }
    ```
  }];
  let parameters = (ins StringRefParameter<"what the result is to the model, or empty">:$role,
                        "::mlir::MemRefType":$type);
  let assemblyFormat = "`<` $role `:` $type `>`";
}

def Exec_TiedAttr : Exec_Attr<"Tied", "tied"> {
  let summary = "a result that is the new content of an argument";
  let description = [{
    ```mlir
    func.func @step(%state: memref<4xf32>) attributes {exec.results = [#exec.tied<0>]} {
      return
    }
    ```
  }];
  let parameters = (ins "int64_t":$argument);
  let assemblyFormat = "`<` $argument `>`";
}

def Exec_SequencesAttr : EnumAttr<Exec_Dialect, Exec_Sequences, "sequences"> {
  let summary = "which sequences of its batch a launch is for";
  let description = [{
    `several`: those of more than one token; `single`: the others. A launch that
    says so writes, in tensors with a row for each token or slot, rows of tokens
    and slots of these sequences alone; of what launches for the others write it
    reads and writes nothing. It takes exactly one ragged batch.

    ```mlir
    func.func private @decode(%workgroup: index, %r: !mm01.ragged) attributes {exec.kernel} {
      return
    }
    func.func @host(%r: !mm01.ragged, %n: index) {
      exec.launch @decode grid(%n) (%r) {exec.sequences = #exec.sequences<single>} : !mm01.ragged
      return
    }
    ```
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Exec_FrameAttr : Exec_Attr<"Frame", "frame"> {
  let summary = "the arena bytes of a host function, from its arguments";
  let description = [{
    The frame is the greatest result of `bytes`, whose symbol i is the extent
    `extents[i]` of argument `arguments[i]`: a dimension of a memref; 0, 1 or 2
    (tokens, sequences, pages) of a ragged batch; 0, the value itself, of an
    index.

    ```mlir
    func.func private @layer(%x: memref<?x64xf32>) attributes {
        exec.frame = #exec.frame<()[s0] -> (s0 * 256), arguments = [0], extents = [0]>} {
      return
    }
    ```
  }];
  let parameters = (ins "::mlir::AffineMap":$bytes, OptionalArrayRefParameter<"int64_t">:$arguments,
                        OptionalArrayRefParameter<"int64_t">:$extents);
  let assemblyFormat = "`<` $bytes `,` `arguments` `=` `[` (`]`) : ($arguments^ `]`)? `,` "
                       "`extents` `=` `[` (`]`) : ($extents^ `]`)? `>`";
  let genVerifyDecl = 1;
}

#endif // EXEC_BASE_TD
