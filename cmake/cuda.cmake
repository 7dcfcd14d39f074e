# Included only when ROSE_CUDA is ON.
if(NOT DEFINED ENV{CUDACXX})
  find_program(CMAKE_CUDA_COMPILER nvcc PATHS /usr/local/cuda/bin)
  if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "The CUDA build needs nvcc of the CUDA 13 toolkit, which is neither in PATH "
      "nor in /usr/local/cuda/bin. Install it, or set CUDACXX to where it lies.")
  endif()
endif()
enable_language(CUDA)
# CMake 3.25 does not know nvcc's flag for C++20, although nvcc 13 has it.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
find_package(CUDAToolkit 13.0 REQUIRED)
