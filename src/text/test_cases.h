#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "text/tokenizer.h"

// The tokenizer cases of tests/data/tokenizers and, where it is there, of the whole suite.

namespace text {

/// tests/data/tokenizers, and the suite's folder if there is one.
std::vector<std::filesystem::path> CaseFolders();

/// The bytes of a file, unpacked if its name ends in .gz. CHECKs that it can be read.
std::string ReadCaseFile(const std::filesystem::path& path);

/// One JSON object for each line.
std::vector<nlohmann::json> ReadCaseLines(const std::filesystem::path& path);

/// The vocabulary of the cases: all-MiniLM-L6-v2's tokenizer.json.
const std::string& BertTokenizerJson();

/// That vocabulary under `variant` of variants.json; "bert": as it is.
std::unique_ptr<Tokenizer> BertTokenizer(const std::string& variant = "bert");

/// All ids of `text`.
std::vector<int32_t> Encode(const Tokenizer& tokenizer, std::string_view text,
                            const EncodeOptions& options = {});

}  // namespace text
