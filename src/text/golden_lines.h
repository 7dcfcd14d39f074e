#pragma once

#include <zlib.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "common/check.h"

// Files of tests/data/tokenizers and of the suite. For tests.

namespace text {

/// The bytes of a file, unpacked if it is gzipped. CHECKs that it can be read.
inline std::string ReadCaseFile(const std::filesystem::path& path) {
  const gzFile file = gzopen(path.c_str(), "rb");  // Reads plain files as well.
  CHECK(file != nullptr) << path;
  std::string bytes;
  char buffer[1 << 16];
  int size = 0;
  while ((size = gzread(file, buffer, sizeof(buffer))) > 0) {
    bytes.append(buffer, static_cast<std::size_t>(size));
  }
  CHECK(size == 0) << path;
  gzclose(file);
  return bytes;
}

/// One JSON value for each line of such a file.
inline std::vector<nlohmann::json> ReadCaseLines(const std::filesystem::path& path) {
  std::istringstream lines(ReadCaseFile(path));
  std::vector<nlohmann::json> values;
  for (std::string line; std::getline(lines, line);) values.push_back(nlohmann::json::parse(line));
  CHECK(!values.empty()) << path;
  return values;
}

/// The lines of a file of tests/data/tokenizers.
inline std::vector<nlohmann::json> ReadGoldenLines(const std::string& name) {
  return ReadCaseLines(std::filesystem::path(PARTERRE_TEST_DATA "/tokenizers") / name);
}

}  // namespace text
