#pragma once

#include <string>
#include <string_view>

namespace text {

/// 32 hex digits: SipHash-2-4-128 of `bytes` under a fixed key. Equal on every machine; guards
/// against mix-ups, not against malice.
std::string Fingerprint(std::string_view bytes);

}  // namespace text
