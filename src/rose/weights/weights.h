#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"
#include "rose/weights/host_tensor.h"

namespace rose {

/// A model's tensors by name, each to be read exactly once: a family asks for what it needs, names
/// what it knowingly leaves, and Finish refuses whatever remains, so that a misread checkpoint
/// never serves. Lives only while a model loads. One thread.
class Weights {
 public:
  /// Maps the files, safetensors or torch's (told apart by their content), and reads their headers;
  /// touches no tensor's bytes. InvalidArgument names the file, and the tensor that is malformed or
  /// stands in two files.
  static absl::StatusOr<std::unique_ptr<Weights>> Open(
      std::span<const std::filesystem::path> files);

  /// Stands in for the files of a model of which only config.json is there: gives any tensor asked
  /// for, in float32, from N(0, 0.02²); ones for the weights and zeros for the biases of norms.
  /// The values depend on the seed and the tensor's name alone. Nothing is ever unread.
  static std::unique_ptr<Weights> Random(uint64_t seed);

  virtual ~Weights() = default;

  /// Checkpoints of one family come with or without a prefix, e.g. {"bert."}: from now on a name
  /// that is not there as it stands is also looked for behind each of these.
  virtual void AcceptPrefixes(std::vector<std::string> prefixes) = 0;

  /// True if Get would find the tensor: for what a checkpoint may leave out (tied heads, biases).
  /// Random has no optional tensors.
  virtual bool Has(std::string_view name) const = 0;

  /// The tensor, stored as float32, float16 or bfloat16 and of exactly this shape.
  /// A norm's `weight` and `bias` are also found under their old names, `gamma` and `beta`.
  /// NotFound names the tensor, InvalidArgument also its shape or type and what was expected. A
  /// second Get of the same tensor is a CHECK.
  virtual absl::StatusOr<HostTensor> Get(std::string_view name, std::span<const int64_t> shape) = 0;
  absl::StatusOr<HostTensor> Get(std::string_view name, std::initializer_list<int64_t> shape) {
    return Get(name, std::span<const int64_t>(shape.begin(), shape.size()));
  }

  /// The same for a tensor that serves twice (a table of embeddings whose rows are also a head's
  /// matrix): any number of times, before or after Get.
  virtual absl::StatusOr<HostTensor> GetTied(std::string_view name,
                                             std::span<const int64_t> shape) = 0;

  /// Knowingly leaves every tensor whose name (a prefix aside) matches, of whatever type. A `*`
  /// stands for any characters: Skip("embeddings.position_ids"), Skip("pooler.*"). No match is
  /// fine.
  virtual void Skip(std::string_view pattern) = 0;

  /// Of all tensors as stored; 0 for Random.
  virtual int64_t bytes() const = 0;

  /// InvalidArgument naming the tensors that were neither read nor skipped.
  virtual absl::Status Finish() const = 0;
};

}  // namespace rose
