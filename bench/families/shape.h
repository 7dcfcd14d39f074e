#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"
#include "rose/core/batch.h"

namespace bench {

/// Sequences of one length that go through a model at once.
struct Shape {
  int64_t sequences = 1;
  int64_t length = 1;  ///< Tokens of each.

  int64_t tokens() const { return sequences * length; }
  std::string name() const;  ///< "32x128"
};

/// "32x128". InvalidArgument names --shape and what was expected.
absl::StatusOr<Shape> ParseShape(std::string_view text);

/// A batch of a shape, its ids spread over the whole vocabulary.
class FilledBatch {
 public:
  FilledBatch(const Shape& shape, int64_t vocabulary_size);

  /// For the dense vector; lives as long as this.
  rose::Batch view() const;
  const std::vector<int32_t>& cu_seqlens() const { return cu_seqlens_; }

 private:
  std::vector<int32_t> ids_;
  std::vector<int32_t> cu_seqlens_;
  std::vector<uint8_t> normalize_;
};

}  // namespace bench
