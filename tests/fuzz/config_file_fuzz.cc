#include "common/check.h"
#include "config_file.h"
#include "fuzz_input.h"

// Any bytes as parterre.toml: refused with the file's name and the place, or keys with values.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto config = ParseConfigFile(FuzzInput(data, size).rest(), "fuzz.toml");
  if (config.ok()) return 0;
  CHECK(config.status().code() == absl::StatusCode::kInvalidArgument) << config.status();
  CHECK(config.status().message().substr(0, 10) == "fuzz.toml:") << config.status();
  return 0;
}
