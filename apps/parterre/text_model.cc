#include "text_model.h"

#include <malloc.h>

#include <limits>
#include <utility>

#include "ivy/job/model.h"

namespace {

/// For the gateway, which takes 0 for what it says.
wire::ModelInfo WithAnyVocabulary(wire::ModelInfo info) {
  // A family asks for a size, so one without is refused later.
  if (info.vocabulary_size == 0) info.vocabulary_size = std::numeric_limits<int32_t>::max();
  return info;
}

absl::StatusOr<TextModel> Load(const NamedModel& model, const TextOptions& options) {
  TextModel text{.model = &model, .tokenizer = nullptr, .int8_ranges = std::nullopt};
  ASSIGN_OR_RETURN(text.tokenizer, text::Tokenizer::FromFolder(model.folder.tokenizer_folder));
  // The JSON behind it took several times what it keeps; weights, where there are any, want the
  // room.
  malloc_trim(0);
  if (!options.int8_ranges.empty()) {
    ASSIGN_OR_RETURN(text.int8_ranges, ivy::ReadValueRanges(options.int8_ranges));
  }
  RETURN_IF_ERROR(
      ivy::MakeModel(text.Describe(options, nullptr), WithAnyVocabulary(PromisedInfo(model)))
          .status());
  return text;
}

}  // namespace

ivy::ServedModel TextModel::Describe(const TextOptions& options,
                                     wire::InferenceClient* client) const {
  return {.name = model->name,
          .folder = &model->folder,
          .tokenizer = tokenizer.get(),
          .client = client,
          .plain_special = options.plain_special,
          .int8_ranges = int8_ranges};
}

wire::ModelInfo PromisedInfo(const NamedModel& model) {
  const hub::ModelFolder& folder = model.folder;
  wire::ModelInfo info;
  info.name = model.name;
  info.fingerprint = folder.fingerprint;
  info.outputs = folder.outputs;
  info.dimension = static_cast<int32_t>(folder.dimension.value_or(0));
  if (folder.classifier) info.labels = static_cast<int32_t>(folder.classifier->labels.size());
  info.max_length = folder.max_length;
  info.vocabulary_size = static_cast<int32_t>(folder.shape.vocabulary_size.value_or(0));
  return info;
}

absl::StatusOr<std::vector<TextModel>> LoadTextModels(const std::vector<NamedModel>& models,
                                                      const TextOptions& options) {
  if (models.size() > 1 && !options.int8_ranges.empty()) {
    return absl::InvalidArgumentError("--int8-ranges: goes with one model only");
  }
  std::vector<TextModel> texts;
  for (const NamedModel& model : models) {
    ASSIGN_OR_RETURN(texts.emplace_back(), Load(model, options));
  }
  return texts;
}
