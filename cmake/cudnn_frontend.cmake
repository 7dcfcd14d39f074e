# The headers that describe graphs to cuDNN, as the target cudnn_frontend, where cuDNN's own headers are
# (CUDNN_INCLUDE_DIR): not every toolkit has them. Nothing is linked; cuDNN is found at run time.
set(cudnn_frontend ${PROJECT_SOURCE_DIR}/.cache/kernel_headers/cudnn_frontend/include)
if(NOT EXISTS ${cudnn_frontend}/cudnn_frontend.h)
  message(FATAL_ERROR "${cudnn_frontend} holds no headers: run scripts/fetch_kernel_headers.sh")
endif()
find_path(CUDNN_INCLUDE_DIR cudnn.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
if(NOT CUDNN_INCLUDE_DIR)
  message(STATUS "No cudnn.h: built without cuDNN")
  return()
endif()

add_library(cudnn_frontend INTERFACE)
target_include_directories(cudnn_frontend SYSTEM INTERFACE ${cudnn_frontend} ${CUDNN_INCLUDE_DIR})
# Its JSON serves log lines, and takes 20 s to compile.
target_compile_definitions(cudnn_frontend INTERFACE NV_CUDNN_FRONTEND_USE_DYNAMIC_LOADING
  CUDNN_FRONTEND_SKIP_JSON_LIB)
