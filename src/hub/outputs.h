#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hub {

/// What a model may give of a sequence. Several come from one pass.
enum class Output : uint8_t {
  kDense,    ///< One vector: pooled, then what the folder's modules make of it.
  kScores,   ///< A classifier's logits, one for each label; a reranker has one.
  kSparse,   ///< Weights of vocabulary ids, those above 0.
  kTokens,   ///< The last hidden state of each token.
  kColbert,  ///< A vector for late interaction of each token; bge-m3 leaves out the first.
};

inline constexpr std::array kAllOutputs = {Output::kDense, Output::kScores, Output::kSparse,
                                           Output::kTokens, Output::kColbert};

/// "dense", "scores", …: as requests, /info and inspect write it.
constexpr const char* OutputName(Output output) {
  switch (output) {
    case Output::kDense:
      return "dense";
    case Output::kScores:
      return "scores";
    case Output::kSparse:
      return "sparse";
    case Output::kTokens:
      return "tokens";
    case Output::kColbert:
      return "colbert";
  }
  return "unknown";
}

/// A set of them.
class Outputs {
 public:
  constexpr Outputs() = default;
  constexpr Outputs(Output output) : bits_(Bit(output)) {}  // One is a set too: no explicit.

  constexpr bool Has(Output output) const { return (bits_ & Bit(output)) != 0; }
  constexpr bool HasAll(Outputs others) const { return (bits_ & others.bits_) == others.bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr Outputs operator|(Outputs others) const {
    Outputs both;
    both.bits_ = static_cast<uint8_t>(bits_ | others.bits_);
    return both;
  }
  constexpr Outputs& operator|=(Outputs others) { return *this = *this | others; }
  constexpr bool operator==(const Outputs&) const = default;

 private:
  static constexpr uint8_t Bit(Output output) {
    return static_cast<uint8_t>(1u << static_cast<unsigned>(output));
  }

  uint8_t bits_ = 0;
};

/// The names of those in the set, in the order of kAllOutputs.
inline std::vector<std::string_view> OutputNames(Outputs outputs) {
  std::vector<std::string_view> names;
  for (const Output output : kAllOutputs) {
    if (outputs.Has(output)) names.emplace_back(OutputName(output));
  }
  return names;
}

/// One T for each output.
template <typename T>
class PerOutput {
 public:
  T& operator[](Output output) { return entries_[static_cast<std::size_t>(output)]; }
  const T& operator[](Output output) const { return entries_[static_cast<std::size_t>(output)]; }

 private:
  std::array<T, kAllOutputs.size()> entries_{};
};

}  // namespace hub
