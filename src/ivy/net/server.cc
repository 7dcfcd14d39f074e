#include "ivy/net/server.h"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <future>
#include <new>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/log.h"
#include "common/mutex.h"
#include "common/thread_count.h"
#include "ivy/net/connection.h"
#include "ivy/net/io_loop.h"
#include "ivy/net/response_head.h"
#include "ivy/net/tls_context.h"

namespace ivy {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// Room for the bodies of all requests, in bodies of the largest size.
constexpr int64_t kLargestBodies = 16;
/// After running out of file descriptors or memory: time for some to come back.
constexpr std::chrono::milliseconds kAcceptPause{100};

/// How many connections there are; they decrement it as their last act.
class Population {
 public:
  explicit Population(prometheus::Gauge& gauge) : gauge_(gauge) {}

  std::shared_ptr<void> Enter(const std::shared_ptr<Population>& self) {
    const common::MutexLock lock(mutex_);
    gauge_.Set(++count_);
    return std::shared_ptr<void>(nullptr, [self](void*) { self->Leave(); });
  }
  int count() {
    const common::MutexLock lock(mutex_);
    return count_;
  }
  bool WaitForNone(common::TimePoint deadline) {
    common::MutexLock lock(mutex_);
    while (count_ != 0) {
      if (!left_.WaitUntil(lock, deadline)) return count_ == 0;
    }
    return true;
  }

 private:
  void Leave() {
    const common::MutexLock lock(mutex_);
    gauge_.Set(--count_);
    left_.NotifyAll();
  }

  prometheus::Gauge& gauge_;
  common::Mutex mutex_;
  common::ConditionVariable left_;
  int count_ ABSL_GUARDED_BY(mutex_) = 0;
};

/// An I/O thread and its connections, which belong to the thread.
struct Shard {
  explicit Shard(common::Duration spin) : loop(spin) {}

  std::unordered_set<Connection*> connections;
  bool retired = false;
  IoLoop loop;  ///< Last: its thread starts after the others are made and ends before they go.
};

class TcpServer final : public Server {
 public:
  TcpServer(const ServerOptions& options, std::shared_ptr<Handler> handler,
            prometheus::Gauge& connections)
      : options_(options),
        context_{.handler = std::move(handler),
                 .limits = options.limits,
                 .bodies = std::make_shared<ByteBudget>(
                     kLargestBodies * static_cast<int64_t>(options.limits.body_bytes_max))},
        population_(std::make_shared<Population>(connections)) {}

  absl::Status Start() {
    ASSIGN_OR_RETURN(tls_, MakeTlsContext(options_.tls));
    RETURN_IF_ERROR(Listen());
    const int threads = common::ThreadCount(options_.io_threads, 4, 1, 8);
    for (int i = 0; i < threads; ++i) {
      shards_.push_back(std::make_unique<Shard>(options_.spin));
    }
    asio::post(acceptor_loop_.context, [this] { Accept(); });
    return absl::OkStatus();
  }

  ~TcpServer() override {
    StopAccepting();
    std::promise<void> stopped;  // from here on there are only fewer connections
    asio::post(acceptor_loop_.context, [this, &stopped] {
      ForEachConnection([](Connection& connection) { connection.Abort(); });
      stopped.set_value();
    });
    stopped.get_future().wait();
    Wait(common::TimePoint::max());
    acceptor_loop_.Stop();  // before the acceptor goes, which its handlers look at
  }

  int port() const override { return port_; }

  absl::Status ReloadTls() override {
    ASSIGN_OR_RETURN(std::shared_ptr<asio::ssl::context> tls, MakeTlsContext(options_.tls));
    std::promise<void> taken;
    asio::post(acceptor_loop_.context, [this, &tls, &taken] {
      tls_ = std::move(tls);
      taken.set_value();
    });
    taken.get_future().wait();
    return absl::OkStatus();
  }

  void StopAccepting() override {
    std::promise<void> told;
    asio::post(acceptor_loop_.context, [this, &told] {
      error_code ignored;
      acceptor_.close(ignored);
      accept_pause_.cancel();
      // Behind every connection that was dealt out, since each loop keeps its order.
      for (auto& shard : shards_) {
        asio::post(shard->loop.context, [&shard = *shard] { shard.retired = true; });
      }
      ForEachConnection([](Connection& connection) { connection.Retire(); });
      told.set_value();
    });
    // What is answered after this call comes behind the news in its connection's loop.
    told.get_future().wait();
  }

  bool Wait(common::TimePoint deadline) override { return population_->WaitForNone(deadline); }

 private:
  absl::Status Listen();
  void Accept();
  /// Tries again after a while.
  void Pause(std::string_view cause);
  /// What accepted, or would have, found no memory.
  void Recover();
  void Take(Shard& shard, tcp::socket socket);
  void Deal(Shard& shard, tcp::socket socket);
  void TurnAway(tcp::socket socket);

