#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/status.h"

namespace bench {

/// Does nothing but answer: what a run against it measures is the load generator and the loopback
/// device themselves. Listens on a free port of 127.0.0.1, with one thread for each connection.
class NullServer {
 public:
  /// Makes the bytes of an answer, head included, out of a request's body. Called on the threads of
  /// the connections, several at once.
  using Handler = std::function<std::string(std::string_view body)>;

  static absl::StatusOr<std::unique_ptr<NullServer>> Create(Handler handler);
  ~NullServer();  ///< Hangs up.
  NullServer(const NullServer&) = delete;
  NullServer& operator=(const NullServer&) = delete;

  int port() const { return port_; }

 private:
  NullServer(Handler handler, int listener, int port);

  void Accept();
  void Serve(int socket) const;

  const Handler handler_;
  const int listener_;
  const int port_;
  std::vector<int> sockets_;  // These two are the acceptor's until it is joined.
  std::vector<std::thread> connections_;
  std::thread acceptor_;
};

/// An answer of HTTP/1.1 with this status and JSON body.
std::string HttpAnswer(int status, std::string_view body);

/// The JSON of /v1/embeddings with `rows` zero vectors in base64, and without usage.
std::string NullEmbeddings(int rows, int dimensions);

}  // namespace bench
