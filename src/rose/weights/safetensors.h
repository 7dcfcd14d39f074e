#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"
#include "rose/weights/mapped_file.h"
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
