# What is used from outside. docs/dependencies.md says why each is here.
find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(simdjson REQUIRED)
find_package(spdlog REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CURL 7.88 REQUIRED)
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto SSL)
find_package(prometheus-cpp CONFIG REQUIRED COMPONENTS core)
find_package(GTest REQUIRED)

# pcre2 comes without a CMake config file.
find_path(PCRE2_INCLUDE_DIR pcre2.h REQUIRED)
find_library(PCRE2_LIBRARY pcre2-8 REQUIRED)
add_library(PCRE2::pcre2 SHARED IMPORTED)
set_target_properties(PCRE2::pcre2 PROPERTIES IMPORTED_LOCATION ${PCRE2_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${PCRE2_INCLUDE_DIR})

# Debian's own dnnl config file demands OpenCL headers, so the library is named by hand.
# Benches alone use it.
find_path(DNNL_INCLUDE_DIR dnnl.hpp REQUIRED)
find_library(DNNL_LIBRARY dnnl REQUIRED)
add_library(DNNL::dnnl SHARED IMPORTED)
set_target_properties(DNNL::dnnl PROPERTIES IMPORTED_LOCATION ${DNNL_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${DNNL_INCLUDE_DIR})
