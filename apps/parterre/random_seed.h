#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/status.h"

/// What --weights says: nothing for "file", SEED for "random:SEED". InvalidArgument otherwise.
absl::StatusOr<std::optional<uint64_t>> ParseRandomSeed(const std::string& weights);
