# The headers that describe graphs to cuDNN, as the target cudnn_frontend. cuDNN itself is found at run
# time: nothing is linked, its own headers come with the toolkit.
set(cudnn_frontend ${PROJECT_SOURCE_DIR}/.cache/kernel_headers/cudnn_frontend/include)
if(NOT EXISTS ${cudnn_frontend}/cudnn_frontend.h)
  message(FATAL_ERROR "${cudnn_frontend} holds no headers: run scripts/fetch_kernel_headers.sh")
endif()
find_path(CUDNN_INCLUDE_DIR cudnn.h HINTS ${CUDAToolkit_INCLUDE_DIRS} REQUIRED)

add_library(cudnn_frontend INTERFACE)
target_include_directories(cudnn_frontend SYSTEM INTERFACE ${cudnn_frontend} ${CUDNN_INCLUDE_DIR})
target_compile_definitions(cudnn_frontend INTERFACE NV_CUDNN_FRONTEND_USE_DYNAMIC_LOADING
  CUDNN_FRONTEND_SKIP_JSON_LIB)
