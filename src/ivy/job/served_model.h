#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hub/model_folder.h"
#include "ivy/job/value_ranges.h"
#include "text/tokenizer.h"
#include "wire/inference.h"

namespace ivy {

/// A model as the gateway is given it. What is pointed to outlives the gateway; all needed.
struct ServedModel {
  std::string name;
  std::vector<std::string> aliases{};
  const hub::ModelFolder* folder = nullptr;
  const text::Tokenizer* tokenizer = nullptr;
  wire::InferenceClient* client = nullptr;
  /// Whether special tokens that a text spells out are plain text, its prompt's too.
  bool plain_special = false;
  /// What int8 and uint8 vectors are scaled by; without them there are none.
  std::optional<ValueRanges> int8_ranges{};
};

}  // namespace ivy
