#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "bench/url.h"
#include "common/clock.h"
#include "common/status.h"

namespace bench {

/// One answered request.
struct Exchange {
  int status = 0;
  std::string_view body;    ///< Lies in the connection until its next Post.
  common::Duration took{};  ///< From the first byte sent to the last byte read.
};

/// A kept-alive HTTP/1.1 connection over a blocking socket. One thread at a time.
class Connection {
 public:
  /// Connects, with TCP_NODELAY. Unavailable, naming the address, if nothing answers there.
  /// `timeout` bounds the wait for an address and each wait of a Post.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const Url& url,
                                                          std::chrono::milliseconds timeout);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// False once the server has hung up, as servers do with connections that have idled.
  bool open() const;

  /// Sends `request`, a whole request with its head, and reads the whole answer, whatever its
  /// status. After an error the connection is of no more use.
  absl::StatusOr<Exchange> Post(std::string_view request);

 private:
  explicit Connection(int socket) : socket_(socket) {}

  absl::Status SendAll(std::string_view bytes);
  absl::Status ReceiveSome(size_t bytes_max);

  const int socket_;
  size_t received_bytes_ = 0;
  std::string buffer_;  ///< The answer is its first received_bytes_; it grows and never shrinks.
};

/// The bytes of GET PREFIX/path; `path` starts with a slash.
std::string GetRequest(const Url& url, std::string_view path);

/// The bytes of POST PREFIX/v1/embeddings with this JSON body.
std::string EmbeddingsRequest(const Url& url, std::string_view body);

}  // namespace bench
