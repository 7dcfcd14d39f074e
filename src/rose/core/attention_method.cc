#include "rose/core/attention_method.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace rose {
namespace {

/// In the order of the enumerators.
constexpr std::array<std::string_view, 6> kNames = {"simple", "fa2",   "fa3",
                                                    "fa4",    "cudnn", "short"};
static_assert(kNames[static_cast<std::size_t>(AttentionMethod::kSimple)] == "simple" &&
              kNames[static_cast<std::size_t>(AttentionMethod::kFa4)] == "fa4" &&
              kNames[static_cast<std::size_t>(AttentionMethod::kShort)] == kNames.back());

}  // namespace

std::string_view AttentionMethodName(AttentionMethod method) {
  return kNames[static_cast<std::size_t>(method)];
}

absl::StatusOr<std::optional<AttentionMethod>> ParseAttention(std::string_view name) {
  if (name == "auto") return std::nullopt;
  const auto found = std::ranges::find(kNames, name);
  if (found != kNames.end()) return static_cast<AttentionMethod>(found - kNames.begin());
  return absl::InvalidArgumentError(fmt::format("--attention: expected one of auto, {}, got \"{}\"",
                                                fmt::join(kNames, ", "), name));
}

}  // namespace rose
