# Settings and functions that every part of the project uses, with or without LLVM.

add_compile_options(-Wall -Wextra -Wno-unused-parameter)
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})

find_program(MM01_CCACHE ccache)
if(MM01_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${MM01_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${MM01_CCACHE})
endif()

if(MM01_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(MM01_FUZZ)
  # Counts what is executed; the driver is linked into the fuzzers alone.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# mm01_add_library(NAME SOURCES... [LINK LIBRARIES...]): a static library mm01::NAME.
function(mm01_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(Mm01${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(mm01::${name} ALIAS Mm01${name})
  target_link_libraries(Mm01${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(Mm01${name} ${ARG_DEPENDS})
  endif()
endfunction()

# mm01_add_unit_test(NAME SOURCES... [LINK LIBRARIES...]): a GoogleTest program, one ctest entry.
function(mm01_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/bin)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
