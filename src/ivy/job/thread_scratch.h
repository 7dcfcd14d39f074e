#pragma once

#include "text/tokenizer.h"

namespace ivy {

/// The calling thread's own memory for tokenizing, kept from one text to the next.
inline text::Scratch& ThreadScratch() {
  thread_local text::Scratch scratch;
  return scratch;
}

}  // namespace ivy
