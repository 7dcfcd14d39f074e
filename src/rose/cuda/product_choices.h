#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/status.h"
#include "rose/cuda/product_shape.h"

namespace rose::cuda {

/// Which of the library's candidates a shape was fastest with, measured on one kind of device with
/// one version of the library (`parterre tune`). Candidates are named by their place in the list
/// that the library offers for the shape, and picked from it anew in every process.
class ProductChoices {
 public:
  struct Choice {
    ProductShape shape;  ///< Its alignment does not count.
    int candidate = 0;
  };

  /// For a device and a version of the library.
  ProductChoices(std::string device, std::size_t library_version)
      : device_(std::move(device)), library_version_(library_version) {}

  /// Where a user's choices lie unless a flag says otherwise: one file for each device and version,
  /// below XDG_CACHE_HOME or ~/.cache; empty without either.
  std::filesystem::path DefaultPath() const;

  /// Those that the file holds, if they are of the same device and version; else none, and why is
  /// logged. InvalidArgument: no such file as Write makes.
  absl::Status Read(const std::filesystem::path& path);
  /// Replaces the file whole.
  absl::Status Write(const std::filesystem::path& path) const;

  /// Replaces what was known of the shape.
  void Set(const ProductShape& shape, int candidate);
  /// The choice for a product that differs in nothing but the number of rows, of those the nearest
  /// in ratio and at most twice or half as many.
  std::optional<Choice> Find(const ProductShape& shape) const;

  const std::vector<Choice>& all() const { return choices_; }

 private:
  std::string device_;
  std::size_t library_version_;
  std::vector<Choice> choices_;
};

}  // namespace rose::cuda
