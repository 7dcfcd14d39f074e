#include "wire/sequence_error.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace wire {
namespace {

constexpr std::string_view kHead = "sequence ";
constexpr std::string_view kBehindNumber = ": ";

}  // namespace

absl::Status SequenceError(absl::StatusCode code, std::size_t sequence, std::string_view message) {
  return {code, fmt::format("{}{}{}{}", kHead, sequence, kBehindNumber, message)};
}

std::optional<SequenceFault> ParseSequenceError(const absl::Status& status) {
  std::string_view text(status.message().data(), status.message().size());
  if (!text.starts_with(kHead)) return std::nullopt;
  text.remove_prefix(kHead.size());
  SequenceFault fault;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fault.sequence);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.starts_with(kBehindNumber)) return std::nullopt;
  fault.message = text.substr(kBehindNumber.size());
  return fault;
}

}  // namespace wire
