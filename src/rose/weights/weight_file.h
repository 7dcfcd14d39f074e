#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/status.h"
#include "rose/weights/mapped_file.h"
#include "rose/weights/stored_tensor.h"

namespace rose {

/// A mapped file of tensors, safetensors or torch's; its content says which. Cheap to copy; any
/// thread.
struct WeightFile {
  std::string name;                           ///< Last component of the path, for messages.
  std::shared_ptr<const MappedFile> mapping;  ///< Keeps the tensors' bytes alive.
  std::vector<StoredTensor> tensors;

  /// Reads what describes the tensors; touches none of their bytes. Errors name the file and what
  /// is wrong in it.
  static absl::StatusOr<WeightFile> Open(const std::filesystem::path& path);
};

}  // namespace rose