  template <class Act>
  void ForEachConnection(Act act) {
    for (auto& shard : shards_) {
      asio::post(shard->loop.context, [&shard = *shard, act] {
        // Acting on a connection may end it, which changes the set.
        const std::vector<Connection*> all(shard.connections.begin(), shard.connections.end());
        for (Connection* connection : all) act(*connection);
      });
    }
  }

  const ServerOptions options_;
  ConnectionContext context_;  ///< Constant once there are connections.
  const std::shared_ptr<Population> population_;
  std::vector<std::unique_ptr<Shard>> shards_;
  // The acceptor's thread's, once it accepts.
  std::shared_ptr<asio::ssl::context> tls_;  ///< Null: plain HTTP.
  std::size_t turn_ = 0;
  int port_ = 0;
  bool starved_ = false;  ///< Accepting failed last time: said once, tried again and again.
  IoLoop acceptor_loop_{{}, [this] { Recover(); }};
  tcp::acceptor acceptor_{acceptor_loop_.context};
  asio::steady_timer accept_pause_{acceptor_loop_.context};
};

absl::Status TcpServer::Listen() {
  const std::string address = fmt::format("{}:{}", options_.host, options_.port);
  error_code error;
  tcp::resolver resolver(acceptor_loop_.context);
  const auto found = resolver.resolve(options_.host, std::to_string(options_.port),
                                      tcp::resolver::numeric_service, error);
  if (error || found.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "--host {}: expected an address of this machine ({})", options_.host, error.message()));
  }
  const tcp::endpoint endpoint = *found.begin();
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return absl::UnavailableError(fmt::format("cannot listen on {}: {}", address, error.message()));
  }
  port_ = acceptor_.local_endpoint().port();
  return absl::OkStatus();
}

void TcpServer::Accept() {
  Shard& shard = *shards_[turn_ % shards_.size()];
  acceptor_.async_accept(shard.loop.context, [this, &shard](error_code error, tcp::socket socket) {
    if (!acceptor_.is_open() || error == asio::error::operation_aborted) return;
    if (error && error != asio::error::connection_aborted) return Pause(error.message());
    if (!error) Take(shard, std::move(socket));
    Accept();
  });
}

void TcpServer::Pause(std::string_view cause) {
  if (!std::exchange(starved_, true)) spdlog::warn("accept: {}", cause);
  accept_pause_.expires_after(kAcceptPause);
  accept_pause_.async_wait([this](error_code cancelled) {
    if (!cancelled) Accept();
  });
}

void TcpServer::Recover() {
  if (!acceptor_.is_open()) return;
  error_code ignored;
  acceptor_.cancel(ignored);
  while (true) {
    try {
      return Pause("out of memory");
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(kAcceptPause);  // It is the acceptor's own.
    }
  }
}

void TcpServer::Take(Shard& shard, tcp::socket socket) {
  if (population_->count() < options_.connections_max) {
    Deal(shard, std::move(socket));
    ++turn_;
  } else {
    TurnAway(std::move(socket));
  }
  starved_ = false;
}

void TcpServer::Deal(Shard& shard, tcp::socket socket) {
  asio::post(
      shard.loop.context, [this, &shard, tls = tls_, lifetime = population_->Enter(population_),
                           socket = std::move(socket)]() mutable {
        ConnectionHooks hooks;
        hooks.ended = [&shard](Connection* connection) { shard.connections.erase(connection); };
        hooks.lifetime = std::move(lifetime);
        Connection* connection =
            StartConnection(std::move(socket), context_, std::move(tls), std::move(hooks));
        try {
          shard.connections.insert(connection);
        } catch (const std::bad_alloc&) {  // Nobody could tell it to end.
          return connection->Abort();
        }
        if (shard.retired) connection->Retire();
      });
}

void TcpServer::TurnAway(tcp::socket socket) {
  if (tls_ != nullptr) return;  // A handshake would cost more than the connection is worth.
  Response response = {.status = 503};
  response.body = ErrorBody(Dialect::kOpenAi, Failure(Cause::kUnhealthy, "too many connections"));
  std::string bytes;
  WriteResponseHead(response, /*keep_alive=*/false, bytes);
  bytes += response.body;
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(bytes), ignored);
  socket.shutdown(tcp::socket::shutdown_both, ignored);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Create(const ServerOptions& options,
                                                       std::shared_ptr<Handler> handler,
                                                       prometheus::Gauge& connections) {
  auto server = std::make_unique<TcpServer>(options, std::move(handler), connections);
  RETURN_IF_ERROR(server->Start());
  return server;
}

}  // namespace ivy
