#include "ivy/net/connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <optional>

#include "common/log.h"
#include "ivy/net/request_head.h"
#include "ivy/net/response_head.h"
#include "ivy/net/watchdog.h"

namespace ivy {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;

/// A refused request's body is read and dropped up to this size, so that the connection stays
/// usable; beyond it the connection closes.
constexpr std::size_t kDiscardBytesMax = std::size_t{64} << 10;
/// How long a connection that closes with input unread listens on. Closing at once would reset it,
/// and the client would lose the answer that tells why.
constexpr milliseconds kLinger{1'000};
constexpr std::size_t kReadBytes = 4096;
constexpr std::size_t kBodyStepBytes = std::size_t{64} << 10;
/// What is read ahead of the parser: a head, or one line of chunk framing (an extension, a trailer)
/// must fit, since neither counts as body.
constexpr std::size_t kBufferBytesMax = std::size_t{64} << 10;
/// A read buffer that grew beyond this is given back between requests.
constexpr std::size_t kBufferKeptBytes = std::size_t{16} << 10;

absl::Status TooLarge(std::size_t limit) {
  return Failure(Cause::kPayload, fmt::format("body: expected at most {} bytes", limit));
}

class HttpConnection final : public Connection,
                             public Transport,
                             public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(tcp::socket socket, const ConnectionContext& context, ConnectionHooks hooks)
      : hooks_(std::move(hooks)),
        context_(context),
        handler_(context.handler),
        limits_(context.limits),
        socket_(std::move(socket)),
        watchdog_(socket_),
        answer_timer_(socket_.get_executor()) {}

  void Start() {
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    socket_.non_blocking(true, ignored);
    asio::co_spawn(
        socket_.get_executor(), [self = shared_from_this()] { return self->Run(); },
        asio::detached);
  }

  void Retire() override {
    retired_ = true;
    error_code ignored;
    if (idle_) socket_.cancel(ignored);
  }

  void Abort() override {
    retired_ = true;
    gone_ = true;
    if (exchange_) exchange_->Abandon();
    answer_timer_.cancel();
    error_code ignored;
    socket_.close(ignored);
  }

  void Post(std::function<void()> work) override {
    asio::post(socket_.get_executor(), std::move(work));
  }

  void Deliver(Response response) override {
    asio::dispatch(socket_.get_executor(),
                   [self = shared_from_this(), response = std::move(response)]() mutable {
                     self->response_ = std::move(response);
                     self->answer_timer_.cancel();
                   });
  }

 private:
  asio::awaitable<void> Run();
  asio::awaitable<bool> ServeNext();
  asio::awaitable<bool> AwaitFirstByte();
  asio::awaitable<absl::Status> ReadHead(RequestParser& parser);
  asio::awaitable<bool> Converse(RequestParser& parser);
  asio::awaitable<absl::Status> ReadBody(RequestParser& parser, std::size_t bytes_max,
                                         milliseconds timeout);
  asio::awaitable<void> AwaitAnswer();
  asio::awaitable<bool> Send(bool keep_alive);
  asio::awaitable<bool> Write(std::string_view head, std::string_view body);
  asio::awaitable<void> Close();

  void WatchClient();
  absl::Status ReadError(error_code error, std::string_view part);

  const ConnectionHooks hooks_;
  const ConnectionContext& context_;
  const std::shared_ptr<Handler> handler_;
  const ConnectionLimits& limits_;
  tcp::socket socket_;
  Watchdog watchdog_;
  boost::beast::flat_buffer buffer_{kBufferBytesMax};
  std::string head_;  ///< Of the answer; reused.

  std::shared_ptr<Exchange> exchange_;
  std::optional<Response> response_;
  asio::steady_timer answer_timer_;  ///< Ends with the answer or at the exchange's deadline.

  bool idle_ = false;     ///< Waiting for the first byte of a request.
  bool retired_ = false;  ///< No further request.
  bool gone_ = false;     ///< The client cannot be told anything any more.
  bool unread_ = false;   ///< Input was left unread: linger before closing.
};

asio::awaitable<void> HttpConnection::Run() {
  try {
    while (!retired_ && co_await ServeNext()) {
    }
    co_await Close();
  } catch (const std::exception& error) {
    spdlog::error("connection closed: {}", error.what());
    Abort();
  }
  watchdog_.Disarm();
  hooks_.ended(this);
}

/// One request and its answer; whether another may follow.
asio::awaitable<bool> HttpConnection::ServeNext() {
  if (!co_await AwaitFirstByte()) co_return false;
  RequestParser parser;
  exchange_ = std::make_shared<Exchange>(handler_, weak_from_this());
  absl::Status head = co_await ReadHead(parser);
  exchange_->started = common::Clock::Steady().Now();
  TakeHead(parser, exchange_->request);
  if (head.ok()) head = CheckHead(parser);
  handler_->Open(*exchange_);
  bool keep_alive = false;
  if (head.ok()) {
    keep_alive = co_await Converse(parser) && parser.keep_alive();
  } else {
    exchange_->Fail(head);
    unread_ = true;
  }
  const bool sent = co_await Send(keep_alive);
  exchange_.reset();
  if (!sent) co_return false;
  co_return keep_alive;
}

asio::awaitable<bool> HttpConnection::AwaitFirstByte() {
  if (buffer_.size() > 0) co_return true;
  if (buffer_.capacity() > kBufferKeptBytes) buffer_.shrink_to_fit();
  idle_ = true;
  watchdog_.Arm(limits_.idle_timeout, shared_from_this());
  error_code error;
  const std::size_t bytes = co_await socket_.async_read_some(
      buffer_.prepare(kReadBytes), asio::redirect_error(asio::use_awaitable, error));
  watchdog_.Disarm();
  idle_ = false;
  buffer_.commit(bytes);
  co_return !error && !gone_;
}

asio::awaitable<absl::Status> HttpConnection::ReadHead(RequestParser& parser) {
  parser.header_limit(static_cast<std::uint32_t>(limits_.head_bytes_max));
  parser.body_limit(boost::none);  // ReadBody has its own
  watchdog_.Arm(limits_.head_timeout, shared_from_this());
  error_code error;
  co_await http::async_read_header(socket_, buffer_, parser,
                                   asio::redirect_error(asio::use_awaitable, error));
  watchdog_.Disarm();
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    co_return Failure(Cause::kHeaders,
                      fmt::format("headers: expected at most {} bytes", limits_.head_bytes_max));
  }
  co_return error ? ReadError(error, "headers") : absl::OkStatus();
}

