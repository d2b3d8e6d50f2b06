gpu.module @kernels {
  llvm.func @add(%x: !llvm.ptr) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1>} {
    %v = llvm.load %x : !llvm.ptr -> f32
    %w = llvm.fadd %v, %v : f32
    llvm.store %w, %x : f32, !llvm.ptr
    llvm.return
  }
}
