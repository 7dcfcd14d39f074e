#include "rose/weights/printable.h"

#include <algorithm>

namespace rose {
namespace {

constexpr std::size_t kLengthMax = 500;

bool IsPrintableChar(char c) { return c >= ' ' && c <= '~'; }

}  // namespace

bool IsPrintable(std::string_view name) {
  return name.size() <= kLengthMax && std::all_of(name.begin(), name.end(), IsPrintableChar);
}

std::string Printable(std::string_view name) {
  std::string text(name.substr(0, kLengthMax));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return !IsPrintableChar(c); }, '?');
  return text;
}

}  // namespace rose