absl::Status HttpConnection::ReadError(error_code error, std::string_view part) {
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

/// From a good head to an answer in hand; whether the connection is in step with its client.
asio::awaitable<bool> HttpConnection::Converse(RequestParser& parser) {
  if (!handler_->Admit(*exchange_)) {
    if (parser.is_done()) co_return true;
    // Who asks first is told no, and may send the body or not: no way to stay in step.
    const bool drained =
        !ExpectsContinue(parser) &&
        (co_await ReadBody(parser, std::min(kDiscardBytesMax, limits_.body_bytes_max), kLinger))
            .ok();
    unread_ = !drained;
    co_return drained;
  }
  const absl::Status body = co_await ReadBody(parser, limits_.body_bytes_max, limits_.body_timeout);
  if (!body.ok()) {
    exchange_->Fail(body);
    unread_ = true;
    co_return false;
  }
  exchange_->deadline = common::Clock::Steady().Now() + limits_.request_timeout;
  handler_->Serve(exchange_);
  co_await AwaitAnswer();
  co_return true;
}

asio::awaitable<absl::Status> HttpConnection::ReadBody(RequestParser& parser, std::size_t bytes_max,
                                                       milliseconds timeout) {
  const auto length = parser.content_length();
  if (length && *length > bytes_max) co_return TooLarge(bytes_max);
  if (parser.is_done()) co_return absl::OkStatus();
  if (ExpectsContinue(parser) && buffer_.size() == 0) {
    if (!co_await Write("HTTP/1.1 100 Continue\r\n\r\n", {})) gone_ = true;
  }
  watchdog_.Arm(timeout, shared_from_this());
  // The buffer grows with what has arrived, not with what the client says will come.
  const std::size_t most = length ? static_cast<std::size_t>(*length) : bytes_max + 1;
  std::string& body = exchange_->request.body;
  std::shared_ptr<ByteBudget::Lease> lease;
  std::size_t size = 0;
  error_code error;
  while (!error && !parser.is_done() && size <= bytes_max) {
    if (size == body.size()) {
      const std::size_t grown = std::min(most, std::max(kBodyStepBytes, 2 * size));
      if (grown > kBodyStepBytes) {  // smaller ones are bounded by the number of connections
        if (!lease) lease = std::make_shared<ByteBudget::Lease>(context_.bodies);
        exchange_->body_lease = lease;
        if (!lease->Raise(static_cast<int64_t>(grown))) {
          co_return Failure(Cause::kOverloaded, "too many large bodies at once, try again later");
        }
      }
      body.reserve(grown + kBodyPadding);
      body.resize(grown);
    }
    auto& target = parser.get().body();
    target.data = body.data() + size;
    target.size = body.size() - size;
    co_await http::async_read(socket_, buffer_, parser,
                              asio::redirect_error(asio::use_awaitable, error));
    size = body.size() - target.size;
    if (error == http::error::need_buffer) error = {};
  }
  watchdog_.Disarm();
  body.resize(size);
  if (error) co_return ReadError(error, fmt::format("body after {} bytes", size));
  if (size > bytes_max) co_return TooLarge(bytes_max);
  co_return absl::OkStatus();
}

asio::awaitable<void> HttpConnection::AwaitAnswer() {
  if (!response_) WatchClient();
  while (!response_ && !gone_) {
    answer_timer_.expires_at(exchange_->deadline);
    error_code error;
    co_await answer_timer_.async_wait(asio::redirect_error(asio::use_awaitable, error));
    if (!error && !response_) {
      exchange_->cancel->Cancel();
      exchange_->Fail(Failure(Cause::kDeadline, fmt::format("no answer within {} ms",
                                                            limits_.request_timeout.count())));
    }
  }
  error_code ignored;
  socket_.cancel(ignored);  // ends the watch
}

/// While an answer is awaited nobody reads the socket, so a client that goes away is noticed here.
/// One that merely closes its sending side counts as gone too: the two look alike.
void HttpConnection::WatchClient() {
  socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this(),
                                              exchange = exchange_](error_code error) {
    if (error || exchange->answered()) return;
    char byte = 0;
    const ssize_t bytes = ::recv(self->socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    const bool alive = bytes > 0 || (bytes < 0 && (errno == EAGAIN || errno == EINTR));
    if (alive) return;  // it has sent the next request already
    exchange->cancel->Cancel();
    exchange->Fail(Failure(Cause::kCancelled, "the client closed the connection"));
  });
}

