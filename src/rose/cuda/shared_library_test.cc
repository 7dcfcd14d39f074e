#include "rose/cuda/shared_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rose::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

absl::StatusOr<SharedLibrary> OpenFirst(const std::vector<std::string>& names) {
  return SharedLibrary::Open(names);
}

TEST(SharedLibrary, IsTheFirstThatIsThere) {
  const auto library = OpenFirst({"/nowhere/libm.so.6", "libm.so.6", "libdl.so.2"});
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ(library->name(), "libm.so.6");
  double (*power)(double, double) = nullptr;
  ASSERT_TRUE(library->Bind("pow", power).ok());
  EXPECT_EQ(power(2, 10), 1024);
}

TEST(SharedLibrary, SaysWhereItLooked) {
  const absl::Status status = OpenFirst({"libnone.so.0", "/nowhere/libnone.so"}).status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("libnone.so.0: cannot open"),
                                                   HasSubstr("/nowhere/libnone.so: cannot open")));
}

TEST(SharedLibrary, NamesWhatItLacks) {
  void (*function)() = nullptr;
  const absl::Status status = OpenFirst({"libm.so.6"}).value().Bind("no_such_function", function);
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_EQ(status.message(), "libm.so.6 has no no_such_function");
  EXPECT_EQ(function, nullptr);
}

}  // namespace
}  // namespace rose::cuda
