#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/check.h"
#include "text/tokenizer.h"

/// CHECKs what holds for each text: following offsets gives the same ids, each with a place in the
/// text, and truncation keeps an end of them.
inline void CheckEncodings(const text::Tokenizer& tokenizer, std::string_view text) {
  constexpr std::size_t kKept = 7;
  text::Scratch scratch;
  std::vector<int32_t> all;
  const text::EncodeOptions plain = {.add_special_tokens = false};
  CHECK(tokenizer.Encode(text, plain, scratch, all) == all.size());
  const auto detail = tokenizer.EncodeInDetail(text, std::nullopt, plain, scratch);
  CHECK(detail.ok()) << detail.status();
  CHECK(detail->ids == all);
  for (const auto& [begin, end] : detail->offsets) {
    CHECK(begin <= end && end <= text.size()) << begin << ".." << end;
  }
  for (const int32_t id : all) CHECK(id >= 0 && id < tokenizer.vocabulary_size()) << id;

  const std::size_t count = std::min(kKept, all.size());
  for (const auto side : {text::TruncationSide::kRight, text::TruncationSide::kLeft}) {
    std::vector<int32_t> kept;
    tokenizer.Encode(text,
                     {.add_special_tokens = false, .max_length = kKept, .truncation_side = side},
                     scratch, kept);
    const bool right = side == text::TruncationSide::kRight;
    CHECK(kept.size() == count);
    CHECK(std::equal(kept.begin(), kept.end(),
                     right ? all.begin() : all.end() - static_cast<std::ptrdiff_t>(count)));
  }
  tokenizer.Decode(all, true);
}
