#include "text/decoders/replace_all.h"

#include "text/unicode/utf8.h"

namespace text {
namespace {

std::string Interspersed(std::string_view text, std::string_view with) {
  std::string out(with);
  for (std::size_t at = 0; at < text.size();) {
    AppendUtf8(DecodeUtf8(text, at), out);
    out += with;
  }
  return out;
}

}  // namespace

std::string ReplaceAll(std::string_view text, std::string_view from, std::string_view to) {
  if (from.empty()) return Interspersed(text, to);
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string_view::npos; copied = at) {
    out.append(text, copied, at - copied);
    out += to;
    at += from.size();
  }
  out.append(text, copied);
  return out;
}

std::string WithoutSpaces(std::string piece) {
  constexpr std::pair<std::string_view, std::string_view> kRules[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},     {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},   {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"},
  };
  for (const auto& [from, to] : kRules) piece = ReplaceAll(piece, from, to);
  return piece;
}

}  // namespace text
