#include "bench/connection.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "bench/http_response.h"

namespace bench {
namespace {

constexpr size_t kReadBytes = 64 << 10;
/// Most of a body that room is made for at once: the server has only said that so much will come.
constexpr size_t kBodyReadBytes = 4 << 20;

struct FreeAddresses {
  void operator()(addrinfo* addresses) const { freeaddrinfo(addresses); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

absl::StatusOr<Addresses> Resolve(const Url& url) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(url.host.c_str(), fmt::to_string(url.port).c_str(), &hints, &found);
  if (error != 0) {
    return absl::UnavailableError(fmt::format("{}: {}", Authority(url), gai_strerror(error)));
  }
  return Addresses(found);
}

absl::Status SocketError(std::string_view what) {
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINPROGRESS) {  // The last: connect.
    return absl::DeadlineExceededError(fmt::format("{}: timed out", what));
  }
  return absl::UnavailableError(fmt::format("{}: {}", what, std::strerror(errno)));
}

void SetOptions(int socket, std::chrono::milliseconds timeout) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const timeval wait = {.tv_sec = timeout.count() / 1000, .tv_usec = timeout.count() % 1000 * 1000};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const Url& url,
                                                             std::chrono::milliseconds timeout) {
  ASSIGN_OR_RETURN(const Addresses addresses, Resolve(url));
  absl::Status error;
  for (const addrinfo* a = addresses.get(); a != nullptr; a = a->ai_next) {
    const int socket = ::socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
    if (socket >= 0) SetOptions(socket, timeout);
    if (socket >= 0 && connect(socket, a->ai_addr, a->ai_addrlen) == 0) {
      return std::unique_ptr<Connection>(new Connection(socket));
    }
    error = SocketError(Authority(url));
    if (socket >= 0) close(socket);
  }
  return error;
}

Connection::~Connection() { close(socket_); }

bool Connection::open() const {
  char byte = 0;
  const ssize_t bytes = recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return bytes > 0 || (bytes < 0 && errno == EAGAIN);
}

absl::StatusOr<Exchange> Connection::Post(std::string_view request) {
  received_bytes_ = 0;
  const common::TimePoint start = common::Clock::Steady().Now();
  RETURN_IF_ERROR(SendAll(request));
  std::optional<ResponseHead> head;
  while (!head.has_value()) {
    RETURN_IF_ERROR(ReceiveSome(kReadBytes));
    ASSIGN_OR_RETURN(head, ParseResponseHead({buffer_.data(), received_bytes_}));
  }
  const size_t answer_bytes = head->head_bytes + head->body_bytes;
  while (received_bytes_ < answer_bytes) {
    RETURN_IF_ERROR(ReceiveSome(std::min(answer_bytes - received_bytes_, kBodyReadBytes)));
  }
  const common::Duration took = common::Clock::Steady().Now() - start;

  if (received_bytes_ > answer_bytes) {
    return absl::DataLossError("the answer is longer than its Content-Length");
  }
  if (head->status == 200 && !head->keep_alive) {
    return absl::UnimplementedError("the server hangs up after an answer; kept-alive was expected");
  }
  return Exchange{.status = head->status,
                  .body = {buffer_.data() + head->head_bytes, head->body_bytes},
                  .took = took};
}

absl::Status Connection::SendAll(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return SocketError("sending a request");
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return absl::OkStatus();
}

absl::Status Connection::ReceiveSome(size_t bytes_max) {
  buffer_.resize(std::max(buffer_.size(), received_bytes_ + bytes_max));
  ssize_t received = -1;
  do {
    received = recv(socket_, buffer_.data() + received_bytes_, bytes_max, 0);
  } while (received < 0 && errno == EINTR);
  if (received < 0) return SocketError("waiting for an answer");
  if (received == 0)
    return absl::UnavailableError("the server hung up before its answer was whole");
  received_bytes_ += static_cast<size_t>(received);
  return absl::OkStatus();
}

std::string GetRequest(const Url& url, std::string_view path) {
  return fmt::format("GET {}{} HTTP/1.1\r\nHost: {}\r\n\r\n", url.prefix, path, Authority(url));
}

std::string EmbeddingsRequest(const Url& url, std::string_view body) {
  return fmt::format(
      "POST {}/v1/embeddings HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
      "Content-Length: {}\r\n\r\n{}",
      url.prefix, Authority(url), body.size(), body);
}

}  // namespace bench
