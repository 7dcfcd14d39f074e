#include "text/unicode/compatibility.h"

#include "text/unicode/tables.h"

namespace text {

const Compatibility& Compatibility::Get() {
  static const Compatibility& compatibility = *new Compatibility;
  return compatibility;
}

Compatibility::Compatibility() : decompositions_(1) {
  for (const CompatibilityRun& run : kCompatibilityRuns) {
    char32_t c = run.first;
    for (std::size_t at = 0; at < run.to.size(); at += run.parts) {
      indices_.At(c++) = static_cast<uint16_t>(decompositions_.size());
      decompositions_.push_back(run.to.substr(at, run.parts));
    }
  }
}

}  // namespace text
