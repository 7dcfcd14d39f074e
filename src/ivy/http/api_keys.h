#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/mutex.h"
#include "common/status.h"

namespace ivy {

struct ApiKeyOptions {
  std::vector<std::string> keys = {};
  std::string file = {};  ///< More of them, as ReadKeyFile says; "": there is none.
};

/// The keys of which a request must carry one. Any thread.
class ApiKeys {
 public:
  static constexpr std::size_t kBytesMax = 256;
  static constexpr std::size_t kKeysMax = 1024;

  /// Null where the options name neither key nor file: nobody is asked for one. A file that others
  /// may read is warned of in the log. InvalidArgument and NotFound name the flag, or the file and
  /// the line, and never a key.
  static absl::StatusOr<std::shared_ptr<ApiKeys>> Create(ApiKeyOptions options);

  /// Whether an Authorization header carries one of the keys ("Bearer <key>", the scheme in any
  /// case). For a header of some length it takes the same time whichever key matches, wherever the
  /// first difference is and however long the keys are.
  bool Admit(std::string_view authorization) const;

  /// Reads the file again, with the warning and the errors of Create; after an error the keys are
  /// those that they were.
  absl::Status Reload();
  std::size_t size() const { return Current()->size(); }

 private:
  /// All of one size, so that comparing one takes as long as any.
  struct Key {
    explicit Key(std::string_view text);

    std::array<char, kBytesMax> bytes{};  ///< As many as there is room for, zeros behind.
    std::size_t size;
  };
  using Keys = std::vector<Key>;

  explicit ApiKeys(ApiKeyOptions options) : options_(std::move(options)) {}
  std::shared_ptr<const Keys> Current() const;

  const ApiKeyOptions options_;
  mutable common::Mutex mutex_;
  std::shared_ptr<const Keys> keys_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ivy
