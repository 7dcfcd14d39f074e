#include "ivy/net/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "common/log.h"
#include "ivy/net/body_buffer.h"
#include "ivy/net/client_stream.h"
#include "ivy/net/request_head.h"
#include "ivy/net/response_head.h"

namespace ivy {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// A refused request's body is read and dropped up to this size, so that the connection stays
/// usable; beyond it the connection closes.
constexpr std::size_t kDiscardBytesMax = std::size_t{64} << 10;
/// From the thread that answers to the connection's; longer takes only an answer for whose way
/// there was no memory.
constexpr std::chrono::seconds kDelivery{1};

/// The conversation over one client's stream: requests to the handler, its answers back.
class HttpConnection final : public Connection,
                             public Transport,
                             public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(tcp::socket socket, const ConnectionContext& context,
                 std::shared_ptr<asio::ssl::context> tls, ConnectionHooks hooks)
      : hooks_(std::move(hooks)),
        context_(context),
        handler_(context.handler),
        limits_(context.limits),
        stream_(std::move(socket), context.limits, std::move(tls)),
        answer_timer_(stream_.executor()) {}

  void Start() {
    stream_.Start(weak_from_this());
    asio::co_spawn(
        stream_.executor(), [self = shared_from_this()] { return self->Run(); }, asio::detached);
  }

  void Retire() override {
    // Who is not yet in carries no request; an end on its own terms could take as long as it likes.
    if (!stream_.established()) return Abort();
    retired_ = true;
    if (stream_.idle()) stream_.CancelWait();
  }

  void Abort() override {
    retired_ = true;
    if (exchange_) exchange_->Abandon();
    answer_timer_.cancel();
    stream_.Abort();
  }

  void Post(std::function<void()> work) override {
    asio::post(stream_.executor(), std::move(work));
  }

  void Deliver(Response response) override {
    asio::dispatch(stream_.executor(),
                   [self = shared_from_this(), response = std::move(response)]() mutable {
                     self->response_ = std::move(response);
                     self->answer_timer_.cancel();
                   });
  }

 private:
  asio::awaitable<void> Run();
  asio::awaitable<bool> ServeNext();
  asio::awaitable<bool> Converse(RequestParser& parser);
  asio::awaitable<absl::Status> ReadBody(RequestParser& parser, std::size_t bytes_max,
                                         std::chrono::milliseconds limit);
  asio::awaitable<void> AwaitAnswer();
  asio::awaitable<bool> Send(bool keep_alive);

  void WatchClient();

  const ConnectionHooks hooks_;
  const ConnectionContext& context_;
  const std::shared_ptr<Handler> handler_;
  const ConnectionLimits& limits_;
  ClientStream stream_;
  std::string head_;  ///< Of the answer; reused.

  std::shared_ptr<Exchange> exchange_;
  std::optional<Response> response_;
  asio::steady_timer answer_timer_;  ///< Ends with the answer or at the exchange's deadline.

  bool retired_ = false;  ///< No further request.
  bool unread_ = false;   ///< Input was left unread.
};

asio::awaitable<void> HttpConnection::Run() {
  try {
    if (co_await stream_.Handshake()) {
      while (!retired_ && co_await ServeNext()) {
      }
    } else {
      unread_ = true;
    }
    co_await stream_.Close(unread_);
  } catch (const std::exception& error) {
    spdlog::error("connection closed: {}", error.what());
    Abort();
  }
  stream_.Disarm();
  hooks_.ended(this);
}

/// One request and its answer; whether another may follow.
asio::awaitable<bool> HttpConnection::ServeNext() {
  if (!co_await stream_.AwaitFirstByte()) co_return false;
  RequestParser parser;
  exchange_ = std::make_shared<Exchange>(handler_, weak_from_this());
  absl::Status head = co_await stream_.ReadHead(parser);
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

/// From a good head to an answer in hand; whether the connection is in step with its client.
asio::awaitable<bool> HttpConnection::Converse(RequestParser& parser) {
  if (!handler_->Admit(*exchange_)) {
    if (parser.is_done()) co_return true;
    // Who asks first is told no, and may send the body or not: no way to stay in step.
    const bool drained =
        !ExpectsContinue(parser) &&
        (co_await ReadBody(parser, std::min(kDiscardBytesMax, limits_.body_bytes_max),
                           ClientStream::kLinger))
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
                                                       std::chrono::milliseconds limit) {
  BodyBuffer body(*exchange_, bytes_max, context_.bodies);
  co_return co_await stream_.ReadBody(parser, limit, body);
}

asio::awaitable<void> HttpConnection::AwaitAnswer() {
  if (!response_) WatchClient();
  common::TimePoint until = exchange_->deadline;
  while (!response_ && !stream_.gone()) {
    answer_timer_.expires_at(until);
    error_code error;
    co_await answer_timer_.async_wait(asio::redirect_error(asio::use_awaitable, error));
    if (error || response_) continue;
    if (until != exchange_->deadline) throw std::runtime_error("an answer was lost on its way");
    exchange_->cancel->Cancel();
    exchange_->Fail(Failure(
        Cause::kDeadline, fmt::format("no answer within {} ms", limits_.request_timeout.count())));
    until += kDelivery;
  }
  stream_.CancelWatch();
}

/// While an answer is awaited nobody reads the stream, so a client that goes away is noticed here.
void HttpConnection::WatchClient() {
  stream_.Watch([exchange = exchange_] {
    if (exchange->answered()) return;
    exchange->cancel->Cancel();
    exchange->Fail(Failure(Cause::kCancelled, "the client closed the connection"));
  });
}

asio::awaitable<bool> HttpConnection::Send(bool keep_alive) {
  if (stream_.gone() || !response_) co_return false;
  const Response response = std::move(*response_);
  response_.reset();
  WriteResponseHead(response, keep_alive && !retired_, head_);
  const bool bodiless = exchange_->request.method == Method::kHead || response.status == 204;
  co_return co_await stream_.Write(head_, bodiless ? std::string_view() : response.body);
}

}  // namespace

Connection* StartConnection(tcp::socket socket, const ConnectionContext& context,
                            std::shared_ptr<asio::ssl::context> tls, ConnectionHooks hooks) {
  const auto connection = std::make_shared<HttpConnection>(std::move(socket), context,
                                                           std::move(tls), std::move(hooks));
  connection->Start();
  return connection.get();
}

}  // namespace ivy
