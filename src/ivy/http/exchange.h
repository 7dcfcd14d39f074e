#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "common/clock.h"
#include "common/status.h"
#include "common/trace/span.h"
#include "ivy/http/message.h"
#include "wire/inference.h"

namespace ivy {

struct Route;
class Exchange;

/// What HTTP means to this server; the connection asks it, one exchange after the other. Outlives
/// every exchange (they share it).
class Handler {
 public:
  virtual ~Handler() = default;

  /// The head is in (as much as could be read, if it was malformed): gives the exchange its
  /// route, id and span. On the connection's thread.
  virtual void Open(Exchange& exchange) = 0;
  /// Whether the body should be read; if not, the exchange has been answered. On the connection's
  /// thread.
  virtual bool Admit(Exchange& exchange) = 0;
  /// The request is whole. Does not block; sooner or later somebody answers the exchange. On the
  /// connection's thread.
  virtual void Serve(const std::shared_ptr<Exchange>& exchange) = 0;

  /// The answer that tells of a failure. Any thread.
  virtual Response Tell(const Exchange& exchange, const absl::Status& failure) = 0;
  /// Last touch to each answer, once per exchange: headers and metrics. Any thread.
  virtual void Seal(Exchange& exchange, Response& response) = 0;
};

/// The way back to the client. Any thread; without effect once the connection has ended.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Runs `work` on the connection's thread, soon.
  virtual void Post(std::function<void()> work) = 0;
  virtual void Deliver(Response response) = 0;
};

/// One request and its answer: made by the connection, shared by whoever works on it.
class Exchange {
 public:
  Exchange(std::shared_ptr<Handler> handler, std::weak_ptr<Transport> transport)
      : handler_(std::move(handler)), transport_(std::move(transport)) {}

  Request request;
  std::shared_ptr<void> body_lease;  ///< The connection's account of the body's memory.
  const Route* route = nullptr;      ///< After Handler::Open.
  std::string id;                    ///< x-request-id; after Handler::Open.
  common::Span span;                 ///< From Handler::Open to Handler::Seal.
  common::TimePoint started{};       ///< The head was in.
  common::TimePoint deadline = common::TimePoint::max();
  /// Set when nobody waits any more: the client is gone, or the deadline has passed.
  std::shared_ptr<wire::CancelToken> cancel = std::make_shared<wire::CancelToken>();

  /// The first call of Answer or Fail is the answer, later ones have no effect. Any thread.
  void Answer(Response response);
  void Fail(const absl::Status& failure);
  /// Nobody will be answered: the connection is gone. Any thread.
  void Abandon();
  bool answered() const { return answered_.load(std::memory_order_acquire); }

  /// Runs `work` on the connection's thread, or never if the connection has ended. Any thread.
  void Post(std::function<void()> work) const;

 private:
  void Send(Response response);

  std::shared_ptr<Handler> handler_;
  std::weak_ptr<Transport> transport_;
  std::atomic<bool> answered_{false};
};

}  // namespace ivy
