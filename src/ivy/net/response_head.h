#pragma once

#include <cstddef>
#include <string>

#include "ivy/http/message.h"

namespace ivy {

/// Replaces `out` by the status line and headers of `response`, blank line included. Header values
/// hold no line breaks: they are ours, or came in as one header line.
void WriteResponseHead(const Response& response, bool keep_alive, std::string& out);

}  // namespace ivy
