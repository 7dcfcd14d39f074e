#include "bench/null_server.h"

#include <absl/strings/escaping.h>
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

namespace bench {
namespace {

/// Reads from `socket` into `received` until it holds `bytes`; false at the end of the connection.
bool ReceiveUpTo(int socket, size_t bytes, std::string& received) {
  char chunk[16 << 10];
  while (received.size() < bytes) {
    const ssize_t n = recv(socket, chunk, sizeof(chunk), 0);
    if (n <= 0) return false;
    received.append(chunk, static_cast<size_t>(n));
  }
  return true;
}

/// The body of the request that starts `received`, once it is there whole, as our own Connection
/// writes it; that of a GET is empty. Nothing at the end of the connection.
std::optional<std::string_view> ReceiveBody(int socket, std::string& received) {
  constexpr std::string_view kLength = "Content-Length: ", kHeadEnd = "\r\n\r\n";
  size_t head = received.find(kHeadEnd);
  while (head == std::string::npos) {
    if (!ReceiveUpTo(socket, received.size() + 1, received)) return std::nullopt;
    head = received.find(kHeadEnd);
  }
  size_t body_bytes = 0;
  if (const size_t length = received.find(kLength); length < head) {
    const char* const digits = received.data() + length + kLength.size();
    std::from_chars(digits, received.data() + head, body_bytes);
  }
  const size_t start = head + kHeadEnd.size();
  if (!ReceiveUpTo(socket, start + body_bytes, received)) return std::nullopt;
  return std::string_view(received).substr(start, body_bytes);
}

bool SendAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace

absl::StatusOr<std::unique_ptr<NullServer>> NullServer::Create(Handler handler) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return absl::ErrnoToStatus(errno, "socket");
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, any, length) != 0 || listen(listener, SOMAXCONN) != 0 ||
      getsockname(listener, any, &length) != 0) {
    absl::Status error = absl::ErrnoToStatus(errno, "listening on 127.0.0.1");
    close(listener);
    return error;
  }
  return std::unique_ptr<NullServer>(
      new NullServer(std::move(handler), listener, ntohs(address.sin_port)));
}

NullServer::NullServer(Handler handler, int listener, int port)
    : handler_(std::move(handler)),
      listener_(listener),
      port_(port),
      acceptor_([this] { Accept(); }) {}

NullServer::~NullServer() {
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
  for (std::thread& connection : connections_) connection.join();
  for (const int socket : sockets_) close(socket);
  close(listener_);
}

void NullServer::Accept() {
  for (;;) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) {
      shutdown(listener_, SHUT_RDWR);  // Out of sockets, it may be: who waits is told, not hung.
      return;
    }
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    sockets_.push_back(socket);
    connections_.emplace_back([this, socket] { Serve(socket); });
  }
}

void NullServer::Serve(int socket) const {
  std::string received;
  for (;;) {
    const std::optional<std::string_view> body = ReceiveBody(socket, received);
    if (!body || !SendAll(socket, handler_(*body))) break;
    received.clear();
  }
  shutdown(socket, SHUT_RDWR);
}

std::string HttpAnswer(int status, std::string_view body) {
  return fmt::format(
      "HTTP/1.1 {} \r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", status,
      body.size(), body);
}

std::string NullEmbeddings(int rows, int dimensions) {
  const std::string zeros(static_cast<size_t>(dimensions) * sizeof(float), '\0');
  const std::string vector = absl::Base64Escape(zeros);
  std::string data;
  for (int i = 0; i < rows; ++i) {
    fmt::format_to(std::back_inserter(data),
                   R"({}{{"object":"embedding","index":{},"embedding":"{}"}})", i > 0 ? "," : "", i,
                   vector);
  }
  return fmt::format(R"({{"object":"list","data":[{}],"model":"null"}})", data);
}

}  // namespace bench
