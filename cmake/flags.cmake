# Language, warnings and sanitizers. Every target of ours links project_flags.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

set(PARTERRE_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize= (address,undefined or thread)")

add_library(project_flags INTERFACE)
target_include_directories(project_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(project_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor
    -Woverloaded-virtual -Werror=unused-result -fno-omit-frame-pointer>)
# g++ 12 at -O3 takes members of a std::string in a struct that is moved out of a StatusOr for
# uninitialised; the sanitizer builds look for the real thing.
target_compile_options(project_flags INTERFACE
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
if(PARTERRE_SANITIZE)
  target_compile_options(project_flags INTERFACE -fsanitize=${PARTERRE_SANITIZE}
    -fno-sanitize-recover=all)
  target_link_options(project_flags INTERFACE -fsanitize=${PARTERRE_SANITIZE})
  if(PARTERRE_SANITIZE MATCHES thread)
    # Asio uses atomic_thread_fence, which TSan does not model and g++ warns of.
    target_compile_options(project_flags INTERFACE -Wno-tsan)
  endif()
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
