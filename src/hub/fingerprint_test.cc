#include "hub/fingerprint.h"

#include <gtest/gtest.h>

namespace hub {
namespace {

TEST(Fingerprint, IsStable) {
  // FNV-1a of "3:abc", worked out apart from this code.
  EXPECT_EQ(Fingerprint({"abc"}), "2d9cb40a4a379d78");
}

TEST(Fingerprint, EveryByteAndBoundaryCounts) {
  EXPECT_NE(Fingerprint({"abc"}), Fingerprint({"abd"}));
  EXPECT_NE(Fingerprint({"ab", "c"}), Fingerprint({"a", "bc"}));
  EXPECT_NE(Fingerprint({"a"}), Fingerprint({"a", ""}));
}

}  // namespace
}  // namespace hub
