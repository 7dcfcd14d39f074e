#pragma once

#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>

#include "common/status.h"
#include "ivy/http/message.h"

namespace ivy {

using RequestParser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;

/// Copies what the parser has of the head into `request`, as far as it got.
void TakeHead(const RequestParser& parser, Request& request);

/// What is wrong with a head that parsed: no Host (RFC 9112 section 3.2), a transfer coding or an
/// expectation that is not known.
absl::Status CheckHead(const RequestParser& parser);

/// Whether the client waits for a word before it sends the body.
bool ExpectsContinue(const RequestParser& parser);

}  // namespace ivy
