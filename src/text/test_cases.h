#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "text/golden_lines.h"
#include "text/tokenizer.h"

// The tokenizer cases of tests/data/tokenizers and, where it is there, of the whole suite.

namespace text {

/// tests/data/tokenizers, and the suite's folder if there is one.
std::vector<std::filesystem::path> CaseFolders();

/// tokenizer.json of bert (all-MiniLM-L6-v2), qwen3 or xlmr.
const std::string& TokenizerJson(const std::string& name);

/// The same, or a layout of variants.json: made once, never destroyed.
const Tokenizer& CaseTokenizer(const std::string& name);

/// All ids of `text`.
std::vector<int32_t> Encode(const Tokenizer& tokenizer, std::string_view text,
                            const EncodeOptions& options = {});

}  // namespace text
