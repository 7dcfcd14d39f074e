#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cctype>
#include <map>
#include <string>
#include <string_view>

// For tests: HTTP on a bare socket, so that every byte is the test's own.

namespace ivy {

struct Reply {
  int status = 0;  ///< 0: the connection ended first.
  std::map<std::string, std::string> headers;
  std::string body;
};

class TestClient {
 public:
  explicit TestClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    const timeval patience = {.tv_sec = 20, .tv_usec = 0};  // a hang fails instead of blocking
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  }
  ~TestClient() { Close(); }
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  bool connected() const { return connected_; }
  int socket() const { return socket_; }

  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void CloseSending() { ::shutdown(socket_, SHUT_WR); }
  void Close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  /// `has_body` false: the answer to HEAD.
  Reply Read(bool has_body = true) {
    Reply reply;
    std::string line = ReadLine();
    if (line.size() < 12) return reply;
    reply.status = std::stoi(line.substr(9, 3));
    while (!(line = ReadLine()).empty()) {
      const std::size_t colon = line.find(':');
      reply.headers[line.substr(0, colon)] = line.substr(std::min(colon + 2, line.size()));
    }
    if (has_body && reply.headers.contains("content-length")) {
      const std::size_t length = std::stoul(reply.headers["content-length"]);
      while (buffer_.size() < length && Receive()) {
      }
      reply.body = buffer_.substr(0, length);
      buffer_.erase(0, length);
    }
    return reply;
  }

  /// Whether the server has closed and nothing is left to read.
  bool AtEnd() { return buffer_.empty() && !Receive(); }

 private:
  std::string ReadLine() {
    std::size_t end;
    while ((end = buffer_.find("\r\n")) == std::string::npos) {
      if (!Receive()) return {};
    }
    std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 2);
    return line;
  }
  bool Receive() {
    char bytes[65536];
    const ssize_t received = ::recv(socket_, bytes, sizeof(bytes), 0);
    if (received <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(received));
    return true;
  }

  int socket_;
  bool connected_ = false;
  std::string buffer_;
};

/// A POST as a client would write it; `headers` are whole lines.
inline std::string Post(std::string_view path, std::string_view body,
                        std::string_view headers = {}) {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n" + std::string(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}
inline std::string Get(std::string_view path, std::string_view headers = {},
                       std::string_view method = "GET") {
  return std::string(method) + " " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n" +
         std::string(headers) + "\r\n";
}

}  // namespace ivy
