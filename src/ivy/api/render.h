#pragma once

#include <span>
#include <string>

namespace ivy {

/// Appends "[0.1,-2.5e-05,…]": of each number the shortest text that reads back as the same float.
/// All values finite.
void AppendFloats(std::span<const float> values, std::string& out);

/// Appends the quoted base64 of the values' little-endian bytes.
void AppendBase64(std::span<const float> values, std::string& out);

/// Upper bounds of what the two append.
std::size_t FloatsBytesMax(std::size_t values);
std::size_t Base64Bytes(std::size_t values);

}  // namespace ivy
