#include "hub/sparse_head.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "hub/file_names.h"
#include "hub/read_config.h"
#include "hub/weight_files.h"

namespace hub {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The id under which tokenizer_config.json lists its unk_token, which is a text or an object with
/// the text as "content". Files that are not so are the tokenizer's to refuse.
std::optional<int32_t> ListedUnknownTokenId(const json& tokenizer_config) {
  if (!tokenizer_config.is_object()) return std::nullopt;
  const json token = tokenizer_config.value("unk_token", json());
  const json text = token.is_object() ? token.value("content", json()) : token;
  const json listed = tokenizer_config.value("added_tokens_decoder", json::object());
  if (!text.is_string() || !listed.is_object()) return std::nullopt;
  for (const auto& [id, added] : listed.items()) {
    if (!added.is_object() || added.value("content", json()) != text) continue;
    int32_t number = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
    if (error == std::errc() && end == id.data() + id.size()) return number;
  }
  return std::nullopt;
}

absl::StatusOr<std::optional<int32_t>> UnknownTokenId(const fs::path& folder,
                                                      const Config& config) {
  constexpr int32_t kOfXlmRoberta = 3;
  ASSIGN_OR_RETURN(const std::optional<Config> tokenizer,
                   ReadConfigIfThere(folder, "tokenizer_config.json"));
  if (tokenizer) {
    if (const std::optional<int32_t> id = ListedUnknownTokenId(tokenizer->json())) return id;
  }
  ASSIGN_OR_RETURN(const std::string family, config.String("model_type", ""));
  if (family == "xlm-roberta") return kOfXlmRoberta;
  return std::nullopt;
}

absl::StatusOr<std::vector<int32_t>> ReadSpecialIds(const fs::path& folder, const Config& config) {
  std::vector<int32_t> ids;
  for (const std::string_view key :
       {"bos_token_id", "eos_token_id", "pad_token_id", "unk_token_id"}) {
    if (!config.Has(key)) continue;
    ASSIGN_OR_RETURN(const int64_t id, config.Int(key, 0));
    ids.push_back(static_cast<int32_t>(id));
  }
  if (!config.Has("unk_token_id")) {
    ASSIGN_OR_RETURN(const std::optional<int32_t> id, UnknownTokenId(folder, config));
    if (id) ids.push_back(*id);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace

absl::StatusOr<std::optional<SparseHead>> FindSparseHead(const fs::path& folder,
                                                         const Config& config) {
  ASSIGN_OR_RETURN(std::optional<fs::path> file, FindFirst(folder, kSparseHeadFiles));
  if (!file) return std::nullopt;
  SparseHead head;
  head.file = *std::move(file);
  ASSIGN_OR_RETURN(head.left_out_ids, ReadSpecialIds(folder, config));
  return head;
}

}  // namespace hub
