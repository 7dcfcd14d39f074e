#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/status.h"
#include "ivy/job/prompt.h"
#include "ivy/job/served_model.h"

namespace ivy {

/// The parts of a reranker's template that are the same for every pair.
struct TemplateIds {
  std::vector<int32_t> prefix, suffix;
};

/// A served model and what is worked out once from it.
struct Model {
  ServedModel served;
  std::map<std::string, std::shared_ptr<const Prompt>, std::less<>> prompts;  ///< Null: no text.
  std::shared_ptr<const Prompt> default_prompt;                               ///< Null: none.
  TemplateIds template_ids;  ///< Where the folder has a rerank_template.

  const wire::ModelInfo& info() const { return served.client->Info(); }
  const hub::ModelFolder& folder() const { return *served.folder; }
  /// Tokens that a text, or a pair, takes beside its own.
  int FixedTokens(bool pair) const;
};

/// InvalidArgument names the model whose folder, tokenizer and replica do not go together, and how.
/// `info` is what the replica says; to be told early, before there is one, what it is going to say,
/// and `served` without a client.
absl::StatusOr<std::unique_ptr<Model>> MakeModel(ServedModel served, const wire::ModelInfo& info);

}  // namespace ivy
