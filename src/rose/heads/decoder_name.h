#pragma once

#include <string_view>

#include "common/status.h"
#include "hub/config.h"
#include "rose/weights/weights.h"

namespace rose {

/// The tensor whose rows score the words of the vocabulary: `own`, or the table of embeddings
/// `words` where a checkpoint leaves out what is tied. Where config.json calls them untied all the
/// same, the log says so. An error only for a malformed config.json.
absl::StatusOr<std::string_view> DecoderName(std::string_view own, std::string_view words,
                                             const hub::Config& config, const Weights& weights);

}  // namespace rose
