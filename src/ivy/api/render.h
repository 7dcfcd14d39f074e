#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ivy/job/answer.h"

namespace ivy {

/// Appends "[0.1,-2.5e-05,…]": of each number the shortest text that reads back as the same float.
/// All values finite.
void AppendFloats(std::span<const float> values, std::string& out);

/// Appends "[[…],[…]]".
void AppendRows(const Answer::Vectors& rows, std::string& out);

/// Appends "[{"index":7,"value":0.5},…]".
void AppendSparse(const Answer::SparseVector& vector, std::string& out);

/// Appends "[1,-2,…]".
void AppendIntegers(std::span<const int8_t> values, std::string& out);
void AppendIntegers(std::span<const uint8_t> values, std::string& out);

/// Appends the quoted base64 of the bytes.
void AppendBase64(std::span<const uint8_t> bytes, std::string& out);
/// Little-endian.
std::span<const uint8_t> BytesOf(std::span<const float> values);

/// Upper bounds of what they append.
std::size_t FloatsBytesMax(std::size_t values);
std::size_t IntegersBytesMax(std::size_t values);
std::size_t Base64Bytes(std::size_t bytes);

}  // namespace ivy
