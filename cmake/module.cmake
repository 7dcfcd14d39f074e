# parterre_module(NAME DEPS… [TEST_DEPS…] [EXCLUDE…]): one folder of src/ is one library and one test program.
#
# Every *.cc of the folder belongs to the library NAME, every *_test.cc to the program NAME_test
# (whose cases ctest lists one by one), every *_gpu_test.cc to NAME_gpu_test, whose cases carry the
# label gpu; adding a file touches no build file. A suffix _avx2, _avx512, _avx512_bf16 or _amx on a source
# compiles it for that instruction set: such a file is reached through a run-time check of the processor only. A folder
# with headers alone becomes an interface library.
include(GoogleTest)

function(parterre_module name)
  cmake_parse_arguments(arg "" "" "DEPS;TEST_DEPS;EXCLUDE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cc)
  list(REMOVE_ITEM sources "" ${arg_EXCLUDE})
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC project_flags ${arg_DEPS})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE project_flags ${arg_DEPS})
  endif()
  parterre_instruction_sets("${sources}")
  set(gpu_tests ${tests})
  list(FILTER tests EXCLUDE REGEX "_gpu_test\\.cc$")
  list(FILTER gpu_tests INCLUDE REGEX "_gpu_test\\.cc$")
  parterre_tests(${name} SOURCES ${tests} DEPS ${name} ${arg_TEST_DEPS})
  parterre_tests(${name}_gpu SOURCES ${gpu_tests} DEPS ${name} ${arg_TEST_DEPS}
    PROPERTIES LABELS gpu)
endfunction()

set(PARTERRE_SHARED "${PROJECT_SOURCE_DIR}/../shared" CACHE PATH
  "Larger suites of tests, which need not be there (CONTRIBUTING.md)")

# The program NAME_test of these sources, if there are any.
function(parterre_tests name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS;PROPERTIES" ${ARGN})
  if(NOT arg_SOURCES)
    return()
  endif()
  add_executable(${name}_test ${arg_SOURCES})
  target_link_libraries(${name}_test PRIVATE ${arg_DEPS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name}_test PRIVATE
    PARTERRE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
    PARTERRE_SHARED_CASES="${PARTERRE_SHARED}/cases")
  # The tests' own code need not be fast, and is the larger half of what is compiled.
  target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-O1>)
  set(limit_s 300)
  if(PARTERRE_SANITIZE)
    set(limit_s 1500)
  endif()
  gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST
    PROPERTIES TIMEOUT ${limit_s} ${arg_PROPERTIES})
endfunction()

function(parterre_instruction_sets sources)
  # Without optimisation they are a hundred times slower, and tests of the whole program wait in vain.
  set(optimized $<$<CONFIG:Debug>:-O2>)
  foreach(source ${sources})
    if(source MATCHES "_avx2\\.cc$")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
        "${optimized};-mavx2;-mfma;-mf16c")
    elseif(source MATCHES "_avx512\\.cc$")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
        "${optimized};-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mfma;-mf16c")
    elseif(source MATCHES "_avx512_bf16\\.cc$")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
        "${optimized};-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mavx512bf16;-mfma;-mf16c")
    elseif(source MATCHES "_amx\\.cc$")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
        "${optimized};-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mavx512bf16;-mamx-tile;-mamx-bf16;-mfma;-mf16c")
    endif()
  endforeach()
endfunction()
