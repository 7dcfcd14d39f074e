#pragma once

#include <cstdint>
#include <span>

#include "hub/outputs.h"
#include "rose/core/output_rows.h"
#include "tulip/sched/batch_plan.h"

namespace tulip {

/// A run of sequences, with their tokens.
struct Extent {
  int64_t sequence = 0;  ///< The first.
  int64_t sequences = 0;
  int64_t token = 0;  ///< The first.
  int64_t tokens = 0;
};

/// The rows of one slice among those of its step, addressed by extents within the slice. A view.
class SliceRows {
 public:
  /// `sequence`, `token`: where the slice begins in its batch. All references outlive it.
  SliceRows(const Slice& slice, int64_t sequence, int64_t token,
            const hub::PerOutput<rose::OutputRows>& outputs,
            const hub::PerOutput<rose::OutputShape>& shapes)
      : slice_(slice), sequence_(sequence), token_(token), outputs_(outputs), shapes_(shapes) {}

  const Slice& slice() const { return slice_; }
  const rose::OutputShape& shape(hub::Output output) const { return shapes_[output]; }

  std::span<const float> Values(hub::Output output, const Extent& extent) const {
    const rose::OutputShape& shape = shapes_[output];
    const int64_t first = shape.rows(sequence_ + extent.sequence, token_ + extent.token);
    const int64_t rows = shape.rows(extent.sequences, extent.tokens);
    return outputs_[output].values.subspan(static_cast<std::size_t>(first * shape.columns),
                                           static_cast<std::size_t>(rows * shape.columns));
  }
  std::span<const int32_t> Ids(const Extent& extent) const {
    return std::span(slice_.request->asked.ids)
        .subspan(static_cast<std::size_t>(slice_.token + extent.token),
                 static_cast<std::size_t>(extent.tokens));
  }

  Extent Whole() const { return {.sequences = slice_.sequences, .tokens = slice_.tokens}; }
  /// Calls visit(extent) for each sequence.
  template <typename Visit>
  void ForEachSequence(const Visit& visit) const {
    Extent one = {.sequences = 1};
    for (; one.sequence < slice_.sequences; ++one.sequence) {
      one.tokens = slice_.request->asked.lengths[slice_.sequence + one.sequence];
      visit(one);
      one.token += one.tokens;
    }
  }

 private:
  const Slice& slice_;
  const int64_t sequence_;
  const int64_t token_;
  const hub::PerOutput<rose::OutputRows>& outputs_;
  const hub::PerOutput<rose::OutputShape>& shapes_;
};

}  // namespace tulip
