#include "wire/grpc/status.h"

#include <gtest/gtest.h>

#include <string>

namespace wire {
namespace {

TEST(StatusTest, CodesMapOneToOne) {
  for (int code = 1; code <= 16; ++code) {
    const absl::Status status(static_cast<absl::StatusCode>(code), "why");
    const grpc::Status over = ToGrpcStatus(status);
    EXPECT_EQ(static_cast<int>(over.error_code()), code);
    EXPECT_EQ(FromGrpcStatus(over), status);
  }
  EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok());
  EXPECT_TRUE(FromGrpcStatus(grpc::Status::OK).ok());
}

TEST(StatusTest, CutsLongMessagesBetweenCodePoints) {
  std::string text;
  while (text.size() < 5000) text += "ä";
  const std::string odd = "x" + text;
  for (const std::string& message : {text, odd}) {
    const std::string cut = ToGrpcStatus(absl::InternalError(message)).error_message();
    EXPECT_LE(cut.size(), 1024 + std::string("…").size());
    EXPECT_EQ(message.find(cut.substr(0, cut.size() - 3)), 0U);
    EXPECT_EQ(static_cast<unsigned char>(cut[cut.size() - 5]), 0xc3);
  }
}

}  // namespace
}  // namespace wire
