#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "common/check.h"
#include "rose/weights/norm_names.h"
#include "rose/weights/weight_file.h"
#include "rose/weights/weights.h"

namespace rose {
namespace {

/// The tensors of norms as the first BERT checkpoints name them; nothing for other names.
std::optional<std::string> OldName(std::string_view name) {
  for (const auto& [ending, old_ending] :
       {std::pair<std::string_view, std::string_view>{".weight", ".gamma"}, {".bias", ".beta"}}) {
    if (!name.ends_with(ending) || !BelongsToNorm(name)) continue;
    return fmt::format("{}{}", name.substr(0, name.size() - ending.size()), old_ending);
  }
  return std::nullopt;
}

class FileWeights final : public Weights {
 public:
  absl::Status Add(const std::filesystem::path& path) {
    ASSIGN_OR_RETURN(WeightFile file, WeightFile::Open(path));
    for (StoredTensor& tensor : file.tensors) {
      const std::string name = tensor.name;
      const auto [place, added] = tensors_.try_emplace(
          name,
          Entry{.tensor = std::move(tensor), .file_name = file.name, .mapping = file.mapping});
      if (added) continue;
      return absl::InvalidArgumentError(
          fmt::format("{}: {}: also stands in {}", file.name, name, place->second.file_name));
    }
    file_names_.push_back(std::move(file.name));
    return absl::OkStatus();
  }

  void AcceptPrefixes(std::vector<std::string> prefixes) override {
    for (std::string& prefix : prefixes) prefixes_.push_back(std::move(prefix));
  }

  bool Has(std::string_view name) const override { return Find(name).has_value(); }

  using Weights::Get;
  absl::StatusOr<HostTensor> Get(std::string_view name, std::span<const int64_t> shape) override {
    if (const std::optional<std::string> key = Find(name)) {
      CHECK(taken_.insert(*key).second) << *key << " is read twice";
    }
    return GetTied(name, shape);
  }

  absl::StatusOr<HostTensor> GetTied(std::string_view name,
                                     std::span<const int64_t> shape) override {
    const std::optional<std::string> key = Find(name);
    if (!key) {
      return absl::NotFoundError(
          fmt::format("{}: {}: no such tensor", fmt::join(file_names_, ", "), name));
    }
    Entry& entry = tensors_.at(*key);
    entry.read = true;
    const StoredTensor& stored = entry.tensor;
    if (!std::equal(shape.begin(), shape.end(), stored.shape.begin(), stored.shape.end())) {
      return Refuse(entry, fmt::format("expected shape {}, got {}", shape, stored.shape));
    }
    const std::optional<DType> dtype = stored.float_type();
    if (!dtype) {
      return Refuse(entry, fmt::format("expected F32, F16 or BF16, got {}", stored.dtype));
    }
    return HostTensor{.name = std::string(name),
                      .dtype = *dtype,
                      .shape = stored.shape,
                      .bytes = stored.bytes,
                      .file = stored.copy == nullptr ? entry.mapping : nullptr,
                      .buffer = stored.copy};
  }

  int64_t bytes() const override {
    int64_t bytes = 0;
    for (const auto& [name, entry] : tensors_) bytes += std::ssize(entry.tensor.bytes);
    return bytes;
  }

  void Skip(std::string_view pattern) override { skipped_.emplace_back(pattern); }

  absl::Status Finish() const override {
    constexpr std::size_t kNamesMax = 5;
    std::vector<std::string_view> unread;
    for (const auto& [name, entry] : tensors_) {
      if (!entry.read && !IsSkipped(name)) unread.push_back(name);
    }
    if (unread.empty()) return absl::OkStatus();
    const std::size_t shown = std::min(unread.size(), kNamesMax);
    return absl::InvalidArgumentError(fmt::format(
        "{}: {} tensors that this model does not use: {}{}", fmt::join(file_names_, ", "),
        unread.size(), fmt::join(unread.begin(), unread.begin() + static_cast<int>(shown), ", "),
        shown < unread.size() ? ", …" : ""));
  }

 private:
  struct Entry {
    StoredTensor tensor;
    std::string file_name;
    std::shared_ptr<const MappedFile> mapping;
    bool read = false;
  };

  static absl::Status Refuse(const Entry& entry, std::string_view problem) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {}: {}", entry.file_name, entry.tensor.name, problem));
  }

  /// The stored name behind the name that a family uses: as it stands first, then each prefix.
  std::optional<std::string> Find(std::string_view name) const {
    if (std::optional<std::string> found = FindPrefixed("", name)) return found;
    for (const std::string& prefix : prefixes_) {
      if (std::optional<std::string> found = FindPrefixed(prefix, name)) return found;
    }
    return std::nullopt;
  }

  std::optional<std::string> FindPrefixed(std::string_view prefix, std::string_view name) const {
    std::string key = fmt::format("{}{}", prefix, name);
    if (tensors_.contains(key)) return key;
    std::optional<std::string> old = OldName(key);
    if (old && tensors_.contains(*old)) return old;
    return std::nullopt;
  }

  bool IsSkipped(const std::string& name) const {
    return std::any_of(skipped_.begin(), skipped_.end(), [&](const std::string& pattern) {
      if (::fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
      return std::any_of(prefixes_.begin(), prefixes_.end(), [&](const std::string& prefix) {
        return name.starts_with(prefix) &&
               ::fnmatch(pattern.c_str(), name.c_str() + prefix.size(), 0) == 0;
      });
    });
  }

  std::map<std::string, Entry> tensors_;
  std::set<std::string> taken_;  ///< By Get.
  std::vector<std::string> file_names_;
  std::vector<std::string> prefixes_;
  std::vector<std::string> skipped_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Weights>> Weights::Open(
    std::span<const std::filesystem::path> files) {
  auto weights = std::make_unique<FileWeights>();
  for (const std::filesystem::path& path : files) RETURN_IF_ERROR(weights->Add(path));
  return weights;
}

}  // namespace rose
