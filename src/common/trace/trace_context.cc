#include "common/trace/trace_context.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "common/hex.h"

namespace common {
namespace {

constexpr std::size_t kParentLength = 55;  // 00-<32>-<16>-<2>
constexpr std::size_t kStateLengthMax = 512;
constexpr std::size_t kStateMembersMax = 32;
constexpr std::size_t kStateValueMax = 256;

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

/// Lower-case digits, two for each of `bytes`.
bool ReadHex(std::string_view text, std::span<uint8_t> bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = DigitOf(text[2 * i]), low = DigitOf(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    bytes[i] = static_cast<uint8_t>(16 * high + low);
  }
  return true;
}

/// Of a version to come, what follows the flags is not looked at.
bool LengthFits(uint8_t version, std::string_view parent) {
  if (version == 0) return parent.size() == kParentLength;
  return parent.size() == kParentLength || parent[kParentLength] == '-';
}

bool ReadParent(std::string_view parent, TraceContext& context) {
  if (parent.size() < kParentLength) return false;
  if (parent[2] != '-' || parent[35] != '-' || parent[52] != '-') return false;
  uint8_t version = 0, flags = 0;
  if (!ReadHex(parent, std::span(&version, 1)) || version == 0xff) return false;
  if (!LengthFits(version, parent)) return false;
  if (!ReadHex(parent.substr(3), context.trace_id)) return false;
  if (!ReadHex(parent.substr(36), context.span_id)) return false;
  if (!ReadHex(parent.substr(53), std::span(&flags, 1))) return false;
  context.sampled = (flags & 1) != 0;
  return context.valid() && context.span_id != SpanId{};
}

bool IsName(std::string_view text, std::size_t length_max) {
  return !text.empty() && text.size() <= length_max && std::ranges::all_of(text, [](char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '_' || c == '-' || c == '*' ||
           c == '/';
  });
}

/// "vendor", or "tenant@vendor".
bool IsKey(std::string_view key) {
  const std::size_t at = key.find('@');
  if (at == std::string_view::npos) return IsName(key, 256) && absl::ascii_islower(key[0]);
  const std::string_view tenant = key.substr(0, at), system = key.substr(at + 1);
  if (!IsName(tenant, 241) || !IsName(system, 14)) return false;
  return (absl::ascii_islower(tenant[0]) || absl::ascii_isdigit(tenant[0])) &&
         absl::ascii_islower(system[0]);
}

bool IsValue(std::string_view value) {
  return !value.empty() && value.size() <= kStateValueMax && std::ranges::all_of(value, [](char c) {
    return c >= ' ' && c <= '~' && c != ',' && c != '=';
  });
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string ReadState(std::string_view header) {
  std::string state;
  std::size_t members = 0;
  bool full = false;
  while (!header.empty()) {
    const std::size_t comma = std::min(header.find(','), header.size());
    const std::string_view member = Trim(header.substr(0, comma));
    header.remove_prefix(std::min(comma + 1, header.size()));
    if (member.empty()) continue;
    const std::size_t equals = member.find('=');
    if (equals == std::string_view::npos || ++members > kStateMembersMax) return {};
    if (!IsKey(member.substr(0, equals)) || !IsValue(member.substr(equals + 1))) return {};
    full = full || state.size() + 1 + member.size() > kStateLengthMax;
    if (full) continue;
    if (!state.empty()) state += ',';
    state += member;
  }
  return state;
}

}  // namespace

TraceContext ReadTraceContext(std::string_view traceparent, std::string_view tracestate) {
  TraceContext context;
  if (!ReadParent(traceparent, context)) return {};
  context.state = ReadState(tracestate);
  return context;
}

std::string TraceParent(const TraceContext& context) {
  return "00-" + Hex(context.trace_id) + '-' + Hex(context.span_id) +
         (context.sampled ? "-01" : "-00");
}

std::string TraceNote(const TraceContext& context) {
  return context.valid() ? " (trace " + Hex(context.trace_id) + ")" : std::string();
}

}  // namespace common
