#pragma once

#include <ostream>

#include "common/status.h"

// The input, output and error stream that the program is started with, or without. One that is not
// there becomes, before anything is opened, one that can be neither read nor written (the error
// stream one that nobody reads). Else the next file or socket would have its number, and the log's
// lines in it.

/// Aborted, with the cause where it is still known, unless all that was written so far has got
/// where it should.
absl::Status FlushOutput(std::ostream& out);
