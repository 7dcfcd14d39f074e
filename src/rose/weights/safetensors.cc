#include "rose/weights/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "common/json.h"

namespace rose {
namespace {

using nlohmann::json;

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kHeaderBytesMax = 100'000'000;  // The format's own bound.

// Bits of one element, for every type of the format's specification.
const std::map<std::string_view, uint64_t> kDTypeBits = {
    {"F4", 4},          {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"BOOL", 8},    {"U8", 8},
    {"I8", 8},          {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
    {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},    {"BF16", 16},
    {"I32", 32},        {"U32", 32},    {"F32", 32},    {"F64", 64},    {"I64", 64},
    {"U64", 64},        {"C64", 64}};

class HeaderReader {
 public:
  HeaderReader(std::span<const std::byte> data, std::string_view file_name)
      : data_(data), file_name_(file_name) {}

  absl::StatusOr<StoredTensor> Read(const std::string& name, const json& entry) const {
    const auto dtype = entry.find("dtype");
    if (dtype == entry.end() || !dtype->is_string()) return Refuse(name, "dtype: expected a name");
    StoredTensor tensor = {.name = name, .dtype = dtype->get<std::string>()};
    const auto bits = kDTypeBits.find(tensor.dtype);
    if (bits == kDTypeBits.end()) {
      return Refuse(name, fmt::format("dtype: unknown type \"{}\"", tensor.dtype));
    }
    ASSIGN_OR_RETURN(tensor.shape, ReadShape(name, entry));
    ASSIGN_OR_RETURN(tensor.bytes, ReadBytes(name, entry));
    const std::optional<uint64_t> expected = ByteCount(tensor.shape, bits->second);
    if (!expected || *expected != tensor.bytes.size()) {
      return Refuse(name, fmt::format("data_offsets: {} bytes do not hold {} {}",
                                      tensor.bytes.size(), tensor.dtype, tensor.shape));
    }
    return tensor;
  }

  absl::Status Refuse(std::string_view tensor, std::string_view problem) const {
    return absl::InvalidArgumentError(fmt::format("{}: {}: {}", file_name_, tensor, problem));
  }

 private:
  absl::StatusOr<std::vector<int64_t>> ReadShape(const std::string& name, const json& entry) const {
    const auto shape = entry.find("shape");
    if (shape == entry.end() || !shape->is_array()) return Refuse(name, "shape: expected a list");
    std::vector<int64_t> extents;
    for (const json& extent : *shape) {
      if (!extent.is_number_unsigned() ||
          extent.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        return Refuse(name, fmt::format("shape: expected extents of 0 or more, got {}",
                                        shape->dump(-1, ' ', true)));
      }
      extents.push_back(extent.get<int64_t>());
    }
    return extents;
  }

  absl::StatusOr<std::span<const std::byte>> ReadBytes(const std::string& name,
                                                       const json& entry) const {
    const auto offsets = entry.find("data_offsets");
    if (offsets == entry.end() || !offsets->is_array() || offsets->size() != 2 ||
        !(*offsets)[0].is_number_unsigned() || !(*offsets)[1].is_number_unsigned()) {
      return Refuse(name, "data_offsets: expected [begin, end]");
    }
    const auto begin = (*offsets)[0].get<uint64_t>();
    const auto end = (*offsets)[1].get<uint64_t>();
    if (begin > end) {
      return Refuse(name, fmt::format("data_offsets: end {} lies before begin {}", end, begin));
    }
    if (end > data_.size()) {
      return Refuse(name, fmt::format("data_offsets: end {} lies behind the {} bytes of the file's "
                                      "data: the file is cut off",
                                      end, data_.size()));
    }
    return data_.subspan(begin, end - begin);
  }

  /// Nothing if the product does not fit or is no whole number of bytes.
  static std::optional<uint64_t> ByteCount(const std::vector<int64_t>& shape, uint64_t bits) {
    uint64_t total_bits = bits;
    for (int64_t extent : shape) {
      if (__builtin_mul_overflow(total_bits, static_cast<uint64_t>(extent), &total_bits)) {
        return std::nullopt;
      }
    }
    if (total_bits % 8 != 0) return std::nullopt;
    return total_bits / 8;
  }

  std::span<const std::byte> data_;
  std::string_view file_name_;
};

absl::Status RefuseFile(std::string_view file_name, std::string_view problem) {
  return absl::InvalidArgumentError(fmt::format("{}: {}", file_name, problem));
}

/// The header's bytes; what follows them is data.
absl::StatusOr<std::string_view> HeaderBytes(std::span<const std::byte> file,
                                             std::string_view file_name) {
  if (file.size() < kLengthBytes) {
    return RefuseFile(file_name, fmt::format("{} bytes hold no safetensors header", file.size()));
  }
  uint64_t length = 0;
  for (uint64_t i = 0; i < kLengthBytes; ++i) {
    length |= std::to_integer<uint64_t>(file[i]) << (8 * i);
  }
  const uint64_t length_max = std::min(kHeaderBytesMax, file.size() - kLengthBytes);
  if (length < 2 || length > length_max) {
    return RefuseFile(file_name,
                      fmt::format("header length: expected 2 … {}, got {}", length_max, length));
  }
  return std::string_view(reinterpret_cast<const char*>(file.data()) + kLengthBytes, length);
}

/// Objects keep the last of two equal keys; a tensor that is described twice is refused instead.
absl::Status CheckKeysUnique(std::string_view header, std::string_view file_name) {
  std::set<std::string> names;
  std::optional<std::string> twice;
  const auto note_key = [&](int depth, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::key && depth == 1 &&
        !names.insert(parsed.get_ref<const std::string&>()).second) {
      twice = parsed.get_ref<const std::string&>();
    }
    // Without its key no entry is kept: the parser looks through those it has at the end of each.
    return event != json::parse_event_t::key;
  };
  [[maybe_unused]] const json none = json::parse(header, note_key);
  if (!twice) return absl::OkStatus();
  return RefuseFile(file_name, fmt::format("header: {} is described twice", *twice));
}

/// Sorts by position and checks that the tensors cover the data exactly.
absl::Status CheckCover(std::vector<StoredTensor>& tensors, std::span<const std::byte> data,
                        const HeaderReader& reader) {
  std::stable_sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) {
    return a.bytes.data() != b.bytes.data() ? a.bytes.data() < b.bytes.data()
                                            : a.bytes.size() < b.bytes.size();
  });
  const std::byte* covered = data.data();
  for (const StoredTensor& tensor : tensors) {
    if (tensor.bytes.data() != covered) {
      return reader.Refuse(
          tensor.name, fmt::format("data_offsets: begin {} leaves a hole or overlaps, expected {}",
                                   tensor.bytes.data() - data.data(), covered - data.data()));
    }
    covered += tensor.bytes.size();
  }
  const std::byte* end = data.data() + data.size();
  if (covered == end) return absl::OkStatus();
  return reader.Refuse(
      "header", fmt::format("the last {} bytes of the file belong to no tensor", end - covered));
}

}  // namespace

absl::StatusOr<std::vector<StoredTensor>> ParseSafetensors(std::span<const std::byte> file,
                                                           std::string_view file_name) {
  ASSIGN_OR_RETURN(const std::string_view header, HeaderBytes(file, file_name));
  ASSIGN_OR_RETURN(const json entries,
                   common::ParseJson(header, fmt::format("{}: header", file_name)));
  if (!entries.is_object()) return RefuseFile(file_name, "header: expected a JSON object");
  RETURN_IF_ERROR(CheckKeysUnique(header, file_name));
  const std::span<const std::byte> data = file.subspan(kLengthBytes + header.size());
  const HeaderReader reader(data, file_name);
  std::vector<StoredTensor> tensors;
  for (const auto& [name, entry] : entries.items()) {
    if (name == "__metadata__") continue;
    if (!entry.is_object()) return reader.Refuse(name, "expected an object");
    ASSIGN_OR_RETURN(StoredTensor tensor, reader.Read(name, entry));
    tensors.push_back(std::move(tensor));
  }
  RETURN_IF_ERROR(CheckCover(tensors, data, reader));
  return tensors;
}

}  // namespace rose
