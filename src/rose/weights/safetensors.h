#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "common/status.h"
#include "rose/weights/stored_tensor.h"

namespace rose {

/// The tensors that a header describes, in the order of their bytes. `file` is the whole file;
/// `file_name` stands in front of every error. The format
/// (https://github.com/huggingface/safetensors, "Format"): eight bytes of little-endian header
/// length, the header in JSON, then the tensors' bytes without holes or overlaps. Whatever breaks
/// one of its rules is refused, named by tensor where there is one: nothing read through the result
/// can lie outside the file.
absl::StatusOr<std::vector<StoredTensor>> ParseSafetensors(std::span<const std::byte> file,
                                                           std::string_view file_name);

}  // namespace rose
