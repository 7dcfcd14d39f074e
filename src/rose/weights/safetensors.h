#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "common/status.h"
#include "rose/weights/mapped_file.h"

namespace rose {

/// A tensor as a safetensors header describes it.
struct StoredTensor {
  std::string name;
  std::string dtype;  ///< As stored: "F32", "BF16", "I64", …
  std::vector<int64_t> shape = {};
  std::span<const std::byte> bytes = {};  ///< In the mapping, at any alignment.

  int64_t elements() const {
    return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  }
};

/// The tensors that a header describes, in the order of their bytes. `file` is the whole file;
/// `file_name` stands in front of every error. The format
/// (https://github.com/huggingface/safetensors, "Format"): eight bytes of little-endian header
/// length, the header in JSON, then the tensors' bytes without holes or overlaps. Whatever breaks
/// one of its rules is refused, named by tensor where there is one: nothing read through the result
/// can lie outside the file.
absl::StatusOr<std::vector<StoredTensor>> ParseSafetensors(std::span<const std::byte> file,
                                                           std::string_view file_name);

/// A mapped safetensors file. Immutable; any thread.
class Safetensors {
 public:
  /// Reads the header; touches no tensor's bytes.
  static absl::StatusOr<Safetensors> Open(const std::filesystem::path& path);

  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  const std::string& file_name() const { return file_name_; }
  /// Keeps the tensors' bytes alive.
  const std::shared_ptr<const MappedFile>& mapping() const { return mapping_; }

 private:
  std::string file_name_;
  std::shared_ptr<const MappedFile> mapping_;
  std::vector<StoredTensor> tensors_;
};

}  // namespace rose
