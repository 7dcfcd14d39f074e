#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rose/core/dtype.h"
#include "rose/weights/mapped_file.h"

namespace rose {

/// One stored tensor on the host, row-major, to be read once: copied, converted or laid out for the
/// kernels, then dropped. `bytes` may lie at any address (files promise no alignment), so read it
/// with memcpy or rose/weights/convert.h. Valid as long as it or a copy of it lives.
struct HostTensor {
  std::string name;  ///< As the family asked for it, for error messages.
  DType dtype = DType::kFloat32;
  std::vector<int64_t> shape = {};
  std::span<const std::byte> bytes = {};
  std::shared_ptr<const MappedFile> file = nullptr;  ///< That holds `bytes`; null: `buffer` does.
  std::shared_ptr<const void> buffer = nullptr;

  int64_t elements() const {
    int64_t count = 1;
    for (int64_t extent : shape) count *= extent;
    return count;
  }
};

}  // namespace rose
