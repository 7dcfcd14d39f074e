#pragma once

#include <zlib.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "common/check.h"

namespace text {

/// The lines of a gzipped file of JSON lines in tests/data/tokenizers. For tests.
inline std::vector<nlohmann::json> ReadGoldenLines(const std::string& name) {
  const std::string path = PARTERRE_TEST_DATA "/tokenizers/" + name;
  const gzFile file = gzopen(path.c_str(), "rb");
  CHECK(file != nullptr) << path;
  std::stringstream bytes;
  char buffer[1 << 16];
  for (int size = 0; (size = gzread(file, buffer, sizeof(buffer))) > 0;) bytes.write(buffer, size);
  CHECK(gzclose(file) == Z_OK) << path;
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(bytes, line);) lines.push_back(nlohmann::json::parse(line));
  CHECK(!lines.empty()) << path;
  return lines;
}

}  // namespace text
