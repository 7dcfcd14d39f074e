#include "rose/weights/weight_file.h"

#include <utility>

#include "rose/weights/safetensors.h"
#include "rose/weights/torch_file.h"

namespace rose {

absl::StatusOr<WeightFile> WeightFile::Open(const std::filesystem::path& path) {
  WeightFile file = {.name = path.filename().string(), .mapping = nullptr, .tensors = {}};
  ASSIGN_OR_RETURN(file.mapping, MappedFile::Open(path));
  const std::span<const std::byte> bytes = file.mapping->bytes();
  ASSIGN_OR_RETURN(file.tensors, IsTorchFile(bytes) ? ParseTorchFile(bytes, file.name)
                                                    : ParseSafetensors(bytes, file.name));
  return file;
}

}  // namespace rose