asio::awaitable<bool> HttpConnection::Send(bool keep_alive) {
  if (gone_ || !response_) co_return false;
  const Response response = std::move(*response_);
  response_.reset();
  WriteResponseHead(response, keep_alive && !retired_, head_);
  const bool bodiless = exchange_->request.method == Method::kHead || response.status == 204;
  const bool sent = co_await Write(head_, bodiless ? std::string_view() : response.body);
  if (!sent) gone_ = true;
  co_return sent;
}

/// Most answers fit the socket's buffer and go out without suspending. The time limit is on
/// progress, so a slow reader of a long answer is served as long as it reads.
asio::awaitable<bool> HttpConnection::Write(std::string_view head, std::string_view body) {
  while (!head.empty() || !body.empty()) {
    const std::array<asio::const_buffer, 2> buffers = {asio::buffer(head), asio::buffer(body)};
    error_code error;
    const std::size_t sent = socket_.write_some(buffers, error);
    const std::size_t of_head = std::min(sent, head.size());
    head.remove_prefix(of_head);
    body.remove_prefix(sent - of_head);
    if (!error) continue;
    if (error != asio::error::would_block) co_return false;
    watchdog_.Arm(limits_.write_timeout, shared_from_this());
    co_await socket_.async_wait(tcp::socket::wait_write,
                                asio::redirect_error(asio::use_awaitable, error));
    watchdog_.Disarm();
    if (error) co_return false;
  }
  co_return true;
}

asio::awaitable<void> HttpConnection::Close() {
  error_code error;
  if (unread_ && !gone_) {
    socket_.shutdown(tcp::socket::shutdown_send, error);
    watchdog_.Arm(kLinger, shared_from_this());
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

}  // namespace

Connection* StartConnection(tcp::socket socket, const ConnectionContext& context,
                            ConnectionHooks hooks) {
  const auto connection =
      std::make_shared<HttpConnection>(std::move(socket), context, std::move(hooks));
  connection->Start();
  return connection.get();
}

}  // namespace ivy
