#pragma once

#include <string_view>

namespace hub {

/// Whether `text` may be a model's id on a hub, "Qwen/Qwen3-Embedding-0.6B" or "gpt2": a name, or
/// an organisation and a name, of letters, digits, '-', '_' and '.', at most 96 characters, as
/// huggingface_hub has it. Absolute paths, "./x" and "a/b/c" are no ids.
bool IsHubId(std::string_view text);

/// Whether `name`, which a server or a file gives, is the path of a file below a folder: relative,
/// without empty components, ".", "..", backslashes or control characters.
bool IsNameInside(std::string_view name);

/// Whether `text` is a git commit in full: 40 hex digits.
bool IsCommit(std::string_view text);

}  // namespace hub
