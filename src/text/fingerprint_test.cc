#include "text/fingerprint.h"

#include <gtest/gtest.h>

namespace text {
namespace {

// Vectors of the reference implementation of SipHash-2-4-128, its bytes read as two little-endian
// words.
TEST(FingerprintTest, IsSipHash) {
  EXPECT_EQ(Fingerprint(""), "e6a825ba047f81a3930255c71472f66d");
  EXPECT_EQ(Fingerprint(std::string_view("\0", 1)), "44af996bd8c187da45fc229b11597634");
}

}  // namespace
}  // namespace text
