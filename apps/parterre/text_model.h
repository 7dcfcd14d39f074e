#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/status.h"
#include "ivy/job/served_model.h"
#include "models.h"
#include "wire/inference.h"

/// How texts become ids and vectors become answers: flags that serve and ivy share.
struct TextOptions {
  bool plain_special = false;
  std::string int8_ranges = {};
};

/// What the gateway needs of a model beside who computes it.
struct TextModel {
  const NamedModel* model = nullptr;
  std::unique_ptr<text::Tokenizer> tokenizer;
  std::optional<ivy::ValueRanges> int8_ranges;

  /// As the gateway is given it. It points here, and to the client.
  ivy::ServedModel Describe(const TextOptions& options, wire::InferenceClient* client) const;
};

/// What a replica of the folder's model is going to say, as far as the folder tells. An empty
/// string or 0: it does not.
wire::ModelInfo PromisedInfo(const NamedModel& model);

/// Reads the tokenizers and ranges, and tells what the gateway would refuse, before there is
/// anybody who computes. `models` outlive the result.
absl::StatusOr<std::vector<TextModel>> LoadTextModels(const std::vector<NamedModel>& models,
                                                      const TextOptions& options);
