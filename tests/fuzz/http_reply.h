#pragma once

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/check.h"

struct HttpReply {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< But those that differ from time to time.
  std::string body;

  bool operator==(const HttpReply&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const HttpReply& reply) {
    out << reply.status;
    for (const auto& [name, value] : reply.headers) out << ' ' << name << ": " << value;
    return out << ' ' << reply.body;
  }
};

/// One line of a head, without its end.
inline std::string_view TakeHttpLine(std::string_view& bytes) {
  const std::size_t end = bytes.find("\r\n");
  CHECK(end != bytes.npos) << "a head that does not end: " << bytes;
  const std::string_view line = bytes.substr(0, end);
  bytes.remove_prefix(end + 2);
  CHECK(std::all_of(line.begin(), line.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F;
  })) << line;
  return line;
}

inline int ReadHttpStatus(std::string_view line) {
  static const std::set<int> documented = {100, 200, 204, 400, 401, 404, 405, 408,
                                           413, 415, 429, 431, 499, 501, 503};
  CHECK(line.substr(0, 9) == "HTTP/1.1 " && line.size() > 12 && line[12] == ' ') << line;
  const int status = std::stoi(std::string(line.substr(9, 3)));
  CHECK(documented.contains(status)) << line;
  return status;
}

/// CHECKs that `bytes` are whole replies, one after the other, nothing behind one that closes, and
/// returns them but for those that say to go on. Bodies of this server's begin with '{', so that
/// one that is left out is seen; `may_lack_body`: HEAD was asked.
inline std::vector<HttpReply> ReadReplies(std::string_view bytes, bool may_lack_body) {
  std::vector<HttpReply> replies;
  bool closed = false;
  while (!bytes.empty()) {
    CHECK(!closed) << "behind the last reply: " << bytes;
    HttpReply reply;
    reply.status = ReadHttpStatus(TakeHttpLine(bytes));
    for (std::string_view line; !(line = TakeHttpLine(bytes)).empty();) {
      const std::size_t colon = line.find(": ");
      CHECK(colon != line.npos && colon > 0) << line;
      const std::string name(line.substr(0, colon));
      CHECK(reply.headers.emplace(name, line.substr(colon + 2)).second) << "twice: " << name;
    }
    if (reply.status == 100) {
      CHECK(reply.headers.empty());
      continue;
    }
    CHECK(reply.headers.erase("date") == 1 && reply.headers.erase("x-request-id") == 1);
    const std::string& connection = reply.headers.at("connection");
    CHECK(connection == "close" || connection == "keep-alive") << connection;
    closed = connection == "close";
    const std::size_t length =
        reply.headers.contains("content-length") ? std::stoul(reply.headers["content-length"]) : 0;
    if (length > 0 && (!may_lack_body || bytes.starts_with('{'))) {
      CHECK(bytes.size() >= length) << "cut off: " << bytes;
      reply.body = bytes.substr(0, length);
      bytes.remove_prefix(length);
    }
    if (reply.status >= 400 && !reply.body.empty()) {
      CHECK(reply.body.starts_with(R"({"error":)")) << reply.body;
    }
    replies.push_back(std::move(reply));
  }
  return replies;
}
