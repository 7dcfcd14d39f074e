# FlashInfer's headers, with the CUTLASS and CCCL that they were written for, as the target flashinfer.
set(flashinfer ${PROJECT_SOURCE_DIR}/.cache/kernel_headers/flashinfer)
if(NOT EXISTS ${flashinfer}/include/flashinfer/attention/prefill.cuh)
  message(FATAL_ERROR "${flashinfer} holds no headers: run scripts/fetch_kernel_headers.sh")
endif()

add_library(flashinfer INTERFACE)
# Its CCCL stands before the toolkit's: CUDA 13.0's has no cuda::fast_mod_div.
target_include_directories(flashinfer SYSTEM INTERFACE
  ${flashinfer}/include
  ${flashinfer}/cccl/libcudacxx/include ${flashinfer}/cccl/cub ${flashinfer}/cccl/thrust
  ${flashinfer}/cutlass/include ${flashinfer}/cutlass/tools/util/include)
# It calls constexpr functions of the host on the device; what is suppressed, its own code warns of.
target_compile_options(flashinfer INTERFACE
  $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr -diag-suppress=1444,2908,20012>)

# One such file takes up to 3.4 GB to compile.
set_property(GLOBAL APPEND PROPERTY JOB_POOLS heavy=1)
