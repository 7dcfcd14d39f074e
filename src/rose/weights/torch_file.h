#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "common/status.h"
#include "rose/weights/stored_tensor.h"

namespace rose {

/// Whether a file is one of torch.save's, of any version.
bool IsTorchFile(std::span<const std::byte> file);

/// The tensors of a file that torch.save wrote (pytorch_model.bin, *.pt; torch's own notes:
/// "Serialization semantics"): a zip archive of one pickle, which names the tensors, and of their
/// bytes. What is read is a dict of tensors by name, or one under the key "state_dict". Nothing of
/// the file is executed: of globals only those that stand for tensors and dicts are known, any
/// other is refused by name. Tensors that lie in the file as views in another order are copied.
/// `file` is the whole file and outlives the result, which may hold several tensors over the same
/// bytes; `file_name` stands in front of every error. Whatever the bytes, nothing read through the
/// result lies outside the file.
absl::StatusOr<std::vector<StoredTensor>> ParseTorchFile(std::span<const std::byte> file,
                                                         std::string_view file_name);

}  // namespace rose
