# parterre_module(NAME DEPS…): one folder of src/ is one library and one test program.
#
# Every *.cc of the folder belongs to the library NAME, every *_test.cc to the program NAME_test
# (whose cases ctest lists one by one); adding a file touches no build file. A suffix _avx2 or
# _avx512 on a source compiles it for that instruction set: such a file is reached through a run-time
# check of the processor only. A folder with headers alone becomes an interface library.
include(GoogleTest)

function(parterre_module name)
  cmake_parse_arguments(arg "" "" "DEPS;TEST_DEPS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
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
  if(tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${name} ${arg_TEST_DEPS} GTest::gmock
      GTest::gtest_main)
    target_compile_definitions(${name}_test PRIVATE
      PARTERRE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
      PARTERRE_SHARED_CASES="${PROJECT_SOURCE_DIR}/../shared/cases")
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST
      PROPERTIES TIMEOUT 300)
  endif()
endfunction()

function(parterre_instruction_sets sources)
  foreach(source ${sources})
    if(source MATCHES "_avx2\\.cc$")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma;-mf16c")
    elseif(source MATCHES "_avx512\\.cc$")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
        "-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mfma;-mf16c")
    endif()
  endforeach()
endfunction()
