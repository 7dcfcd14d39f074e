#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "common/log.h"
#include "ivy/http/cause.h"
#include "ivy/net/client_stream.h"
#include "ivy/net/response_head.h"

// The side of ClientStream that knows TLS.

namespace ivy {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// What a TLS record holds at most: less is written in one piece.
constexpr std::size_t kRecordBytes = std::size_t{16} << 10;
/// The first byte of a TLS client: a record with a handshake.
constexpr char kHandshakeByte = 0x16;

/// What one who speaks plain HTTP to the port of HTTPS is told.
std::string PlainHttpAnswer() {
  Response response = {.status = 400};
  response.body =
      ErrorBody(Dialect::kOpenAi, Failure(Cause::kMalformed, "expected HTTPS on this port"));
  std::string bytes;
  WriteResponseHead(response, /*keep_alive=*/false, bytes);
  return bytes + response.body;
}

}  // namespace

asio::awaitable<bool> ClientStream::Handshake() {
  if (tls_ == nullptr) co_return true;
  Arm(limits_.handshake_timeout);
  error_code error;
  const bool speaks_tls = co_await SpeaksTls();
  if (speaks_tls) {
    co_await tls_->AsyncHandshake(asio::redirect_error(asio::use_awaitable, error));
    if (error) spdlog::debug("TLS handshake: {}", error.message());
  }
  watchdog_.Disarm();
  secure_ = speaks_tls && !error;
  co_return secure_ && !gone_;
}

asio::awaitable<bool> ClientStream::SpeaksTls() {
  error_code error;
  co_await socket_.async_wait(tcp::socket::wait_read,
                              asio::redirect_error(asio::use_awaitable, error));
  char byte = 0;
  if (error || ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 1) {
    co_return false;
  }
  if (byte >= 'A' && byte <= 'Z') co_await WritePlain(PlainHttpAnswer(), {});
  co_return byte == kHandshakeByte;
}

/// A head goes out with the begin of its body, as one record.
asio::awaitable<bool> ClientStream::WriteTls(std::string_view head, std::string_view body) {
  const std::size_t beside =
      std::min(body.size(), kRecordBytes - std::min(head.size(), kRecordBytes));
  block_.assign(head).append(body.substr(0, beside));
  for (std::string_view rest : {std::string_view(block_), body.substr(beside)}) {
    while (!rest.empty()) {
      Arm(limits_.write_timeout);
      error_code error;
      rest.remove_prefix(co_await tls_->AsyncWriteSome(
          asio::buffer(rest), asio::redirect_error(asio::use_awaitable, error)));
      watchdog_.Disarm();
      if (error) gone_ = true;
      if (gone_) co_return false;
    }
  }
  co_return true;
}

/// Whether bytes on the wire are a request or a farewell, only who decrypts them knows. What comes
/// is kept, so one who sends requests ahead is not read from until they are served.
void ClientStream::WatchTls(std::function<void()> left) {
  if (buffer_.size() > 0) return;
  watching_ = true;
  tls_->AsyncReadSome(
      buffer_.prepare(kReadBytes),
      [this, owner = owner_.lock(), left = std::move(left)](error_code error, std::size_t bytes) {
        watching_ = false;
        buffer_.commit(bytes);
        if (error && error != asio::error::operation_aborted) left();
      });
}

}  // namespace ivy
