#pragma once

// For tests: weights of a .safetensors file made infinite or NaN.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "rose/core/bfloat16.h"

namespace rose {

/// A tensor of a .safetensors file, of float32, float16 or bfloat16.
struct Place {
  std::string tensor;
  bool is_table = false;  ///< Of which an answer needs some rows only.
  bool is_half = false;   ///< float16; else bfloat16 or float32, by the size of an element.
  std::size_t element_bytes = 0;
  std::size_t row_bytes = 0;
  std::size_t begin = 0, end = 0;
};

inline std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void WriteFile(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

/// All tensors of a file that holds `bytes`.
inline std::vector<Place> PlacesIn(const std::string& bytes) {
  uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data(), sizeof(header_bytes));
  const auto header = nlohmann::json::parse(bytes.substr(8, header_bytes));
  std::vector<Place> places;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const std::vector<std::size_t> shape = entry.at("shape"), offsets = entry.at("data_offsets");
    const std::string dtype = entry.at("dtype");
    const std::size_t element_bytes = dtype == "F32" ? 4 : 2;
    places.push_back({.tensor = name,
                      .is_table = (name.find("embed") != name.npos && shape.size() == 2) ||
                                  name == "lm_head.weight",
                      .is_half = dtype == "F16",
                      .element_bytes = element_bytes,
                      .row_bytes = shape.back() * element_bytes,
                      .begin = 8 + header_bytes + offsets[0],
                      .end = 8 + header_bytes + offsets[1]});
  }
  return places;
}

/// The file `bytes` with `value` as the first element of every row of a tensor, so that every token
/// meets it.
inline std::string Spoilt(std::string bytes, const Place& place, float value) {
  const bool is_nan = std::isnan(value);
  const uint16_t half = static_cast<uint16_t>((value < 0 ? 0xfc00 : 0x7c00) | (is_nan ? 1 : 0));
  const uint16_t stored = place.is_half ? half : BFloat16::FromFloat(value).bits;
  for (std::size_t at = place.begin; at < place.end; at += place.row_bytes) {
    const void* from = &value;
    if (place.element_bytes == sizeof(stored)) from = &stored;
    std::memcpy(bytes.data() + at, from, place.element_bytes);
  }
  return bytes;
}

}  // namespace rose
