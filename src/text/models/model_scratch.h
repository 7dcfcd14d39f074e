#pragma once

#include "text/models/bpe_scratch.h"
#include "text/models/unigram_scratch.h"

namespace text {

/// What models work in, part of the caller's Scratch: a member for each model that needs one.
struct ModelScratch {
  BpeScratch bpe;
  UnigramScratch unigram;
};

}  // namespace text
