#include "ivy/net/client_stream.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/read.hpp>
#include <cerrno>
#include <utility>

#include "ivy/http/cause.h"
#include "ivy/net/body_buffer.h"

namespace ivy {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;

/// What is read ahead of the parser: a head, or one line of chunk framing (an extension, a trailer)
/// must fit, since neither counts as body.
constexpr std::size_t kBufferBytesMax = std::size_t{64} << 10;
/// A read buffer that grew beyond this is given back between requests.
constexpr std::size_t kBufferKeptBytes = std::size_t{16} << 10;
/// How long a client may take to confirm that the encrypted connection ends.
constexpr milliseconds kFarewell{250};

}  // namespace

/// What is read from, with one choice for each read: Beast's parsing exists once for both.
class ClientStream::Source {
 public:
  using executor_type = tcp::socket::executor_type;

  explicit Source(ClientStream& stream) : socket_(stream.socket_), tls_(stream.tls_.get()) {}

  executor_type get_executor() { return socket_.get_executor(); }
  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    if (tls_ == nullptr) return socket_.async_read_some(buffers, std::forward<Token>(token));
    return tls_->AsyncReadSome(*asio::buffer_sequence_begin(buffers), std::forward<Token>(token));
  }

 private:
  tcp::socket& socket_;
  TlsStream* const tls_;
};

ClientStream::ClientStream(tcp::socket socket, const ConnectionLimits& limits,
                           std::shared_ptr<asio::ssl::context> tls)
    : limits_(limits),
      socket_(std::move(socket)),
      tls_context_(std::move(tls)),
      tls_(tls_context_ == nullptr ? nullptr : std::make_unique<TlsStream>(socket_, *tls_context_)),
      watchdog_(socket_),
      buffer_(kBufferBytesMax) {}

void ClientStream::Start(std::weak_ptr<void> owner) {
  owner_ = std::move(owner);
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
}

asio::awaitable<bool> ClientStream::AwaitFirstByte() {
  // A watch that was called off ends before anything that is begun after it. Called off again each
  // time: one whose read is complete, with half a record, has yet to begin the next.
  while (watching_) {
    CancelWatch();
    co_await asio::post(executor(), asio::use_awaitable);
  }
  if (SkipEmptyLines()) co_return true;
  if (buffer_.capacity() > kBufferKeptBytes) buffer_.shrink_to_fit();
  idle_ = true;
  Arm(limits_.idle_timeout);
  Source source(*this);
  error_code error;
  bool begun = false;
  while (!error && !begun) {
    const std::size_t bytes = co_await source.async_read_some(
        buffer_.prepare(kReadBytes), asio::redirect_error(asio::use_awaitable, error));
    buffer_.commit(bytes);
    begun = SkipEmptyLines();
  }
  watchdog_.Disarm();
  idle_ = false;
  co_return !error && !gone_;
}

bool ClientStream::SkipEmptyLines() {
  while (true) {
    const auto data = buffer_.data();
    const std::string_view text(static_cast<const char*>(data.data()), data.size());
    if (!text.starts_with("\r\n")) return !text.empty() && text != "\r";
    buffer_.consume(2);
  }
}

asio::awaitable<absl::Status> ClientStream::ReadHead(RequestParser& parser) {
  parser.header_limit(static_cast<std::uint32_t>(limits_.head_bytes_max));
  parser.body_limit(boost::none);  // BodyBuffer has its own.
  Arm(limits_.head_timeout);
  Source source(*this);
  error_code error;
  co_await http::async_read_header(source, buffer_, parser,
                                   asio::redirect_error(asio::use_awaitable, error));
  watchdog_.Disarm();
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    co_return Failure(Cause::kHeaders,
                      fmt::format("headers: expected at most {} bytes", limits_.head_bytes_max));
  }
  co_return error ? ReadError(error, "headers") : absl::OkStatus();
}

asio::awaitable<absl::Status> ClientStream::ReadBody(RequestParser& parser, milliseconds limit,
                                                     BodyBuffer& body) {
  const auto length = parser.content_length();
  absl::Status status = body.Expect(length ? std::optional<uint64_t>(*length) : std::nullopt);
  if (!status.ok() || parser.is_done()) co_return status;
  if (ExpectsContinue(parser) && buffer_.size() == 0) {
    co_await Write("HTTP/1.1 100 Continue\r\n\r\n", {});
  }
  Arm(limit);
  const error_code error = length ? co_await ReadSized(*length, body, status)
                                  : co_await ReadChunks(parser, body, status);
  watchdog_.Disarm();
  status.Update(body.Finish());
  if (error) co_return ReadError(error, fmt::format("body after {} bytes", body.size()));
  co_return status;
}

