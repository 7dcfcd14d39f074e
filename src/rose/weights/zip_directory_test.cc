#include "rose/weights/zip_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace rose {
namespace {

using ::testing::HasSubstr;

std::string Number(uint64_t value, int bytes) {
  std::string text;
  for (; bytes > 0; --bytes, value >>= 8) text += static_cast<char>(value);
  return text;
}

/// An archive of one entry "a" that holds "hello", with what may be wrong with it.
struct Archive {
  std::string data = "hello";
  int flags = 0;
  int method = 0;
  uint64_t size = 5, stored_size = 5;
  std::string local_extra = "12345";
  uint64_t local_header = 0;
  std::string extra = {};
  int times = 1;
  std::string comment = {};
  bool zip64 = false;

  std::string text() const {
    std::string file = "PK\3\4" + std::string(22, '\0') + Number(1, 2) +
                       Number(local_extra.size(), 2) + "a" + local_extra + data;
    const std::size_t directory = file.size();
    for (int i = 0; i < times; ++i) {
      file += "PK\1\2" + Number(0, 4) + Number(static_cast<uint64_t>(flags), 2) +
              Number(static_cast<uint64_t>(method), 2) + Number(0, 8) + Number(stored_size, 4) +
              Number(size, 4) + Number(1, 2) + Number(extra.size(), 2) + Number(0, 10) +
              Number(local_header, 4) + "a" + extra;
    }
    const std::size_t directory_size = file.size() - directory;
    if (zip64) {
      const std::size_t record = file.size();
      file += "PK\6\6" + Number(44, 8) + Number(0, 28) + Number(directory_size, 8) +
              Number(directory, 8);
      file += "PK\6\7" + Number(0, 4) + Number(record, 8) + Number(1, 4);
    }
    file += "PK\5\6" + Number(0, 8) + Number(zip64 ? 0xffffffff : directory_size, 4) +
            Number(zip64 ? 0xffffffff : directory, 4) + Number(comment.size(), 2) + comment;
    return file;
  }
};

std::string Content(const Archive& archive) {
  const std::string file = archive.text();
  const auto entries = ReadZipDirectory(std::as_bytes(std::span(file)), "f.pt");
  EXPECT_TRUE(entries.ok()) << entries.status();
  if (!entries.ok() || entries->size() != 1) return "";
  const auto bytes = entries->at("a");
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string Refusal(const Archive& archive) {
  const std::string file = archive.text();
  return std::string(ReadZipDirectory(std::as_bytes(std::span(file)), "f.pt").status().message());
}

TEST(ReadZipDirectory, FindsTheBytesBehindTheLocalHeader) {
  EXPECT_EQ(Content({}), "hello");
  EXPECT_EQ(Content({.local_extra = {}}), "hello");
  EXPECT_EQ(Content({.comment = "PK\5\6 is how it ends"}), "hello");
  EXPECT_EQ(Content({.extra = Number(0x4246, 2) + Number(3, 2) + "pad"}), "hello");
}

TEST(ReadZipDirectory, Zip64) {
  EXPECT_EQ(Content({.zip64 = true}), "hello");
  const std::string wide =
      Number(1, 2) + Number(24, 2) + Number(5, 8) + Number(5, 8) + Number(0, 8);
  EXPECT_EQ(Content({.size = 0xffffffff,
                     .stored_size = 0xffffffff,
                     .local_header = 0xffffffff,
                     .extra = wide}),
            "hello");
  EXPECT_THAT(Refusal({.size = 0xffffffff, .stored_size = 0xffffffff}),
              HasSubstr("a: its zip64 field is malformed"));
  EXPECT_THAT(Refusal({.extra = Number(1, 2) + Number(24, 2)}),
              HasSubstr("a: its zip64 field is malformed"));
}

TEST(ReadZipDirectory, RefusesWhatIsNotStoredAsItIs) {
  EXPECT_EQ(Refusal({.method = 8}),
            "f.pt: zip: a is compressed or encrypted, expected it stored as it is");
  EXPECT_THAT(Refusal({.flags = 1}), HasSubstr("a is compressed or encrypted"));
  EXPECT_THAT(Refusal({.stored_size = 4}), HasSubstr("a is compressed or encrypted"));
}

TEST(ReadZipDirectory, RefusesWhatLiesOutside) {
  EXPECT_THAT(Refusal({.size = 500, .stored_size = 500}), HasSubstr("a, 500 bytes from 36, lies"));
  EXPECT_THAT(Refusal({.local_header = 7}), HasSubstr("a is not where the directory says"));
  EXPECT_THAT(Refusal({.local_header = 1 << 30}), HasSubstr("a is not where the directory says"));
  EXPECT_THAT(Refusal({.times = 2}), HasSubstr("a stands in the archive twice"));
}

TEST(ReadZipDirectory, RefusesAFileWithoutItsEnd) {
  const std::string file = Archive().text();
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(ReadZipDirectory(std::as_bytes(std::span(file).first(size)), "f").ok()) << size;
  }
}

}  // namespace
}  // namespace rose
