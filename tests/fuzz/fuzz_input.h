#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

/// An input taken apart from its front. What is taken behind the end is zeros.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, std::size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}

  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  template <typename T>
  T Take() {
    T value{};
    const std::size_t size = std::min(sizeof(T), rest_.size());
    if (size > 0) std::memcpy(&value, rest_.data(), size);
    rest_.remove_prefix(size);
    return value;
  }
  /// Two bytes' worth of a number from `first` to `last`.
  int64_t Number(int64_t first, int64_t last) {
    return first + Take<uint16_t>() % (last - first + 1);
  }
  bool Flag() { return (Take<uint8_t>() & 1) != 0; }

  /// Up to the first `end`, which goes; all if there is none.
  std::string_view TakeUntil(char end) {
    const std::string_view taken = rest_.substr(0, rest_.find(end));
    rest_.remove_prefix(std::min(taken.size() + 1, rest_.size()));
    return taken;
  }

 private:
  std::string_view rest_;
};
