#pragma once

#include <string>
#include <string_view>

#include "text/unicode/canonical_order.h"

namespace text {

/// What a normalizer works in, part of the caller's Scratch.
struct NormalizerScratch {
  CanonicalOrder marks;
};

/// The first step: text → text in the form that the vocabulary was made for. Immutable.
class Normalizer {
 public:
  virtual ~Normalizer() = default;

  /// Appends the normal form of `text` (well-formed UTF-8) to `out`.
  virtual void Normalize(std::string_view text, NormalizerScratch& scratch,
                         std::string& out) const = 0;

  /// Whether texts may be cut before any space or line break, normalized apart and joined.
  virtual bool CutsAtBlanks() const = 0;
  /// Whether every letter comes out in lower case.
  virtual bool LowerCases() const = 0;
};

}  // namespace text
