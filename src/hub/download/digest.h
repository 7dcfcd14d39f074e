#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "common/status.h"

namespace hub {

/// The digests by which a hub names a file's bytes: SHA-256 for what git-lfs keeps, and the SHA-1
/// that git gives a blob, of "blob SIZE\0" and the bytes, for all else.
enum class DigestKind { kSha256, kGitSha1 };

/// Told by the number of hex digits; nothing if `etag` is something else.
std::optional<DigestKind> DigestKindOf(std::string_view etag);

/// Lower-case hex digits for the file's bytes.
absl::StatusOr<std::string> FileDigest(const std::filesystem::path& file, DigestKind kind);

}  // namespace hub
