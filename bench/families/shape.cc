#include "bench/families/shape.h"

#include <fmt/format.h>

#include <charconv>

namespace bench {
namespace {

/// All of `text`, or 0.
int64_t PositiveNumber(std::string_view text) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && number > 0 ? number : 0;
}

}  // namespace

std::string Shape::name() const { return fmt::format("{}x{}", sequences, length); }

absl::StatusOr<Shape> ParseShape(std::string_view text) {
  const std::size_t cross = text.find('x');
  Shape shape{.sequences = PositiveNumber(text.substr(0, cross)), .length = 0};
  if (cross != std::string_view::npos) shape.length = PositiveNumber(text.substr(cross + 1));
  if (shape.sequences > 0 && shape.length > 0) return shape;
  return absl::InvalidArgumentError(
      fmt::format("--shape: expected SEQUENCESxTOKENS, such as 32x128, got \"{}\"", text));
}

FilledBatch::FilledBatch(const Shape& shape, int64_t vocabulary_size)
    : normalize_(static_cast<std::size_t>(shape.sequences), 1) {
  constexpr int64_t kStride = 7919;  // Prime to the vocabularies: rows all over the table.
  for (int64_t i = 0; i < shape.tokens(); ++i) {
    ids_.push_back(static_cast<int32_t>(i * kStride % vocabulary_size));
  }
  for (int64_t s = 0; s <= shape.sequences; ++s) {
    cu_seqlens_.push_back(static_cast<int32_t>(s * shape.length));
  }
}

rose::Batch FilledBatch::view() const {
  return {.ids = ids_,
          .type_ids = {},
          .cu_seqlens = cu_seqlens_,
          .prompt_lengths = {},
          .normalize = normalize_,
          .outputs = hub::Output::kDense};
}

}  // namespace bench
