#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "common/status.h"

namespace text {

/// The tokenizer of a model folder as a document in the form of tokenizer.json: that file if it is
/// there, else one made from vocab.txt, a SentencePiece model, or vocab.json and merges.txt, where
/// tokenizer_config.json names a class whose pipeline is known. Else NotFound, with what is
/// missing, what was found, and how to convert.
absl::StatusOr<nlohmann::json> ReadTokenizerFolder(const std::filesystem::path& folder);

}  // namespace text
