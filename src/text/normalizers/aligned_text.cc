#include "text/normalizers/aligned_text.h"

#include "common/check.h"
#include "text/unicode/utf8.h"

namespace text {

AlignedText::AlignedText(std::string_view original, uint32_t offset)
    : bytes_(original), start_{offset, offset} {
  sources_.reserve(original.size());
  for (std::size_t at = 0; at < original.size();) {
    const std::size_t begin = at;
    DecodeUtf8(original, at);
    const SourceSpan source{offset + static_cast<uint32_t>(begin),
                            offset + static_cast<uint32_t>(at)};
    sources_.insert(sources_.end(), at - begin, source);
  }
}

void AlignedText::Transform(std::size_t begin, std::size_t end, std::span<const Change> changes,
                            std::size_t removed) {
  std::string bytes(bytes_, 0, begin);
  std::vector<SourceSpan> sources(sources_.begin(),
                                  sources_.begin() + static_cast<std::ptrdiff_t>(begin));
  std::size_t at = begin;  // Of the next old character.
  const auto pass = [&](std::size_t characters) {
    for (; characters > 0 && at < end; --characters) DecodeUtf8(bytes_, at);
  };
  pass(removed);
  for (const auto& [character, change] : changes) {
    DCHECK(change > 0 || at < end);
    const SourceSpan source = change > 0 ? SourceBefore(at) : sources_[at];
    if (change <= 0) pass(static_cast<std::size_t>(1 - change));
    AppendUtf8(character, bytes);
    sources.resize(bytes.size(), source);
  }
  bytes.append(bytes_, end);
  sources.insert(sources.end(), sources_.begin() + static_cast<std::ptrdiff_t>(end),
                 sources_.end());
  bytes_ = std::move(bytes);
  sources_ = std::move(sources);
}

void AlignedText::Filter(absl::FunctionRef<bool(char32_t)> keep) {
  std::vector<Change> changes;
  std::size_t removed = 0;  // In front of the first that is kept.
  for (std::size_t at = 0; at < bytes_.size();) {
    const char32_t c = DecodeUtf8(bytes_, at);
    if (keep(c)) {
      changes.push_back({c, 0});
    } else if (changes.empty()) {
      ++removed;
    } else {
      --changes.back().change;
    }
  }
  Transform(0, bytes_.size(), changes, removed);
}

void AlignedText::Expand(absl::FunctionRef<void(char32_t, std::string& out)> append) {
  std::string bytes;
  std::vector<SourceSpan> sources;
  for (std::size_t at = 0; at < bytes_.size();) {
    const SourceSpan source = sources_[at];
    append(DecodeUtf8(bytes_, at), bytes);
    sources.resize(bytes.size(), source);
  }
  bytes_ = std::move(bytes);
  sources_ = std::move(sources);
}

void AlignedText::Replace(std::span<const Replacement> replacements) {
  std::string bytes;
  std::vector<SourceSpan> sources;
  std::size_t at = 0;
  const auto copy_until = [&](std::size_t end) {
    bytes.append(bytes_, at, end - at);
    sources.insert(sources.end(), sources_.begin() + static_cast<std::ptrdiff_t>(at),
                   sources_.begin() + static_cast<std::ptrdiff_t>(end));
    at = end;
  };
  for (const Replacement& replacement : replacements) {
    copy_until(replacement.begin);
    at = replacement.end;
    bytes += replacement.bytes;
    sources.resize(bytes.size(), SourceBefore(at));
  }
  copy_until(bytes_.size());
  bytes_ = std::move(bytes);
  sources_ = std::move(sources);
}

}  // namespace text
