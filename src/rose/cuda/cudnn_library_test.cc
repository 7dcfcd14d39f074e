#include "rose/cuda/cudnn_library.h"

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

// None of this needs a GPU, nor cuDNN; cudnn_attention_gpu_test.cc runs it.

namespace rose::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(CudnnLibrary, SaysWhereItLooked) {
  const auto library = CudnnLibrary::Open({.cudnn = {"libcudnn.so.0", "/nowhere/libcudnn.so.9"}});
  EXPECT_TRUE(absl::IsNotFound(library.status())) << library.status();
  EXPECT_THAT(std::string(library.status().message()),
              AllOf(HasSubstr("cuDNN 9"), HasSubstr("libcudnn.so.0: cannot open"),
                    HasSubstr("/nowhere/libcudnn.so.9: cannot open")));
}

TEST(CudnnLibrary, NeedsTheRuntimeThatItsHeadersCall) {
  const auto library =
      CudnnLibrary::Open({.cudnn = {"libm.so.6"}, .cudart = {"/nowhere/libcudart.so.13"}});
  EXPECT_TRUE(absl::IsNotFound(library.status())) << library.status();
  EXPECT_THAT(std::string(library.status().message()), HasSubstr("/nowhere/libcudart.so.13"));
}

TEST(CudnnLibrary, NamesWhatALibraryLacks) {
  const auto library = CudnnLibrary::Open({.cudnn = {"libm.so.6"}, .cudart = {"libm.so.6"}});
  EXPECT_TRUE(absl::IsNotFound(library.status())) << library.status();
  EXPECT_THAT(std::string(library.status().message()), HasSubstr("cudnnCreate"));
}

TEST(CudnnLibrary, DoesNotStartWithoutAGpu) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess) GTEST_SKIP() << "there is a GPU";
  const auto library = CudnnLibrary::Open();
  if (absl::IsNotFound(library.status())) GTEST_SKIP() << "no cuDNN: " << library.status();
  EXPECT_TRUE(absl::IsFailedPrecondition(library.status())) << library.status();
  EXPECT_THAT(std::string(library.status().message()), HasSubstr("does not start"));
}

}  // namespace
}  // namespace rose::cuda
