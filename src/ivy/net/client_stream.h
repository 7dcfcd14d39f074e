#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/status.h"
#include "ivy/net/request_head.h"
#include "ivy/net/server.h"
#include "ivy/net/tls_stream.h"
#include "ivy/net/watchdog.h"

namespace ivy {

class BodyBuffer;

/// The bytes from and to one client, over TLS or as they are, each wait for them within its limit.
/// On the socket's thread, one operation at a time.
class ClientStream {
 public:
  /// How long a connection that closes with input unread listens on.
  static constexpr std::chrono::milliseconds kLinger{1'000};

  /// `limits` outlive it. `tls` null: no TLS.
  ClientStream(boost::asio::ip::tcp::socket socket, const ConnectionLimits& limits,
               std::shared_ptr<boost::asio::ssl::context> tls);

  /// Before all else. `owner` (of this) is kept alive while a limit runs.
  void Start(std::weak_ptr<void> owner);

  boost::asio::any_io_executor executor() { return socket_.get_executor(); }
  /// The client cannot be told anything any more.
  bool gone() const { return gone_; }
  /// Waiting for the first byte of a request.
  bool idle() const { return idle_; }
  /// Encrypted, or not to be: requests may come.
  bool established() const { return tls_ == nullptr || secure_; }

  /// Encrypts the connection where there is TLS. False: the client cannot, or is none that may;
  /// one that speaks plain HTTP is told.
  boost::asio::awaitable<bool> Handshake();
  /// Whether one of a request came, or was there. Empty lines before it are none (RFC 9112 section
  /// 2.2), and make the wait no longer.
  boost::asio::awaitable<bool> AwaitFirstByte();
  boost::asio::awaitable<absl::Status> ReadHead(RequestParser& parser);
  /// The rest of the request, up to the most that `body` takes; tells a client that waits for a
  /// word to go on. `body` holds what came.
  boost::asio::awaitable<absl::Status> ReadBody(RequestParser& parser,
                                                std::chrono::milliseconds limit, BodyBuffer& body);
  /// False: the client is gone. The limit is on progress, so a slow reader of a long answer is
  /// served as long as it reads.
  boost::asio::awaitable<bool> Write(std::string_view head, std::string_view body);
  /// `unread`: input was left unread. Then closing at once would reset the connection, and the
  /// client would lose the answer that tells why.
  boost::asio::awaitable<void> Close(bool unread);

  /// While nobody reads, calls `left` once if the client goes away. One that merely closes its
  /// sending side counts as gone too: the two look alike. One that has sent more is not watched.
  void Watch(std::function<void()> left);
  void CancelWatch();
  /// Ends the wait of an idle one.
  void CancelWait();
  /// At once.
  void Abort();
  void Disarm() { watchdog_.Disarm(); }

 private:
  class Source;

  static constexpr std::size_t kReadBytes = 4096;

  // Both read a body, and set `status` if there is no room for it.
  boost::asio::awaitable<boost::system::error_code> ReadSized(uint64_t length, BodyBuffer& body,
                                                              absl::Status& status);
  boost::asio::awaitable<boost::system::error_code> ReadChunks(RequestParser& parser,
                                                               BodyBuffer& body,
                                                               absl::Status& status);
  /// Drops those that the buffer begins with; whether more stands there.
  bool SkipEmptyLines();
  boost::asio::awaitable<bool> SpeaksTls();
  boost::asio::awaitable<bool> WritePlain(std::string_view head, std::string_view body);
  boost::asio::awaitable<bool> WriteTls(std::string_view head, std::string_view body);
  void WatchTls(std::function<void()> left);

  void Arm(std::chrono::milliseconds limit) { watchdog_.Arm(limit, owner_.lock()); }
  absl::Status ReadError(boost::system::error_code error, std::string_view part);

  const ConnectionLimits& limits_;
  std::weak_ptr<void> owner_;
  boost::asio::ip::tcp::socket socket_;
  const std::shared_ptr<boost::asio::ssl::context> tls_context_;
  const std::unique_ptr<TlsStream> tls_;  ///< Over the socket; null without.
  bool secure_ = false;                   ///< The handshake is over.
  bool watching_ = false;                 ///< A read of TLS watches for the client's leaving.
  std::string block_;                     ///< A head and the begin of its body; reused.
  Watchdog watchdog_;
  boost::beast::flat_buffer buffer_;
  bool idle_ = false;
  bool gone_ = false;
};

}  // namespace ivy