/// Straight to its place; through the parser and its buffer it would come in many small reads.
asio::awaitable<error_code> ClientStream::ReadSized(uint64_t length, BodyBuffer& body,
                                                    absl::Status& status) {
  Source source(*this);
  error_code error;
  while (!error && body.size() < length) {
    status = body.MakeRoom();
    if (!status.ok()) break;
    const std::span<char> room = body.room();
    std::size_t bytes = asio::buffer_copy(asio::buffer(room), buffer_.data());
    buffer_.consume(bytes);  // What came with the head.
    if (bytes == 0) {
      bytes = co_await source.async_read_some(asio::buffer(room),
                                              asio::redirect_error(asio::use_awaitable, error));
    }
    body.Take(bytes);
  }
  co_return error == asio::error::eof ? http::error::partial_message : error;
}

asio::awaitable<error_code> ClientStream::ReadChunks(RequestParser& parser, BodyBuffer& body,
                                                     absl::Status& status) {
  Source source(*this);
  error_code error;
  // Told at its head: a client that sends no more of it would be waited for.
  auto expect = [&](uint64_t bytes, boost::beast::string_view, error_code& refused) {
    status = body.ExpectChunk(bytes);
    if (!status.ok()) refused = http::error::body_limit;
  };
  parser.on_chunk_header(expect);
  while (!error && !parser.is_done() && !body.over()) {
    status = body.MakeRoom();
    if (!status.ok()) break;
    const std::span<char> room = body.room();
    auto& target = parser.get().body();
    target.data = room.data();
    target.size = room.size();
    co_await http::async_read(source, buffer_, parser,
                              asio::redirect_error(asio::use_awaitable, error));
    body.Take(room.size() - target.size);
    if (error == http::error::need_buffer || error == http::error::body_limit) error = {};
    if (!status.ok()) break;
  }
  co_return error;
}

absl::Status ClientStream::ReadError(error_code error, std::string_view part) {
  if (watchdog_.fired()) {
    return Failure(Cause::kSlowClient, fmt::format("{}: not received in time", part));
  }
  if (error == http::error::partial_message || error == http::error::end_of_stream) {
    return Failure(Cause::kMalformed, fmt::format("{}: cut off", part));
  }
  if (error == http::error::buffer_overflow) {
    return Failure(Cause::kMalformed,
                   fmt::format("{}: expected chunk heads and trailers of at most {} bytes", part,
                               kBufferBytesMax));
  }
  if (error.category() != http::make_error_code(http::error::bad_method).category()) gone_ = true;
  return Failure(Cause::kMalformed, fmt::format("{}: not HTTP ({})", part, error.message()));
}

asio::awaitable<bool> ClientStream::Write(std::string_view head, std::string_view body) {
  return tls_ == nullptr ? WritePlain(head, body) : WriteTls(head, body);
}

/// Most answers fit the socket's buffer and go out without suspending.
asio::awaitable<bool> ClientStream::WritePlain(std::string_view head, std::string_view body) {
  while (!head.empty() || !body.empty()) {
    const std::array<asio::const_buffer, 2> buffers = {asio::buffer(head), asio::buffer(body)};
    error_code error;
    const std::size_t sent = socket_.write_some(buffers, error);
    const std::size_t of_head = std::min(sent, head.size());
    head.remove_prefix(of_head);
    body.remove_prefix(sent - of_head);
    if (!error) continue;
    if (error == asio::error::would_block) {
      Arm(limits_.write_timeout);
      error = {};
      co_await socket_.async_wait(tcp::socket::wait_write,
                                  asio::redirect_error(asio::use_awaitable, error));
      watchdog_.Disarm();
      if (!error) continue;
    }
    gone_ = true;
    co_return false;
  }
  co_return true;
}

void ClientStream::Watch(std::function<void()> left) {
  if (tls_ != nullptr) return WatchTls(std::move(left));
  socket_.async_wait(tcp::socket::wait_read, [this, owner = owner_.lock(),
                                              left = std::move(left)](error_code error) {
    if (error) return;
    char byte = 0;
    const ssize_t bytes = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    const bool alive = bytes > 0 || (bytes < 0 && (errno == EAGAIN || errno == EINTR));
    if (!alive) left();  // Else it has sent the next request already.
  });
}

void ClientStream::CancelWatch() {
  error_code ignored;
  socket_.cancel(ignored);
}

void ClientStream::CancelWait() { Arm(milliseconds::zero()); }

void ClientStream::Abort() {
  gone_ = true;
  error_code ignored;
  socket_.close(ignored);
}

asio::awaitable<void> ClientStream::Close(bool unread) {
  error_code error;
  if (secure_ && !gone_) {
    Arm(kFarewell);  // Without a word the client could not tell an end from a cut.
    co_await tls_->AsyncShutdown(asio::redirect_error(asio::use_awaitable, error));
    watchdog_.Disarm();
    error = {};
  }
  if (unread && !gone_) {
    socket_.shutdown(tcp::socket::shutdown_send, error);
    Arm(kLinger);
    while (!error) {
      buffer_.clear();
      co_await socket_.async_read_some(buffer_.prepare(kReadBytes),
                                       asio::redirect_error(asio::use_awaitable, error));
    }
    watchdog_.Disarm();
  }
  socket_.shutdown(tcp::socket::shutdown_both, error);
  socket_.close(error);
}

}  // namespace ivy
