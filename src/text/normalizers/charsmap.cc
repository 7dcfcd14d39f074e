#include "text/normalizers/charsmap.h"

#include <fmt/format.h>

#include "text/unicode/utf8.h"

namespace text {
namespace {

constexpr std::size_t kUnitSize = sizeof(uint32_t);

uint32_t ReadLittleEndian(std::string_view bytes, std::size_t at) {
  uint32_t value = 0;
  for (std::size_t i = kUnitSize; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

// A unit is either a value, of which the highest bit is set, or a node.
bool IsValue(uint32_t unit) { return unit >> 31 != 0; }
uint32_t Value(uint32_t unit) { return unit & 0x7FFFFFFF; }
bool EndsKey(uint32_t unit) { return (unit >> 8 & 1) != 0; }
// That of a value is none of a byte.
uint32_t Label(uint32_t unit) { return unit & 0x800000FF; }
uint32_t Offset(uint32_t unit) { return unit >> 10 << ((unit & 1u << 9) >> 6); }

}  // namespace

Charsmap::Charsmap(std::vector<uint32_t> units, std::string values)
    : units_(std::move(units)), values_(std::move(values)) {}

absl::StatusOr<Charsmap> Charsmap::FromBlob(std::string_view blob) {
  if (blob.size() < kUnitSize) return absl::InvalidArgumentError("the charsmap is cut off");
  const std::size_t size = ReadLittleEndian(blob, 0);
  blob.remove_prefix(kUnitSize);
  if (size == 0 || size % kUnitSize != 0 || size > blob.size()) {
    return absl::InvalidArgumentError(fmt::format(
        "the charsmap's trie has {} bytes of {}, expected a multiple of 4", size, blob.size()));
  }
  std::vector<uint32_t> units(size / kUnitSize);
  for (std::size_t i = 0; i < units.size(); ++i) units[i] = ReadLittleEndian(blob, i * kUnitSize);
  Charsmap charsmap(std::move(units), std::string(blob.substr(size)));
  RETURN_IF_ERROR(charsmap.CheckValues());
  return charsmap;
}

absl::Status Charsmap::CheckValues() const {
  if (!IsValidUtf8(values_))
    return absl::InvalidArgumentError("the charsmap's values are no UTF-8");
  for (std::size_t node = 0; node < units_.size(); ++node) {
    const uint32_t unit = units_[node];
    if (IsValue(unit) || !EndsKey(unit)) continue;
    const std::size_t leaf = node ^ Offset(unit);
    const std::size_t begin = leaf < units_.size() ? Value(units_[leaf]) : values_.size();
    if (begin >= values_.size() || ContinuesCharacter(values_[begin])) {
      return absl::InvalidArgumentError(
          fmt::format("the charsmap's unit {} leads to no value", node));
    }
  }
  return absl::OkStatus();
}

std::string_view Charsmap::ValueAt(uint32_t begin) const {
  const std::string_view rest = std::string_view(values_).substr(begin);
  return rest.substr(0, rest.find('\0'));
}

std::optional<std::string_view> Charsmap::Find(std::string_view text) const {
  std::size_t node = Offset(units_[0]);
  for (const char byte : text) {
    if (byte == '\0') break;
    node ^= static_cast<unsigned char>(byte);
    if (node >= units_.size()) break;
    const uint32_t unit = units_[node];
    if (Label(unit) != static_cast<unsigned char>(byte)) break;
    node ^= Offset(unit);
    if (EndsKey(unit)) return ValueAt(Value(units_[node]));
  }
  return std::nullopt;
}

bool Charsmap::Leads(std::string_view text) const {
  std::size_t node = Offset(units_[0]);
  for (const char byte : text) {
    node ^= static_cast<unsigned char>(byte);
    if (byte == '\0' || node >= units_.size()) return false;
    const uint32_t unit = units_[node];
    if (Label(unit) != static_cast<unsigned char>(byte)) return false;
    if (EndsKey(unit)) return true;
    node ^= Offset(unit);
  }
  return true;
}

}  // namespace text
