#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hub {

/// 16 hex digits over the parts and their boundaries (FNV-1a, 64 bits). Tells two model folders
/// apart that differ by accident; not proof against intent.
std::string Fingerprint(const std::vector<std::string_view>& parts);

}  // namespace hub
