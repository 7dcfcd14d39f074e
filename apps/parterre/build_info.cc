#include "build_info.h"

#include <fmt/format.h>

std::string VersionText() {
  return fmt::format(
      "parterre {}\n"
      "commit: {}\n"
      "build: {}\n"
      "cpu: {}\n"
      "gpu: {}",
      PARTERRE_VERSION, kCommit, PARTERRE_BUILD, PARTERRE_CPU, PARTERRE_GPU);
}
