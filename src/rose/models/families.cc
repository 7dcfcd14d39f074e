#include "rose/models/families.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace rose {
namespace {

constexpr std::array kFamilies = {
    Family{"bert", LoadBert},
    Family{"bidirectional_pplx_qwen3", LoadQwen3},
    Family{"camembert", LoadRoberta},
    Family{"distilbert", LoadDistilBert},
    Family{"jina_embeddings_v3", LoadJinaV3},
    Family{"modernbert", LoadModernBert},
    Family{"mpnet", LoadMpnet},
    Family{"nomic_bert", LoadNomicBert},
    Family{"qwen3", LoadQwen3},
    Family{"roberta", LoadRoberta},
    Family{"xlm-roberta", LoadRoberta},
};

}  // namespace

std::span<const Family> Families() { return kFamilies; }

absl::StatusOr<const Family*> FindFamily(std::string_view model_type) {
  std::string known;
  for (const Family& family : kFamilies) {
    if (family.model_type == model_type) return &family;
    known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", family.model_type);
  }
  return absl::InvalidArgumentError(
      fmt::format("config.json: model_type: expected one of {}, got \"{}\"", known, model_type));
}

}  // namespace rose
