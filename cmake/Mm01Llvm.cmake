# Finds LLVM and MLIR and sets up what the compiler's folders need. The runtime must not be configured after this file
# is included: it turns exceptions off.

find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
set(LLVM_RUNTIME_OUTPUT_INTDIR ${PROJECT_BINARY_DIR}/bin)
set(LLVM_LIBRARY_OUTPUT_INTDIR ${PROJECT_BINARY_DIR}/lib)
set(MLIR_LINK_MLIR_DYLIB ON)
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
add_definitions(${LLVM_DEFINITIONS} -DNDEBUG)
add_compile_options(-fno-exceptions)

# mm01_tablegen(TARGET FILE.td OUTPUT FILE ARGS... ...) runs mlir-tblgen once an output.
#   mm01_tablegen(Mm01OpsGen Mm01Ops.td
#     OUTPUT Mm01Ops.h.inc -gen-op-decls
#     OUTPUT Mm01Ops.cpp.inc -gen-op-defs)
function(mm01_tablegen target file)
  set(LLVM_TARGET_DEFINITIONS ${file})
  set(TABLEGEN_OUTPUT "")
  set(output "")
  set(arguments "")
  foreach(word ${ARGN} OUTPUT)
    if(word STREQUAL "OUTPUT")
      if(output)
        mlir_tablegen(${output} ${arguments})
      endif()
      set(output "")
      set(arguments "")
    elseif(NOT output)
      set(output ${word})
    else()
      list(APPEND arguments ${word})
    endif()
  endforeach()
  add_public_tablegen_target(${target})
endfunction()

# mm01_add_tool(NAME SOURCES... LINK LIBRARIES...): an executable in build/bin against the LLVM and MLIR dylibs.
function(mm01_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
endfunction()
