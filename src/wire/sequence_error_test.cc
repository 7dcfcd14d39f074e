#include "wire/sequence_error.h"

#include <gtest/gtest.h>

namespace wire {
namespace {

TEST(SequenceError, IsReadAsItWasWritten) {
  const absl::Status status = SequenceError(absl::StatusCode::kInternal, 37, "gave NaN: twice");
  EXPECT_EQ(status, absl::InternalError("sequence 37: gave NaN: twice"));
  const auto fault = ParseSequenceError(status);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->sequence, 37U);
  EXPECT_EQ(fault->message, "gave NaN: twice");
}

TEST(SequenceError, OtherErrorsAreNone) {
  for (const char* message :
       {"", "sequence", "sequence ", "sequence x: a", "sequence 3 a", "sequence 3:a",
        "sequence -1: a", "sequence 99999999999999999999: a", "a sequence 3: b"}) {
    EXPECT_FALSE(ParseSequenceError(absl::InternalError(message))) << message;
  }
}

}  // namespace
}  // namespace wire
