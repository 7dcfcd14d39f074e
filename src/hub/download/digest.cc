#include "hub/download/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <vector>

#include "absl/strings/ascii.h"
#include "common/check.h"
#include "common/hex.h"
#include "hub/download/file_error.h"

namespace hub {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;
using File = std::unique_ptr<std::FILE, decltype(&std::fclose)>;

std::string End(const Context& context) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  CHECK(EVP_DigestFinal_ex(context.get(), bytes.data(), &size) == 1);
  return common::Hex(std::span(bytes).first(size));
}

}  // namespace

std::optional<DigestKind> DigestKindOf(std::string_view etag) {
  if (!std::all_of(etag.begin(), etag.end(), [](char c) { return absl::ascii_isxdigit(c); })) {
    return std::nullopt;
  }
  if (etag.size() == 64) return DigestKind::kSha256;
  if (etag.size() == 40) return DigestKind::kGitSha1;
  return std::nullopt;
}

absl::StatusOr<std::string> FileDigest(const std::filesystem::path& file, DigestKind kind) {
  const File stream(std::fopen(file.c_str(), "rb"), &std::fclose);
  if (!stream) return FileError(file, "read back", errno);
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) return FileError(file, "read back", error.value());
  const Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  CHECK(context != nullptr);
  const EVP_MD* const algorithm = kind == DigestKind::kSha256 ? EVP_sha256() : EVP_sha1();
  CHECK(EVP_DigestInit_ex(context.get(), algorithm, nullptr) == 1);
  if (kind == DigestKind::kGitSha1) {
    const std::string header = fmt::format("blob {}", size);
    CHECK(EVP_DigestUpdate(context.get(), header.c_str(), header.size() + 1) == 1);
  }
  std::vector<char> block(kBlockBytes);
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), stream.get())) {
    CHECK(EVP_DigestUpdate(context.get(), block.data(), count) == 1);
  }
  if (std::ferror(stream.get()) != 0) return FileError(file, "read back", errno);
  return End(context);
}

}  // namespace hub
