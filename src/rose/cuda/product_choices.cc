#include "rose/cuda/product_choices.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "common/json.h"

namespace rose::cuda {
namespace {

bool SameButRows(const ProductShape& a, const ProductShape& b) {
  return a.out_features == b.out_features && a.in_features == b.in_features && a.dtype == b.dtype &&
         a.terms == b.terms;
}

nlohmann::json ToJson(const ProductChoices::Choice& choice) {
  const ProductShape& shape = choice.shape;
  return {{"rows", shape.rows},
          {"out_features", shape.out_features},
          {"in_features", shape.in_features},
          {"dtype", DTypeName(shape.dtype)},
          {"bias", shape.terms.bias},
          {"previous", shape.terms.previous},
          {"candidate", choice.candidate}};
}

/// Throws what nlohmann throws.
ProductChoices::Choice FromJson(const nlohmann::json& json) {
  const bool is_bfloat16 = json.at("dtype") == DTypeName(DType::kBFloat16);
  return {.shape = {.rows = json.at("rows").get<int64_t>(),
                    .out_features = json.at("out_features").get<int64_t>(),
                    .in_features = json.at("in_features").get<int64_t>(),
                    .dtype = is_bfloat16 ? DType::kBFloat16 : DType::kFloat32,
                    .terms = {.bias = json.at("bias").get<bool>(),
                              .previous = json.at("previous").get<bool>()}},
          .candidate = json.at("candidate").get<int>()};
}

}  // namespace

std::filesystem::path ProductChoices::DefaultPath() const {
  std::filesystem::path cache;
  if (const char* const xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg != '\0') {
    cache = xdg;
  } else if (const char* const home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    cache = std::filesystem::path(home) / ".cache";
  } else {
    return {};
  }
  std::string device = device_;
  std::replace_if(
      device.begin(), device.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
  return cache / "parterre" / "tuning" / fmt::format("{}-{}.json", device, library_version_);
}

absl::Status ProductChoices::Read(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(const nlohmann::json json, common::ReadJsonFile(path));
  try {
    if (json.at("device") != device_ || json.at("cublaslt") != library_version_) {
      spdlog::warn("{}: tuned for {} with cuBLASLt {}, here are {} and {}: not used", path.string(),
                   json.at("device").get<std::string>(), json.at("cublaslt").get<std::size_t>(),
                   device_, library_version_);
      return absl::OkStatus();
    }
    for (const nlohmann::json& choice : json.at("products")) {
      const auto [shape, candidate] = FromJson(choice);
      if (shape.rows < 1 || candidate < 0) continue;
      Set(shape, candidate);
    }
  } catch (const nlohmann::json::exception& error) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected what parterre tune writes: {}", path.string(), error.what()));
  }
  return absl::OkStatus();
}

absl::Status ProductChoices::Write(const std::filesystem::path& path) const {
  nlohmann::json products = nlohmann::json::array();
  for (const Choice& choice : choices_) products.push_back(ToJson(choice));
  const nlohmann::json json = {
      {"device", device_}, {"cublaslt", library_version_}, {"products", std::move(products)}};
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  const std::filesystem::path half = path.string() + ".part";
  std::ofstream file(half);
  file << json.dump(1) << "\n";
  file.close();
  if (file) std::filesystem::rename(half, path, error);
  if (!file || error) {
    return absl::UnavailableError(fmt::format("{}: cannot be written", path.string()));
  }
  return absl::OkStatus();
}

void ProductChoices::Set(const ProductShape& shape, int candidate) {
  for (Choice& choice : choices_) {
    if (SameButRows(choice.shape, shape) && choice.shape.rows == shape.rows) {
      choice.candidate = candidate;
      return;
    }
  }
  choices_.push_back({.shape = shape, .candidate = candidate});
}

std::optional<ProductChoices::Choice> ProductChoices::Find(const ProductShape& shape) const {
  const auto distance = [&](const Choice& choice) {
    return std::abs(
        std::log2(static_cast<double>(choice.shape.rows) / static_cast<double>(shape.rows)));
  };
  std::optional<Choice> nearest;
  for (const Choice& choice : choices_) {
    if (!SameButRows(choice.shape, shape) || distance(choice) > 1) continue;
    if (!nearest || distance(choice) < distance(*nearest)) nearest = choice;
  }
  return nearest;
}

}  // namespace rose::cuda
